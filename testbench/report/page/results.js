// SPDX-License-Identifier: Apache-2.0
// The page of published results, done again: their panels, checks and verdicts.

/** Light grounds for the cells of grids, in the order of the palette. */
const grounds = ['#cfe3f0', '#f6dccb', '#ccece3', '#f3dde8', '#faebcc', '#ddf0fa', '#e4decc', '#dddddd'];
const marks = ['circle', 'rect', 'triangle', 'diamond', 'roundRect', 'arrow', 'pin', 'emptyCircle'];
const cross = 'path://M-10-8L-8-10L0-2L8-10L10-8L2 0L10 8L8 10L0 2L-8 10L-10 8L-2 0Z';

/** Predictions are dashed, measurements marks, published values crosses, outlines thin and grey. */
function resultSeries(one) {
  const colour = one.kind === 'for orientation' ? color('soft') : palette[one.colour % palette.length];
  const more = {
    predicted: { type: 'line', showSymbol: false, lineStyle: { type: 'dashed', width: 1.8 } },
    measured: { type: 'scatter', symbol: marks[one.colour % marks.length], symbolSize: 8 },
    published: { type: 'scatter', symbol: cross, symbolSize: 11 },
    'for orientation': { type: 'line', showSymbol: false, lineStyle: { width: 0.8 } },
  }[one.kind];
  return { name: one.name, data: one.points, itemStyle: { color: colour }, ...more };
}

function resultChart(place, panel, name) {
  const side = (of) => ({ type: of.logarithmic ? 'log' : 'value', min: of.least, max: of.most, scale: true });
  const entry = chart(place, panel.title, () => ({
    title: { text: panel.title, left: 'center', textStyle: { color: color('ink'), fontSize: 14 } },
    grid: { left: 75, right: 25, top: 40, bottom: 100 },
    legend: legend({ top: 'auto', bottom: 0 }),
    tooltip: tooltip((hit) => `${hit.seriesName}\n${panel.x.label} ${short(hit.value[0])}\n${panel.y.label} ${short(hit.value[1])}`),
    xAxis: axis(panel.x.label, side(panel.x)),
    yAxis: axis(panel.y.label, { ...side(panel.y), nameGap: 55 }),
    series: panel.series.map(resultSeries),
  }), { height: 430 });
  place.append(element('p', { class: 'controls' }, element('button', { type: 'button', onclick: () => save(`${name}.svg`, entry.instance.getDataURL({ type: 'svg' })) }, 'save as SVG')));
}

/** A table in a place that scrolls. */
const tableOf = (attributes, head, rows, ...caption) => element('div', { class: 'scroll', tabindex: '0' },
  element('table', attributes, caption, element('thead', {}, element('tr', {}, head)), element('tbody', {}, rows)));
const headings = (names) => names.map((name) => element('th', { scope: 'col', class: 'text' }, name));
const textCells = (...texts) => texts.map((text) => element('td', { class: 'text' }, text));

function resultGrid(panel) {
  const rows = panel.rows.map((row) => element('tr', {}, element('th', { scope: 'row' }, row.name), row.cells.map((cell) =>
    element('td', cell.colour === undefined ? {} : { class: 'shaded', style: `background:${grounds[cell.colour % grounds.length]}` }, cell.text))));
  return tableOf({ class: 'grid' }, [element('th', {}, panel.corner), ...panel.columns.map((name) => element('th', { scope: 'col' }, name))], rows, element('caption', {}, panel.title));
}

const stateClass = { agrees: 'good', reproduced: 'good', differs: 'bad', part: 'warn' };
const state = (word, text) => element('td', { class: `text state ${stateClass[word] || 'warn'}` }, text);

function resultChecks(checks) {
  const names = ['check', 'compared with', 'printed, or worked out', 'ours', 'deviation', 'tolerance', 'verdict'];
  return tableOf({ class: 'checks' }, headings(names), checks.flatMap((one) => [
    element('tr', {}, textCells(one.statement, one.compared_with, one.published || '', one.reached || ''),
      element('td', {}, one.distance_percent === undefined ? '' : percent(one.distance_percent)),
      textCells(one.tolerance_percent === undefined ? '' : `${one.tolerance_percent} %: ${one.tolerance_reason}`), state(one.state, one.state)),
    ...(one.known_difference ? [element('tr', {}, element('td', { class: 'text note', colspan: names.length }, `why it differs: ${one.known_difference}`))] : []),
  ]));
}

/** "Bokhari 1993, Figure 1: run times" in its parts: the paper, the item in the paper, and what it shows. */
function resultTitle(what) {
  const [, paper, item, about] = what.match(/^(.*?)(?:, ([^:]*))?(?:: (.*))?$/);
  return { paper, item: item || paper, about: about || '' };
}

const stateWords = { reproduced: 'reproduced', part: 'reproduced in part', differs: 'differs' };

function resultContents(place, results) {
  const rows = results.map((one) => {
    const { paper, item, about } = resultTitle(one.what);
    const printed = one.checks.filter((check) => check.compared_with === 'print');
    const agreed = printed.length === 0 ? 'none in print' : `${printed.filter((check) => check.state === 'agrees').length} of ${printed.length}`;
    return element('tr', {}, textCells(paper, element('a', { href: `#${one.id}` }, item), about, agreed), state(one.state, stateWords[one.state]));
  });
  place.append(tableOf({}, headings(['paper', 'item', 'what it shows', 'checks that agree with print', 'verdict']), rows));
}

/** Draws texts and tables; the functions returned draw the charts. */
function drawResults(results) {
  verdict(results.good ? 'good' : 'bad', results.lines.map((line) => element('div', {}, line)), results.command);
  const drawn = [];
  if (results.entries.length > 1) resultContents(section('contents', 'all items', '"On file" are the differences from print that are understood; each has its reason below its check.'), results.entries);
  let paper = null;
  let place = null;
  for (const one of results.entries) {
    const title = resultTitle(one.what);
    if (title.paper !== paper) place = section(`paper-${one.id}`, title.paper);
    paper = title.paper;
    const article = added(place, element('article', { id: one.id }, element('h3', {}, `${title.item} `, one.state ? element('span', { class: `state ${stateClass[one.state]}` }, stateWords[one.state]) : ''), element('p', {}, title.about)));
    one.panels.forEach((panel, i) => {
      if (panel.rows) article.append(resultGrid(panel));
      else if (!results.charts) article.append(element('p', { class: 'note' }, `${panel.title}: not drawn (--no-pictures); its points are in the CSV file.`));
      else {
        const chartPlace = added(article, element('div'));
        drawn.push(() => resultChart(chartPlace, panel, `${one.id}-${i + 1}`));
      }
    });
    if (one.checks.length > 0) article.append(resultChecks(one.checks));
    if (one.pass === false) article.append(element('p', { class: 'state bad' }, one.verdict));
    if (one.remarks) article.append(element('p', { class: 'note' }, one.remarks));
    article.append(element('p', { class: 'note' }, 'Again: ', element('code', {}, one.command), one.files.length > 0 ? '. Data beside this page: ' : '', one.files.map((file) => element('a', { href: file }, file))));
  }
  return drawn;
}
