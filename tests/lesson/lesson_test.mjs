// SPDX-License-Identifier: Apache-2.0
// Lessons: every statement holds, is worked out again from runs on the command line, and fails on a machine changed so
// that it is false; the pages teach what holds and refuse what does not.
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { changes } from './changed_machines.mjs';
import { ecube, emptyCharts, open, work } from '../report/browser.mjs';

const lessons = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../testbench/lesson/lessons');
const files = { multiphase: 'multiphase', 'hold-and-wait': 'hold', saturation: 'saturation' };
const planOf = (name) => JSON.parse(readFileSync(path.join(lessons, `${files[name]}.json`)));
const textOf = (name) => readFileSync(path.join(lessons, `${files[name]}.html`), 'utf8');

/** A side of an inequality, from a run of its own. */
const summaries = new Map();
function summaryOf(words) {
  if (!summaries.has(words)) {
    const run = ecube('run', ...words.split(' '), '--json', '--quiet');
    const stalled = (pattern) => Number(run.stderr.match(pattern)?.[1].replaceAll(',', ''));
    summaries.set(words, run.status === 3
      ? { stalled: { cycle: stalled(/stalled at cycle ([\d,]+)/), circuits_in_ring: stalled(/(\d+) circuits wait for each other in a ring/) } }
      : JSON.parse(run.stdout));
  }
  return summaries.get(words);
}
/** What a run did; no command has mixed routers, and the lesson's own page says what they did. */
function didOf(name, plan, run) {
  if (!plan.mixed_routers?.includes(run)) return summaryOf(plan.runs[run] || plan.figures[run]);
  if (!summaries.has(run)) {
    assert.equal(ecube('lesson', name, '-o', 'mixed').status, 0);
    const page = readFileSync(path.join(work, 'mixed/lesson.html'), 'utf8');
    summaries.set(run, JSON.parse(page.match(/<script id="data" type="application\/json">(.*)<\/script>/)[1]).lesson.summaries[run]);
  }
  return summaries.get(run);
}
function side(name, plan, words) {
  if (words.number !== undefined) return words.number;
  const figure = words.figure.slice(1).split('/').reduce((at, key) => at[key], didOf(name, plan, words.run));
  return (words.times ?? 1) * figure - (words.minus ? side(name, plan, words.minus) : 0);
}

for (const name of Object.keys(files)) {
  test(`${name}: every statement holds, as runs on the command line say too`, () => {
    const checked = ecube('lesson', name, '--json');
    assert.equal(checked.status, 0, checked.stderr);
    const { statements } = JSON.parse(checked.stdout);
    const plan = planOf(name);
    assert.deepEqual(Object.keys(statements), Object.keys(plan.statements));
    for (const [id, { left, right, is }] of Object.entries(plan.statements)) {
      const [a, b] = [side(name, plan, left), side(name, plan, right)];
      assert.equal(statements[id].holds, is === 'less than' ? a < b : a <= b, `${id}: ${a} ${is} ${b}`);
    }
  });

  test(`${name}: the text makes every statement once, and no figure of it is missing`, () => {
    const [plan, text] = [planOf(name), textOf(name)];
    const made = [...text.matchAll(/data-statement="([^"]*)"/g)].map(([, id]) => id);
    assert.deepEqual([...made].sort(), Object.keys(plan.statements).sort());
    for (const [, words] of text.matchAll(/data-figure="([^"]*)"/g)) {
      const [run, place] = words.split(' ');
      assert.ok(plan.runs[run] || plan.figures[run], words);
      assert.equal(typeof place.slice(1).split('/').reduce((at, key) => at?.[key], didOf(name, plan, run)), 'number', words);
    }
    // A class takes an hour, or leaves something out.
    assert.match(text, /In 45 minutes: /);
    const minutes = [...text.matchAll(/note">(\d+) minutes/g)].reduce((sum, [, one]) => sum + Number(one), 0);
    assert.equal(minutes, 60);
  });

  test(`${name}: every statement fails on a machine on which it is false`, () => {
    const failing = new Set();
    for (const settings of changes[name]) {
      const checked = ecube('lesson', name, '--json', ...settings.flatMap((one) => ['--set', one]));
      const { statements } = JSON.parse(checked.stdout);
      const failed = Object.keys(statements).filter((id) => !statements[id].holds);
      assert.equal(checked.status, failed.length > 0 ? 1 : 0);
      for (const id of failed) {
        failing.add(id);
        assert.ok(checked.stderr.includes(`${id}: false is that`), checked.stderr);
      }
    }
    assert.deepEqual([...failing].sort(), Object.keys(planOf(name).statements).sort());
  });

  test(`${name}: the page is whole, offline, below 5 MB and fits a telephone`, async () => {
    const made = ecube('lesson', name);
    assert.equal(made.status, 0, made.stderr);
    const file = path.join(work, `lesson-${name}/lesson.html`);
    assert.ok(statSync(file).size < 5e6);
    for (const viewport of [{ width: 1280, height: 900 }, { width: 420, height: 800 }]) {
      const page = await open(file, { viewport });
      assert.deepEqual(await emptyCharts(page), []);
      assert.equal(await page.locator('.refuted').count(), 0);
      assert.equal(await page.locator('.holds').count(), Object.keys(planOf(name).statements).length);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth));
      // Replays of a race share one clock.
      const edges = await page.evaluate(() => {
        const [first, ...others] = Object.values(page.replays);
        first.clock.seek(100);
        return [first.clock.edge, ...others.slice(0, 1).map((one) => one.clock.edge)];
      });
      assert.equal(new Set(edges).size, 1);
      await page.locator('.stage').nth(1).press('ArrowRight');
      assert.deepEqual(await page.evaluate(() => Object.values(page.replays).slice(0, 2).map((one) => one.clock.edge)), [101, 101]);
      // The slider chooses another run, whose figures the text says.
      const slider = page.locator('[data-grid] input[type=range]').last();
      const before = await page.textContent('[data-grid] .detail');
      await slider.fill('1');
      assert.notEqual(await page.textContent('[data-grid] .detail'), before);
      // Paper has a width of its own.
      if (viewport.width > 1000) assert.ok((await page.pdf()).length > 20000);
    }
  });
}

test('the crossover of the exercise is that of the hull, and predictions are told from measurements', async () => {
  const page = await open(path.join(work, 'lesson-multiphase/lesson.html'));
  const { faces } = JSON.parse(ecube('hull', 'exchange', '--machine', 'ipsc860', '--dim', '4', '--json').stdout);
  const hull = faces.find((one) => one.partition.join() === '4').from_bytes;
  const shown = await page.evaluate(() => lessonCrossover(data.lesson, document.querySelector('[data-crossover]').dataset.crossover));
  assert.ok(Math.abs(shown - hull) < 0.01 * hull, `${shown} and ${hull}`);
  for (const one of await page.locator('[data-figure]').all()) {
    const predicted = (await one.getAttribute('data-figure')).includes(' /predicted/');
    assert.equal(await one.evaluate((place) => getComputedStyle(place).fontStyle), predicted ? 'italic' : 'normal');
  }
});

test('lesson.html#answers unfolds all answers', async () => {
  for (const [where, folded] of [['#answers', 0], [undefined, 8]]) {
    const page = await open(path.join(work, 'lesson-multiphase/lesson.html'), { hash: where });
    const closed = await page.locator('details:not([open])').count();
    assert.ok(folded === 0 ? closed === 0 : closed >= 6, `${where}: ${closed}`);
  }
});

test('keys on any replay of a race move the one clock, by the events of the replay that was touched', async () => {
  const page = await open(path.join(work, 'lesson-multiphase/lesson.html'));
  const edges = () => page.evaluate(() => ['direct', 'multiphase', 'standard'].map((name) => page.replays[name].clock.edge));
  const stage = (name) => page.locator(`[data-run="${name}"] .stage`);
  const next = (name, after) => page.evaluate(([of, edge]) => page.replays[of].model.events.find((one) => one > edge), [name, after]);
  for (const name of ['standard', 'multiphase', 'direct']) {
    await page.evaluate(() => page.replays.direct.clock.seek(60000));
    await stage(name).press('ArrowRight');
    assert.deepEqual(await edges(), [60001, 60001, 60001]);
    const event = await next(name, 60001);
    await stage(name).press('Shift+ArrowRight');
    assert.deepEqual(await edges(), [event, event, event], name);
    // The buttons, and the keys on them, go by the same replay.
    const later = await next(name, event);
    await page.locator('.race button').nth(5).first().click();
    assert.deepEqual(await edges(), [later, later, later], name);
    await page.locator('.race button').nth(5).first().press('PageDown');
    const [chapter] = await edges();
    assert.ok(await page.evaluate(([of, edge]) => page.replays[of].replay.chapters.some((one) => one.edge === edge), [name, chapter]), name);
    assert.deepEqual(await page.locator('.race select').nth(1).locator('option').count(), 1 + await page.evaluate((of) => page.replays[of].replay.chapters.length, name));
  }
  // The runs have events at different edges, so the checks above can tell them apart.
  assert.equal(new Set(await Promise.all(['direct', 'multiphase', 'standard'].map((name) => next(name, 60001)))).size > 1, true);
  await stage('standard').press('Home');
  await stage('standard').press(' ');
  await page.waitForFunction(() => page.replays.direct.clock.playing && page.replays.standard.clock.edge > 10);
  assert.equal(await page.textContent('.race button:nth-of-type(4)'), 'pause');
  await stage('multiphase').press(' ');
  const stopped = await edges();
  assert.equal(new Set(stopped).size, 1);
  await page.waitForTimeout(100);
  assert.deepEqual(await edges(), stopped);
  // What is shown of the cube is shown of all.
  await page.locator('[data-replay="direct multiphase standard"] select[aria-label=shown]').selectOption('nested');
  assert.deepEqual(await page.evaluate(() => ['direct', 'multiphase', 'standard'].map((name) => page.replays[name].replay.scene.view.nested)), [true, true, true]);
  await page.locator('[data-replay="direct multiphase standard"]').getByLabel('dimension 3').uncheck();
  assert.deepEqual(await page.evaluate(() => ['direct', 'multiphase', 'standard'].map((name) => page.replays[name].replay.scene.shownLinks().length)), [48, 48, 48]);
  // Each follows a message of its own.
  await page.evaluate(() => page.replays.multiphase.clock.follow(3));
  assert.deepEqual(await page.evaluate(() => ['direct', 'multiphase'].map((name) => page.replays[name].clock.circuit)), [-1, 3]);
});

test('marks of a grid are runs: the same figures as on the command line', async () => {
  const page = await open(path.join(work, 'lesson-multiphase/lesson.html'));
  const points = await page.evaluate(() => data.lesson.grid.points);
  const plan = planOf('multiphase');
  for (const point of [points[3], points[57], points[points.length - 1]]) {
    const words = `${plan.grid.words} ${plan.grid.axes.map((axis, i) => axis.option + point.values[i]).join(' ')}`;
    assert.equal(point.figures[0], summaryOf(words).measured.us);
  }
  // Marks only where something was run.
  const drawn = await page.evaluate(() => echarts.getInstanceByDom(document.querySelector('[data-grid] .chart')).getOption().series.filter((one) => one.type === 'scatter').flatMap((one) => one.data.map((mark) => mark.value)));
  const measured = new Set(points.map((one) => `${Number(one.values[3])} ${one.figures[0]}`));
  assert.ok(drawn.length > 0 && drawn.every(([x, y]) => measured.has(`${x} ${y}`)));
});

test('a machine that does not bear a lesson out is not taught about', async () => {
  const [settings] = changes.multiphase;
  const made = ecube('lesson', 'multiphase', '-o', 'refused', ...settings.flatMap((one) => ['--set', one]));
  assert.equal(made.status, 1);
  const page = await open(path.join(work, 'refused/lesson.html'));
  const { statements } = JSON.parse(ecube('lesson', 'multiphase', '--json', ...settings.flatMap((one) => ['--set', one])).stdout);
  for (const [id, { holds }] of Object.entries(statements)) {
    const said = await page.textContent(`[data-statement="${id}"]`);
    assert.equal(said.startsWith('This machine does not bear out'), !holds, `${id}: ${said}`);
  }
  assert.match(await page.textContent('#verdict'), /do not hold on this machine/);
});

test('the ring of the second routing is a ring, the ring that the machine runs into, and e-cube has none', async () => {
  const page = await open(path.join(work, 'lesson-hold-and-wait/lesson.html'));
  // The links of four nodes, and which follows which on some route, by the routers that take the highest dimension first.
  const routesWhere = (highest) => {
    const [used, follows] = [new Set(), new Set()];
    for (let i = 0; i < 16; ++i) {
      let last = null;
      for (let at = i >> 2; at !== i % 4;) {
        const bit = (highest.includes(at) ? [1, 0] : [0, 1]).find((one) => ((at ^ i) >> one) & 1);
        const link = `${at}:${bit}`;
        used.add(link);
        if (last) follows.add(`${last} ${link}`);
        last = link;
        at ^= 1 << bit;
      }
    }
    return { used, follows };
  };
  const said = await page.textContent('#rings');
  const [ecubeRoutes, mixed] = [[], [1, 2]].map(routesWhere);
  const numbers = [...said.matchAll(/(\d+) links, (\d+) arrows/g)].map(([, ...both]) => both.map(Number));
  assert.deepEqual(numbers, [ecubeRoutes, mixed].map(({ used, follows }) => [used.size, follows.size]));
  // Under e-cube a link follows one of a lower dimension only.
  assert.match(said, /^e-cube: [^.]*, no ring\./);
  for (const pair of ecubeRoutes.follows) assert.match(pair, /:0 \d:1$/);
  const ring = said.match(/a ring of 4: (.*?)\. /)[1].split(' → ');
  assert.deepEqual([ring.length, ring[4]], [5, ring[0]]);
  for (let i = 0; i < 4; ++i) assert.ok(mixed.follows.has(`${ring[i]} ${ring[i + 1]}`), `${ring[i]} in ${ring}`);
  const links = await page.evaluate(() => data.lesson.summaries['square-mixed'].stalled.ring.map((one) => one.link));
  assert.equal(links.length, 4);
  const shown = await page.locator('[data-ring] li').allTextContents();
  assert.equal(shown.length, 4);
  links.forEach((link, i) => {
    assert.ok(said.includes(`${link} →`), `${link} in ${said}`);
    assert.ok(shown[i].includes(`waits for link ${link},`), shown[i]);
  });
});

test('bad input is refused, and without a name lessons are listed', () => {
  for (const [args, words] of [[['nothing'], 'multiphase'], [['multifase'], 'multiphase'], [['multiphase', '--set', 'no.such=1'], 'no.such'], [['multiphase', '-o', '/dev/null/page'], '/dev/null']]) {
    const refused = ecube('lesson', ...args);
    assert.equal(refused.status, 2, refused.stderr);
    assert.ok(refused.stderr.includes(words), refused.stderr);
  }
  const listed = ecube('lesson');
  assert.equal(listed.status, 0);
  for (const name of Object.keys(files)) assert.ok(listed.stdout.includes(name));
});
