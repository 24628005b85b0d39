// SPDX-License-Identifier: Apache-2.0
// The one clock of a page: an edge, and the circuit that is followed. Replay, charts and chains listen to it.
'use strict';

function pageClock(end) {
  const listeners = [];
  const clock = { edge: 0, end, circuit: -1, playing: false };
  const tell = (what) => listeners.forEach((listener) => listener(what));
  /** Called with 'edge' or 'circuit' after a change. */
  clock.listen = (listener) => listeners.push(listener);
  clock.seek = (edge) => {
    const to = Math.min(Math.max(0, edge), end);
    if (to === clock.edge) return;
    clock.edge = to;
    tell('edge');
  };
  /** Follows a circuit; `edge`, when given, is where the clock goes. -1 follows none. */
  clock.follow = (circuit, edge) => {
    clock.circuit = circuit;
    if (edge !== undefined) clock.edge = Math.min(Math.max(0, edge), end);
    tell('circuit');
  };
  return clock;
}
