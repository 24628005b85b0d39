// SPDX-License-Identifier: Apache-2.0
// The replay of report pages against an own reading of circuits.csv, programs.csv and the contention report.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { ecube, emptyCharts, open, report, run, withoutHashes, work } from './browser.mjs';

const seed = Number(process.env.ECUBE_SEED || 20);
console.log(`seed ${seed}`);

/** Numbers from 0 to below `most`, the same for the same seed (mulberry32). */
function random(from) {
  let state = from >>> 0;
  return (most) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296) * most);
  };
}

const rows = (name, file) => {
  const [head, ...lines] = readFileSync(path.join(work, name, file), 'utf8').trim().split('\n').map((line) => line.split(','));
  return lines.map((line) => Object.fromEntries(head.map((column, i) => [column, line[i]])));
};

/** The links of a route as [node, output], by the digits of two labels: rule 1.3. A dimension of radix 2 has one output, a
 * line + and -, a complete one as many as other digits. */
function routeOf(radices, line, from, to) {
  const links = [];
  let [at, stride, first] = [from, 1, 0];
  for (const radix of radices) {
    const wanted = Math.floor(to / stride) % radix;
    for (let own = Math.floor(from / stride) % radix; own !== wanted;) {
      const next = line ? own + Math.sign(wanted - own) : wanted;
      links.push([at, first + (radix === 2 ? 0 : line ? Number(next < own) : (next - own + radix) % radix - 1)]);
      at += (next - own) * stride;
      own = next;
    }
    stride *= radix;
    first += radix === 2 ? 1 : line ? 2 : radix - 1;
  }
  return links;
}

/** What circuits.csv says about every link: [{link, from, data, until}], by the table of section 3 of hw/README.md. */
function holdsOf(name, radices = Array(20).fill(2), line = false) {
  return rows(name, 'circuits.csv').flatMap((row) => {
    const grants = row.grants.split(' ').map(Number);
    // The tail is processed by router k at Tt + 1 + k, and the output is free at the edge after; the first word leaves
    // router k at T0 + 1 + k.
    return routeOf(radices, line, Number(row.source), Number(row.destination)).map(([at, output], hop) => (
      { link: `${at}:${output}`, from: grants[hop], data: Number(row.first_data) + 1 + hop, until: Number(row.tail) + 2 + hop }));
  });
}
/** The holds in groups of 256 cycles, so that a cycle is looked up among few of them. */
function grouped(holds) {
  const groups = new Map();
  for (const one of holds) {
    for (let at = Math.floor(one.from / 256); at <= Math.floor(one.until / 256); ++at) groups.set(at, [...(groups.get(at) || []), one]);
  }
  return groups;
}
const heldAt = (groups, cycle) => (groups.get(Math.floor(cycle / 256)) || []).filter((one) => one.from <= cycle && cycle < one.until).map((one) => `${one.link}${cycle >= one.data ? ' data' : ''}`).sort();

/** What the replay draws at these cycles. A canvas that only counts strokes takes the place of the real one, whose pixels
 * another test looks at; as many links are stroked in a colour as the replay says it has drawn. */
const drawnAt = (page, cycles) => page.evaluate((list) => {
  const colors = replayColors();
  let [segments, stroked] = [0, {}];
  const counting = new Proxy({ beginPath: () => { segments = 0; }, lineTo: () => { ++segments; }, stroke: () => { stroked[counting.strokeStyle] = (stroked[counting.strokeStyle] || 0) + segments; } },
    { get: (own, name) => own[name] ?? (() => {}) });
  return list.map((cycle) => {
    stroked = {};
    page.replay.scene.draw(counting, cycle, colors, -1);
    const { held, data, blocked, closing, dark } = page.replay.scene.drawn;
    const name = (place) => `${page.model.router(place)}:${place % page.model.outputs}`;
    if ((stroked[colors.held] || 0) !== held.length || (stroked[colors.data] || 0) !== data.length || (stroked[colors.tuned] || 0) !== closing.length + dark.length) throw new Error(`cycle ${cycle}: ${JSON.stringify(stroked)} is not ${held.length} held, ${data.length} with data, ${closing.length} closing and ${dark.length} dark`);
    return {
      closing: closing.map(name).sort(),
      dark: dark.map(name).sort(),
      links: [...held.map(name), ...data.map((place) => `${name(place)} data`)].sort(),
      blocked: blocked.map((one) => ({ circuit: page.model.name(one.circuit), output: page.model.outputName(one.place), holder: one.holder < 0 ? '' : page.model.name(one.holder) })),
    };
  });
}, cycles);

const contended = ['exchange', '--machine', 'ipsc860', '--dim', '4', '--bytes', '32', '--partition', '3,1', '--schedule', 'ordered', '--circuits', '--contention'];
const runs = {
  contended,
  ports: ['exchange', '--dim', '5', '--bytes', '24', '--ports', 'n', '--schedule', 'random', '--jitter', '20 cycles', '--circuits', '--contention'],
  combine: ['combine', '--machine', 'ipsc860', '--dim', '4', '--items', '300', '--circuits', '--contention'],
};

test('at 10,000 random cycles the replay shows the links that circuits.csv holds then', async () => {
  const counts = { contended: 4000, ports: 3000, combine: 3000 };
  for (const [name, args] of Object.entries(runs)) {
    const page = await open(run(name, ...args), { viewport: { width: 640, height: 600 } });
    const end = JSON.parse(readFileSync(path.join(work, name, 'summary.json'))).measured.cycles;
    const next = random(seed);
    const cycles = Array.from({ length: counts[name] }, () => next(end + 1));
    const drawn = await drawnAt(page, cycles);
    const holds = holdsOf(name);
    const groups = grouped(holds);
    let held = 0;
    cycles.forEach((cycle, i) => {
      assert.deepEqual(drawn[i].links, heldAt(groups, cycle), `${name}, seed ${seed}, cycle ${cycle}`);
      held += drawn[i].links.length;
      for (const one of drawn[i].blocked) assert.notEqual(one.holder, '', `${name}, seed ${seed}, cycle ${cycle}: nobody holds what ${one.circuit} waits for`);
    });
    assert.ok(held > cycles.length, 'links are held most of the time');
    // The comparison can say no: with every tail an edge later it finds other links.
    const late = grouped(holds.map((one) => ({ ...one, until: one.until + 1 })));
    assert.ok(cycles.some((cycle, i) => drawn[i].links.join() !== heldAt(late, cycle).join()));
  }
});

test('a mesh and a generalised hypercube are drawn as such: replay, heat map, network, Gantt chart', async () => {
  for (const [kind, line] of [['mesh', true], ['generalised', false]]) {
    const page = await open(run(kind, 'exchange', '--topology', `${kind}:4x3`, '--bytes', '200', '--circuits', '--contention'));
    assert.deepEqual(await emptyCharts(page), []);
    const holds = holdsOf(kind, [4, 3], line);
    const groups = grouped(holds);
    const end = JSON.parse(readFileSync(path.join(work, kind, 'summary.json'))).measured.cycles;
    const next = random(seed);
    const cycles = Array.from({ length: 500 }, () => next(end + 1));
    (await drawnAt(page, cycles)).forEach((drawn, i) => assert.deepEqual(drawn.links, heldAt(groups, cycles[i]), `${kind}, seed ${seed}, cycle ${cycles[i]}`));
    // The comparison can say no: by the routes of the other kind, other links are held.
    const others = grouped(holdsOf(kind, [4, 3], !line));
    assert.ok(cycles.some((cycle) => heldAt(groups, cycle).join() !== heldAt(others, cycle).join()));

    // Replay: rows of four nodes, and a line on the canvas for each link of the network.
    const { nodes, links } = await page.evaluate(() => {
      const { scene } = page.replay;
      return { nodes: scene.shownNodes(), links: scene.shownLinks().map((place) => `${page.model.router(place)}:${place % page.model.outputs}`).sort() };
    });
    const at = (label) => nodes.find((node) => node.label === label);
    if (line) {
      for (let node = 0; node < 12; ++node) {
        assert.ok(Math.abs(at(node).y - at(node - node % 4).y) < 1 && Math.abs(at(node).x - at(node % 4).x) < 1, `node ${node} is not in its row and column`);
        if (node % 4 > 0) assert.ok(at(node).x > at(node - 1).x, 'columns ascend');
      }
    }
    const all = Array.from({ length: 12 * 12 }, (_, i) => routeOf([4, 3], line, Math.floor(i / 12), i % 12)).filter((route) => route.length === 1).map(([[node, output]]) => `${node}:${output}`).sort();
    assert.equal(all.length, line ? 34 : 60);
    assert.deepEqual(links, all);

    // Heat map: a cell for each of these links, with the cycles of links.csv. Gantt chart: a bar for each hold.
    const drawn = await page.evaluate(() => {
      const series = (name) => echarts.getInstanceByDom(document.querySelector(`[data-chart^="${name}"]`)).getOption();
      const map = series('Links by node');
      return { cells: map.series[0].data, outputs: map.yAxis[0].data, edges: series('The network').series[0].links.length, bars: Number(document.querySelector('[data-chart="Gantt chart of circuits by link"]').dataset.points) };
    });
    assert.deepEqual(drawn.outputs, line ? ['+x', '-x', '+y', '-y'] : ['x + 1', 'x + 2', 'x + 3', 'y + 1', 'y + 2']);
    const column = rows(kind, 'links.csv').some((row) => Number(row.blocked_cycles) > 0) ? 'blocked_cycles' : 'busy_cycles';
    const told = new Map(rows(kind, 'links.csv').map((row) => [`${row.node}:${row.output}`, Number(row[column])]));
    assert.deepEqual(drawn.cells.map(([node, output]) => `${node}:${output}`).sort(), all);
    for (const [node, output, value] of drawn.cells) assert.equal(value, told.get(`${node}:${output}`), `link ${node}:${output}`);
    assert.equal(drawn.edges, all.length);
    assert.equal(drawn.bars, holds.length);
  }
});

test('the channels of a link are lines beside each other', async () => {
  const page = await open(run('channels', 'exchange', '--dim', '3', '--ports', 'n', '--partition', '1,1,1', '--set', 'link.channels=3', '--circuits'));
  const lines = await page.evaluate(() => {
    const found = new Set();
    let from = [];
    const noting = new Proxy({ moveTo: (...at) => { from = at; }, lineTo: (...at) => found.add([...from, ...at].map(Math.round).join()) }, { get: (own, name) => own[name] ?? (() => {}) });
    page.replay.scene.draw(noting, 0, replayColors(), -1);
    return found.size;
  });
  assert.equal(lines, 3 * 8 * 3);
});

test('on planes the replay and the Gantt chart show when links close and are dark, and the replay which nodes are exposed', async () => {
  const page = await open(run('planes', 'exchange', '--dim', '3', '--ports', 'n', '--set', 'network.planes=2', '--set', 'plane.retune=10us', '--partition', '1,1,1', '--bytes', '1000', '--jitter', '3us', '--circuits'));
  assert.deepEqual(await emptyCharts(page), []);
  const lines = rows('planes', 'dark.csv').map((row) => ({ link: `${row.node}:${row.plane}`, asked: Number(row.asked), from: Number(row.from), until: Number(row.until) }));
  const { network, measured } = JSON.parse(readFileSync(path.join(work, 'planes', 'summary.json')));
  assert.equal(lines.reduce((sum, one) => sum + one.until - one.from, 0), network.plane_dark_cycles);
  assert.equal(rows('planes', 'dark.csv').reduce((sum, row) => sum + (row.from - row.asked), 0), network.plane_closing_cycles);
  const ends = await page.evaluate(() => echarts.getInstanceByDom(document.querySelector('[data-chart^="Best partition by block and delay"]')).getOption().xAxis.map((one) => one.max));
  assert.ok(ends.length === 1 && ends.every(Number.isInteger), `ends of the map are not round: ${ends}`);
  // A plane's link has no other end of its own.
  assert.ok(rows('planes', 'links.csv').every((row) => row.to === ''));
  // Every node changes one of its two planes, once for the last of three masks.
  assert.equal(lines.length, 8);
  const holds = rows('planes', 'circuits.csv').map((row) => ({ link: `${row.source}:${row.inject_port}`, from: Number(row.grants.split(' ')[0]), data: Number(row.first_data) + 1, until: Number(row.tail) + 2 }));
  const groups = grouped(holds);
  const next = random(seed);
  const edges = lines.flatMap((one) => [one.asked, one.from - 1, one.from, one.until - 1, one.until]);
  const cycles = [...edges, ...Array.from({ length: 500 }, () => next(measured.cycles + 1))];
  const darkAt = (all, cycle) => all.filter((one) => one.from <= cycle && cycle < one.until).map((one) => one.link).sort();
  const drawn = await drawnAt(page, cycles);
  cycles.forEach((cycle, i) => {
    // The tail that left its node at the edge of the ask is on the link for an edge more.
    const held = heldAt(groups, cycle).map((link) => link.split(' ')[0]);
    assert.deepEqual(drawn[i].closing, lines.filter((one) => one.asked <= cycle && cycle < one.from && !held.includes(one.link)).map((one) => one.link).sort(), `seed ${seed}, cycle ${cycle}`);
    assert.deepEqual(drawn[i].dark, darkAt(lines, cycle), `seed ${seed}, cycle ${cycle}`);
    assert.deepEqual(drawn[i].links, heldAt(groups, cycle), `seed ${seed}, cycle ${cycle}`);
  });
  assert.ok(drawn.some((one) => one.closing.length > 0));
  // Node-cycles are those of the summary, and the page has the same.
  const sums = { none: 0, hidden: 0, exposed: 0 };
  const exposed = await page.evaluate((end) => Array.from({ length: 8 }, (_, node) => Array.from({ length: end }, (_, edge) => page.replay.scene.programAt(node, edge)).filter((one) => one.exposed).length), measured.cycles);
  for (let node = 0; node < 8; ++node) {
    const changes = rows('planes', 'programs.csv').filter((row) => Number(row.node) === node);
    changes.forEach((row, i) => { sums[row.tuning] += Number(changes[i + 1]?.from ?? measured.cycles) - Number(row.from); });
  }
  assert.equal(sums.exposed, network.plane_exposed_cycles);
  assert.equal(sums.hidden, network.plane_hidden_cycles);
  assert.equal(exposed.reduce((sum, one) => sum + one), network.plane_exposed_cycles);
  assert.ok(network.plane_exposed_cycles > 0);
  // The comparison can say no: an edge later other links are dark.
  const late = lines.map((one) => ({ ...one, from: one.from + 1 }));
  assert.ok(cycles.some((cycle, i) => drawn[i].dark.join() !== darkAt(late, cycle).join()));
  assert.equal(Number(await page.getAttribute('[data-chart="Gantt chart of circuits by link"]', 'data-points')), holds.length + lines.length);
  assert.ok((await page.textContent('.keys')).includes('its plane is tuned'));
});

test('the canvas has the colours of held links and of data where circuits.csv has them', async () => {
  const page = await open(run('colours', ...contended));
  const holds = grouped(holdsOf('colours'));
  const end = JSON.parse(readFileSync(path.join(work, 'colours/summary.json'))).measured.cycles;
  const next = random(seed);
  let seen = 0;
  let wrongly = 0;
  for (let i = 0; i < 40; ++i) {
    const cycle = next(end);
    const colours = await page.evaluate((to) => {
      page.clock.seek(to);
      const canvas = document.querySelector('canvas.cube');
      const ratio = canvas.width / canvas.clientWidth;
      const at = (place, part) => {
        const [x, y] = page.replay.scene.linkPoint(place, part);
        return [...canvas.getContext('2d').getImageData(Math.round(x * ratio), Math.round(y * ratio), 1, 1).data].slice(0, 3).join();
      };
      const hex = (name) => [1, 3, 5].map((k) => parseInt(color(name).slice(k, k + 2), 16)).join();
      const wanted = new Set(page.replay.scene.drawn.blocked.map((one) => one.place));  // dashed over in red
      // Several places of each link, because arrows, names and other links may hide some of them.
      return page.replay.scene.shownLinks().filter((place) => !wanted.has(place)).map((place) => [`${page.model.router(place)}:${place % page.model.outputs}`,
        [0.2, 0.35, 0.5, 0.65, 0.8].map((part) => at(place, part)).map((found) => (found === hex('data') ? 'data' : found === hex('held') ? 'held' : 'other'))]);
    }, cycle);
    const held = new Set(heldAt(holds, cycle));
    for (const [link, found] of colours) {
      const wanted = held.has(`${link} data`) ? 'data' : held.has(link) ? 'held' : 'other';
      // Links cross each other, so a point of one may show another; a held link shows its colour at one of the points.
      if (wanted === 'other') continue;
      ++seen;
      if (!found.includes(wanted)) ++wrongly;
    }
  }
  assert.ok(seen > 100, `${seen} held links`);
  assert.ok(wrongly <= seen / 25, `${wrongly} of ${seen} held links have another colour, seed ${seed}`);
});

test('blocked circuits, their holders and whole chains are those of --contention', async () => {
  for (const [name, args] of Object.entries({ waits: contended, waits_n: runs.ports })) {
    const page = await open(run(name, ...args));
    const { contention } = JSON.parse(readFileSync(path.join(work, name, 'summary.json')));
    const waits = [...contention.longest_link_waits, ...contention.longest_port_waits];
    assert.ok(waits.length >= 10);
    const found = await page.evaluate(() => page.model.waits.map((wait) => ({
      circuit: page.model.name(wait.circuit), output: page.model.outputName(wait.place), from_cycle: wait.from, cycles: wait.until - wait.from, holders: page.model.holders(wait).length,
      chain: page.model.chain(wait).map((one) => ({ output: page.model.outputName(one.place), held_by: page.model.name(one.circuit), from_cycle: one.from, until_cycle: one.until })),
    })));
    for (const wait of waits) assert.deepEqual(found.find((one) => one.circuit === wait.circuit && one.output === wait.output && one.from_cycle === wait.from_cycle), wait);
    // The waits of the page are all waits of the run: their cycles add up to those of links.csv.
    const blocked = rows(name, 'links.csv').reduce((sum, row) => sum + Number(row.blocked_cycles), 0);
    assert.equal(found.filter((one) => one.output.startsWith('link')).reduce((sum, one) => sum + one.cycles, 0), blocked);
    const worst = waits[0];
    const [drawn] = await drawnAt(page, [worst.from_cycle]);
    assert.ok(drawn.blocked.some((one) => one.circuit === worst.circuit && one.output === worst.output && one.holder === worst.chain[0].held_by), JSON.stringify(drawn.blocked));
    // The terminal's lines and the page's are the same.
    const terminal = ecube('run', ...args, '--quiet', '-o', name).stdout.split('\n');
    const at = terminal.findIndex((line) => line.startsWith(`${worst.circuit} waited`));
    const lines = await page.evaluate(([circuit, from]) => page.model.waitLines(page.model.waits.find((one) => page.model.name(one.circuit) === circuit && one.from === from)), [worst.circuit, worst.from_cycle]);
    lines.forEach((line, i) => assert.equal(terminal[at + i].trim().replaceAll(',', ''), line.replaceAll(',', '')));
  }
});

test('links are held for as long as links.csv says, by circuits and by worms', async () => {
  const machines = {
    circuits: contended,
    worms: ['traffic', '--dim', '4', '--rate', '20', '--bytes', '40', '--set', 'network.switching=wormhole', '--set', 'link.cycles_per_phit=2 cycles', '--circuits'],
    buffered: ['traffic', '--dim', '4', '--rate', '20', '--bytes', '40', '--pattern', 'hotspot', '--set', 'network.switching=wormhole', '--set', 'link.cycles_per_phit=3 cycles', '--set', 'router.buffer=4 B', '--circuits'],
    engines: ['traffic', '--dim', '3', '--rate', '40', '--bytes', '12', '--ports', '2', '--set', 'network.switching=wormhole', '--set', 'link.cycles_per_phit=2 cycles', '--circuits'],
  };
  for (const [name, args] of Object.entries(machines)) {
    const page = await open(run(`held_${name}`, ...args));
    const held = await page.evaluate(() => page.model.places().filter(page.model.isLink).map((place) => [place, page.model.holdsOf(place)]).map(([place, list]) => [`${page.model.router(place)}:${place % page.model.outputs}`, list.reduce((sum, one) => sum + one.until - one.from, 0), list.every((one, i) => i === 0 || list[i - 1].until <= one.from)]));
    const found = new Map(held.map(([link, cycles, apart]) => { assert.ok(apart, `${name}: two circuits hold ${link}`); return [link, cycles]; }));
    for (const row of rows(`held_${name}`, 'links.csv')) {
      // The last edge of each hold is the turnaround, which is not busy (section 6 of hw/README.md).
      assert.equal((found.get(`${row.node}:${row.output}`) || 0) - Number(row.circuits), Number(row.busy_cycles), `${name}: link ${row.node}:${row.output}`);
    }
  }
});

test('nodes show the states of programs.csv', async () => {
  const page = await open(run('programs', ...contended));
  const changes = rows('programs', 'programs.csv');
  const end = Number(JSON.parse(readFileSync(path.join(work, 'programs/summary.json'))).measured.cycles);
  const next = random(seed);
  const questions = Array.from({ length: 500 }, () => [next(16), next(end)]);
  const states = await page.evaluate((list) => list.map(([node, cycle]) => page.replay.scene.programAt(node, cycle).state), questions);
  questions.forEach(([node, cycle], i) => {
    const before = changes.filter((row) => Number(row.node) === node && Number(row.from) <= cycle);
    assert.equal(states[i], before.length > 0 ? before[before.length - 1].state : 'starting', `seed ${seed}, node ${node}, cycle ${cycle}`);
  });
  for (const state of ['sending', 'receiving', 'waiting', 'computing', 'barrier']) assert.ok(states.includes(state), `${state} is never shown`);
});

test('one clock moves replay, Gantt chart, heat map and chain; keys step it; a click follows a message', async () => {
  const page = await open(run('clock', ...contended));
  const contention = JSON.parse(readFileSync(path.join(work, 'clock/summary.json'))).contention;
  const cursor = () => page.evaluate(() => parseFloat(document.querySelector('.cursor').style.left));
  const marks = () => page.evaluate(() => document.querySelector('#contention .over > canvas').toDataURL());
  // The page opens where something is seen first: a probe has its first link.
  const first = await page.evaluate(() => Math.min(...page.model.columns.grants.map(([grant]) => grant)));
  assert.ok(first > 0);
  assert.ok(await page.evaluate(() => page.replay.scene.drawn.held.length) > 0);
  assert.equal(await page.evaluate(() => page.clock.edge), first);
  const [before, marked] = [await cursor(), await marks()];
  await page.locator('#replay .scrubber').fill(String(contention.longest_link_waits[0].from_cycle));
  assert.ok(await cursor() > before);
  assert.notEqual(await marks(), marked);
  const edge = () => page.evaluate(() => page.clock.edge);
  const at = await edge();
  await page.locator('.stage').press('ArrowRight');
  assert.equal(await edge(), at + 1);
  await page.locator('.stage').press('ArrowLeft');
  await page.locator('.stage').press('Shift+ArrowRight');
  assert.equal(await edge(), await page.evaluate((from) => page.model.events.find((one) => one > from), at));
  await page.locator('.stage').press('Shift+ArrowLeft');
  await page.locator('.stage').press('PageDown');
  assert.ok(await edge() > at);
  await page.locator('.stage').press('Home');
  assert.equal(await edge(), 0);
  await page.locator('.stage').press(' ');
  await page.waitForFunction(() => page.clock.edge > 10 && page.clock.playing);
  await page.locator('.stage').press(' ');
  assert.equal(await page.evaluate(() => page.clock.playing), false);
  // A link that is held, clicked on the cube.
  await page.locator('#replay .scrubber').fill(String(contention.longest_link_waits[0].from_cycle));
  const spot = await page.evaluate(() => {
    const [place] = page.replay.scene.drawn.data.concat(page.replay.scene.drawn.held);
    const [x, y] = page.replay.scene.linkPoint(place, 0.5);
    document.querySelector('.stage').scrollIntoView({ block: 'center' });
    const box = document.querySelector('canvas.cube').getBoundingClientRect();
    return [box.x + x, box.y + y];
  });
  await page.mouse.click(...spot);
  const circuit = await page.evaluate(() => page.clock.circuit);
  assert.ok(circuit >= 0);
  const name = await page.evaluate((one) => page.model.name(one), circuit);
  assert.ok((await page.textContent('#circuits .detail')).startsWith(name));
  assert.ok((await page.textContent('#replay .chain')).startsWith(name));
  // On paper: six different frames, which go when printing is over.
  const frames = await page.evaluate(() => {
    dispatchEvent(new Event('beforeprint'));
    const pictures = [...document.querySelectorAll('#replay .frames canvas')].map((one) => one.toDataURL());
    dispatchEvent(new Event('afterprint'));
    return [pictures.length, new Set(pictures).size, document.querySelectorAll('#replay .frames canvas').length];
  });
  assert.deepEqual(frames, [6, 6, 0]);
});

test('nodes lie beside each other and off the links of others, by dimension and as nested cubes, and squares are square', async () => {
  const file = run('layout', ...contended);
  for (const width of [1280, 420]) {
    const page = await open(file, { viewport: { width, height: 900 } });
    for (const shown of ['', 'nested']) {
      await page.locator('#replay select[aria-label=shown]').selectOption(shown);
      const [nodes, links] = await page.evaluate(() => {
        const { scene } = page.replay;
        return [scene.shownNodes(), scene.shownLinks().map((place) => ({ from: page.model.router(place), bit: place % page.model.outputs, a: scene.linkPoint(place, 0), b: scene.linkPoint(place, 1) }))];
      });
      assert.equal(nodes.length, 16);
      const far = (x, y, to) => Math.hypot(x - to.x, y - to.y);
      for (const one of nodes) for (const other of nodes) assert.ok(one === other || far(one.x, one.y, other) > 2 * one.radius, `${width} ${shown}: nodes ${one.label} and ${other.label}`);
      for (const { from, bit, a, b } of links) {
        for (const node of nodes.filter(({ label }) => label !== from && label !== (from ^ (1 << bit)))) {
          const along = Math.max(0, Math.min(1, ((node.x - a[0]) * (b[0] - a[0]) + (node.y - a[1]) * (b[1] - a[1])) / ((b[0] - a[0]) ** 2 + (b[1] - a[1]) ** 2)));
          assert.ok(far(a[0] + along * (b[0] - a[0]), a[1] + along * (b[1] - a[1]), node) > node.radius - 3, `${width} ${shown}: link ${from}:${bit} at node ${node.label}`);
        }
      }
      const side = (to) => far(nodes[0].x, nodes[0].y, nodes[to]);
      assert.ok(Math.abs(side(1) - side(2)) < 1e-6 * side(1), 'dimensions 0 and 1 are equally long');
    }
  }
});

test('a page with more circuits than it holds is right up to the edge it names', async () => {
  const file = run('many', 'exchange', '--dim', '8', '--payload', 'none', '--schedule', 'random', '--bytes', '16', '--circuits');
  const page = await open(file, { viewport: { width: 420, height: 800 } });
  const until = await page.evaluate(() => data.run.circuits.complete_until);
  assert.ok(until > 0);
  const holds = grouped(holdsOf('many'));
  const next = random(seed);
  const cycles = Array.from({ length: 100 }, () => next(until));
  const drawn = await drawnAt(page, cycles);
  const seen = new Set(await page.evaluate(() => page.replay.scene.shownLinks().map((place) => `${page.model.router(place)}:${place % page.model.outputs}`)));
  assert.equal(seen.size, 64 * 6);
  cycles.forEach((cycle, i) => assert.deepEqual(drawn[i].links, heldAt(holds, cycle).filter((link) => seen.has(link.split(' ')[0])), `seed ${seed}, cycle ${cycle}`));
  assert.match(await page.textContent('#replay'), /Up to cycle [\d,]+ none is missing/);
  // Another subcube has other links.
  await page.getByLabel('subcube of node').fill('192');
  await page.getByLabel('subcube of node').press('Tab');
  assert.equal(await page.evaluate(() => page.replay.scene.shownLinks().every((place) => page.model.router(place) >= 192)), true);
});

test('a run without circuits.csv says how to get one, and a damaged programs.csv is refused', async () => {
  const page = await open(run('without', 'exchange', '--dim', '3'));
  assert.match(await page.textContent('#replay pre'), /--circuits\n.*report without/);
  run('damaged', ...contended);
  withoutHashes(path.join(work, 'damaged'));
  for (const text of ['node,from,state,phase,step\n0,0,dreaming,1,1\n', 'node,from,state,phase,step\n99,0,waiting,1,1\n', 'node\n0\n', 'node\n']) {
    writeFileSync(path.join(work, 'damaged/programs.csv'), text);
    const refused = ecube('report', 'damaged');
    assert.equal(refused.status, 2, `${text}: ${refused.stderr}`);
  }
  writeFileSync(path.join(work, 'damaged/programs.csv'), 'node,from,state,phase,step\n');
  report('damaged');
});
