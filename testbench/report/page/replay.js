// SPDX-License-Identifier: Apache-2.0
// The replay of a run: the cube, a scrubber, and what is said about the edge shown.

/** Phases and steps of a run, as [{edge, name}]: the edges at which the first node begins them. */
function chaptersOf(model) {
  const { columns, run: { programs } } = model;
  const begun = programs
    ? programs.nodes.flatMap((of) => of.from.map((edge, i) => ({ edge, phase: of.phase[i], step: of.step[i] }))).filter((one) => one.phase > 0 && one.step > 0)
    : columns.probe.map((edge, circuit) => ({ edge, phase: columns.phase[circuit] + 1, step: 1 }));
  const chapters = [...Map.groupBy(begun, (one) => one.phase * 1e6 + one.step).values()].map((list) => list.reduce((first, one) => (one.edge < first.edge ? one : first)));
  chapters.sort((a, b) => a.edge - b.edge || a.phase - b.phase || a.step - b.step);
  return chapters.map((one) => ({ ...one, name: programs ? `phase ${one.phase}, step ${one.step}` : `phase ${one.phase}` }));
}

const replayColors = () => ({ ...Object.fromEntries(['idle', 'ink', 'soft', 'card', 'bad', 'held', 'data', 'probe', 'tuned'].map((name) => [name, color(name)])), follow: palette[4], holder: palette[3] });

/** How many links are held, carry data, or are waited for, in equal parts of the time up to `end`. */
function activityOf(model, end, parts) {
  const at = (edge) => Math.min(parts, Math.max(0, Math.floor((edge / Math.max(1, end)) * parts)));
  const sums = (list, untilOf) => {
    const change = new Float64Array(parts + 1);
    for (const one of list) {
      ++change[at(one.from)];
      --change[untilOf(one)];
    }
    let sum = 0;
    return Array.from(change.slice(0, parts), (by) => (sum += by));
  };
  return {
    held: sums(model.holds.filter((one) => model.isLink(one.place)), (one) => at(one.until)),
    // However short, a wait is seen.
    waits: sums(model.waits, (one) => Math.min(parts, Math.max(at(one.until), at(one.from) + 1))),
  };
}

/** The replay of a run in `place`, driven by `clock`. Of several side by side the first has the controls, in `above` and
 * `below`, and is the `leader` of the others, whose clocks have its edge. Keys and buttons step by the events of the
 * replay that was touched last. */
function drawReplay(place, model, clock, { above = null, below = null, leader = null } = {}) {
  const { run, dim, columns } = model;
  const most = 6;
  const view = leader?.dim === dim && !model.network ? leader.view : { dims: Array.from({ length: Math.min(dim, most) }, (_, bit) => bit), base: 0, nested: false, links: Array.from({ length: model.fan }, (_, bit) => bit) };
  const scene = replayScene(model);
  const us = (edge) => short(edge / run.summary.machine.clock_mhz);
  const canvas = element('canvas', { class: 'cube', role: 'img', 'aria-label': 'The network at the edge that the status below describes' });
  const stage = element('div', { class: 'stage', tabindex: '0', 'aria-label': 'Replay: space plays and pauses, arrows step by a cycle, with shift by an event, page keys by a step of the program' }, canvas);
  const status = element('div', { class: 'detail', role: 'status', 'aria-live': 'off' });
  const chain = element('div', { class: 'chain' });
  const chapters = once(() => chaptersOf(model));
  const speeds = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10000, 50000, 250000];
  // The whole run in half a minute at first.
  let speed = speeds.find((one) => one >= model.cycles / 30) || speeds[speeds.length - 1];
  let frame = 0;
  let last = 0;

  // --- Drawing ---
  const fit = () => {
    const ratio = Math.min(2, devicePixelRatio || 1);
    const width = Math.max(280, stage.clientWidth);
    const narrow = width < 560;
    const height = model.network ? (narrow ? 420 : 560) : view.dims.length > 5 && narrow ? 640 : view.dims.length > 4 ? (narrow ? 420 : 460) : Math.min(430, Math.max(260, width * 0.55));
    [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
    canvas.style.height = `${height}px`;
    canvas.getContext('2d').setTransform(ratio, 0, 0, ratio, 0, 0);
    scene.arrange(view, width, height);
  };
  let colors = replayColors();
  const say = () => {
    const edge = Math.floor(clock.edge);
    const { held, data, blocked, closing, dark } = scene.drawn;
    const program = scene.programAt(0, edge);
    if (edge >= model.cycles && model.cycles < clock.end) {
      status.textContent = `Finished at cycle ${grouped(model.cycles)}, ${us(model.cycles)} us.`;
      return;
    }
    status.textContent = `Cycle ${grouped(edge)} of ${grouped(clock.end)}, ${us(edge)} us${program && program.phase > 0 ? `, phase ${program.phase}, step ${program.step} at node 0` : ''}: `
      + `${data.length === 1 ? '1 link carries' : `${grouped(data.length)} links carry`} data, ${held.length === 1 ? '1 is' : `${grouped(held.length)} are`} held without, ${blocked.length === 0 ? 'no probe is blocked' : `${grouped(blocked.length)} probe${blocked.length === 1 ? ' is' : 's are'} blocked`}`
      + `${model.dark.size > 0 ? `, ${grouped(closing.length)} closing, ${grouped(dark.length)} dark` : ''}.`;
  };
  const sayChain = () => {
    const edge = Math.floor(clock.edge);
    const { blocked } = scene.drawn;
    const followed = clock.circuit;
    const starts = followed >= 0 ? [followed] : blocked.slice(0, 6).map((one) => one.circuit);
    const lines = starts.map((circuit) => {
      const links = model.chainAt(circuit, edge);
      const words = links.map((one, i) => `${i > 0 ? 'which ' : ''}waits for ${model.outputName(one.place)}, held by ${one.holder === undefined ? 'a circuit that is not on this page' : model.name(one.holder)}`);
      const state = edge < columns.probe[circuit] ? 'has not begun' : edge >= columns.receiver_ready[circuit] ? 'has arrived' : edge >= columns.first_data[circuit] ? 'sends data' : 'moves';
      return element('button', { type: 'button', class: 'link', onclick: () => clock.follow(circuit) }, `${model.name(circuit)} ${words.length > 0 ? `${words.join(', ')}${links[links.length - 1].holder === undefined ? '' : ', which does not wait'}` : state}`);
    });
    if (followed < 0 && blocked.length > starts.length) lines.push(element('span', { class: 'note' }, `and ${grouped(blocked.length - starts.length)} more`));
    if (followed >= 0) lines.push(element('button', { type: 'button', onclick: () => clock.follow(-1) }, 'follow none'));
    chain.replaceChildren(...lines);
  };
  const draw = () => {
    scene.draw(canvas.getContext('2d'), clock.edge, colors, clock.circuit);
    scrubber.value = String(Math.floor(clock.edge));
    say();
  };

  // --- The player ---
  const tick = (now) => {
    if (!clock.playing) return;
    clock.seek(clock.edge + (speed * Math.min(200, now - last)) / 1000);
    last = now;
    if (clock.edge >= clock.end) pause();
    else frame = requestAnimationFrame(tick);
  };
  const play = leader ? leader.actions.play : () => {
    if (clock.edge >= clock.end) clock.seek(0);
    clock.playing = true;
    player.textContent = 'pause';
    last = performance.now();
    frame = requestAnimationFrame(tick);
  };
  const pause = leader ? leader.actions.pause : () => {
    player.textContent = 'play';
    cancelAnimationFrame(frame);
    clock.stop();
  };
  const toggle = leader ? leader.actions.toggle : () => (clock.playing ? pause() : play());
  const jump = (edge) => { pause(); clock.seek(edge); };
  const step = (by) => jump(Math.floor(clock.edge) + by);
  /** To the next of ascending edges, or the one before, or where there is none. */
  const jumpAlong = (edges, by, otherwise) => {
    const now = Math.floor(clock.edge);
    const i = placeAfter(edges, by > 0 ? now : now - 1);
    jump(edges[by > 0 ? i : i - 1] ?? otherwise);
  };
  const event = (by) => jumpAlong(model.events, by, Math.floor(clock.edge));
  const chapter = (by) => jumpAlong(chapters().map((one) => one.edge), by, by > 0 ? clock.end : 0);
  const button = (text, title, act) => element('button', { type: 'button', title, 'aria-label': title, onclick: act }, text);
  const player = button('play', 'play or pause (space)', toggle);
  const scrubber = element('input', { type: 'range', min: '0', max: String(clock.end), step: '1', value: '0', class: 'scrubber', 'aria-label': 'cycle', oninput: () => jump(Number(scrubber.value)) });
  const strip = element('canvas', { class: 'activity', 'aria-hidden': 'true' });
  const scale = element('div', { class: 'note' });
  const drawStrip = () => {
    const width = Math.max(100, strip.clientWidth);
    [strip.width, strip.height] = [width, 26];
    const context = strip.getContext('2d');
    const activity = activityOf(model, clock.end, width);
    const mostHeld = Math.max(1, ...activity.held);
    scale.textContent = `below: links held (blue, at most ${grouped(mostHeld)} at once) and probes that wait (red), over the run`;
    activity.held.forEach((held, x) => {
      context.fillStyle = colors.data;
      context.globalAlpha = 0.35;
      context.fillRect(x, 26 - 24 * (held / mostHeld), 1, 24 * (held / mostHeld));
      if (activity.waits[x] <= 0) return;
      context.globalAlpha = 1;
      context.fillStyle = colors.bad;
      context.fillRect(x, 26 - Math.min(24, 2 + 22 * (activity.waits[x] / mostHeld)), 1, Math.min(24, 2 + 22 * (activity.waits[x] / mostHeld)));
    });
    context.globalAlpha = 0.7;
    context.fillStyle = colors.soft;
    if (chapters().length < width / 6) for (const one of chapters()) context.fillRect((one.edge / Math.max(1, clock.end)) * width, 0, 1, one.step > 1 ? 4 : 12);
  };

  // --- Controls ---
  const goTo = element('span');
  const offerChapters = (list) => goTo.replaceChildren(...(list.length > 1 ? [select('go to', [['', 'phase and step'], ...list.slice(0, 400).map((one) => [String(one.edge), `${one.name}: cycle ${grouped(one.edge)}`])], '', (value) => { if (value !== '') jump(Number(value)); })] : []));
  const first = element('div', { class: 'controls player' },
    button('⇤', 'step of the program back (page up)', () => replay.touched.actions.chapter(-1)), button('≪', 'event back (shift and arrow left)', () => replay.touched.actions.event(-1)), button('‹', 'cycle back (arrow left)', () => step(-1)), player,
    button('›', 'cycle on (arrow right)', () => step(1)), button('≫', 'event on (shift and arrow right)', () => replay.touched.actions.event(1)), button('⇥', 'step of the program on (page down)', () => replay.touched.actions.chapter(1)),
    select('cycles a second', speeds.map((one) => [String(one), grouped(one)]), String(speed), (value) => { speed = Number(value); }),
    goTo);
  const rearrange = () => race.members.forEach((one) => { one.fit(); one.draw(); });
  const second = element('div', { class: 'controls' });
  if (dim >= 3 && dim <= 4) second.append(select('shown', [['', 'by dimension'], ['nested', 'nested cubes']], '', (value) => { view.nested = value !== ''; rearrange(); }));
  if (dim > most) {
    const show = () => {
      const shown = view.dims.reduce((mask, bit) => mask | (1 << bit), 0);
      view.base = Math.min(model.nodes - 1, Math.max(0, Number(base.value) || 0)) & ~shown;
      rearrange();
    };
    const base = element('input', { type: 'number', min: '0', max: String(model.nodes - 1), value: '0', 'aria-label': 'subcube of node', onchange: show });
    const choice = select('dimensions seen', Array.from({ length: dim - most + 1 }, (_, low) => [String(low), `${low} to ${low + most - 1}`]), '0', (value) => {
      view.dims = Array.from({ length: most }, (_, bit) => bit + Number(value));
      show();
    });
    second.append(choice, element('label', {}, 'subcube of node', base));
  }
  for (let bit = 0; bit < model.fan && model.fan <= 20; ++bit) {
    second.append(check(model.network ? model.network.outputs[bit] : `dimension ${bit}`, true, (on) => {
      view.links = on ? [...view.links, bit] : view.links.filter((one) => one !== bit);
      rearrange();
    }));
  }
  const key = (style, text) => element('span', { class: 'key' }, element('i', { style }), text);
  const legendLine = element('div', { class: 'keys' }, key('background:var(--data)', 'carries data'), key('background:var(--held)', 'held, no data'), ...(model.dark.size > 0 ? [key('background:var(--tuned)', 'dark: its plane is tuned to this link; thin: the link before closes'), key('border:3px solid var(--tuned);border-radius:50%;width:9px;height:9px', 'exposed: a send waits for a plane, and no phits move')] : []),
    key('background:var(--probe);border-radius:50%;width:9px;height:9px', 'probe'),
    key('background:var(--bad);border-radius:50%;width:9px;height:9px', 'blocked probe, arrow to the link it waits for, and who holds it'),
    ...(run.programs ? Object.values(nodeStates).filter(([, letter]) => letter).map(([fill, letter, words]) => key(`background:${fill ? `color-mix(in srgb, ${fill} ${100 * nodeFill}%, var(--card))` : 'transparent'};border:1px solid var(--soft);border-radius:50%;width:11px;height:11px`, `${letter} ${words}`)) : []));
  const onKey = (pressed) => {
    const { tagName } = pressed.target;
    if (tagName === 'INPUT' || tagName === 'SELECT' || (tagName === 'BUTTON' && pressed.key === ' ')) return;
    const acts = { ' ': toggle, ArrowRight: () => (pressed.shiftKey ? event(1) : step(1)), ArrowLeft: () => (pressed.shiftKey ? event(-1) : step(-1)),
      PageDown: () => chapter(1), PageUp: () => chapter(-1), Home: () => jump(0), End: () => jump(clock.end), Escape: () => clock.follow(-1) };
    if (!acts[pressed.key]) return;
    pressed.preventDefault();
    acts[pressed.key]();
  };
  place.addEventListener('keydown', onKey);
  above?.addEventListener('keydown', (pressed) => replay.touched.onKey(pressed));
  canvas.addEventListener('click', (hit) => {
    const box = canvas.getBoundingClientRect();
    clock.follow(scene.circuitAt(hit.clientX - box.x, hit.clientY - box.y, Math.floor(clock.edge)));
  });
  const frames = element('div', { class: 'frames', 'aria-hidden': 'true' });
  const alone = !above && !leader;
  if (above) {
    above.append(first, scrubber);
    below.append(legendLine, second);
  } else if (alone) place.append(first);
  place.append(stage, element('div', { class: 'timeline' }, scale, strip, ...(alone ? [scrubber] : [])), status, chain, frames);
  if (alone) place.append(legendLine, second);

  // --- Clock, theme, size, paper ---
  const replay = { scene, dim, view, draw, fit, firstFrame: 0, place, onKey, get chapters() { return chapters(); }, offerChapters, actions: { play, pause, toggle, event, chapter } };
  const race = leader || replay;
  race.touched ||= replay;
  race.members ||= [];
  race.members.push(replay);
  if (!alone) {
    const touch = () => {
      if (race.touched === replay) return;
      race.touched.place.classList.remove('touched');
      race.touched = replay;
      place.classList.add('touched');
      race.offerChapters(chapters());
    };
    place.addEventListener('pointerdown', touch);
    place.addEventListener('focusin', touch);
  }
  let said = 0;
  clock.listen((what) => {
    draw();
    // Words that change with every frame cannot be read.
    if (what === 'edge' && clock.playing && performance.now() - said < 250) return;
    said = performance.now();
    sayChain();
  });
  // Charts are drawn anew when the theme changes and fitted before and after printing; the replay is drawn with them.
  addChart({ draw: () => { colors = replayColors(); draw(); drawStrip(); }, instance: { resize: () => { fit(); draw(); drawStrip(); } }, place: stage, label: 'Replay' });
  addEventListener('beforeprint', () => {
    const [count, width, height, ratio] = [6, 640, 400, 2];
    scene.arrange(view, width, height);
    for (let i = 0; i < count; ++i) {
      // Equally many events lie between the frames: idle time needs no picture.
      const edge = model.events[Math.floor((model.events.length * (i + 0.5)) / count)] || 0;
      const picture = element('canvas', { width: width * ratio, height: height * ratio });
      const context = picture.getContext('2d');
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      scene.draw(context, edge, colors, clock.circuit);
      frames.append(element('figure', {}, picture, element('figcaption', {}, `cycle ${grouped(edge)}, ${us(edge)} us`)));
    }
  });
  addEventListener('afterprint', () => frames.replaceChildren());
  fit();
  draw();
  // The first edge at which a link is held: a probe that was just driven is still in its node.
  if (!leader && model.holds.length > 0) clock.seek(model.holds.reduce((first, one) => Math.min(first, one.from), Infinity));
  painted().then(() => {
    replay.firstFrame = performance.now();
    offerChapters(chapters());
    drawStrip();
    sayChain();
  });
  return replay;
}
