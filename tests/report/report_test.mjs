// SPDX-License-Identifier: Apache-2.0
// Report pages in a browser.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { ecube, emptyCharts, open, report, run, studies, withoutHashes, work } from './browser.mjs';

async function expectGood(file, charts) {
  const page = await open(file);
  assert.deepEqual(await emptyCharts(page), []);
  assert.equal(await page.locator('.chart').count(), charts);
  await page.click('#theme');
  assert.deepEqual(await emptyCharts(page), []);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.ok(wide <= 0, `${wide} pixels too wide`);
}

const contended = ['exchange', '--machine', 'ipsc860', '--dim', '4', '--bytes', '32', '--partition', '3,1', '--schedule', 'ordered', '--circuits'];

test('every kind of run has a page whose charts are drawn', async () => {
  await expectGood(run('ordered', ...contended), 5);
  await expectGood(run('pairs', 'exchange', '--machine', 'ipsc860', '--dim', '5', '--bytes', '40', '--partition', '3,2', '--circuits'), 6);
  await expectGood(run('detailed', 'exchange', '--machine', 'ipsc860-node', '--dim', '3', '--bytes', '64', '--partition', '2,1', '--circuits'), 7);
  await expectGood(run('combine', 'combine', '--machine', 'ipsc860', '--dim', '5', '--items', '300', '--circuits'), 5);
  await expectGood(run('shuffle', 'shuffle', '--dim', '4', '--elements', '64', '--cycle', 'p3,p2,p1,p0,s0'), 4);
  await expectGood(run('traffic', 'traffic', '--dim', '5', '--rate', '20', '--messages', '10', '--circuits'), 3);
  await expectGood(run('pingpong', 'pingpong', '--dim', '3'), 2);
  await expectGood(run('barrier', 'barrier', '--dim', '7'), 1);
  await expectGood(run('worms', 'traffic', '--dim', '4', '--rate', '20', '--set', 'network.switching=wormhole', '--set', 'link.cycles_per_phit=2 cycles', '--circuits'), 3);
  await expectGood(run('smallest', 'exchange', '--dim', '1', '--circuits'), 6);
});

test('every study has a page whose charts are drawn', async () => {
  const all = readdirSync(studies).filter((file) => file.endsWith('.toml')).map((file) => file.slice(0, -5));
  assert.ok(all.length >= 7, all.join());
  // By default one of four, by ECUBE_SEED.
  const one = process.env.ECUBE_ALL_CASES ? 1 : 4;
  for (const name of all.filter((_, i) => (i + Number(process.env.ECUBE_SEED ?? 0)) % one === 0)) {
    assert.equal(ecube('sweep', path.join(studies, `${name}.toml`), '-o', name, '--quiet').status, 0);
    await expectGood(report(name), 3);
  }
  writeFileSync(path.join(work, 'f.toml'), 'name = "<b>&"\nrun = "exchange"\n[[axis]]\nkey = "partition"\nvalues = ["4", "</script>"]\n');
  assert.equal(ecube('sweep', 'f.toml', '-o', 'failing', '--keep-going', '--quiet').status, 1);
  const file = report('failing');
  await expectGood(file, 2);
  const page = await open(file);
  assert.equal(await page.textContent('h1'), '<b>&: a study');
  assert.match(await page.textContent('#failures tbody'), /<\/script>/);
  assert.match(await page.textContent('#verdict'), /1 have failed|1 has failed/);
});

test('the page of published results has their charts, grids, checks and verdicts', async () => {
  const made = ecube('reproduce', 'nicol-fig3', 'jh-fig5', 'bokhari-table4', '--quiet', '--json', '-o', 'published');
  assert.equal(made.status, 0, made.stderr);
  const { results } = JSON.parse(made.stdout);
  const file = path.join(work, 'published/index.html');
  const page = await open(file);
  const panels = await page.evaluate(() => data.results.entries.map((one) => one.panels));
  await expectGood(file, panels.flat().filter((one) => one.series).length);
  for (const [i, one] of results.entries()) {
    const article = page.locator(`article[id="${one.id}"]`);
    assert.equal(await article.locator('.grid').count(), panels[i].filter((panel) => panel.rows).length);
    const rows = await article.locator('.checks tbody').innerText();
    for (const check of one.checks) for (const text of [check.statement, check.published, check.known_difference]) assert.ok(!text || rows.includes(text), `${one.id}: ${text}`);
    assert.match(await article.locator('h3').innerText(), /reproduced|differs/);
  }
  const [saved] = await Promise.all([page.waitForEvent('download'), page.click('article button')]);
  assert.match(readFileSync(await saved.path(), 'utf8'), /^<svg /);
});

test('a click on a bar names who was in the way, as contention reports do', async () => {
  const page = await open(run('clicked', ...contended, '--contention'));
  const contention = JSON.parse(readFileSync(path.join(work, 'clicked/summary.json'))).contention;
  const worst = contention.longest_link_waits[0];
  const [source, destination] = worst.circuit.split(' ')[0].split('->').map(Number);
  // The bar of the waiting circuit on the link it waited for.
  const at = await page.evaluate(([from, to, output]) => {
    const place = document.querySelector('[data-chart="Gantt chart of circuits by link"]');
    place.scrollIntoView({ block: 'center' });
    const chart = echarts.getInstanceByDom(place);
    const option = chart.getOption();
    const row = option.yAxis[0].data.indexOf(output);
    const { columns } = data.run.circuits;
    const bar = option.series[0].data.find((one) => one[0] === row && columns.source[one[4]] === from && columns.destination[one[4]] === to);
    const [x, y] = chart.convertToPixel({ xAxisIndex: 0, yAxisIndex: 0 }, [(bar[2] + bar[3]) / 2, row]);
    const box = place.getBoundingClientRect();
    return [box.x + x, box.y + y];
  }, [source, destination, worst.output]);
  await page.mouse.click(...at);
  const said = await page.textContent('#circuits .detail');
  assert.ok(said.includes(`${worst.circuit} waited ${worst.cycles.toLocaleString('en-US')} cycles from ${worst.from_cycle.toLocaleString('en-US')} for ${worst.output}`), said);
  for (const link of worst.chain) assert.ok(said.includes(`held by ${link.held_by} for ${(link.until_cycle - link.from_cycle).toLocaleString('en-US')} cycles`), said);
});

test('bars of where the time of a node goes are as long as the phases', async () => {
  const page = await open(run('times', 'exchange', '--machine', 'ipsc860-node', '--dim', '3', '--bytes', '64', '--partition', '2,1'));
  const bars = await page.evaluate(() => {
    const option = echarts.getInstanceByDom(document.querySelector('[data-chart="Time of a node by phase"]')).getOption();
    return { names: option.series.map((one) => one.name), us: option.yAxis[0].data.map((_, phase) => option.series.reduce((sum, one) => sum + one.data[phase], 0)) };
  });
  const summary = JSON.parse(readFileSync(path.join(work, 'times/summary.json')));
  for (const name of ['issue', 'load miss', 'page miss', 'network: sending']) assert.ok(bars.names.includes(name), name);
  const sum = bars.us.reduce((a, b) => a + b, 0);
  assert.ok(Math.abs(sum - summary.measured.us) < 1e-6 * sum, `${sum} is not ${summary.measured.us}`);
});

test('the page of a run with failures says what was dead, and that nothing hangs', async () => {
  const page = await open(run('dead', 'traffic', '--dim', '3', '--rate', '4', '--messages', '2', '--fail', '5:1@1ms,6@2ms'));
  const cycles = JSON.parse(readFileSync(path.join(work, 'dead/summary.json'))).failures.map((one) => one.from_cycle.toLocaleString('en-US'));
  assert.match(await page.textContent('#verdict'), /Link 5:1 and node 6 failed; no circuit was cut/);
  const rows = await page.locator('#failures tbody tr').allTextContents();
  assert.deepEqual(rows, [`link 5:1${cycles[0]}1,000no`, `node 6${cycles[1]}2,000no`]);
  assert.match(await page.textContent('#failures'), /no program hangs. All failures came after the end of the run/);
  // With nothing dead there is nothing to say.
  const without = await open(run('alive', 'traffic', '--dim', '3', '--rate', '4', '--messages', '2'));
  assert.equal(await without.locator('#failures').count(), 0);
});

test('pointing at a link tells its numbers', async () => {
  const page = await open(run('pointed', ...contended));
  await page.locator('[data-chart="Links by node and dimension"]').scrollIntoViewIfNeeded();
  const [at, link] = await page.evaluate(() => {
    const place = document.querySelector('[data-chart="Links by node and dimension"]');
    const [x, y] = echarts.getInstanceByDom(place).convertToPixel({ xAxisIndex: 0, yAxisIndex: 0 }, [8, 3]);
    const box = place.getBoundingClientRect();
    const { columns } = data.run.links;
    const i = columns.node.findIndex((node, k) => node === 8 && columns.output[k] === 3);
    return [[box.x + x, box.y + y], columns.blocked_cycles[i]];
  });
  await page.mouse.move(at[0] - 3, at[1]);
  await page.mouse.move(...at);
  await page.waitForFunction(() => document.querySelector('#contention .detail').textContent.startsWith('link 8:3'));
  const said = await page.textContent('#contention .detail');
  assert.ok(link > 0 && said.includes(`${link.toLocaleString('en-US')} blocked cycles`), said);
  const csv = readFileSync(path.join(work, 'pointed/links.csv'), 'utf8').split('\n').find((line) => line.startsWith('8,3,dim 3,0,'));
  assert.equal(csv.split(',')[7], String(link));
});

test('arrow keys walk over the points of a chart', async () => {
  const page = await open(run('keys', ...contended));
  for (const name of ['Waterfall of the terms of the equation', 'Links by node and dimension', 'Gantt chart of circuits by link']) {
    const place = page.locator(`[data-chart="${name}"]`);
    const before = await place.innerText();
    await place.press('ArrowRight');
    await page.waitForFunction(([chart, text]) => document.querySelector(`[data-chart="${chart}"]`).innerText !== text, [name, before]);
  }
  await page.locator('[data-chart="Gantt chart of circuits by link"]').press('Enter');
  assert.match(await page.textContent('#circuits .detail'), /probe at/);
});

test('tables sort, find and save; charts follow what is chosen', async () => {
  assert.equal(ecube('sweep', path.join(studies, 'startup.toml'), '-o', 'chosen', '--quiet').status, 0);
  const page = await open(report('chosen'));
  const table = page.locator('#table');
  assert.match(await table.locator('.pages').textContent(), /of 572$/);
  await table.locator('input[type=search]').fill('2,2,1,1');
  const count = Number(/of (\d+)$/.exec(await table.locator('.pages').textContent())[1]);
  assert.equal(count, 13 * 4);
  await table.locator('input[type=search]').fill('');
  await table.getByRole('button', { name: 'measured_us', exact: true }).click();
  const cells = async () => (await table.locator('tbody tr td:nth-child(6)').allTextContents()).map((text) => Number(text.replaceAll(',', '')));
  const ascending = await cells();
  assert.deepEqual(ascending, [...ascending].sort((a, b) => a - b));
  await table.getByRole('button', { name: 'measured_us', exact: true }).press('Enter');
  const descending = await cells();
  assert.deepEqual(descending, [...descending].sort((a, b) => b - a));
  assert.ok(descending[0] > ascending[0]);
  const [saved] = await Promise.all([page.waitForEvent('download'), table.getByRole('button', { name: 'CSV' }).click()]);
  const lines = readFileSync(await saved.path(), 'utf8').trim().split('\n');
  assert.equal(lines.length, 573);

  const seriesNames = () => page.evaluate(() => echarts.getInstanceByDom(document.querySelector('[data-chart="Study chart"]')).getOption().series.map((one) => one.name));
  assert.equal((await seriesNames()).length, 22);  // 11 partitions, measured and predicted
  await page.getByLabel('series', { exact: true }).selectOption('bytes');
  assert.deepEqual((await seriesNames()).filter((name) => !name.endsWith('predicted')), ['8', '32', '128', '512']);
  await page.getByLabel('x', { exact: true }).selectOption('bytes');
  await page.getByLabel('y', { exact: true }).selectOption('circuits');
  assert.deepEqual(await emptyCharts(page), []);
});

test('a study of traffic has its latencies with units, and the best is the most where more is better', async () => {
  writeFileSync(path.join(work, 'loads.toml'), 'run = "traffic"\n[workload]\ndim = 3\nmessages = 30\nrate = 40\n[[axis]]\nkey = "pattern"\nvalues = ["uniform", "hotspot"]\n[[axis]]\nkey = "ports"\nvalues = ["one", "n"]\n');
  assert.equal(ecube('sweep', 'loads.toml', '-o', 'loads', '--quiet').status, 0);
  const page = await open(report('loads'));
  const rows = await page.evaluate(() => data.study.columns[0].map((_, i) => Object.fromEntries(data.study.names.map((name, k) => [name, data.study.columns[k][i]]))));
  assert.ok(!('predicted_us' in rows[0]) && !('cut_circuits' in rows[0]), Object.keys(rows[0]).join());
  const shown = () => page.evaluate(() => ['Study chart', 'Best value of the series'].map((label) => echarts.getInstanceByDom(document.querySelector(`[data-chart="${label}"]`)).getOption()));
  for (const [column, title, best] of [['latency_p99_cycles', 'latency p99 in cycles', Math.min], ['accepted_rate', 'accepted rate in messages a node in 1,000 cycles', Math.max]]) {
    await page.getByLabel('y', { exact: true }).selectOption(column);
    const [chart, grid] = await shown();
    assert.equal(chart.yAxis[0].name, title);
    const bests = grid.series[0].data.map((cell) => rows[cell.row][column]).sort((a, b) => a - b);
    const key = await page.getByLabel('x', { exact: true }).inputValue();
    const expected = [...new Set(rows.map((row) => row[key]))].map((x) => best(...rows.filter((row) => row[key] === x).map((row) => row[column]))).sort((a, b) => a - b);
    assert.deepEqual(bests, expected, column);
  }
  assert.match(await page.locator('#table details').textContent(), /99 % of the messages took no longer, in cycles/);
  // Axes come first, what is long and seldom read last; on paper the table is no wider than the sheet.
  const headings = await page.locator('#table th').allTextContents();
  assert.deepEqual([headings.slice(0, 3), headings.at(-1)], [['number', 'pattern', 'ports'], 'id']);
  await page.emulateMedia({ media: 'print' });
  await page.setViewportSize({ width: 718, height: 1000 });
  // Charts follow the width of their tab a frame later.
  await page.waitForFunction(() => document.documentElement.scrollWidth === 718, null, { timeout: 120000 });
});

test('the name of a file is text in a tooltip and in a spreadsheet', async () => {
  const script = '<img src=x onerror=document.title=`ran`>.txt';
  for (const name of [script, '=1+1.txt']) writeFileSync(path.join(work, name), '0 1 8 0\n');
  writeFileSync(path.join(work, 'names.toml'), `run = "traffic"\n[workload]\ndim = 2\n[[axis]]\nkey = "pattern"\nvalues = ["${script}", "=1+1.txt"]\n[[axis]]\nkey = "ports"\nvalues = ["one", "n"]\n`);
  assert.equal(ecube('sweep', 'names.toml', '-o', 'names', '--quiet').status, 0);
  const page = await open(report('names'));
  const tips = await page.evaluate(async () => {
    const texts = [];
    for (const place of document.querySelectorAll('.chart')) {
      const instance = echarts.getInstanceByDom(place);
      const { series } = instance.getOption();
      for (let i = 0; i < series.length; ++i) {
        for (let k = 0; k < (series[i].data || []).length; ++k) {
          instance.dispatchAction({ type: 'showTip', seriesIndex: i, dataIndex: k });
          await new Promise((done) => setTimeout(done, 50));
          texts.push(place.innerText);
        }
      }
    }
    return texts.join('\n');
  });
  assert.ok(tips.includes(script), tips);
  assert.equal(await page.locator('img').count(), 0);
  assert.notEqual(await page.title(), 'ran');
  const [saved] = await Promise.all([page.waitForEvent('download'), page.locator('#table').getByRole('button', { name: 'CSV' }).click()]);
  const text = readFileSync(await saved.path(), 'utf8');
  assert.match(text, /,'=1\+1\.txt,/);
  assert.doesNotMatch(text, /,=1/);
  assert.doesNotMatch(text, /'-?[0-9]/);
});

test('a comparison has what differs', async () => {
  run('first', ...contended);
  run('second', ...contended.map((word) => (word === 'ordered' ? 'xor' : word)));
  const compared = JSON.parse(ecube('compare', 'first', 'second', '--json').stdout);
  assert.deepEqual(compared.parameters, [{ key: 'schedule', first: 'ordered', second: 'xor' }]);
  const blocked = compared.terms.find((term) => term.name === 'blocked circuits');
  assert.ok(blocked.first > 0 && blocked.second === 0 && blocked.change_percent === -100);
  const page = await open(report('second', '--against', 'first'));
  assert.match(await page.textContent('#compared dl'), /schedule.*ordered, here xor/s);
  assert.match(await page.textContent('#compared tbody'), /blocked circuits/);
  assert.deepEqual(await emptyCharts(page), []);
});

test('three runs are compared by what differs, under names that say in what', async () => {
  run('base', ...contended);
  for (const schedule of ['xor', 'shift']) run(schedule, ...contended.map((word) => (word === 'ordered' ? schedule : word)));
  const json = JSON.parse(ecube('compare', 'base', 'xor', 'shift', '--json').stdout);
  assert.deepEqual(json.more.map((one) => one.parameters), [[{ key: 'schedule', first: 'ordered', second: 'shift' }]]);
  assert.deepEqual({ ...json, more: undefined }, { ...JSON.parse(ecube('compare', 'base', 'xor', '--json').stdout), more: undefined });
  const text = ecube('compare', 'base', 'xor', 'shift').stdout;
  assert.match(text, /^schedule +ordered +xor +shift$/m);
  assert.doesNotMatch(text, /^payload bytes/m);  // the same in all
  const figures = (name) => JSON.parse(readFileSync(path.join(work, name, 'summary.json'))).network.blocked_circuits;
  assert.match(text, new RegExp(`^blocked circuits +${['base', 'xor', 'shift'].map(figures).join(' +')}$`, 'm'));
  const page = await open(report('base', '--against', 'xor', '--against', 'shift'));
  assert.deepEqual(await page.locator('#compared h3').allTextContents(), ['schedule xor', 'schedule shift']);
  assert.match(await page.textContent('#compared thead'), /this run.*schedule xor.*schedule shift/);
  assert.deepEqual(await emptyCharts(page), []);
});

test('traffic is compared by load and latency, at one rate and by whole curves', async () => {
  const rates = { slow: '1', fast: '8', curve: '1:8', hot: '1:8' };
  for (const [name, rate] of Object.entries(rates)) run(name, 'traffic', '--dim', '3', '--bytes', '64', '--messages', '30', '--rate', rate, ...(name === 'hot' ? ['--pattern', 'hotspot'] : []));
  const latency = (name) => JSON.parse(readFileSync(path.join(work, name, 'summary.json'))).traffic.latency_cycles;
  const { terms } = JSON.parse(ecube('compare', 'slow', 'fast', '--json').stdout);
  for (const [name, key] of [['latency mean cycles', 'mean'], ['latency median cycles', 'p50'], ['latency p99 cycles', 'p99'], ['latency most cycles', 'max']]) {
    const term = terms.find((one) => one.name === name);
    assert.deepEqual([term.first, term.second], [latency('slow')[key], latency('fast')[key]], name);
  }
  for (const [name, against, chart, data] of [['fast', 'slow', 'Latency of each run at its rate', ['fast', 'slow'].map((one) => latency(one).p99)], ['hot', 'curve', 'Latency against load', null]]) {
    const page = await open(report(name, '--against', against));
    const series = await page.evaluate((label) => echarts.getInstanceByDom(document.querySelector(`#compared [data-chart="${label}"]`)).getOption().series.map((one) => [one.name, one.data]), chart);
    if (data) assert.deepEqual(series.find(([of]) => of === '99 %')[1], data);
    else assert.deepEqual(series.map(([of]) => of), ['this run', 'pattern uniform'].flatMap((of) => ['mean', 'median', '99 %'].map((one) => `${of}, ${one}`)));
    assert.deepEqual(await emptyCharts(page), []);
  }
});

test('a page of one run is below 3 MB, prints, and fits a telephone', async () => {
  for (const [name, ...args] of [['direct6', 'exchange', '--dim', '6', '--bytes', '16'], ['random', 'exchange', '--dim', process.env.ECUBE_ALL_CASES ? '10' : '8', '--payload', 'none', '--schedule', 'random', '--bytes', '16']]) {
    const file = run(name, ...args, '--partition', 'direct', '--circuits');
    assert.ok(statSync(file).size < 3e6, `${name}: ${statSync(file).size} bytes`);
    const page = await open(file, { viewport: { width: 390, height: 800 } });
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth));
    // Charts on canvases are printed from copies, complete to the upper left corner, where the names of rows are.
    await page.evaluate(() => {
      window.onPaper = [];
      addEventListener('beforeprint', () => {
        for (const chart of document.querySelectorAll('.chart:has(canvas)')) {
          const paper = chart.querySelector(':scope > .paper');
          const corner = paper ? paper.getContext('2d').getImageData(0, 0, 180, 200).data : [];
          window.onPaper.push(corner.some((value, i) => i % 4 === 3 && value > 0));
        }
      }, { once: true });
    });
    assert.ok((await page.pdf()).length > 20000);
    const onPaper = await page.evaluate(() => window.onPaper);
    assert.equal(await page.locator('.paper').count(), 0);
    assert.ok(onPaper.length > 0 && onPaper.every((one) => one), `copied for printing: ${onPaper}`);
    assert.deepEqual(await emptyCharts(page), []);
  }
});

test('what is no run and no study is refused', () => {
  assert.equal(ecube('sweep', path.join(studies, 'ports.toml'), '-o', 'refused', '--quiet').status, 0);
  for (const [args, words] of [
    [['report', 'nothing'], 'no run directory'], [['report', '/dev/null'], 'no run directory'], [['report'], 'error'],
    [['compare', 'nothing', 'nothing'], 'no run directory'], [['report', 'refused', '--against', 'first'], '--against is for runs'],
  ]) {
    const refused = ecube(...args);
    assert.equal(refused.status, 2, args.join(' '));
    assert.ok(refused.stderr.includes(words), refused.stderr);
  }
  run('broken', ...contended);
  withoutHashes(path.join(work, 'broken'));
  for (const [file, text] of [['links.csv', 'from,to\n1\n'], ['links.csv', 'a,b\n'], ['summary.json', '{"schema": 1}'], ['summary.json', '{'], ['provenance.json', '[]'], ['provenance.json', '{"schema": 1}'], ['summary.json', '{"schema": 1, "command": 3, "machine": {}, "measured": 1, "network": []}']]) {
    const whole = readFileSync(path.join(work, 'broken', file));
    writeFileSync(path.join(work, 'broken', file), text);
    const refused = ecube('report', 'broken');
    assert.equal(refused.status, 2, `${file} = ${text}: ${refused.stderr}`);
    writeFileSync(path.join(work, 'broken', file), whole);
  }
  run('nodes', 'exchange', '--machine', 'ipsc860-node', '--dim', '2', '--partition', '1,1');
  withoutHashes(path.join(work, 'nodes'));
  const times = readFileSync(path.join(work, 'nodes/node_times.csv'), 'utf8');
  for (const column of ['phase', 'node', 'cycles']) {
    const damaged = times.replace(new RegExp(`(^|,)${column}(?=,)`), '$1another');
    assert.notEqual(damaged, times);
    writeFileSync(path.join(work, 'nodes/node_times.csv'), damaged);
    const refused = ecube('report', 'nodes');
    assert.equal(refused.status, 2, column);
    assert.ok(refused.stderr.includes(`node_times.csv' has no column '${column}'`), refused.stderr);
  }
  writeFileSync(path.join(work, 'nodes/node_times.csv'), times);
  report('nodes');
  assert.equal(ecube('report', 'broken', '-o', '/nothing/page.html').status, 2);
  assert.equal(ecube('report', 'broken', '-o', '/dev/full').status, 1);
});

test('a page that is laid out after it was opened, or printed, has the width of its place', async () => {
  assert.equal(ecube('run', 'exchange', '--dim', '3', '--circuits', '-o', 'sized', '--quiet').status, 0);
  const page = await open(report('sized'), { viewport: { width: 500, height: 700 } });
  // How far drawings are from the width of their places.
  const far = () => page.evaluate(() => charts.filter((one) => one.place.matches('.chart, .stage')).map((one) => {
    const drawn = one.place.querySelector('svg, canvas').getBoundingClientRect().width;
    return Math.abs(drawn - one.place.clientWidth);
  }));
  for (const width of [360, 1280, 500]) {
    // Without an event of the window: only the page's own width changes.
    await page.evaluate((wide) => { document.body.style.width = `${wide}px`; }, width);
    await page.waitForTimeout(200);
    assert.ok((await far()).every((one) => one <= 3), `${width}: ${await far()}`);
  }
  const onPaper = await page.evaluate(() => {
    dispatchEvent(new Event('beforeprint'));
    const widths = charts.map((one) => one.place).filter((one) => one.matches('.chart')).map((one) => [one.clientWidth, one.querySelector('svg, canvas').getBoundingClientRect().width]);
    dispatchEvent(new Event('afterprint'));
    return widths;
  });
  // 175 mm are 661 pixels of CSS.
  assert.ok(onPaper.every(([place, drawn]) => place <= 662 && drawn <= 662), onPaper.join());
});

test('legend and picture of the replay have the same colours, and empty links are seen in dark', async () => {
  const page = await open(path.join(work, 'sized/report.html'));
  const contrast = await page.evaluate(() => {
    document.documentElement.dataset.theme = 'dark';
    const light = (text) => {
      const [r, g, b] = text.match(/\w\w/g).map((one) => (parseInt(one, 16) / 255) ** 2.2);
      return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
    };
    return light(color('idle')) / light(color('card'));
  });
  assert.ok(contrast > 2.2, `${contrast}`);
  // The middle between letter and rim of a node that sends, and the legend's swatch.
  const colours = await page.evaluate(() => {
    document.documentElement.dataset.theme = 'light';
    charts.forEach((one) => one.draw());
    const edge = page.model.columns.probe[0];
    page.clock.seek(edge);
    const node = page.replay.scene.shownNodes()[page.model.columns.source[0]];
    const canvas = document.querySelector('canvas.cube');
    const ratio = canvas.width / canvas.getBoundingClientRect().width;
    const pixel = [...canvas.getContext('2d').getImageData(Math.round((node.x - node.radius * 0.7) * ratio), Math.round(node.y * ratio), 1, 1).data].slice(0, 3);
    const swatch = [...document.querySelectorAll('#replay .key')].find((one) => one.textContent === 'S sends').querySelector('i');
    const one = document.createElement('canvas').getContext('2d');
    one.fillStyle = getComputedStyle(swatch).backgroundColor;
    one.fillRect(0, 0, 1, 1);
    return [pixel, [...one.getImageData(0, 0, 1, 1).data].slice(0, 3)];
  });
  colours[0].forEach((part, i) => assert.ok(Math.abs(part - colours[1][i]) <= 3, colours.join(' and ')));
});

test('axes that vary together are one, partitions are lines, and points that are missing are said before it compares', async () => {
  writeFileSync(path.join(work, 'paired.toml'), `name = "paired"
run = "exchange"
machine = "ipsc860"
[workload]
dim = 3
[[axis]]
keys = ["library.send", "library.receive"]
values = [["10us", "20us"], ["30us", "40us"], ["50us", "60us"]]
[[axis]]
key = "bytes"
values = [1, 100]
[[axis]]
key = "partition"
values = ["3", "2,1"]
`);
  assert.equal(ecube('sweep', 'paired.toml', '-o', 'paired', '--quiet').status, 0);
  const gap = spawnSync('sqlite3', [path.join(work, 'paired/results.sqlite'), 'DELETE FROM points WHERE number = 1']);
  assert.equal(gap.status, 0, gap.stderr);
  const page = await open(report('paired'));
  const controls = await page.locator('#charts .controls label').allInnerTexts();
  assert.ok(controls.some((one) => one.startsWith('bytes')) || controls.some((one) => one.startsWith('library.send')), controls.join());
  assert.ok(controls.every((one) => !one.startsWith('library.receive')), controls.join());
  assert.equal(await page.locator('#charts select[aria-label="series"]').inputValue(), 'partition');
  assert.match(await page.textContent('#best'), /Best of what has run: 1 point is missing, as partition 2,1 at /);
  assert.match(await page.evaluate(() => JSON.stringify(charts.map((one) => one.instance.getOption().xAxis?.[0].name))), /library\.send in us, with library\.receive/);
});
