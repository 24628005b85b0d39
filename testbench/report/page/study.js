// SPDX-License-Identifier: Apache-2.0
// The page of a study.

const notAxes = new Set(['number', 'id']);
/** Axes that choose how something is done: the lines of a chart, rather than its x axis. */
const choices = ['partition', 'strategy', 'algorithm', 'schedule'];

function drawStudy(study) {
  const rows = study.columns[0].length;
  const column = new Map(study.names.map((name, i) => [name, study.columns[i]]));
  const unit = new Map(study.axes.map((one) => [one.key, one.unit]));
  const numeric = study.names.filter((name) => !notAxes.has(name) && column.get(name).every((value) => value === null || typeof value === 'number') && column.get(name).some((value) => value !== null));
  const kinds = new Map(study.names.map((name) => [name, new Set(column.get(name))]));
  const allKeys = [...study.axes.map((one) => one.key), ...(kinds.get('seed').size > 1 ? ['seed'] : [])];
  /** Axes that vary together, each value of one with the same value of the other, are one axis with the first one's name. */
  const together = (a, b) => kinds.get(a).size > 1 && kinds.get(a).size === kinds.get(b).size
    && new Set(column.get(a).map((value, i) => JSON.stringify([value, column.get(b)[i]]))).size === kinds.get(a).size;
  const first = (key) => allKeys.find((one) => one === key || together(one, key));
  const keys = allKeys.filter((key) => first(key) === key);
  const named = (name) => {
    const text = unit.get(name) ? `${name} in ${unit.get(name)}` : figureName(name, study.figures[name]?.unit);
    return [text, ...allKeys.filter((key) => key !== name && keys.includes(name) && first(key) === name)].join(', with ');
  };
  const missing = study.points - study.done - study.failed;

  const directory = study.file.includes('/') ? study.file.slice(0, study.file.lastIndexOf('/')) : '.';
  verdict(study.failed > 0 ? 'bad' : missing > 0 ? 'warn' : '',
    `${grouped(study.done)} of ${grouped(study.points)} points are done${study.failed > 0 ? `, ${grouped(study.failed)} have failed` : ''}${missing > 0 ? `, ${grouped(missing)} have not run` : ''}.`,
    `${data.program} sweep ${directory}/study.toml -o ${directory}`);
  if (rows === 0) return drawFailures(study);

  // Axes with the most numbers lie along x; a text axis makes the series.
  const axesByValues = [...keys].sort((a, b) => kinds.get(b).size - kinds.get(a).size);
  const state = { x: axesByValues.find((key) => numeric.includes(key)) || axesByValues[0] || 'number', y: 'measured_us' };
  const rank = (key) => (choices.includes(key) ? choices.indexOf(key) : choices.length + Number(numeric.includes(key)));
  state.series = keys.filter((key) => key !== state.x).sort((a, b) => rank(a) - rank(b))[0] || '';
  const spread = (name) => {
    const values = [...kinds.get(name)].filter((value) => value > 0);
    return values.length > 2 && Math.max(...values) / Math.min(...values) >= 50;
  };
  const setDefaults = () => {
    state.logX = numeric.includes(state.x) && spread(state.x);
    state.logY = spread(state.y);
    state.only = new Map(keys.filter((key) => key !== state.x && key !== state.series).map((key) => [key, JSON.stringify([...kinds.get(key)][0])]));
  };
  setDefaults();
  /** Rows with the chosen values of all axes but those that the chart shows. */
  const chosenRows = (...shown) => {
    const tests = [...state.only].filter(([key, value]) => value !== 'all' && ![state.x, state.series, ...shown].includes(key)).map(([key, value]) => [column.get(key), JSON.parse(value)]);
    return Array.from({ length: rows }, (_, i) => i).filter((i) => tests.every(([values, value]) => values[i] === value));
  };
  const seriesOf = (indices) => Map.groupBy(indices, (i) => (state.series ? String(column.get(state.series)[i]) : named(state.y)));
  /** One y for each x, or else these are points, not a line. */
  const isLine = (indices) => new Set(indices.map((i) => column.get(state.x)[i])).size === indices.length;

  const place = section('charts', 'Charts', 'Axes, series and filters as chosen here. Dashed is what the equation says, where measured time is shown.');
  const controls = added(place, element('div', { class: 'controls' }));
  const xAxis = () => (numeric.includes(state.x)
    ? axis(named(state.x), { type: state.logX ? 'log' : 'value', scale: true, ...(state.logX ? logEnds([...kinds.get(state.x)]) : {}) })
    : axis(named(state.x), { type: 'category', data: [...kinds.get(state.x)].map(String) }));
  const xOf = (i) => (numeric.includes(state.x) ? column.get(state.x)[i] : String(column.get(state.x)[i]));
  const plotted = (y) => (indices, more) => {
    const points = indices.map((i) => ({ value: [xOf(i), column.get(y)[i]], row: i })).filter((point) => point.value[1] !== null);
    return { data: numeric.includes(state.x) ? points.sort((a, b) => a.value[0] - b.value[0]) : points, ...more };
  };
  const about = (i) => study.names.filter((name) => allKeys.includes(name) || name === 'number' || name === state.y || name === 'predicted_us' || name === 'error_percent')
    .map((name) => `${name} ${short(column.get(name)[i])}`).join('\n');
  const main = chart(place, 'Study chart', () => {
    const indices = chosenRows();
    const groups = [...seriesOf(indices)];
    const withPrediction = state.y === 'measured_us' && column.get('predicted_us')?.some((value) => value !== null);
    const series = [];
    groups.forEach(([name, list], k) => {
      const line = isLine(list) && list.length < 3000;
      series.push(plotted(state.y)(list, { name, type: line ? 'line' : 'scatter', symbolSize: rows > 2000 ? 4 : 7, showSymbol: list.length < 200, large: !line && list.length > 2000, itemStyle: { color: palette[k % palette.length] } }));
      if (withPrediction && line) series.push(plotted('predicted_us')(list, { name: `${name} predicted`, type: 'line', showSymbol: false, silent: true, lineStyle: { type: 'dashed', width: 1.5 }, itemStyle: { color: palette[k % palette.length] } }));
    });
    return {
      legend: legend({ data: groups.map(([name]) => name) }),
      tooltip: tooltip((hit) => (hit.data.row === undefined ? '' : about(hit.data.row))),
      dataZoom: zoom(),
      xAxis: xAxis(),
      yAxis: axis(named(state.y), { type: state.logY ? 'log' : 'value', nameGap: 60, scale: true, ...(state.logY ? logEnds(indices.map((i) => column.get(state.y)[i])) : {}) }),
      series,
    };
  }, { height: 460, renderer: rows > 2000 ? 'canvas' : 'svg' });

  // --- Which is best ---
  let best = null;
  if (keys.length >= 2 && state.series) {
    const grid = section('best', 'Best', 'Which value of the series has the best y, the most or the least by what y is, at each place of the chart\'s x axis and a second axis.');
    const others = () => keys.filter((key) => key !== state.x && key !== state.series);
    let second = others()[0] || '';
    const secondControl = element('div', { class: 'controls' });
    const makeSecond = () => secondControl.replaceChildren(...(others().length > 0 ? [select('second axis', others(), second, (value) => {
      second = value;
      best.draw();
    })] : []));
    const incomplete = element('p', { class: 'note' });
    grid.append(secondControl, incomplete);
    best = chart(grid, 'Best value of the series', () => {
      if (!others().includes(second)) second = others()[0] || '';
      makeSecond();
      const xs = [...kinds.get(state.x)].sort((a, b) => (a > b ? 1 : -1));
      const ys = second ? [...kinds.get(second)].sort((a, b) => (a > b ? 1 : -1)) : [''];
      const sign = study.figures[state.y]?.better === 'more' ? -1 : 1;
      const of = (name, i) => column.get(name)[i];
      const finished = chosenRows(second).filter((i) => of(state.y, i) !== null);
      const places = [...Map.groupBy(finished, (i) => JSON.stringify([of(state.x, i), second ? of(second, i) : '']))].map(([place, list]) => ({
        place: JSON.parse(place), ran: new Set(list.map((i) => of(state.series, i))),
        row: list.reduce((first, i) => (sign * of(state.y, i) < sign * of(state.y, first) ? i : first)),
      }));
      // Only what has run can be compared.
      const rivals = [...new Set(places.flatMap(({ ran }) => [...ran]))];
      const gaps = places.flatMap(({ place, ran }) => rivals.filter((one) => !ran.has(one)).map((one) => [one, place]));
      const placeText = ([x, y]) => [`${state.x} ${short(x)}`, ...(second ? [`${second} ${short(y)}`] : [])].join(', ');
      incomplete.textContent = gaps.length === 0 ? '' : `Best of what has run: ${grouped(gaps.length)} ${gaps.length === 1 ? 'point is' : 'points are'} missing, as ${state.series} ${gaps.slice(0, 3).map(([one, cell]) => `${short(one)} at ${placeText(cell)}`).join('; ')}.`;
      const winner = ({ row }) => String(of(state.series, row));
      const names = [...new Set(places.map(winner))].sort();
      const cells = places.map((one) => ({ value: [xs.indexOf(one.place[0]), ys.indexOf(one.place[1]), names.indexOf(winner(one))], row: one.row }));
      return {
        grid: { left: 90, right: 20, top: 50, bottom: 60 },
        tooltip: tooltip((hit) => about(hit.data.row)),
        xAxis: axis(named(state.x), { type: 'category', data: xs.map(short) }),
        yAxis: axis(second ? named(second) : '', { type: 'category', data: ys.map(short), nameGap: 60 }),
        visualMap: { type: 'piecewise', show: true, orient: 'horizontal', top: 5, left: 'center', textStyle: { color: color('ink') }, pieces: names.map((name, k) => ({ value: k, label: name, color: palette[k % palette.length] })) },
        series: [{ type: 'heatmap', data: cells, label: { show: cells.length <= 150, color: '#fff', fontSize: 11, formatter: (hit) => names[hit.value[2]] }, labelLayout: { hideOverlap: true }, itemStyle: { borderColor: color('card'), borderWidth: 1 } }],
      };
    }, { height: 360, renderer: rows > 2000 ? 'canvas' : 'svg' });
  }

  // --- Residuals ---
  let residuals = null;
  if (column.get('error_percent')?.some((value) => value !== null)) {
    const residualPlace = section('residuals', 'Residuals', 'Measured against predicted, of the points in the chart above. The band is the tolerance.');
    let tolerance = 2;
    residuals = chart(residualPlace, 'Deviation of measured from predicted time', () => {
      const groups = [...seriesOf(chosenRows())];
      return {
        tooltip: tooltip((hit) => about(hit.data.row)),
        dataZoom: zoom(),
        xAxis: xAxis(),
        yAxis: axis('error in %', { type: 'value', nameGap: 45 }),
        series: groups.map(([name, list], k) => plotted('error_percent')(list, {
          name, type: 'scatter', symbolSize: 6, large: list.length > 2000, itemStyle: { color: palette[k % palette.length] },
          markArea: k === 0 ? { silent: true, itemStyle: { color: color('band') }, data: [[{ yAxis: -tolerance }, { yAxis: tolerance }]] } : undefined,
        })),
      };
    }, { height: 320, renderer: rows > 2000 ? 'canvas' : 'svg' });
    toleranceField(residuals, tolerance, (value) => { tolerance = value; });
  }

  const redraw = () => [main, best, residuals].forEach((one) => one?.draw());
  const makeControls = () => {
    const change = (name) => (value) => {
      state[name] = value;
      if (name === 'x' && state.series === value) state.series = keys.find((key) => key !== value) || '';
      setDefaults();
      makeControls();
      redraw();
    };
    controls.replaceChildren(
      select('x', [...new Set([...keys, ...numeric])], state.x, change('x')),
      select('y', numeric.filter((name) => !keys.includes(name)), state.y, change('y')),
      select('series', [['', 'one'], ...keys.filter((key) => key !== state.x)], state.series, change('series')),
      ...[...state.only.keys()].map((key) => select(key, [['all', 'all'], ...[...kinds.get(key)].map((value) => [JSON.stringify(value), `${short(value)} ${unit.get(key) || ''}`])], state.only.get(key), (value) => {
        state.only.set(key, value);
        redraw();
      })),
      ...[['log x', 'logX'], ['log y', 'logY']].map(([label, key]) => check(label, state[key], (on) => {
        state[key] = on;
        redraw();
      })));
  };
  makeControls();

  const tablePlace = section('table', 'Table');
  // Axes and figures first, and in sight.
  const last = ['seed', 'repetition', 'wall_s', 'id'];
  const names = [...study.names.filter((name) => !last.includes(name)), ...last.filter((name) => study.names.includes(name))];
  table(tablePlace, `${study.name}.csv`, names, Array.from({ length: rows }, (_, i) => names.map((name) => column.get(name)[i])));
  tablePlace.append(element('details', {}, element('summary', {}, 'What the columns are'), element('dl', {}, Object.entries(study.figures).flatMap(([name, one]) =>
    [element('dt', {}, name), element('dd', {}, `${one.help}${one.unit ? `, in ${one.unit}` : ''}`)]))));
  drawFailures(study);
  const provenance = section('provenance', 'Provenance');
  definitions(provenance, [['store', study.file], ['program', `ecube ${study.program_version}`]]);
  provenance.append(element('p', { class: 'note' }, 'The study:'), element('pre', {}, study.text));
}

function drawFailures(study) {
  if (study.failures.length === 0) return;
  const place = section('failures', 'Failures', `They run again with ${data.program} sweep --again.`);
  if (study.failures.length < study.failed) place.append(element('p', { class: 'note' }, `The first ${grouped(study.failures.length)} of ${grouped(study.failed)}.`));
  table(place, 'failures.csv', ['number', 'values', 'error'], study.failures.map((one) => [one.number, Object.entries(one.axis).map(([key, value]) => `${key} ${value}`).join(', '), one.error]));
}
