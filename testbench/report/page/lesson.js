// SPDX-License-Identifier: Apache-2.0
// The page of a lesson: its text, with replays, grids of runs and checked statements in their places.

/** A figure of a run's summary, by "RUN /place/in/summary". */
function lessonFigure(lesson, words) {
  const [run, place] = words.split(' ');
  const summary = lesson.summaries[run] || lesson.runs[run]?.summary;
  return summary ? place.slice(1).split('/').reduce((at, key) => at?.[key], summary) : undefined;
}

/** The block at which the equation has two algorithms equal: "A1 A2 B1 B2", two runs of each, between whose predictions
 * it is a straight line. */
function lessonCrossover(lesson, words) {
  const [a1, a2, b1, b2] = words.split(' ').map((run) => [lessonFigure(lesson, `${run} /workload/bytes`), lessonFigure(lesson, `${run} /predicted/us`)]);
  const slope = ([x1, y1], [x2, y2]) => (y2 - y1) / (x2 - x1);
  return a1[0] + (b1[1] - a1[1] - slope(b1, b2) * (b1[0] - a1[0])) / (slope(a1, a2) - slope(b1, b2));
}

/** Statements that hold say how they were checked; others give way to what the machine did. */
function checkStatements(lesson, place) {
  for (const one of place.querySelectorAll('[data-statement]')) {
    const statement = lesson.statements[one.dataset.statement];
    one.classList.add(statement.holds ? 'holds' : 'refuted');
    if (statement.holds) one.append(' ', element('small', { class: 'proof', title: `checked on the runs of this page: ${statement.text}` }, 'checked'));
    else one.replaceChildren(element('strong', {}, 'This machine does not bear out what the lesson says here. '), `It would need that ${statement.text}.`);
  }
}

/** Replays of several runs side by side, started together. */
function lessonReplay(lesson, place) {
  const names = place.dataset.replay.split(' ');
  const finished = names.filter((name) => lesson.runs[name]?.circuits);
  for (const name of names) if (!finished.includes(name)) place.append(element('p', { class: 'refuted' }, `The run "${name}" did not finish on this machine.`));
  if (finished.length === 0) return;
  const end = Math.max(...finished.map((name) => lesson.runs[name].summary.measured.cycles));
  const [above, beside, below] = [element('div', { class: 'race' }), element('div', { class: 'beside' }), element('div')];
  place.append(above, beside, below);
  let leader = null;
  for (const name of finished) {
    const run = lesson.runs[name];
    const model = circuitModel(run);
    const clock = pageClock(end, leader?.clock);
    const part = added(beside, element('figure', { class: 'replay', 'data-run': name }, element('figcaption', {}, element('b', {}, name), ` ${short(run.summary.measured.us)} us`, element('code', {}, run.command))));
    const replay = drawReplay(part, model, clock, leader ? { leader: leader.replay } : finished.length > 1 ? { above, below } : {});
    leader ||= { clock, replay };
    (page.replays ||= {})[name] = { model, clock, replay };
  }
}

/** A grid of runs to choose from: marks are runs, dashed lines the equation. */
function lessonGrid(lesson, place) {
  const { grid } = lesson;
  const chosen = new Map(grid.axes.map((one) => [one.key, one.start || 0]));
  const at = (key) => grid.axes.findIndex((one) => one.key === key);
  const [x, series] = [at(grid.x), at(grid.series)];
  const figure = (key) => grid.figures.findIndex((one) => one.key === key);
  const [y, equation] = [figure('measured'), figure('predicted')];
  const others = grid.axes.map((one, i) => i).filter((i) => i !== x && i !== series);
  const valueOf = (i) => grid.axes[i].values[chosen.get(grid.axes[i].key)];
  const shown = () => grid.points.filter((one) => others.every((i) => one.values[i] === valueOf(i)));
  const told = element('div', { class: 'detail', role: 'status' });
  const controls = element('div', { class: 'controls' });
  place.append(element('h3', {}, grid.title), controls);
  const entry = chart(place, grid.title, () => {
    const points = shown();
    const lines = grid.axes[series].values.map((name, k) => {
      const of = points.filter((one) => one.values[series] === name);
      const marks = of.filter((one) => one.figures[y] !== null).map((one) => ({ value: [Number(one.values[x]), one.figures[y]], point: one }));
      const own = name === valueOf(series);
      const made = [{ name, type: 'scatter', symbolSize: (value, hit) => (own && hit.data.point.values[x] === valueOf(x) ? 16 : own ? 10 : 7), data: marks, itemStyle: { color: palette[k % palette.length], borderColor: color('ink'), borderWidth: own ? 1.2 : 0 } }];
      if (equation >= 0 && of.every((one) => one.figures[equation] !== null)) {
        made.push({ name: `${name} by the equation`, type: 'line', silent: true, showSymbol: false, data: of.map((one) => [Number(one.values[x]), one.figures[equation]]), lineStyle: { type: 'dashed', width: own ? 2.2 : 1.2 }, itemStyle: { color: palette[k % palette.length] } });
      }
      return made;
    });
    return {
      legend: legend({ data: grid.axes[series].values }),
      tooltip: tooltip((hit) => grid.axes.map((one, i) => `${one.name} ${hit.data.point.values[i]}`).concat(grid.figures.map((one, i) => `${one.name}: ${short(hit.data.point.figures[i])}`)).join('\n')),
      xAxis: axis(grid.axes[x].name, { type: 'value' }),
      yAxis: axis(grid.figures[y].name, { type: 'value', nameGap: 55 }),
      series: lines.flat(),
    };
  }, { height: 360 });
  const tell = () => {
    const point = shown().find((one) => one.values[x] === valueOf(x) && one.values[series] === valueOf(series));
    const best = shown().filter((one) => one.values[x] === valueOf(x) && one.figures[y] !== null).sort((a, b) => a.figures[y] - b.figures[y])[0];
    told.textContent = `${grid.axes.map((one, i) => `${one.name} ${point.values[i]}`).join(', ')}: `
      + (point.figures[y] === null ? 'this run did not finish. ' : `${grid.figures.map((one, i) => (point.figures[i] === null ? '' : `${one.name} ${short(point.figures[i])}`)).filter((text) => text).join(', ')}. `)
      + (best ? `Fastest here: ${grid.axes[series].name} ${best.values[series]}.` : '');
  };
  for (const one of grid.axes) {
    const says = element('output', {}, one.values[one.start || 0]);
    const range = element('input', { type: 'range', min: '0', max: String(one.values.length - 1), step: '1', value: String(one.start || 0), 'aria-label': one.name, oninput: () => {
      chosen.set(one.key, Number(range.value));
      says.textContent = one.values[Number(range.value)];
      range.setAttribute('aria-valuetext', says.textContent);
      entry.draw();
      tell();
    } });
    controls.append(element('label', {}, element('span', {}, `${one.name}: `, says), range));
  }
  place.append(told);
  tell();
}

/** The circuits of a run that wait for each other. */
function lessonRing(lesson, place) {
  const ring = lesson.summaries[place.dataset.ring]?.stalled?.ring || [];
  place.append(...ring.map((one, i) => {
    const holder = ring[(i + 1) % ring.length];
    return element('li', {}, `${one.source} → ${one.destination} waits for link ${one.link}, which ${holder.source} → ${holder.destination} holds`);
  }));
}

/** Draws text and replays; the functions returned draw the charts. */
function drawLesson(lesson) {
  const failed = Object.values(lesson.statements).filter((one) => !one.holds).length;
  const all = Object.keys(lesson.statements).length;
  verdict(failed > 0 ? 'bad' : '', `${failed > 0 ? `${failed} of the ${all} statements of this lesson do not hold on this machine; the text says so in their place.` : `All ${all} statements of this lesson were checked on the runs of this page.`} Figures in italics are the equation's; all others were measured.`,
    `${data.program} lesson ${lesson.name}${lesson.settings.map((one) => ` --set "${one}"`).join('')}`);
  const main = document.getElementById('main');
  main.classList.add('lesson');
  main.innerHTML = lesson.text;
  for (const answer of main.querySelectorAll('details')) answer.open = location.hash === '#answers';
  for (const title of main.querySelectorAll('h2')) document.getElementById('nav').append(element('a', { href: `#${title.closest('section').id}` }, title.textContent));
  for (const one of main.querySelectorAll('[data-figure]')) {
    one.textContent = short(lessonFigure(lesson, one.dataset.figure)) || 'none';
    one.classList.toggle('predicted', one.dataset.figure.includes(' /predicted/'));
  }
  for (const one of main.querySelectorAll('[data-crossover]')) {
    one.textContent = short(lessonCrossover(lesson, one.dataset.crossover));
    one.classList.add('predicted');
  }
  checkStatements(lesson, main);
  for (const one of main.querySelectorAll('[data-replay]')) lessonReplay(lesson, one);
  for (const one of main.querySelectorAll('[data-ring]')) lessonRing(lesson, one);
  return [
    ...[...main.querySelectorAll('[data-grid]')].map((one) => () => lessonGrid(lesson, one)),
    ...[...main.querySelectorAll('[data-curve]')].map((one) => () => loadLatency(one, one.dataset.curve.split(' ').map((name) => [name, lesson.summaries[name]?.traffic?.curve]).filter(([, curve]) => curve))),
  ];
}
