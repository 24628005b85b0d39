// SPDX-License-Identifier: Apache-2.0
// Two runs beside each other.
'use strict';

/** Differences of the page's run from another one. */
function drawComparison(comparison) {
  const place = section('compared', 'Compared', `This run, ${comparison.runs[1]}, against ${comparison.runs[0]}.`);
  definitions(place, comparison.parameters.length > 0 ? comparison.parameters.map((one) => [one.key, `${one.first ?? 'not given'}, here ${one.second ?? 'not given'}`]) : [['parameters', 'all the same']]);
  table(place, 'terms.csv', ['what', comparison.runs[0], 'this run', 'change', 'change in %'],
    comparison.terms.map((one) => [one.name, one.first, one.second, one.first === null || one.second === null ? null : one.second - one.first,
      one.first ? 100 * (one.second - one.first) / one.first : null]));
  if (comparison.links.length > 0) {
    const links = comparison.links;
    chart(place, 'Links whose blocked cycles changed most', () => ({
      grid: { left: 80, right: 20, top: 40, bottom: 60 },
      legend: legend(),
      tooltip: tooltip({ trigger: 'axis' }),
      xAxis: axis('link', { type: 'category', data: links.map((one) => one.link) }),
      yAxis: axis('blocked cycles', { type: 'value', nameGap: 60 }),
      series: [
        { name: comparison.runs[0], type: 'bar', data: links.map((one) => one.first.blocked_cycles) },
        { name: 'this run', type: 'bar', data: links.map((one) => one.second.blocked_cycles) },
      ],
    }), { height: 300 });
    table(place, 'links-compared.csv', ['link', 'blocked cycles before', 'here', 'busy cycles before', 'here ', 'bytes before', 'here  '],
      links.map((one) => [one.link, one.first.blocked_cycles, one.second.blocked_cycles, one.first.busy_cycles, one.second.busy_cycles, one.first.bytes, one.second.bytes]));
  } else {
    place.append(element('p', {}, comparison.same_links ? 'All links have the same numbers.' : 'The cubes differ in size; links are not compared.'));
  }
}
