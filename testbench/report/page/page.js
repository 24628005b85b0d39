// SPDX-License-Identifier: Apache-2.0
// The parts that all pages share: elements, charts that follow the theme, the clock, tables; the beginning of a page's one script.
'use strict';

const data = JSON.parse(document.getElementById('data').textContent);
/** Parts of this page that tests and other parts ask for: clock, model, replay. */
const page = {};

/** An element with attributes and children; text children are text. */
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== null && value !== false) made.setAttribute(name, value);
  }
  for (const child of children.flat()) made.append(child);
  return made;
}

/** Appends a child, and returns it. */
function added(parent, child) {
  parent.append(child);
  return child;
}

// One for all numbers: toLocaleString makes one for each.
const [integers, fractions] = [0, 6].map((maximumFractionDigits) => new Intl.NumberFormat('en-US', { maximumFractionDigits }));
const grouped = (value) => integers.format(Number(value));
/** A number as short as six digits allow. */
function short(value) {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'number') return String(value);
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return grouped(value);
  return fractions.format(Number(value.toPrecision(6)));
}
/** The next 1, 2 or 5 times a power of ten. */
function roundUp(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((times) => times * power).find((round) => round >= value);
}
/** Differences below a billionth of a per cent are the rounding of sums. */
const percent = (value) => Math.abs(value) < 1e-9 ? '0 %' : `${value >= 0 ? '+' : ''}${Number(value.toPrecision(3))} %`;

/** A section with a link to it. */
function section(id, title, ...words) {
  const made = element('section', { id, 'aria-labelledby': `${id}-title` }, element('h2', { id: `${id}-title` }, title));
  for (const text of words) made.append(element('p', { class: 'note' }, text));
  document.getElementById('main').append(made);
  document.getElementById('nav').append(element('a', { href: `#${id}` }, title));
  return made;
}

/** Resolves when the browser has drawn what the page has now, or would have, were it on the screen. */
const painted = () => new Promise((resolve) => {
  const late = setTimeout(resolve, 200);  // a page in the background is not drawn
  requestAnimationFrame(() => setTimeout(() => { clearTimeout(late); resolve(); }));
});

/** Runs ECharts, which stands in the page as a text behind the page's own script. */
async function loadCharts() {
  if (document.readyState === 'loading') await new Promise((resolve) => document.addEventListener('DOMContentLoaded', resolve, { once: true }));
  document.body.append(element('script', {}, document.getElementById('echarts').textContent));
}

// --- Charts --------------------------------------------------------------------------------------------------------

// Okabe and Ito's palette, told apart by readers with any colour vision, on dark and on light.
const palette = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#8c6bb1', '#7a7a7a', '#b2182b', '#1b7837', '#a6761d'];
const charts = [];
/** Adds a part of the page that follows the theme and its own width, whichever way that comes to be: a tab that is laid
 * out after it was opened, another window, paper. */
function addChart(entry) {
  charts.push(entry);
  entry.width = entry.place.clientWidth;
  new ResizeObserver(() => {
    if (printing || entry.place.clientWidth === entry.width) return;
    entry.width = entry.place.clientWidth;
    entry.instance.resize();
  }).observe(entry.place);
}
const dark = () => document.documentElement.dataset.theme === 'dark';
const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

/** Arrow keys walk over the points of a chart, left and right within a series, up and down between them; Enter is a click. */
function walkByKeyboard(entry, enter) {
  let [series, point] = [0, -1];
  entry.place.addEventListener('keydown', (event) => {
    const all = entry.instance.getOption().series;
    const pointed = all.map((one, i) => i).filter((i) => !all[i].silent && (all[i].data || []).length > 0);
    if (pointed.length === 0) return;
    const steps = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key];
    if (event.key === 'Enter' && enter && point >= 0) enter(point);
    else if (event.key === 'Escape') entry.instance.dispatchAction({ type: 'hideTip' });
    if (!steps) return;
    event.preventDefault();
    series = (series + steps[0] + pointed.length) % pointed.length;
    const { length } = all[pointed[series]].data;
    point = Math.min(point < 0 ? 0 : (point + steps[1] + length) % length, length - 1);
    entry.instance.dispatchAction({ type: 'showTip', seriesIndex: pointed[series], dataIndex: point });
  });
}

/** Paper shows what is drawn before printing begins: nothing may be left for a later frame. */
let printing = false;

/** A chart whose option is made anew when the theme or its other inputs change. Where series have names it has a legend. */
function chart(parent, label, makeOption, { height, renderer = 'svg', enter } = {}) {
  const place = added(parent, element('div', { class: 'chart', role: 'img', tabindex: '0', 'data-chart': label }));
  if (height) place.style.height = `${height}px`;
  const instance = echarts.init(place, null, { renderer });
  const entry = { instance, place, label };
  entry.draw = () => {
    const option = makeOption();
    const named = option.series.some((one) => one.name);
    instance.setOption({
      animation: false,
      ...(printing ? { progressive: 0 } : {}),
      color: palette,
      backgroundColor: 'transparent',
      textStyle: { color: color('ink'), fontFamily: 'system-ui, sans-serif' },
      aria: { enabled: true, label: { description: label } },
      ...(named ? { legend: legend() } : {}),
      ...(option.xAxis ? { grid: { left: 80, right: 20, top: 50, bottom: 55 } } : {}),
      ...option,
    }, { notMerge: true });
    place.dataset.points = String(option.series.reduce((sum, one) => sum + (one.data || []).length + (one.links || []).length, 0));
  };
  entry.draw();
  addChart(entry);
  walkByKeyboard(entry, enter);
  return entry;
}

/** Ends of a logarithmic axis: two digits, around all values. */
function logEnds(values) {
  const positive = values.filter((value) => value > 0);
  const round = (value, to) => {
    const power = 10 ** (Math.floor(Math.log10(value)) - 1);
    return Number((to(value / power) * power).toPrecision(3));
  };
  return positive.length === 0 ? {} : { min: round(Math.min(...positive), Math.floor), max: round(Math.max(...positive), Math.ceil) };
}

/** An axis in the colours of the theme. */
function axis(name, { axisLabel, nameGap = 30, ...more } = {}) {
  return {
    name,
    nameLocation: 'middle',
    nameGap,
    nameTextStyle: { color: color('soft') },
    axisLine: { lineStyle: { color: color('line') } },
    axisLabel: { color: color('soft'), hideOverlap: true, ...axisLabel },
    splitLine: { lineStyle: { color: color('line'), opacity: 0.6 } },
    ...more,
  };
}
/** A formatter gives lines of text. They are shown as text: ECharts takes a string for HTML, and names are whatever a file says. */
const tooltip = (formatter) => ({
  backgroundColor: color('card'), borderColor: color('line'), textStyle: { color: color('ink') }, confine: true,
  ...(formatter ? { formatter: (hit) => (formatter(hit) ? element('div', { style: 'max-width:46ch;white-space:pre-line' }, formatter(hit)) : '') } : {}),
});
const legend = (more = {}) => ({ type: 'scroll', top: 0, textStyle: { color: color('ink') }, pageTextStyle: { color: color('soft') }, ...more });
const zoom = (more = {}) => [{ type: 'inside', filterMode: 'none', ...more }];
const slider = (more = {}) => ({ type: 'slider', showDetail: false, borderColor: color('line'), backgroundColor: color('ground'), fillerColor: color('band'), brushSelect: false, ...more });

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  for (const one of charts) one.draw();
}
document.documentElement.dataset.theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
document.getElementById('theme').addEventListener('click', () => setTheme(dark() ? 'light' : 'dark'));
let themeOnScreen = null;
addEventListener('beforeprint', () => {
  themeOnScreen = document.documentElement.dataset.theme;
  printing = true;
  document.body.classList.add('on-paper');
  setTheme('light');
  charts.forEach((one) => {
    one.instance.resize();
    // What is painted on a canvas of the screen now comes to the screen after printing; a new canvas is printed as it is.
    if (one.place.classList.contains('chart') && one.place.querySelector('canvas')) {
      const paper = one.instance.renderToCanvas({ pixelRatio: 2 });
      paper.className = 'paper';
      paper.removeAttribute('style');
      one.place.append(paper);
    }
  });
});
addEventListener('afterprint', () => {
  printing = false;
  document.body.classList.remove('on-paper');
  document.querySelectorAll('.paper').forEach((one) => one.remove());
  setTheme(themeOnScreen || 'light');
  charts.forEach((one) => one.instance.resize());
});

// --- The clock -----------------------------------------------------------------------------------------------------

/** The one clock of a page: an edge, and the circuit that is followed. Replay, charts and chains listen to it. A clock with
 * a `leader` is the leader, with a circuit and listeners of its own. */
function pageClock(end, leader = null) {
  const listeners = [];
  const clock = leader ? Object.create(leader) : { edge: 0, end, playing: false };
  const tell = (what) => listeners.forEach((listener) => listener(what));
  clock.circuit = -1;
  /** Called with 'edge' or 'circuit' after a change. */
  clock.listen = (listener) => listeners.push(listener);
  /** Follows a circuit; `edge`, when given, is where the clock goes. -1 follows none. */
  clock.follow = (circuit, edge) => {
    clock.circuit = circuit;
    if (edge !== undefined) clock.seek(edge);
    tell('circuit');
  };
  if (leader) {
    leader.listen((what) => { if (what === 'edge') tell(what); });
    return clock;
  }
  clock.seek = (edge) => {
    const to = Math.min(Math.max(0, edge), end);
    if (to === clock.edge) return;
    clock.edge = to;
    tell('edge');
  };
  /** Stops where the clock is, at a whole edge, and says so to all listeners. */
  clock.stop = () => {
    clock.playing = false;
    clock.edge = Math.floor(clock.edge);
    tell('edge');
  };
  return clock;
}

/** What lies over a chart and moves with a clock: `measure` says where things are, from the rectangle of the chart's grid, and
 * `draw` puts them there. While the clock runs they are drawn only as long as they are on the screen. */
function drawOver(entry, over, clock, label, measure, draw) {
  let measured = null;
  const show = () => draw(measured ??= measure(entry.instance.getModel().getComponent('grid').coordinateSystem.getRect()));
  const again = () => { measured = null; show(); };
  entry.instance.on('dataZoom', again);
  addChart({ draw: again, instance: { resize: again }, place: over, label });
  let seen = true;
  new IntersectionObserver((entries) => { seen = entries[entries.length - 1].isIntersecting; }).observe(over);
  clock.listen((what) => { if (seen || !clock.playing || what !== 'edge') show(); });
  show();
}

// --- Controls and tables -------------------------------------------------------------------------------------------

function select(label, choices, chosen, changed) {
  const made = element('select', { 'aria-label': label, onchange: () => changed(made.value) });
  for (const choice of choices) {
    const [value, text] = Array.isArray(choice) ? choice : [choice, choice];
    made.append(element('option', { value, selected: String(value) === String(chosen) ? '' : undefined }, text));
  }
  return element('label', {}, label, made);
}
function check(label, on, changed) {
  const box = element('input', { type: 'checkbox', onchange: () => changed(box.checked) });
  box.checked = on;
  return element('label', { class: 'check' }, box, label);
}

/** A field above a chart of deviations for the tolerance that it shows. */
function toleranceField(entry, tolerance, changed) {
  const input = element('input', { type: 'number', min: '0.1', step: '0.1', value: String(tolerance), onchange: () => {
    changed(Math.max(0.1, Number(input.value) || tolerance));
    entry.draw();
  } });
  entry.place.before(element('div', { class: 'controls' }, element('label', {}, 'tolerance in %', input)));
}

const save = (name, address) => element('a', { href: address, download: name }).click();
const download = (name, text) => save(name, URL.createObjectURL(new Blob([text], { type: 'text/csv' })));
function csv(names, rows) {
  const field = (value) => {
    // A spreadsheet would take a text that begins with one of these for a formula.
    const formula = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) && Number.isNaN(Number(value));
    const text = value === null || value === undefined ? '' : `${formula ? "'" : ''}${value}`;
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [names, ...rows].map((row) => row.map(field).join(',')).join('\n') + '\n';
}

/** A table that can be sorted by each column, searched, paged and saved. Rows are arrays. */
function table(parent, file, names, rows) {
  const pageSize = 100;
  const state = { column: -1, down: false, page: 0, words: '' };
  const head = element('tr');
  const body = element('tbody');
  const where = element('span', { role: 'status' });
  const classOf = (cell) => (typeof cell === 'string' ? 'text' : undefined);
  let shown = rows;
  const order = () => {
    const words = state.words.toLowerCase();
    shown = words ? rows.filter((row) => row.some((cell) => String(cell ?? '').toLowerCase().includes(words))) : rows;
    if (state.column < 0) return;
    const sign = state.down ? -1 : 1;
    shown = [...shown].sort((a, b) => {
      const [x, y] = [a[state.column] ?? null, b[state.column] ?? null];
      if (x === null || y === null) return Number(x === null) - Number(y === null);
      return sign * (typeof x === 'number' && typeof y === 'number' ? x - y : String(x).localeCompare(String(y), 'en', { numeric: true }));
    });
  };
  const draw = () => {
    const pages = Math.max(1, Math.ceil(shown.length / pageSize));
    state.page = Math.min(Math.max(0, state.page), pages - 1);
    const begin = state.page * pageSize;
    body.replaceChildren(...shown.slice(begin, begin + pageSize).map((row) => element('tr', {}, row.map((cell) => element('td', { class: classOf(cell) }, short(cell))))));
    where.textContent = shown.length === 0 ? 'no rows' : `rows ${grouped(begin + 1)} to ${grouped(Math.min(shown.length, begin + pageSize))} of ${grouped(shown.length)}`;
    [...head.children].forEach((cell, i) =>
      cell.setAttribute('aria-sort', i !== state.column ? 'none' : state.down ? 'descending' : 'ascending'));
  };
  const change = (more) => {
    Object.assign(state, { page: 0 }, more);
    order();
    draw();
  };
  head.append(...names.map((name, i) => element('th', { scope: 'col', class: classOf(rows[0]?.[i]) },
    element('button', { type: 'button', onclick: () => change({ down: state.column === i && !state.down, column: i }) }, name))));
  const words = element('input', { type: 'search', placeholder: 'find', 'aria-label': 'rows that contain', oninput: () => change({ words: words.value }) });
  const turn = (by) => () => {
    state.page += by;
    draw();
  };
  parent.append(
    element('div', { class: 'controls' }, words,
      element('button', { type: 'button', onclick: () => download(file, csv(names, shown)) }, 'CSV')),
    element('div', { class: 'scroll', tabindex: '0' }, element('table', {}, element('thead', {}, head), body)),
    element('div', { class: 'pages' }, element('button', { type: 'button', onclick: turn(-1) }, 'previous'),
      element('button', { type: 'button', onclick: turn(1) }, 'next'), where));
  change({});
}

function definitions(parent, entries) {
  parent.append(element('dl', {}, entries.flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, value)])));
}

/** The name of a figure or an axis with its unit, for charts and tables; a column may end in its unit. */
function figureName(column, unit) {
  const words = column.replaceAll('_', ' ');
  return unit ? `${words.replace(/ (cycles|us|bytes|percent)$/, '')} in ${unit}` : words;
}

function verdict(kind, text, command) {
  const place = document.getElementById('verdict');
  place.replaceChildren(element('div', { class: `verdict ${kind}`, role: 'status' }, text));
  if (!command) return;
  const copy = element('button', { type: 'button', onclick: () => {
    navigator.clipboard?.writeText(command);
    copy.textContent = 'copied';
  } }, 'copy');
  place.append(element('p', { class: 'note' }, 'The command that redoes it:'), element('pre', {}, command), copy);
}
