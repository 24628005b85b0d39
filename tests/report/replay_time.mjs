// SPDX-License-Identifier: Apache-2.0
// How long frames and seeks of replays take, and how soon a page shows its first frame: replay_time.mjs FOLDER_OF_PLAYWRIGHT PAGE...
// Script time of a frame is what the page's own code takes, measured around it; the browser's drawing comes on top.
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [, , playwright, ...pages] = process.argv;
const { chromium } = await import(pathToFileURL(path.resolve(playwright, 'node_modules/playwright-core/index.mjs')));
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
const part = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))].toFixed(2);
for (const file of pages) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  await page.goto(pathToFileURL(path.resolve(file)).href, { waitUntil: 'commit' });
  await page.waitForFunction(() => typeof page !== 'undefined' && page.replay?.firstFrame);
  const first = await page.evaluate(() => page.replay.firstFrame);
  await page.waitForFunction(() => document.documentElement.dataset.ready === 'yes');
  const { seeks, frames, circuits } = await page.evaluate(async () => {
    const times = [];
    for (let i = 0; i < 300; ++i) {
      const begin = performance.now();
      page.clock.seek((i * 7919 * 31) % page.clock.end);
      times.push(performance.now() - begin);
    }
    page.clock.seek(0);
    page.replay.frames.length = 0;
    document.querySelector('.stage').dispatchEvent(new KeyboardEvent('keydown', { key: ' ', bubbles: true }));
    while (page.replay.frames.length < 300 && page.clock.playing) await new Promise((resolve) => setTimeout(resolve, 50));
    return { seeks: times.sort((a, b) => a - b), frames: [...page.replay.frames].sort((a, b) => a - b), circuits: page.model.count };
  });
  console.log(`${file}, ${circuits} circuits: first frame ${(first / 1000).toFixed(2)} s; script of ${frames.length} frames ${part(frames, 0.5)} ms median, ${part(frames, 0.99)} ms at 99 %; of ${seeks.length} seeks ${part(seeks, 0.5)} ms median, ${part(seeks, 0.99)} ms at 99 %`);
  await page.close();
}
await browser.close();
