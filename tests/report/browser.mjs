// SPDX-License-Identifier: Apache-2.0
// Chromium, the program and report pages, for the tests of this folder. ECUBE_REPORT_TEST=PROGRAM:FOLDER OF PLAYWRIGHT:FOLDER OF STUDIES
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, afterEach, before } from 'node:test';
import { pathToFileURL } from 'node:url';

export const [program, playwright, studies] = process.env.ECUBE_REPORT_TEST.split(':');
const { chromium } = await import(pathToFileURL(path.join(playwright, 'node_modules/playwright-core/index.mjs')));

export const work = mkdtempSync(path.join(tmpdir(), 'ecube-report-'));
let browser;
before(async () => {
  const found = spawnSync('sh', ['-c', 'command -v chromium-headless-shell'], { encoding: 'utf8' }).stdout.trim();
  assert.ok(found, 'chromium-headless-shell is missing: cmake/packages/install test');
  browser = await chromium.launch({ executablePath: found, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
});
after(async () => {
  await browser?.close();
  rmSync(work, { recursive: true, force: true });
});

/** Pages that the test has opened, each with what went wrong on it: nothing, as is seen after the test. */
const opened = new Map();
afterEach(async () => {
  for (const [page, wrong] of opened) {
    await page.context().close();
    opened.delete(page);
    assert.deepEqual(wrong, []);
  }
});

export const ecube = (...args) => spawnSync(program, args, { encoding: 'utf8', cwd: work });
export function run(name, ...args) {
  assert.ok(ecube('run', ...args, '-o', name, '--quiet').status <= 1);
  return report(name);
}
export function report(name, ...args) {
  const made = ecube('report', name, ...args);
  assert.equal(made.status, 0, made.stderr);
  return path.join(work, name, 'report.html');
}

/** A page that has been opened. */
export async function open(file, { hash = '', ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, acceptDownloads: true, ...options });
  const page = await context.newPage();
  const wrong = [];
  opened.set(page, wrong);
  // Tests that look at pixels read canvases back, which the browser says is slow.
  const ofTests = (text) => text.startsWith('Canvas2D: Multiple readback');
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && !ofTests(message.text()) && wrong.push(message.text()));
  page.on('pageerror', (error) => wrong.push(error.message));
  page.on('request', (request) => request.url().startsWith('file:') || request.url().startsWith('blob:') || wrong.push(`asked for ${request.url()}`));
  // A machine that is busy with other work takes its time; no verdict depends on it.
  await page.goto(pathToFileURL(file).href + hash, { waitUntil: 'commit', timeout: 120000 });
  await page.waitForFunction(() => document.documentElement.dataset.ready === 'yes', null, { timeout: 120000 });
  return page;
}

/** Makes a run directory one of an earlier version, whose files may be damaged without anything but their contents telling. */
export function withoutHashes(directory) {
  const file = path.join(directory, 'provenance.json');
  const { generation, files, ...rest } = JSON.parse(readFileSync(file, 'utf8'));
  assert.ok(generation);
  writeFileSync(file, JSON.stringify({ ...rest, files: files.map(({ name }) => name) }));
}

/** Names of charts on which nothing is drawn. */
export const emptyCharts = (page) => page.evaluate(() => [...document.querySelectorAll('.chart')].filter((place) => {
  if (!(Number(place.dataset.points) > 0)) return true;
  const canvas = place.querySelector('canvas');
  if (canvas) {
    const blank = document.createElement('canvas');
    [blank.width, blank.height] = [canvas.width, canvas.height];
    return canvas.toDataURL() === blank.toDataURL();
  }
  return place.querySelectorAll('svg path, svg rect, svg circle').length < 5;
}).map((place) => place.dataset.chart));
