// SPDX-License-Identifier: Apache-2.0
// How long pages take to open, drawn and ready: open_time.mjs FOLDER_OF_PLAYWRIGHT PAGE...
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [, , playwright, ...pages] = process.argv;
const { chromium } = await import(pathToFileURL(path.resolve(playwright, 'node_modules/playwright-core/index.mjs')));
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
for (const file of pages) {
  const times = [];
  for (let i = 0; i < 5; ++i) {
    const page = await browser.newPage();
    await page.goto(pathToFileURL(path.resolve(file)).href, { waitUntil: 'commit' });
    await page.waitForFunction(() => document.documentElement.dataset.ready === 'yes');
    // From the start of navigation to the first frame after everything was drawn.
    times.push(await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now()))))));
    await page.close();
  }
  times.sort((a, b) => a - b);
  console.log(`${file}: ${(times[2] / 1000).toFixed(2)} s (median of 5, ${(times[0] / 1000).toFixed(2)} to ${(times[4] / 1000).toFixed(2)})`);
}
await browser.close();
