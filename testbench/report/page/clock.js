// SPDX-License-Identifier: Apache-2.0
// The one clock of a page: an edge, and the circuit that is followed. Replay, charts and chains listen to it.
'use strict';

/** With a `leader` the clock has a circuit of its own and the leader's edge. */
function pageClock(end, leader = null) {
  const listeners = [];
  const clock = { edge: leader ? leader.edge : 0, end, circuit: -1, playing: false };
  const tell = (what) => listeners.forEach((listener) => listener(what));
  /** Called with 'edge' or 'circuit' after a change. */
  clock.listen = (listener) => listeners.push(listener);
  clock.seek = (edge) => {
    if (leader) {
      leader.seek(edge);
      return;
    }
    const to = Math.min(Math.max(0, edge), end);
    if (to === clock.edge) return;
    clock.edge = to;
    tell('edge');
  };
  /** Follows a circuit; `edge`, when given, is where the clock goes. -1 follows none. */
  clock.follow = (circuit, edge) => {
    clock.circuit = circuit;
    if (edge !== undefined) clock.seek(edge);
    tell('circuit');
  };
  /** Stops where the clock is, at a whole edge, and says so to all listeners. */
  clock.stop = () => {
    clock.playing = false;
    clock.edge = Math.floor(clock.edge);
    tell('edge');
  };
  leader?.listen((what) => {
    if (what !== 'edge') return;
    clock.playing = leader.playing;
    clock.edge = leader.edge;
    tell('edge');
  });
  return clock;
}

/** Listens to a clock for a part of the page, which while the clock runs is drawn only as long as it is on the screen. */
function listenWhileSeen(clock, place, listener) {
  let seen = true;
  new IntersectionObserver((entries) => { seen = entries[entries.length - 1].isIntersecting; }).observe(place);
  clock.listen((what) => {
    if (seen || !clock.playing || what !== 'edge') listener(what);
  });
}
