// SPDX-License-Identifier: Apache-2.0
// How long pages take to open, drawn and ready, and how long frames and seeks of their replays take: page_time.mjs
// FOLDER_OF_PLAYWRIGHT PAGE... Script time of a frame is what the page's own code takes; the browser's drawing comes on top.
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [, , playwright, ...pages] = process.argv;
const { chromium } = await import(pathToFileURL(path.resolve(playwright, 'node_modules/playwright-core/index.mjs')));
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
const part = (times, share) => [...times].sort((a, b) => a - b)[Math.min(times.length - 1, Math.floor(share * times.length))].toFixed(2);
for (const file of pages) {
  const opened = [];
  let replay = null;
  for (let i = 0; i < 5; ++i) {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    await page.goto(pathToFileURL(path.resolve(file)).href, { waitUntil: 'commit' });
    await page.waitForFunction(() => document.documentElement.dataset.ready === 'yes');
    // From the start of navigation to the first frame after everything was drawn.
    opened.push(await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now()))))));
    replay ||= await page.evaluate(async () => {
      if (!page.replay) return null;
      const seeks = [];
      for (let k = 0; k < 300; ++k) {
        const begin = performance.now();
        page.clock.seek((k * 7919 * 31) % page.clock.end);
        seeks.push(performance.now() - begin);
      }
      page.clock.seek(0);
      const [frames, seek] = [[], page.clock.seek];
      page.clock.seek = (edge) => {
        const begin = performance.now();
        seek(edge);
        frames.push(performance.now() - begin);
      };
      document.querySelector('.stage').dispatchEvent(new KeyboardEvent('keydown', { key: ' ', bubbles: true }));
      while (frames.length < 300 && page.clock.playing) await new Promise((resolve) => setTimeout(resolve, 50));
      return { first: page.replay.firstFrame, seeks, frames, circuits: page.model.count };
    });
    await page.close();
  }
  console.log(`${file}: ready after ${part(opened, 0.5)} ms (median of 5, ${part(opened, 0)} to ${part(opened, 1)})`);
  if (!replay) continue;
  console.log(`  ${replay.circuits} circuits: first frame ${replay.first.toFixed(2)} ms; script of ${replay.frames.length} frames ${part(replay.frames, 0.5)} ms median, ${part(replay.frames, 0.99)} ms at 99 %; of ${replay.seeks.length} seeks ${part(replay.seeks, 0.5)} ms median, ${part(replay.seeks, 0.99)} ms at 99 %`);
}
await browser.close();
