// SPDX-License-Identifier: Apache-2.0
// A run beside others: only what differs.

/** Names of the other runs by the parameters in which they differ from this one; numbered where that is not enough. */
function namesOf(comparisons) {
  const names = comparisons.map((one) => one.parameters.slice(0, 3).map((parameter) => `${parameter.key} ${parameter.first ?? 'not given'}`).join(', ') || 'same parameters');
  return names.map((name, i) => (names.indexOf(name) === names.lastIndexOf(name) ? name : `${name} (${i + 1})`));
}

/** Stacked bars of rows, whose parts are [[part, [us of each row]]], on one time axis; `told` says what a bar is. */
function stackedBars(place, label, rows, parts, { left, top, axisLabel, height, told, more = {} }) {
  chart(place, label, () => ({
    grid: { left, right: 20, top, bottom: 50 },
    tooltip: tooltip(told),
    xAxis: axis('us', { type: 'value' }),
    yAxis: axis('', { type: 'category', inverse: true, data: rows, axisLabel }),
    series: parts.map(([name, us], k) => ({ name, type: 'bar', stack: 'all', itemStyle: { color: palette[k % palette.length] }, data: us, ...more })),
  }), { height });
}

/** Stacked bars, one for each run: [[run, [[part, us]]]]. */
function comparedBars(place, label, runs) {
  const parts = [...new Set(runs.flatMap(([, of]) => of.map(([part]) => part)))].map((part) => [part, runs.map(([, of]) => of.find(([name]) => name === part)?.[1] ?? null)]);
  const told = (hit) => `${runs[hit.dataIndex][0]}\n${hit.seriesName}: ${short(hit.value)} us`;
  if (parts.length > 0) stackedBars(place, label, runs.map(([name]) => name), parts, { left: 130, top: 50, axisLabel: { width: 115, overflow: 'break' }, height: 120 + 44 * runs.length, told });
}

/** Load-latency curves of the runs in one chart, or the latencies of runs at one rate beside each other. */
function comparedLoads(place, names, comparisons) {
  const loads = [['this run', data.run.summary.traffic], ...comparisons.map((one, i) => [names[i], one.traffic])].filter(([, traffic]) => traffic);
  const curves = loads.filter(([, traffic]) => traffic.curve).map(([name, traffic]) => [name, traffic.curve]);
  if (curves.length > 1) loadLatency(place, curves);
  const rates = loads.filter(([, traffic]) => !traffic.curve && traffic.latency_cycles);
  if (rates.length < 2) return;
  chart(place, 'Latency of each run at its rate', () => ({
    tooltip: tooltip((hit) => `${rates[hit.dataIndex][0]}\n${hit.seriesName}: ${short(hit.value)} cycles`),
    xAxis: axis('', { type: 'category', data: rates.map(([name]) => name) }),
    yAxis: axis('latency in cycles', { type: 'log', nameGap: 55, ...logEnds(rates.flatMap(([, { latency_cycles: of }]) => [of.p50 * 0.8, of.mean, of.p99])) }),
    series: [['median', 'p50'], ['mean', 'mean'], ['99 %', 'p99']].map(([name, key]) => ({ name, type: 'bar', barMaxWidth: 40, data: rates.map(([, { latency_cycles: of }]) => of[key]) })),
  }), { height: 300 });
}

/** Differences of the page's run from others. */
function drawComparisons(comparisons) {
  const names = namesOf(comparisons);
  const place = section('compared', 'Compared', 'This run against others; terms and links that are the same in all runs are left out.');
  comparisons.forEach((one, i) => {
    if (comparisons.length > 1) place.append(element('h3', {}, names[i]));
    definitions(place, one.parameters.length > 0 ? one.parameters.map((parameter) => [parameter.key, `${parameter.first ?? 'not given'}, here ${parameter.second ?? 'not given'}`]) : [['parameters', 'all the same']]);
    if (one.command) place.append(element('pre', {}, one.command));
  });
  const term = (one, name, side) => one.terms.find((found) => found.name === name)?.[side] ?? null;
  const all = [['this run', (name) => term(comparisons[0], name, 'second')], ...comparisons.map((one, i) => [names[i], (name) => term(one, name, 'first')])];
  const inOrder = [...new Set(comparisons.flatMap((one) => one.terms.map((found) => found.name)))];
  const memberOf = new Map(comparisons.flatMap((one) => one.terms.map((found) => [found.name, found.member])));
  const equation = inOrder.filter((name) => memberOf.get(name).startsWith('predicted.terms.'));
  comparedBars(place, 'The terms of the equation in each run, and what the measured time has beyond them', all.map(([name, value]) => {
    const terms = equation.map((found) => [found.replace(/^predicted (.+) us$/, '$1'), value(found)]).filter(([, us]) => us > 0);
    const rest = value('measured us') - terms.reduce((sum, [, us]) => sum + us, 0);
    return [name, rest > 0 && terms.length > 0 ? [...terms, ['beyond the equation', rest]] : terms.length > 0 ? terms : [['measured', value('measured us')]]];
  }));
  comparedLoads(place, names, comparisons);
  const parts = inOrder.filter((name) => /^(phase|stage|step) \d+ measured us$/.test(name));
  if (parts.length > 1) comparedBars(place, 'Phases and steps of each run, from the same beginning', all.map(([name, value]) => [name, parts.map((part) => [part.replace(/ measured us$/, ''), value(part)]).filter(([, us]) => us > 0)]));
  const differing = inOrder.filter((name) => new Set(all.map(([, value]) => value(name))).size > 1);
  const changes = comparisons.length === 1 ? ['change in %'] : [];
  table(place, 'terms.csv', ['what', ...all.map(([name]) => name), ...changes],
    differing.map((name) => [name, ...all.map(([, value]) => value(name)), ...(changes.length > 0 && all[1][1](name) ? [100 * (all[0][1](name) - all[1][1](name)) / all[1][1](name)] : changes.map(() => null))]));
  comparisons.forEach((one, i) => {
    if (one.links.length === 0) {
      place.append(element('p', {}, `${comparisons.length > 1 ? `${names[i]}: ` : ''}${one.same_links ? 'all links have the same numbers.' : 'the networks have other links, which are not compared.'}`));
      return;
    }
    const changed = one.links.filter((link) => link.first.blocked_cycles !== link.second.blocked_cycles);
    if (changed.length > 0) {
      chart(place, `Links whose blocked cycles changed most${comparisons.length > 1 ? `: ${names[i]}` : ''}`, () => ({
        tooltip: { ...tooltip(), trigger: 'axis' },
        xAxis: axis('link', { type: 'category', data: changed.map((link) => link.link) }),
        yAxis: axis('blocked cycles', { type: 'value', nameGap: 60 }),
        series: [
          { name: names[i], type: 'bar', data: changed.map((link) => link.first.blocked_cycles) },
          { name: 'this run', type: 'bar', data: changed.map((link) => link.second.blocked_cycles) },
        ],
      }), { height: 300 });
    }
    table(place, 'links-compared.csv', ['link', 'blocked cycles there', 'here', 'busy cycles there', 'here ', 'bytes there', 'here  '],
      one.links.map((link) => [link.link, link.first.blocked_cycles, link.second.blocked_cycles, link.first.busy_cycles, link.second.busy_cycles, link.first.bytes, link.second.bytes]));
  });
}
