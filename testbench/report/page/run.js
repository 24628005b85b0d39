// SPDX-License-Identifier: Apache-2.0
// The page of one run.

const termNames = {
  startup_us: 'start-up', queued_startup_us: 'queued start-ups', distance_us: 'distance',
  transmission_us: 'transmission', permutation_us: 'permutation', barrier_us: 'barrier', combine_us: 'combine', engine_us: 'engines',
  serialised_us: 'serialised', waiting_us: 'shared links', retuning_us: 'retuning',
};

/** Phases, stages or steps of a run with the equation's time of each; the whole run where it has none. */
function partsOf(summary) {
  const part = (name, about, row) => ({ name, about, predicted: row.predicted_us, terms: row.terms, measured: row.measured_us, blocked: row.blocked_circuits });
  const parts = [
    ...(summary.phases || []).map((one, i) => part(`phase ${i + 1}`, `${one.bits === undefined ? `dimensions ${one.first_dimension + one.dimensions - 1}-${one.first_dimension}` : `bits ${one.lowest_bit + one.bits - 1}-${one.lowest_bit}`}, ${one.steps} steps`, one)),
    ...(summary.stages || []).map((one, i) => part(`stage ${i + 1}`, `phases ${one.parts.map((of) => of.phase).join(', ')} at once, ${one.steps} steps`, one)),
    ...(summary.steps || []).map((one, i) => part(`step ${i + 1}`, one.move ? `${one.move}, ${grouped(one.items)} items` : '', one)),
  ];
  if (parts.length > 0 || !summary.predicted?.terms) return parts;
  return [part('run', '', { predicted_us: summary.predicted.us, terms: summary.predicted.terms, measured_us: summary.measured.us, blocked_circuits: summary.network.blocked_circuits })];
}

const failureName = (one) => (one.output === null ? `node ${one.node}` : `link ${one.node}:${one.output}`);
/** The first failures by name, and how many more there are. */
function failureNames(failures) {
  const most = 4;
  const names = failures.slice(0, most).map(failureName);
  if (failures.length > most) names.push(`${grouped(failures.length - most)} more`);
  const text = names.length > 1 ? `${names.slice(0, -1).join(', ')} and ${names[names.length - 1]}` : names[0];
  return text[0].toUpperCase() + text.slice(1);
}

/** What was dead in the run, from when on, and how little of it was felt: a run that a failure stops leaves no page. */
function drawRunFailures(run) {
  const { failures, network, measured } = run.summary;
  if ((failures || []).length === 0) return;
  const place = section('failures', 'Failures', 'Links and nodes that were dead (--fail). Nothing is sent around a dead link.');
  const late = failures.filter((one) => one.from_cycle >= measured.cycles).length;
  const cut = network.cut_circuits;
  definitions(place, [
    ['circuits cut', grouped(cut)],
    ['spread', cut > 0
      ? 'Other circuits and programs went on: the run ended, and none hangs.'
      : `None: no circuit met what was dead, and no program hangs${late > 0 ? `. ${late === failures.length ? 'All failures' : `${grouped(late)} of ${grouped(failures.length)} failures`} came after the end of the run` : ''}.`],
  ]);
  table(place, 'failures.csv', ['what', 'dead from cycle', 'dead from us', 'within the run'],
    failures.map((one) => [failureName(one), one.from_cycle, one.from_us, one.from_cycle < measured.cycles ? 'yes' : 'no']));
  place.append(element('p', { class: 'note' }, 'A run that a failure stops leaves no files. The same command then ends with status 3 and says on the terminal which circuits were cut, what hangs and how far that spread.'));
}

function runVerdict(run, tolerance) {
  const { verified, measured, predicted, network } = run.summary;
  const failures = run.summary.failures || [];
  const error = run.summary.error_percent ?? null;
  const within = error === null || Math.abs(error) <= tolerance;
  const { lost_messages: lost, cut_circuits: cut, blocked_circuits: blocked } = network;
  const bad = verified === false || lost > 0 || (failures.length > 0 && cut > 0);
  const took = `Measured ${short(measured.us)} us`;
  verdict(bad ? 'bad' : within ? '' : 'warn', [
    verified === false ? 'The data is wrong.' : verified ? 'The data is where it belongs.' : 'No data was carried, so none was checked.',
    lost > 0 ? `${grouped(lost)} messages were lost.` : '',
    failures.length > 0 ? `${failureNames(failures)} failed; ${cut > 0 ? `${grouped(cut)} circuit${cut === 1 ? ' was' : 's were'} cut` : 'no circuit was cut, and every program ended'}.` : '',
    error === null ? `${took}; there is no prediction.` : `${took}, predicted ${short(predicted.us)} us: ${percent(error)}, ${within ? 'within' : 'outside'} the tolerance of ${tolerance} %.`,
    blocked > 0 ? `${grouped(blocked)} of ${grouped(network.circuits)} circuits waited for links, ${grouped(network.blocked_cycles)} cycles in all.` : 'No circuit waited for a link.',
  ].filter((said) => said).join(' '), run.command);
}

function drawNumbers(run) {
  const { summary } = run;
  const place = section('numbers', 'Numbers');
  const entries = [
    ['machine', `${summary.machine.name}, ${summary.machine.dim === null ? summary.machine.topology : `d = ${summary.machine.dim}`}, ${grouped(summary.machine.nodes)} nodes, ports ${summary.machine.ports}, engine ${summary.machine.engine}`],
    ['workload', Object.entries(summary.workload).filter(([, value]) => value !== null).map(([name, value]) => `${name} ${Array.isArray(value) ? value.join(',') : value}`).join(', ')],
  ];
  if (summary.predicted) entries.push(['predicted', `by ${summary.predicted.equation || 'the equation'}`]);
  definitions(place, entries);
  table(place, 'figures.csv', ['figure', 'value', 'what it is'], Object.entries(run.figures).map(([column, one]) => [figureName(column, one.unit), one.value, one.help]));
}

// --- Equation and measurement --------------------------------------------------------------------------------------

function drawWaterfall(run) {
  const parts = partsOf(run.summary).filter((part) => part.terms);
  if (parts.length === 0) return;
  const place = section('terms', 'Terms', 'What the equation says the time consists of, part by part, and the measured time at the end.');
  const bars = [];
  let at = 0;
  for (const part of parts) {
    for (const [term, us] of Object.entries(part.terms)) {
      if (!(us > 0)) continue;
      bars.push({ name: parts.length > 1 ? `${part.name} ${termNames[term] || term}` : termNames[term] || term, term, from: at, us, about: part.about });
      at += us;
    }
  }
  bars.push({ name: 'predicted', term: 'predicted', from: 0, us: run.summary.predicted.us, about: '' });
  // From the predicted to the measured time: waiting, where circuits waited, else what the equation leaves out.
  const { network, measured, machine } = run.summary;
  const beyond = measured.us - run.summary.predicted.us;
  const waited = (network.blocked_cycles + network.port_blocked_cycles + network.serialised_cycles) / machine.clock_mhz;
  if (Math.abs(beyond) > 1e-9 * measured.us) {
    const kind = beyond > 0 && waited > 0 ? 'waiting' : beyond > 0 ? 'beyond the equation' : 'overlapped';
    bars.push({ name: kind, term: kind, from: Math.min(measured.us, run.summary.predicted.us), us: Math.abs(beyond), about: kind === 'waiting' ? `(all circuits together waited ${short(waited)} us)` : '' });
  }
  bars.push({ name: 'measured', term: 'measured', from: 0, us: run.summary.measured.us, about: '' });
  const kinds = [...new Set(bars.map((bar) => bar.term))];
  // Every name where there is room for it.
  const crowded = () => place.clientWidth / bars.length < 24;
  chart(place, 'Waterfall of the terms of the equation', () => ({
    grid: { left: 70, right: 20, top: 40, bottom: bars.length > 8 ? 130 : 70 },
    tooltip: tooltip((hit) => {
      const bar = bars[hit.dataIndex];
      return `${bar.name} ${bar.about}\n${short(bar.us)} us, ${short(bar.from)} to ${short(bar.from + bar.us)} us`;
    }),
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
  const parts = partsOf(run.summary).filter((part) => part.predicted > 0);
  if (parts.length === 0) return;
  const place = section('residuals', 'Residuals', 'Measured against predicted, part by part. The band is the tolerance.');
  const rows = parts.map((part) => ({ name: part.name, about: part.about, error: 100 * (part.measured - part.predicted) / part.predicted, part }));
  if (rows.length > 1) rows.push({ name: 'total', about: '', error: run.summary.error_percent, part: { measured: run.summary.measured.us, predicted: run.summary.predicted.us } });
  let tolerance = 2;
  const entry = chart(place, 'Deviation of the measured from the predicted time', () => {
    const reach = roundUp(Math.max(tolerance * 1.2, ...rows.map((row) => Math.abs(row.error) * 1.1)));
    return {
      grid: { left: 70, right: 20, top: 20, bottom: 60 },
      tooltip: tooltip((hit) => {
        const row = rows[hit.dataIndex];
        return `${row.name} ${row.about}\nmeasured ${short(row.part.measured)} us, predicted ${short(row.part.predicted)} us\n${percent(row.error)}`;
      }),
      xAxis: axis('', { type: 'category', data: rows.map((row) => row.name), axisLabel: { rotate: rows.length > 10 ? 50 : 0 } }),
      yAxis: axis('%', { type: 'value', min: -reach, max: reach, interval: reach / 2, nameGap: 45 }),
      series: [{
        type: 'bar', barMaxWidth: 40, label: { show: rows.length <= 16, position: 'outside', formatter: (hit) => percent(hit.value), color: color('ink') }, data: rows.map((row) => ({ value: row.error, itemStyle: { color: Math.abs(row.error) <= tolerance ? color('good') : color('warn') } })),
        markArea: { silent: true, itemStyle: { color: color('band') }, data: [[{ yAxis: -tolerance }, { yAxis: tolerance }]] },
      }],
    };
  }, { height: 300 });
  toleranceField(entry, tolerance, (value) => {
    tolerance = value;
    runVerdict(run, tolerance);
  });
}

const partitionName = (partition) => `{${partition.join(',')}}`;

function drawHull(run) {
  const { hull, summary } = run;
  if (hull?.none) section('hull', 'Hull', `There is no hull of this machine: ${hull.none}`);
  if (!hull || !hull.faces) return;
  const words = ['Dashed: the equation, with real hops. Marks: runs on this machine. A vertical line is a crossover as bisected on the machine, to a byte; the band beside it is where the equation has it, from average to real hops.'];
  if (hull.points.length === 0) words.push(`Predicted only: cubes of more than 8 dimensions are not measured while a page is made; see ${data.program} hull exchange --measure.`);
  if (hull.map) words.push('The map has the best partition by block and delay of re-tuning: areas by the equation, marks by runs of all partitions of the map.');
  const place = section('hull', 'Hull', ...words);
  const bytes = hull.points.length > 0 ? Math.max(...hull.points.map((point) => point.bytes)) : 1.6 * Math.max(64, ...hull.faces.map((face) => face.from_bytes));
  const crossings = hull.crossovers || [];
  chart(place, 'Hull of optimality: time of each partition by block size', () => ({
    tooltip: tooltip((hit) => `${hit.seriesName}\n${short(hit.value[0])} B: ${short(hit.value[1])} us`),
    dataZoom: zoom(),
    xAxis: axis('bytes of a block', { type: 'value', max: bytes }),
    yAxis: axis('us', { type: 'value', nameGap: 60 }),
    series: [
      ...hull.faces.map((face, i) => ({
        name: `${partitionName(face.partition)} predicted`, type: 'line', showSymbol: false, lineStyle: { type: 'dashed', width: 2 },
        itemStyle: { color: palette[i % palette.length] },
        data: face.slope_us_per_byte === undefined
          ? hull.points.filter((point) => partitionName(point.partition) === partitionName(face.partition)).map((point) => [point.bytes, point.predicted_us])
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
        name: `${partitionName(face.partition)} measured`, type: 'scatter', symbolSize: 8, itemStyle: { color: palette[i % palette.length] },
        data: hull.points.filter((point) => partitionName(point.partition) === partitionName(face.partition)).map((point) => [point.bytes, point.us]),
      })),
      { name: `this run ${partitionName(summary.workload.partition)}`, type: 'scatter', symbol: 'diamond', symbolSize: 16, itemStyle: { color: color('ink') }, data: [[summary.workload.bytes, summary.measured.us]] },
    ],
  }), { height: 420 });
  if (hull.map) drawMap(place, run);
  if (crossings.length > 0) {
    table(place, 'crossovers.csv', ['from', 'to', 'with the average distance B', 'with real hops B', 'measured: not slower from B', 'slower at B'],
      crossings.map((one, i) => [partitionName(hull.faces[i].partition), partitionName(hull.faces[i + 1].partition), one.predicted_bytes,
        one.predicted_real_hops_bytes, one.measured_bytes, one.measured_bytes === null ? one.tried_up_to_bytes : Math.max(0, one.measured_bytes - 1)]));
  }
}

/** Planes that are tuned: which partition is best, by block and delay. */
function drawMap(place, run) {
  const { delays, points } = run.hull.map;
  const names = [...new Set([...delays.flatMap((delay) => delay.faces), ...points].map(({ partition }) => partitionName(partition)))];
  const { max: most } = logEnds([...points.map((point) => point.bytes), ...delays.flatMap(({ faces }) => faces.map((face) => 2 * face.from_bytes))]);
  const last = delays.at(-1).from_us;
  const areas = delays.flatMap(({ from_us: from, faces }, i) => faces.map((face, j) => ({
    name: partitionName(face.partition), from: [Math.max(1, face.from_bytes), from], to: [faces[j + 1]?.from_bytes ?? most, delays[i + 1]?.from_us ?? last],
  })));
  chart(place, 'Best partition by block and delay of re-tuning', () => ({
    tooltip: tooltip((hit) => (hit.value ? `${hit.seriesName} is the fastest\n${short(hit.value[0])} B, delay ${short(hit.value[1])} us: ${short(hit.value[2])} us` : '')),
    xAxis: axis('bytes of a block', { type: 'log', min: 1, max: most }),
    yAxis: axis('delay of re-tuning, us', { type: 'log', min: delays[0].from_us, max: last, nameGap: 60, axisLabel: { showMinLabel: false, showMaxLabel: false } }),
    series: names.map((partition, i) => ({
      name: partition, type: 'scatter', symbolSize: 10,
      itemStyle: { color: palette[i % palette.length], borderColor: color('ink'), borderWidth: 1 },
      data: points.filter((point) => partitionName(point.partition) === partition).map((point) => [point.bytes, point.retune_us, point.us]),
      markArea: {
        silent: true, itemStyle: { color: palette[i % palette.length], opacity: 0.4 },
        data: areas.filter((area) => area.name === partition).map(({ from, to }) => [{ coord: from }, { coord: to }]),
      },
    })),
  }), { height: 420 });
}

const nodeTimeNames = {
  issue: 'issue', load_miss: 'load miss', page_miss: 'page miss', bus: 'bus', fifo_full: 'FIFO full', operand: 'operand',
  drain: 'drain', other_work: 'other work', sending: 'network: sending', receiving: 'network: receiving',
  waiting: 'network: waiting', barrier: 'barrier', starting: 'before the start', finished: 'after the end',
};

/** Where the time of a node goes, phase by phase, as the mean of all nodes. */
function drawNodeTimes(run) {
  if (!run.node_times) return;
  const { nodes, clock_mhz: clock } = run.summary.machine;
  const place = section('node-times', 'Time of a node', 'Each cycle of each node, counted once, as the mean of all nodes. Issue to drain are cycles of loops over memory (hw/node/README.md, N14); other work is what else the processor computes, or the interruption of a loop by library work and phits. Sending includes start-ups.');
  const names = Object.keys(nodeTimeNames).filter((name) => run.node_times.some((phase) => phase.cycles[name] > 0));
  const phaseName = ({ phase }) => (phase === 0 ? 'before' : `phase ${phase}`);
  const us = (phase, name) => phase.cycles[name] / nodes / clock;
  const told = ({ dataIndex, seriesName, value }) => `${phaseName(run.node_times[dataIndex])}, ${seriesName}\n${short(value)} us of ${short(us(run.node_times[dataIndex], 'cycles'))} us`;
  const parts = names.map((name) => [nodeTimeNames[name], run.node_times.map((phase) => us(phase, name))]);
  stackedBars(place, 'Time of a node by phase', run.node_times.map(phaseName), parts, { left: 80, top: 60, more: { barCategoryGap: '20%' }, height: 160 + 40 * run.node_times.length, told });
  table(place, 'node_times.csv', ['phase', ...names.map((name) => `${nodeTimeNames[name]} cycles`), 'all cycles'],
    run.node_times.map((phase) => [phase.phase, ...names.map((name) => phase.cycles[name]), phase.cycles.cycles]));
}

function drawProvenance(run) {
  const place = section('provenance', 'Provenance');
  const { provenance } = run;
  definitions(place, [['directory', run.directory], ['program', `ecube ${provenance.version}, ${provenance.build_type}, ${provenance.compiler}`], ['finished', provenance.finished], ['seed', String(provenance.seed)]]);
  place.append(element('p', { class: 'note' }, 'Every machine parameter:'));
  table(place, 'machine.csv', ['key', 'value', 'default'], run.parameters);
}

/** The replay, or how to get one. */
function drawReplaySection(run, model, clock) {
  if (run.summary.machine.engine === 'ideal') return;
  const place = section('replay', 'Replay', 'The run edge by edge. A click on a link, a bar or a cell follows that message everywhere on this page.');
  if (!model) {
    place.append(element('p', {}, 'This run has no circuits.csv, so there is nothing to replay. These commands make one:'), element('pre', {}, `${run.command.includes('--circuits') ? run.command : `${run.command} --circuits`}\n${data.program} report ${run.directory}`));
    return;
  }
  const until = run.circuits.complete_until;
  if (until !== null) place.append(element('p', { class: 'note' }, `This page has ${grouped(model.count)} of ${grouped(run.circuits.count)} circuits. Up to cycle ${grouped(until)} none is missing; from then on links look free that others hold.`));
  page.replay = drawReplay(place, model, clock);
  [page.clock, page.model] = [clock, model];
}

/** Draws what needs no charts; the functions returned draw the rest, a section each. */
function drawRun(run) {
  const model = run.circuits ? circuitModel(run) : null;
  const clock = model ? pageClock(run.summary.measured.cycles) : null;
  runVerdict(run, 2);
  drawNumbers(run);
  drawRunFailures(run);
  drawReplaySection(run, model, clock);
  const compared = () => { if (data.comparisons) drawComparisons(data.comparisons); };
  return [drawLoad, compared, drawWaterfall, drawResiduals, drawNodeTimes, drawHull, drawLinks, drawCircuits, drawProvenance].map((draw) => () => draw(run, model, clock));
}
