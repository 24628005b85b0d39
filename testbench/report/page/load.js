// SPDX-License-Identifier: Apache-2.0
// Load and latency of traffic: the curve, and where it bends.

/** Load-latency curves, [[name, curve]], with percentiles; offered against accepted; saturation marked. */
function loadLatency(place, curves) {
  const markOf = (curve, k) => (curve.saturation.saturated_at === null ? undefined : {
    silent: true, symbol: 'none', lineStyle: { color: palette[k], type: 'dotted' }, label: { formatter: 'saturates', color: color('soft'), position: 'insideEndTop' },
    data: [{ xAxis: curve.points.find((one) => one.rate === curve.saturation.saturated_at).offered }],
  });
  const of = [['mean', 'solid', (one) => one.latency_cycles.mean], ['median', 'dashed', (one) => one.latency_cycles.p50], ['99 %', 'dotted', (one) => one.latency_cycles.p99]];
  const loads = curves.flatMap(([, curve]) => curve.points.map((one) => one.offered));
  const latencies = curves.flatMap(([, curve]) => [curve.unloaded_latency_cycles, ...curve.points.flatMap((one) => of.map(([, , value]) => value(one)))]);
  const against = (label, height, what, values, told, series) => chart(place, label, () => ({
    tooltip: tooltip((hit) => `${hit.seriesName}\noffered ${short(hit.value[0])}, ${told(short(hit.value[1]))}`),
    xAxis: axis('offered: messages of a node in 1,000 cycles', { type: 'log', ...logEnds(loads) }),
    yAxis: axis(what, { type: 'log', nameGap: 55, ...logEnds(values) }),
    series: curves.flatMap(series),
  }), { height });
  against('Latency against load', 360, 'latency in cycles', latencies, (latency) => `${latency} cycles`, ([name, curve], k) => of.map(([words, type, value], i) => ({
    name: curves.length > 1 ? `${name}, ${words}` : words, type: 'line', symbolSize: 7, lineStyle: { type, width: i === 0 ? 2.5 : 1.2 }, itemStyle: { color: palette[curves.length > 1 ? k : i] },
    data: curve.points.map((one) => [one.offered, value(one)]), markLine: i === 0 ? markOf(curve, curves.length > 1 ? k : 0) : undefined,
  })));
  const rates = curves.flatMap(([, curve]) => [...curve.points.map((one) => one.accepted), ...Object.values(curve.bounds)]);
  against('Accepted against offered load', 300, 'accepted', rates, (rate) => `accepted ${rate}`, ([name, curve], k) => [
    { name, type: 'line', symbolSize: 7, itemStyle: { color: palette[k] }, data: curve.points.map((one) => [one.offered, one.accepted]) },
    { name: curves.length > 1 ? `${name}: least bound` : 'least bound', type: 'line', silent: true, showSymbol: false, lineStyle: { type: 'dashed', width: 1 }, itemStyle: { color: palette[k] },
      data: [Math.min(...loads), Math.max(...loads)].map((load) => [load, Math.min(...Object.values(curve.bounds))]) },
  ]);
}

const steadyWords = ({ workload }) => `Steady state: messages that were to be sent after a warm-up of ${workload.warm_up_percent ?? 20} % of the time for which all nodes send, and before the first node has sent its last message; the interval is that of ten batch means (Student's t, 95 %).`;

/** The steady state of a run at one rate. */
function drawSteadyState(summary) {
  const steady = summary.traffic.steady_state;
  if (!steady) return;
  const place = section('load', 'Load and latency', steadyWords(summary));
  definitions(place, [
    ['warm-up', `until cycle ${grouped(steady.warm_up_until_cycle)}`], ['window', `until cycle ${grouped(steady.window_until_cycle)}, ${grouped(steady.messages)} messages`], ['drain', `until cycle ${grouped(steady.drained_at_cycle)}`],
    ['latency', `${short(steady.latency_mean_cycles)}${steady.latency_half_width_95_cycles === null ? ' cycles; too few messages for an interval' : ` +- ${short(steady.latency_half_width_95_cycles)} cycles`}`],
    ['load', `offered ${short(steady.offered)}, accepted ${short(steady.accepted)} messages of a node in 1,000 cycles${steady.accepted < 0.95 * steady.offered ? ': saturated, so the latency grows with the length of the run' : ''}`],
  ]);
}

/** The section of a run that went through several rates. */
function drawLoad(run) {
  const { traffic } = run.summary;
  if (!traffic) return;
  if (!traffic.curve) return drawSteadyState(run.summary);
  const { saturation, unloaded_latency_cycles: alone } = traffic.curve;
  const place = section('load', 'Load and latency', 'Latency lasts from the cycle at which a message was to be sent to its reception. A dashed line is the load that the busiest port or link could take if nothing ever waited.');
  place.append(element('p', {}, `Alone, a message takes ${short(alone)} cycles. ${saturation.saturated_at === null ? 'The network keeps up with every rate of this run.' : `The network keeps up ${saturation.keeps_up_at === null ? 'with none of the rates' : `with rate ${short(saturation.keeps_up_at)}`} and is saturated at rate ${short(saturation.saturated_at)}; it accepts ${short(saturation.most_accepted)} at most.`}`));
  loadLatency(place, [['measured', traffic.curve]]);
  const steady = (one, key) => one.steady_state?.[key] ?? null;
  place.append(element('p', { class: 'note' }, steadyWords(run.summary)));
  table(place, 'load.csv', ['rate', 'offered', 'accepted', 'steady mean latency', 'half its 95 % interval', 'mean latency', 'median', '99 %', 'longest', 'waits for links', 'for ports', 'link use in %'],
    traffic.curve.points.map((one) => [one.rate, one.offered, one.accepted, steady(one, 'latency_mean_cycles'), steady(one, 'latency_half_width_95_cycles'), one.latency_cycles.mean, one.latency_cycles.p50, one.latency_cycles.p99, one.latency_cycles.max, one.link_wait_cycles, one.port_wait_cycles, 100 * one.utilisation_mean]));
}
