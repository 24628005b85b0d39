// SPDX-License-Identifier: Apache-2.0
// Circuits of a run: who had which link when, and whom others waited for.
'use strict';

function drawCircuits(run, model, clock) {
  if (!model) {
    if (run.summary.machine.engine === 'ideal') return;
    section('circuits', 'Circuits', 'Who had which link when.').append(element('p', {}, 'This run has no circuits.csv. Run it with --circuits and make the page again.'));
    return;
  }
  const place = section('circuits', 'Circuits', 'Who had which link when: from the grant to the first word pale, with data strong. The red line is the clock of the replay. Click a bar, or choose a wait, to see whom its circuit waited for.' + (model.dark.size > 0 ? ' Bars of another colour: the link is dark, its plane is tuned.' : ''));
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
  rows.forEach((link, row) => (model.dark.get(link) || []).forEach((one) => bars.push([row, us(one.from), us(one.from), us(one.until), -1 - one.mask])));
  let chosen = -1;
  let blockers = new Set();
  const said = element('div', { class: 'detail', role: 'status' }, 'No circuit is chosen.');
  const over = element('div', { class: 'over' });
  place.append(over);
  const entry = chart(over, 'Gantt chart of circuits by link', () => ({
    grid: { left: 90, right: 40, top: 10, bottom: 70 },
    tooltip: tooltip((hit) => (hit.value[4] < 0 ? `dark, tuned to mask ${-1 - hit.value[4]}` : `${model.name(hit.value[4])}, ${grouped(columns.bytes[hit.value[4]])} B`) + `\n${names[hit.value[0]]}: ${short(hit.value[1])} to ${short(hit.value[3])} us`),
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
  const cursor = element('div', { class: 'cursor' });
  over.append(cursor);
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
