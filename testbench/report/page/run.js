// SPDX-License-Identifier: Apache-2.0
// The page of one run.
'use strict';

const termNames = {
  startup_us: 'start-up', queued_startup_us: 'queued start-ups', distance_us: 'distance',
  transmission_us: 'transmission', permutation_us: 'permutation', barrier_us: 'barrier', combine_us: 'combine', engine_us: 'engines',
  serialised_us: 'serialised',
};

/** Phases or steps of a run with the equation's time of each; the whole run where it has neither. */
function partsOf(summary) {
  const parts = [];
  (summary.phases || []).forEach((phase, i) => parts.push({
    name: `phase ${i + 1}`, about: `bits ${phase.lowest_bit + phase.bits - 1}-${phase.lowest_bit}, ${phase.steps} steps`,
    predicted: phase.predicted, measured: phase.measured_us, blocked: phase.blocked_circuits,
  }));
  (summary.stages || []).forEach((stage, i) => parts.push({
    name: `stage ${i + 1}`, about: `phases ${stage.parts.map((part) => part.phase).join(', ')} at once, ${stage.steps} steps`,
    predicted: stage.predicted, measured: stage.measured_us, blocked: stage.blocked_circuits,
  }));
  (summary.steps || []).forEach((step, i) => parts.push({
    name: `step ${i + 1}`, about: step.move ? `${step.move}, ${grouped(step.items)} items` : '',
    predicted: step.predicted, measured: step.measured_us, blocked: step.blocked_circuits,
  }));
  if (parts.length === 0 && summary.predicted?.terms) {
    parts.push({ name: 'run', about: '', predicted: summary.predicted, measured: summary.measured.us, blocked: summary.network.blocked_circuits });
  }
  return parts;
}

function runVerdict(run, tolerance) {
  const { summary } = run;
  const said = [];
  let kind = '';
  if (summary.verified === false) {
    kind = 'bad';
    said.push('The data is wrong.');
  } else {
    said.push(summary.verified ? 'The data is where it belongs.' : 'No data was carried, so none was checked.');
  }
  if (summary.network.lost_messages > 0) {
    kind = 'bad';
    said.push(`${grouped(summary.network.lost_messages)} messages were lost.`);
  }
  if (summary.error_percent !== null && summary.error_percent !== undefined) {
    const within = Math.abs(summary.error_percent) <= tolerance;
    if (!within && !kind) kind = 'warn';
    said.push(`Measured ${short(summary.measured.us)} us, predicted ${short(summary.predicted.us)} us: ${percent(summary.error_percent)}, ${within ? 'within' : 'outside'} the tolerance of ${tolerance} %.`);
  } else {
    said.push(`Measured ${short(summary.measured.us)} us; there is no prediction.`);
  }
  const blocked = summary.network.blocked_circuits;
  said.push(blocked > 0 ? `${grouped(blocked)} of ${grouped(summary.network.circuits)} circuits waited for links, ${grouped(summary.network.blocked_cycles)} cycles in all.` : 'No circuit waited for a link.');
  verdict(kind, said.join(' '), run.command);
}

function drawNumbers(run) {
  const { summary } = run;
  const place = section('numbers', 'Numbers');
  const entries = [
    ['machine', `${summary.machine.name}, d = ${summary.machine.dim}, ${grouped(summary.machine.nodes)} nodes, ports ${summary.machine.ports}, engine ${summary.machine.engine}`],
    ['workload', Object.entries(summary.workload).filter(([, value]) => value !== null).map(([name, value]) => `${name} ${Array.isArray(value) ? value.join(',') : value}`).join(', ')],
    ['measured', `${short(summary.measured.us)} us, ${grouped(summary.measured.cycles)} cycles`],
  ];
  if (summary.predicted) entries.push(['predicted', `${short(summary.predicted.us)} us by ${summary.predicted.equation || 'the equation'}`]);
  entries.push(['circuits', `${grouped(summary.network.circuits)}, ${grouped(summary.network.payload_bytes)} bytes`],
    ['waited for links', `${grouped(summary.network.blocked_circuits)} circuits, ${grouped(summary.network.blocked_cycles)} cycles`],
    ['waited for ports', `${grouped(summary.network.port_blocked_circuits)} circuits, ${grouped(summary.network.port_blocked_cycles)} cycles`],
    ['use of links', `${short(100 * summary.network.utilisation_mean)} % on average, ${short(100 * summary.network.utilisation_max)} % at most`]);
  definitions(place, entries);
}

// --- Equation and measurement --------------------------------------------------------------------------------------

function drawWaterfall(run) {
  const parts = partsOf(run.summary).filter((part) => part.predicted);
  if (parts.length === 0) return;
  const place = section('terms', 'Terms', 'What the equation says the time consists of, part by part, and the measured time at the end.');
  const bars = [];
  let at = 0;
  for (const part of parts) {
    for (const [term, us] of Object.entries(part.predicted.terms)) {
      if (!(us > 0)) continue;
      bars.push({ name: parts.length > 1 ? `${part.name} ${termNames[term] || term}` : termNames[term] || term, term, from: at, us, about: part.about });
      at += us;
    }
  }
  bars.push({ name: 'predicted', term: 'predicted', from: 0, us: run.summary.predicted.us, about: '' });
  bars.push({ name: 'measured', term: 'measured', from: 0, us: run.summary.measured.us, about: '' });
  const kinds = [...new Set(bars.map((bar) => bar.term))];
  // Every name where there is room for it.
  const crowded = () => place.clientWidth / bars.length < 24;
  chart(place, 'Waterfall of the terms of the equation', () => ({
    grid: { left: 70, right: 20, top: 40, bottom: bars.length > 8 ? 130 : 70 },
    legend: legend({ data: kinds.map((kind) => termNames[kind] || kind) }),
    tooltip: tooltip({ trigger: 'item', formatter: (hit) => {
      const bar = bars[hit.dataIndex];
      return `${bar.name} ${bar.about}\n${short(bar.us)} us, ${short(bar.from)} to ${short(bar.from + bar.us)} us`;
    } }),
    xAxis: axis('', { type: 'category', data: bars.map((bar) => bar.name), axisLabel: { rotate: crowded() ? 90 : bars.length > 8 ? 50 : 20, interval: crowded() ? 'auto' : 0 } }),
    yAxis: axis('us', { type: 'value', nameGap: 50 }),
    series: [
      { type: 'bar', stack: 'all', silent: true, itemStyle: { color: 'transparent' }, data: bars.map((bar) => bar.from), tooltip: { show: false } },
      ...kinds.map((kind, i) => ({
        name: termNames[kind] || kind, type: 'bar', stack: 'all', barCategoryGap: '15%',
        itemStyle: kind === 'measured' ? { color: color('ink') } : { color: palette[i % palette.length] },
        data: bars.map((bar) => (bar.term === kind ? bar.us : null)),
      })),
    ],
  }), { height: 420 });
}

function drawResiduals(run) {
  const parts = partsOf(run.summary).filter((part) => part.predicted && part.predicted.us > 0);
  if (parts.length === 0) return;
  const place = section('residuals', 'Residuals', 'Measured against predicted, part by part. The band is the tolerance.');
  const rows = parts.map((part) => ({ name: part.name, about: part.about, error: 100 * (part.measured - part.predicted.us) / part.predicted.us, part }));
  if (rows.length > 1) rows.push({ name: 'total', about: '', error: run.summary.error_percent, part: { measured: run.summary.measured.us, predicted: run.summary.predicted } });
  let tolerance = 2;
  const entry = chart(place, 'Deviation of the measured from the predicted time', () => {
    const reach = roundUp(Math.max(tolerance * 1.2, ...rows.map((row) => Math.abs(row.error) * 1.1)));
    return {
      grid: { left: 70, right: 20, top: 20, bottom: 60 },
      tooltip: tooltip({ trigger: 'item', formatter: (hit) => {
        const row = rows[hit.dataIndex];
        return `${row.name} ${row.about}\nmeasured ${short(row.part.measured)} us, predicted ${short(row.part.predicted.us)} us\n${percent(row.error)}`;
      } }),
      xAxis: axis('', { type: 'category', data: rows.map((row) => row.name), axisLabel: { rotate: rows.length > 10 ? 50 : 0 } }),
      yAxis: axis('%', { type: 'value', min: -reach, max: reach, interval: reach / 2, nameGap: 45 }),
      series: [{
        type: 'bar', barMaxWidth: 40, label: { show: rows.length <= 16, position: 'outside', formatter: (hit) => percent(hit.value), color: color('ink') }, data: rows.map((row) => ({ value: row.error, itemStyle: { color: Math.abs(row.error) <= tolerance ? color('good') : color('warn') } })),
        markArea: { silent: true, itemStyle: { color: color('band') }, data: [[{ yAxis: -tolerance }, { yAxis: tolerance }]] },
      }],
    };
  }, { height: 300 });
  const input = element('input', { type: 'number', min: '0.1', step: '0.1', value: String(tolerance), onchange: () => {
    tolerance = Math.max(0.1, Number(input.value) || 2);
    entry.draw();
    runVerdict(run, tolerance);
  } });
  place.insertBefore(element('div', { class: 'controls' }, element('label', {}, 'tolerance in %', input)), entry.place);
}

function drawHull(run) {
  const { hull, summary } = run;
  if (!hull || !hull.faces) return;
  const words = ['Dashed: the equation, with real hops. Marks: runs on this machine. A vertical line is a crossover as bisected on the machine, to a byte; the band beside it is where the equation has it, from average to real hops.'];
  if (hull.points.length === 0) words.push(`Predicted only: cubes of more than 8 dimensions are not measured while a page is made; see ${data.program} hull exchange --measure.`);
  const place = section('hull', 'Hull', ...words);
  const name = (partition) => `{${partition.join(',')}}`;
  const bytes = hull.points.length > 0 ? Math.max(...hull.points.map((point) => point.bytes)) : 1.6 * Math.max(64, ...hull.faces.map((face) => face.from_bytes));
  const crossings = hull.crossovers || [];
  chart(place, 'Hull of optimality: time of each partition by block size', () => ({
    grid: { left: 80, right: 20, top: 50, bottom: 55 },
    legend: legend(),
    tooltip: tooltip({ trigger: 'item', formatter: (hit) => `${hit.seriesName}\n${short(hit.value[0])} B: ${short(hit.value[1])} us` }),
    dataZoom: zoom(),
    xAxis: axis('bytes of a block', { type: 'value', max: bytes }),
    yAxis: axis('us', { type: 'value', nameGap: 60 }),
    series: [
      ...hull.faces.map((face, i) => ({
        name: `${name(face.partition)} predicted`, type: 'line', showSymbol: false, lineStyle: { type: 'dashed', width: 2 },
        itemStyle: { color: palette[i % palette.length] },
        data: face.slope_us_per_byte === undefined
          ? hull.points.filter((point) => name(point.partition) === name(face.partition)).map((point) => [point.bytes, point.predicted_us])
          : [0, bytes / 2, bytes].map((m) => [m, face.intercept_us + face.slope_us_per_byte * m]),
        markLine: i === 0 ? {
          symbol: 'none', label: { formatter: (line) => `${line.value} B`, color: color('ink') }, lineStyle: { color: color('soft'), type: 'solid' },
          data: crossings.filter((one) => one.measured_bytes !== null).map((one) => ({ xAxis: one.measured_bytes })),
        } : undefined,
        markArea: i === 0 ? {
          silent: true, itemStyle: { color: color('band') },
          data: crossings.filter((one) => one.predicted_bytes !== null && one.predicted_real_hops_bytes !== null).map((one) => {
            const ends = [one.predicted_bytes, one.predicted_real_hops_bytes].sort((a, b) => a - b);
            return [{ xAxis: ends[0] }, { xAxis: ends[1] }];
          }),
        } : undefined,
      })),
      ...hull.faces.map((face, i) => ({
        name: `${name(face.partition)} measured`, type: 'scatter', symbolSize: 8, itemStyle: { color: palette[i % palette.length] },
        data: hull.points.filter((point) => name(point.partition) === name(face.partition)).map((point) => [point.bytes, point.us]),
      })),
      { name: `this run ${name(summary.workload.partition)}`, type: 'scatter', symbol: 'diamond', symbolSize: 16, itemStyle: { color: color('ink') }, data: [[summary.workload.bytes, summary.measured.us]] },
    ],
  }), { height: 420 });
  if (crossings.length > 0) {
    table(place, 'crossovers.csv', ['from', 'to', 'with the average distance B', 'with real hops B', 'measured: not slower from B', 'slower at B'],
      crossings.map((one, i) => [name(hull.faces[i].partition), name(hull.faces[i + 1].partition), one.predicted_bytes,
        one.predicted_real_hops_bytes, one.measured_bytes, one.measured_bytes === null ? one.tried_up_to_bytes : Math.max(0, one.measured_bytes - 1)]));
  }
}

// --- Links ---------------------------------------------------------------------------------------------------------

const linkMetrics = [['blocked_cycles', 'blocked cycles'], ['busy_cycles', 'busy cycles'], ['circuits', 'circuits'], ['bytes', 'bytes'], ['most_waiters', 'most waiters']];

function drawLinks(run) {
  const { columns, count } = run.links;
  const shown = columns.from.length;
  if (shown === 0) return;
  const dim = run.summary.machine.dim;
  const nodes = run.summary.machine.nodes;
  const place = section('contention', 'Contention', 'Each cell is a directed link: from a node, over a dimension.');
  if (shown < count) place.append(element('p', { class: 'note' }, `The ${grouped(shown)} most blocked and busiest of ${grouped(count)} links; links.csv has all.`));
  let metric = columns.blocked_cycles.some((value) => value > 0) ? 'blocked_cycles' : 'busy_cycles';
  const controls = element('div', { class: 'controls' });
  place.append(controls);
  const said = element('div', { class: 'detail', role: 'status' }, 'Point at a cell, or choose a link in the table below.');
  const about = (i) => {
    const link = `${columns.from[i]}:${columns.dimension[i]}`;
    const wait = run.links.longest_wait[link];
    return `link ${link}, to node ${columns.to[i]}: ${linkMetrics.map(([key, name]) => `${grouped(columns[key][i])} ${name}`).join(', ')}${wait ? `. ${wait}` : ''}`;
  };
  const worst = () => Math.max(1, ...columns[metric]);
  const map = chart(place, 'Links by node and dimension', () => ({
    grid: { left: 60, right: 90, top: 10, bottom: nodes > 64 ? 80 : 55 },
    tooltip: tooltip({ formatter: (hit) => about(hit.dataIndex) }),
    dataZoom: nodes > 64 ? [slider({ bottom: 5, height: 18, filterMode: 'none' }), ...zoom()] : zoom(),
    xAxis: axis('node', { type: 'category', data: Array.from({ length: nodes }, (_, i) => i), splitLine: { show: false } }),
    yAxis: axis('dimension', { type: 'category', data: Array.from({ length: dim }, (_, i) => i), splitLine: { show: false } }),
    visualMap: { min: 0, max: worst(), calculable: true, right: 0, top: 'middle', textStyle: { color: color('soft') }, inRange: { color: dark() ? ['#1c2735', '#7a4a12', '#ff9d4d'] : ['#eef2f7', '#f2b880', '#b03a00'] } },
    series: [{ type: 'heatmap', data: columns.from.map((from, i) => [from, columns.dimension[i], columns[metric][i]]), emphasis: { itemStyle: { borderColor: color('ink'), borderWidth: 1 } } }],
  }), { height: 120 + 34 * Math.max(3, dim), renderer: shown > 2000 ? 'canvas' : 'svg' });
  map.instance.on('mouseover', (hit) => { said.textContent = about(hit.dataIndex); });
  let cube = null;
  if (dim <= 6) cube = drawCube(place, run, () => metric, about, said);
  place.append(said);
  controls.append(select('shown', linkMetrics, metric, (value) => {
    metric = value;
    map.draw();
    if (cube) cube.draw();
  }));
  table(place, 'links.csv', ['from', 'to', 'dimension', ...linkMetrics.map(([, name]) => name)],
    columns.from.map((from, i) => [from, columns.to[i], columns.dimension[i], ...linkMetrics.map(([key]) => columns[key][i])]));
}

/** The places of nodes in the drawing: three dimensions as a cube, the others side by side and above one another. */
function positionOf(node) {
  const steps = [[1, 0], [0, -1], [0.42, -0.36], [2.3, 0.12], [0.12, -2.3], [4.9, -0.1]];
  return steps.reduce(([x, y], [dx, dy], bit) => ((node >> bit) & 1 ? [x + dx, y + dy] : [x, y]), [0, 0]);
}

function drawCube(place, run, metricNow, about, said) {
  const { columns } = run.links;
  const nodes = run.summary.machine.nodes;
  const entry = chart(place, 'The cube: wide lines are much used links, one line each way', () => {
    const metric = metricNow();
    const most = Math.max(1, ...columns[metric]);
    const scale = 110;
    const widest = nodes > 16 ? 3.2 : 6;
    return {
      tooltip: tooltip({ formatter: (hit) => (hit.dataType === 'edge' ? about(hit.dataIndex) : `node ${hit.name}`) }),
      series: [{
        type: 'graph', layout: 'none', roam: 'move', left: 40, right: 40, top: 50, bottom: 50,
        label: { show: nodes <= 64, color: color('ink'), fontSize: 10, position: 'inside' },
        symbolSize: nodes <= 16 ? 22 : 17, itemStyle: { color: color('card'), borderColor: color('soft'), borderWidth: 1 },
        data: Array.from({ length: nodes }, (_, node) => {
          const [x, y] = positionOf(node);
          return { name: String(node), x: x * scale, y: y * scale };
        }),
        links: columns.from.map((from, i) => {
          const part = columns[metric][i] / most;
          return { source: String(from), target: String(columns.to[i]), lineStyle: { curveness: 0.12, width: 0.5 + widest * part, opacity: part > 0 ? 0.3 + 0.6 * part : 0.25, color: part > 0 ? palette[1] : color('soft') } };
        }),
      }],
    };
  }, { height: nodes > 16 ? 560 : 360 });
  entry.instance.on('mouseover', (hit) => { if (hit.dataType === 'edge') said.textContent = about(hit.dataIndex); });
  return entry;
}

// --- Circuits ------------------------------------------------------------------------------------------------------

/** Intervals of all outputs: links, then eject ports; [output] = [{circuit, hop, from, until}], in order of time. */
function occupancy(run) {
  const { columns } = run.circuits;
  const outputs = new Map();
  columns.source.forEach((source, circuit) => {
    const destination = columns.destination[circuit];
    const grants = columns.grants[circuit];
    let at = source;
    let hop = 0;
    for (let bit = 0; bit < run.summary.machine.dim; ++bit) {
      if (!(((source ^ destination) >> bit) & 1)) continue;
      add(`link ${at}:${bit}`, circuit, hop, grants[hop]);
      at ^= 1 << bit;
      ++hop;
    }
    add(`eject port of ${destination}`, circuit, hop, grants[hop]);
  });
  function add(output, circuit, hop, from) {
    if (from === undefined) return;
    if (!outputs.has(output)) outputs.set(output, []);
    // The tail passes router k at Tt + 1 + k; the output is free from the edge after (hw/README.md section 2).
    outputs.get(output).push({ circuit, hop, from, until: columns.tail[circuit] + 2 + hop });
  }
  for (const list of outputs.values()) list.sort((a, b) => a.from - b.from);
  return outputs;
}

function drawCircuits(run) {
  const place = section('circuits', 'Circuits', 'Who had which link when: from the grant to the first word pale, with data strong. Click a bar, or choose a circuit, to see whom it waited for.');
  if (!run.circuits) {
    place.append(element('p', {}, 'This run has no circuits.csv. Run it with --circuits and make the page again.'));
    return;
  }
  const { columns, count } = run.circuits;
  const shown = columns.source.length;
  if (shown < count) place.append(element('p', { class: 'note' }, `The first ${grouped(shown)} of ${grouped(count)} circuits; circuits.csv has all.`));
  if (run.timing.worms) place.append(element('p', { class: 'note' }, 'Of worms: a link is drawn as if the tail did not stall behind the probe; a worm that is blocked later may hold its links longer, or have left the first ones earlier. The waits of the contention report are exact.'));
  const us = (cycles) => cycles / run.summary.machine.clock_mhz;
  const outputs = occupancy(run);
  const waits = new Map();
  for (const [output, list] of outputs) {
    list.forEach((one, i) => {
      const { circuit, hop, from } = one;
      const before = hop === 0 ? columns.probe[circuit] : columns.grants[circuit][hop - 1];
      const asked = before + 1 + run.timing.route_cycles;
      if (from <= asked) return;
      const holders = [];
      for (let k = i - 1; k >= 0 && holders.length < 8; --k) {
        if (list[k].until <= asked) break;
        holders.unshift(list[k]);
      }
      if (!waits.has(circuit)) waits.set(circuit, []);
      waits.get(circuit).push({ output, asked, until: from, holders });
    });
  }
  const nameOf = (circuit) => `${columns.source[circuit]}->${columns.destination[circuit]}`;
  const waited = (circuit) => (waits.get(circuit) || []).reduce((sum, one) => sum + one.until - one.asked, 0);
  const links = [...outputs.keys()].filter((output) => output.startsWith('link'));
  const sum = (output, of) => outputs.get(output).reduce((all, one) => all + of(one), 0);
  const blockedOn = new Map();
  for (const list of waits.values()) for (const one of list) blockedOn.set(one.output, (blockedOn.get(one.output) || 0) + one.until - one.asked);
  links.sort((a, b) => (blockedOn.get(b) || 0) - (blockedOn.get(a) || 0) || sum(b, (one) => one.until - one.from) - sum(a, (one) => one.until - one.from));
  const rows = links.slice(0, 400);
  const bars = [];
  rows.forEach((output, row) => outputs.get(output).forEach((one) => bars.push([row, us(one.from), us(Math.min(one.until, Math.max(one.from, columns.first_data[one.circuit] + 1 + one.hop))), us(one.until), one.circuit])));
  let chosen = -1;
  let blockers = new Set();
  const said = element('div', { class: 'detail', role: 'status' }, 'No circuit is chosen.');
  const entry = chart(place, 'Gantt chart of circuits by link', () => ({
    grid: { left: 90, right: 40, top: 10, bottom: 70 },
    tooltip: tooltip({ formatter: (hit) => `${nameOf(hit.value[4])}, ${grouped(columns.bytes[hit.value[4]])} B\n${rows[hit.value[0]]}: ${short(hit.value[1])} to ${short(hit.value[3])} us` }),
    dataZoom: [slider({ xAxisIndex: 0, bottom: 8, height: 18, filterMode: 'weakFilter' }), { type: 'inside', xAxisIndex: 0, filterMode: 'weakFilter' },
      slider({ yAxisIndex: 0, right: 5, width: 14, filterMode: 'none', startValue: 0, endValue: Math.min(23, rows.length - 1) })],
    xAxis: axis('us', { type: 'value', min: 0, max: us(run.summary.measured.cycles) }),
    yAxis: axis('', { type: 'category', inverse: true, data: rows, splitLine: { show: true, lineStyle: { color: color('line'), opacity: 0.6 } } }),
    series: [{
      type: 'custom', encode: { x: [1, 2, 3], y: 0 }, data: bars, clip: true,
      renderItem: (params, api) => {
        const circuit = api.value(4);
        const height = api.size([0, 1])[1] * 0.7;
        const top = api.coord([0, api.value(0)])[1] - height / 2;
        const area = params.coordSys;
        if (top < area.y - 1 || top + height > area.y + area.height + 1) return null;
        const within = (x) => Math.min(Math.max(x, area.x), area.x + area.width);
        const [from, first, until] = [1, 2, 3].map((i) => within(api.coord([api.value(i), 0])[0]));
        if (until <= area.x || from >= area.x + area.width) return null;
        const fill = circuit === chosen ? palette[1] : blockers.has(circuit) ? palette[3] : palette[0];
        const box = (x, end, opacity) => ({ type: 'rect', shape: { x, y: top, width: Math.max(0.5, end - x), height }, style: { fill, opacity: chosen < 0 || circuit === chosen || blockers.has(circuit) ? opacity : opacity * 0.4 } });
        return { type: 'group', children: [box(from, first, 0.35), box(first, until, 0.95)] };
      },
    }],
  }), { height: 90 + 20 * Math.min(24, Math.max(6, rows.length)), renderer: 'canvas', enter: (point) => choose(bars[point][4]) });
  const choose = (circuit) => {
    chosen = circuit;
    blockers = new Set();
    const text = [`${nameOf(circuit)}, ${grouped(columns.bytes[circuit])} B, phase ${columns.phase[circuit] + 1}: probe at ${short(us(columns.probe[circuit]))} us, tail at ${short(us(columns.tail[circuit]))} us.`];
    for (const wait of waits.get(circuit) || []) {
      const names = wait.holders.map((one) => {
        blockers.add(one.circuit);
        return `${nameOf(one.circuit)} until ${short(us(one.until))} us`;
      });
      text.push(`It waited ${grouped(wait.until - wait.asked)} cycles from ${short(us(wait.asked))} us for ${wait.output}, held by ${names.length > 0 ? names.join(', then ') : 'a circuit that is not on this page'}.`);
    }
    if (!waits.has(circuit)) text.push('It waited for nobody.');
    said.textContent = text.join(' ');
    entry.draw();
  };
  entry.instance.on('click', (hit) => choose(hit.value[4]));
  const longest = columns.source.map((_, circuit) => circuit).filter((circuit) => waits.has(circuit)).sort((a, b) => waited(b) - waited(a)).slice(0, 50);
  if (longest.length > 0) {
    const controls = element('div', { class: 'controls' }, select('longest waits', [['-1', 'choose a circuit'], ...longest.map((circuit) => [circuit, `${nameOf(circuit)}: ${grouped(waited(circuit))} cycles`])], '-1', (value) => Number(value) >= 0 && choose(Number(value))));
    place.insertBefore(controls, entry.place);
  }
  place.append(said);
}

function drawProvenance(run) {
  const place = section('provenance', 'Provenance');
  const { provenance } = run;
  definitions(place, [['directory', run.directory], ['program', `ecube ${provenance.version}, ${provenance.build_type}, ${provenance.compiler}`], ['finished', provenance.finished], ['seed', String(provenance.seed)]]);
  place.append(element('p', { class: 'note' }, 'Every machine parameter:'));
  table(place, 'machine.csv', ['key', 'value', 'default'], run.parameters);
}

function drawRun(run) {
  runVerdict(run, 2);
  drawNumbers(run);
  if (data.comparison) drawComparison(data.comparison);
  drawWaterfall(run);
  drawResiduals(run);
  drawHull(run);
  drawLinks(run);
  drawCircuits(run);
  drawProvenance(run);
}
