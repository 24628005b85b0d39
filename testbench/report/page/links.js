// SPDX-License-Identifier: Apache-2.0
// Links of a run: which were used, which were waited for, and who had which when.

const linkMetrics = [['blocked_cycles', 'blocked cycles'], ['busy_cycles', 'busy cycles'], ['circuits', 'circuits'], ['bytes', 'bytes'], ['most_waiters', 'most waiters']];

function drawLinks(run, model, clock) {
  const { columns, count } = run.links;
  const shown = columns.node.length;
  if (shown === 0) return;
  const { network } = run;
  const outputs = network ? network.outputs : Array.from({ length: run.summary.machine.dim }, (_, i) => i);
  const nodes = run.summary.machine.nodes;
  const place = section('contention', 'Contention', `Each cell is a directed link: from a node, by one of its outputs.${model ? ' A frame: held at the cycle of the replay; a red one: another circuit waits for the link.' : ''}`);
  if (shown < count) place.append(element('p', { class: 'note' }, `The ${grouped(shown)} most blocked and busiest of ${grouped(count)} links; links.csv has all.`));
  let metric = columns.blocked_cycles.some((value) => value > 0) ? 'blocked_cycles' : 'busy_cycles';
  const controls = added(place, element('div', { class: 'controls' }));
  const said = element('div', { class: 'detail', role: 'status' }, 'Point at a cell, or choose a link in the table below.');
  const about = (i) => {
    const link = `${columns.node[i]}:${columns.output[i]}`;
    const wait = run.links.longest_wait[link];
    return `link ${link}${columns.to[i] === null ? '' : `, to node ${columns.to[i]}`}: ${linkMetrics.map(([key, name]) => `${grouped(columns[key][i])} ${name}`).join(', ')}${wait ? `. ${wait}` : ''}`;
  };
  const over = added(place, element('div', { class: 'over' }));
  const map = chart(over, 'Links by node and dimension', () => ({
    grid: { left: 60, right: 130, top: 10, bottom: nodes > 64 ? 80 : 55 },
    tooltip: tooltip((hit) => about(hit.dataIndex)),
    dataZoom: nodes > 64 ? [slider({ bottom: 5, height: 18, filterMode: 'none' }), ...zoom()] : zoom(),
    xAxis: axis('node', { type: 'category', data: Array.from({ length: nodes }, (_, i) => i), splitLine: { show: false } }),
    yAxis: axis(network ? 'output' : 'dimension', { type: 'category', data: outputs, splitLine: { show: false } }),
    visualMap: { min: 0, max: Math.max(1, ...columns[metric]), text: [linkMetrics.find(([key]) => key === metric)[1], ''], formatter: (value) => grouped(Math.round(value)), calculable: true, right: 0, top: 'middle', textStyle: { color: color('soft') }, inRange: { color: dark() ? ['#1c2735', '#7a4a12', '#ff9d4d'] : ['#eef2f7', '#f2b880', '#b03a00'] } },
    series: [{ type: 'heatmap', data: columns.node.map((node, i) => [node, columns.output[i], columns[metric][i]]), emphasis: { itemStyle: { borderColor: color('ink'), borderWidth: 1 } } }],
  }), { height: 120 + 34 * Math.max(3, outputs.length), renderer: shown > 2000 ? 'canvas' : 'svg' });
  if (model) markHeldCells(over, map, run, model, clock);
  map.instance.on('mouseover', (hit) => { said.textContent = about(hit.dataIndex); });
  const cube = (network ? nodes <= 256 && !network.planes : outputs.length <= 6) ? drawCube(place, run, () => metric, about, said) : null;
  place.append(said);
  controls.append(select('shown', linkMetrics, metric, (value) => {
    metric = value;
    map.draw();
    cube?.draw();
  }));
  table(place, 'links.csv', ['node', 'output', 'to', ...linkMetrics.map(([, name]) => name)],
    columns.node.map((node, i) => [node, columns.output[i], columns.to[i], ...linkMetrics.map(([key]) => columns[key][i])]));
}

/** Frames around the cells of the links that are held at the clock's edge, red ones where somebody waits for the link. A
 * click on a cell follows the circuit that has the link then, or the next one to have it. */
function markHeldCells(over, map, run, model, clock) {
  const { columns } = run.links;
  const frames = added(over, element('canvas', { 'aria-hidden': 'true' }));
  const measure = (grid) => {
    [frames.width, frames.height] = [over.clientWidth, over.clientHeight];
    const at = (node, bit) => map.instance.convertToPixel({ xAxisIndex: 0, yAxisIndex: 0 }, [node, bit]);
    const [wide, high] = [Math.abs(at(1, 0)[0] - at(0, 0)[0]), Math.abs(at(0, 1)[1] - at(0, 0)[1]) || 30];
    const cells = columns.node.map((node, i) => {
      const [x, y] = at(node, columns.output[i]);
      const place = node * model.outputs + columns.output[i];
      return x < grid.x || x > grid.x + grid.width ? null : [x - wide / 2, y - high / 2, wide, high, place, model.holdsOf(place)];
    }).filter((cell) => cell !== null);
    return { cells, colors: [color('ink'), color('bad')] };
  };
  const draw = ({ cells, colors }) => {
    const edge = Math.floor(clock.edge);
    const context = frames.getContext('2d');
    context.clearRect(0, 0, frames.width, frames.height);
    const held = cells.filter((cell) => model.holdIn(cell[5], edge));
    const waited = new Set(model.waitsNow(edge).map((one) => one.place));
    for (const [style, wanted] of [[colors[0], false], [colors[1], true]]) {
      context.beginPath();
      for (const [x, y, wide, high, place] of held) if (waited.has(place) === wanted) context.rect(x + 1, y + 1, Math.max(1, wide - 2), high - 2);
      outline(context, style, wanted ? 2.5 : 1.2);
    }
  };
  drawOver(map, over, clock, 'held links', measure, draw);
  map.instance.on('click', (hit) => {
    const list = model.holdsOf(columns.node[hit.dataIndex] * model.outputs + columns.output[hit.dataIndex]);
    const one = list.find((hold) => hold.until > clock.edge) || list[list.length - 1];
    if (one) clock.follow(one.circuit, Math.max(one.from, Math.floor(clock.edge)));
  });
}

function drawCube(place, run, metricNow, about, said) {
  const { columns } = run.links;
  const nodes = run.summary.machine.nodes;
  const places = run.network ? run.network.places : cubePlaces(run.summary.machine.dim, false);
  const entry = chart(place, `The ${run.network ? 'network' : 'cube'}: wide lines are much used links, one line each way`, () => {
    const metric = metricNow();
    const most = Math.max(1, ...columns[metric]);
    const scale = 110;
    const widest = nodes > 16 ? 3.2 : 6;
    return {
      tooltip: tooltip((hit) => (hit.dataType === 'edge' ? about(hit.dataIndex) : `node ${hit.name}`)),
      series: [{
        type: 'graph', layout: 'none', preserveAspect: true, roam: 'move', left: 40, right: 40, top: 50, bottom: 50,
        label: { show: nodes <= 64, color: color('ink'), fontSize: 10, position: 'inside' },
        symbolSize: nodes <= 16 ? 22 : 17, itemStyle: { color: color('card'), borderColor: color('soft'), borderWidth: 1 },
        data: places.map(([x, y], node) => ({ name: String(node), x: x * scale, y: y * scale })),
        links: columns.node.map((node, i) => {
          const part = columns[metric][i] / most;
          return { source: String(node), target: String(columns.to[i]), lineStyle: { curveness: 0.12, width: 0.5 + widest * part, opacity: part > 0 ? 0.3 + 0.6 * part : 0.25, color: part > 0 ? palette[1] : color('soft') } };
        }),
      }],
    };
  }, { height: nodes > 16 ? 560 : 360 });
  entry.instance.on('mouseover', (hit) => { if (hit.dataType === 'edge') said.textContent = about(hit.dataIndex); });
  return entry;
}

function drawCircuits(run, model, clock) {
  if (!model) {
    if (run.summary.machine.engine === 'ideal') return;
    section('circuits', 'Circuits', 'Who had which link when.').append(element('p', {}, 'This run has no circuits.csv. Run it with --circuits and make the page again.'));
    return;
  }
  const place = section('circuits', 'Circuits', 'Who had which link when: from the grant to the first word pale, with data strong. The red line is the clock of the replay. Click a bar, or choose a wait, to see whom its circuit waited for.' + (model.dark.size > 0 ? ' Bars of another colour: the link closes (pale), then is dark while its plane is tuned.' : ''));
  const { columns, count } = model;
  if (count < run.circuits.count) place.append(element('p', { class: 'note' }, `The first ${grouped(count)} of ${grouped(run.circuits.count)} circuits; circuits.csv has all.`));
  const us = (cycles) => cycles / run.summary.machine.clock_mhz;
  const sum = (list, of) => (list || []).reduce((all, one) => all + of(one), 0);
  const lasts = (one) => one.until - one.from;
  const weights = new Map(model.places().filter(model.isLink).map((link) => [link, [sum(model.waitsOn.get(link), lasts), sum(model.holdsOf(link), lasts)]]));
  const links = [...weights.keys()].sort((a, b) => weights.get(b)[0] - weights.get(a)[0] || weights.get(b)[1] - weights.get(a)[1]);
  const rows = links.slice(0, 400);
  const names = rows.map(model.outputName);
  const bars = [];
  rows.forEach((link, row) => model.holdsOf(link).forEach((one) => bars.push([row, us(one.from), us(Math.min(one.until, Math.max(one.from, one.data))), us(one.until), one.circuit])));
  rows.forEach((link, row) => (model.dark.get(link) || []).forEach((one) => bars.push([row, us(one.asked), us(one.from), us(one.until), -1 - one.mask])));
  let chosen = -1;
  let blockers = new Set();
  const said = element('div', { class: 'detail', role: 'status' }, 'No circuit is chosen.');
  const over = added(place, element('div', { class: 'over' }));
  const entry = chart(over, 'Gantt chart of circuits by link', () => ({
    grid: { left: 90, right: 40, top: 10, bottom: 70 },
    tooltip: tooltip((hit) => (hit.value[4] < 0 ? `closing, then from ${short(hit.value[2])} us dark, tuned to mask ${-1 - hit.value[4]}` : `${model.name(hit.value[4])}, ${grouped(columns.bytes[hit.value[4]])} B`) + `\n${names[hit.value[0]]}: ${short(hit.value[1])} to ${short(hit.value[3])} us`),
    dataZoom: [slider({ xAxisIndex: 0, bottom: 8, height: 18, filterMode: 'weakFilter' }), { type: 'inside', xAxisIndex: 0, filterMode: 'weakFilter' },
      slider({ yAxisIndex: 0, right: 5, width: 14, filterMode: 'none', startValue: 0, endValue: Math.min(23, rows.length - 1) })],
    xAxis: axis('us', { type: 'value', min: 0, max: us(run.summary.measured.cycles) }),
    yAxis: axis('', { type: 'category', inverse: true, data: names, splitLine: { show: true, lineStyle: { color: color('line'), opacity: 0.6 } } }),
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
        const fill = circuit < 0 ? color('tuned') : circuit === chosen ? palette[1] : blockers.has(circuit) ? palette[3] : palette[0];
        const box = (x, end, opacity) => ({ type: 'rect', shape: { x, y: top, width: Math.max(0.5, end - x), height }, style: { fill, opacity: chosen < 0 || circuit === chosen || blockers.has(circuit) ? opacity : opacity * 0.4 } });
        return { type: 'group', children: [box(from, first, 0.35), box(first, until, 0.95)] };
      },
    }],
  }), { height: 90 + 20 * Math.min(24, Math.max(6, rows.length)), renderer: 'canvas', enter: (point) => choose(bars[point][4]) });
  const choose = (circuit) => { if (circuit >= 0) clock.follow(circuit, startOf(circuit)); };
  /** Where the clock goes for a circuit: to its longest wait, or where its probe leaves. */
  const startOf = (circuit) => {
    const waits = model.waitsOf.get(circuit) || [];
    return waits.length > 0 ? waits.reduce((worst, one) => (lasts(one) > lasts(worst) ? one : worst)).from : columns.probe[circuit];
  };
  const tell = (circuit) => {
    chosen = circuit;
    blockers = new Set();
    const lines = circuit < 0 ? ['No circuit is chosen.'] : [element('div', {}, `${model.name(circuit)}, ${grouped(columns.bytes[circuit])} B, phase ${columns.phase[circuit] + 1}: probe at ${short(us(columns.probe[circuit]))} us, tail at ${short(us(columns.tail[circuit]))} us.`)];
    const waits = model.waitsOf.get(circuit) || [];
    for (const wait of waits) {
      for (const one of model.chain(wait)) blockers.add(one.circuit);
      const [first, ...more] = model.waitLines(wait);
      lines.push(element('div', { class: 'wait' }, first, more.map((line) => element('div', { class: 'by' }, line))));
    }
    if (circuit >= 0 && waits.length === 0) lines.push(element('div', {}, 'It waited for nobody.'));
    said.replaceChildren(...lines);
    entry.draw();
  };
  entry.instance.on('click', (hit) => choose(hit.value[4]));
  const longest = [...model.waits].sort((a, b) => lasts(b) - lasts(a) || a.from - b.from).slice(0, 50);
  if (longest.length > 0) {
    place.insertBefore(element('div', { class: 'controls' }, select('longest waits', [['-1', 'choose a wait'], ...longest.map((wait, i) => [i, `${model.name(wait.circuit)} for ${model.outputName(wait.place)}: ${grouped(lasts(wait))} cycles`])], '-1', (value) => {
      if (Number(value) >= 0) clock.follow(longest[Number(value)].circuit, longest[Number(value)].from);
    })), over);
  }
  place.append(said);

  // --- The clock's line ---
  const cursor = added(over, element('div', { class: 'cursor' }));
  const measure = (area) => {
    const [zero, end] = [0, us(clock.end)].map((at) => entry.instance.convertToPixel({ xAxisIndex: 0 }, at));
    [cursor.style.top, cursor.style.height] = [`${area.y}px`, `${area.height}px`];
    return { area, zero, by: (end - zero) / Math.max(1, clock.end) };
  };
  const move = ({ area, zero, by }) => {
    const x = zero + by * clock.edge;
    cursor.style.display = x < area.x - 1 || x > area.x + area.width + 1 ? 'none' : '';
    cursor.style.left = `${x}px`;
  };
  clock.listen((what) => { if (what === 'circuit') tell(clock.circuit); });
  drawOver(entry, over, clock, 'clock', measure, move);
}
