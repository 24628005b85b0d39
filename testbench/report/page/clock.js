// SPDX-License-Identifier: Apache-2.0
// The one clock of a page: an edge, and the circuit that is followed. Replay, charts and chains listen to it.
'use strict';

/** A clock with a `leader` is the leader, with a circuit and listeners of its own. */
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
