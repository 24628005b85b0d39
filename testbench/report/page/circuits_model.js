// SPDX-License-Identifier: Apache-2.0
// Who holds and who waits for which output of a router at each edge, from the circuits of a run (hw/README.md, 2 and 3).
'use strict';

/** The first place in an ascending list whose value is greater than `value`. */
function placeAfter(list, value) {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * The edges at which a worm's words have the outputs on its way (hw/README.md, 10.4 and 10.5): for each output the edge
 * of its first word behind the probe, and the edge from which the output can be granted again.
 */
function wormEdges({ accept_cycles: accept, phit_bytes: phit, phit_cycles: pace, buffer_phits: buffer }, probe, grants, bytes, ready) {
  const words = Math.max(1, Math.ceil(bytes / phit));
  const stages = [probe, ...grants, grants[grants.length - 1] + accept];
  const last = stages.length - 1;
  const leaves = (stage) => {
    let latest = 0;
    for (let q = 0; stage + q <= last && q * buffer <= words; ++q) latest = Math.max(latest, stages[stage + q] + q + pace * (words - q * buffer));
    return latest;
  };
  // The receiver is ready an edge after the tail was taken. Where that is later than the words need, the probe itself
  // was taken later, because it waited for a receive engine: at the edge from which the words left then take so long.
  if (Math.max(stages[last], leaves(last - 1) + 1) < ready - 1) stages[last] = words >= buffer ? ready - 3 - pace * (words - buffer) : ready - 1;
  return grants.map((grant, hop) => ({
    data: buffer === 1 ? Math.max(grant + pace, stages[hop + 2] + 1) : grant + pace,
    until: Math.max(leaves(hop + 1) + pace, (hop + 2 < last ? leaves(hop + 2) : ready - 1) + 1),
  }));
}

/**
 * Holds and waits by output. An output is a number: router * outputs + dimension of a link, or + dim + eject port.
 * A circuit holds an output from its grant to the edge at which the output can be granted again.
 */
function circuitModel(run) {
  const { columns } = run.circuits;
  const { dim, nodes, ports } = run.summary.machine;
  const outputs = dim + (ports === 'one' ? 1 : Math.max(1, dim));
  const count = columns.source.length;
  const route = run.timing.route_cycles;
  const model = { run, columns, dim, nodes, outputs, count, route, holds: new Map(), waits: [], waitsOn: new Map(), waitsOf: new Map(), cycles: run.summary.measured.cycles };

  /** Outputs on a circuit's way, the eject port last. */
  model.path = (circuit) => {
    const [source, destination] = [columns.source[circuit], columns.destination[circuit]];
    const places = [];
    let at = source;
    let last = 0;
    for (let bit = 0; bit < dim; ++bit) {
      if (!(((source ^ destination) >> bit) & 1)) continue;
      places.push(at * outputs + bit);
      at ^= 1 << bit;
      last = bit;
    }
    places.push(at * outputs + dim + (ports === 'one' ? 0 : last));
    return places;
  };
  model.isLink = (place) => place % outputs < dim;
  model.router = (place) => Math.floor(place / outputs);
  model.outputName = (place) => (model.isLink(place) ? `link ${model.router(place)}:${place % outputs}` : `eject port ${model.router(place)}:${(place % outputs) - dim}`);

  // Messages of a node are counted by the edge of their probe, then by inject port, which is the lowest dimension.
  const lowest = (circuit) => {
    const bits = columns.source[circuit] ^ columns.destination[circuit];
    return bits & -bits;
  };
  model.number = new Int32Array(count);
  const sent = new Map();
  [...columns.source.keys()].sort((a, b) => columns.probe[a] - columns.probe[b] || lowest(a) - lowest(b)).forEach((circuit) => {
    const next = (sent.get(columns.source[circuit]) || 0) + 1;
    sent.set(columns.source[circuit], next);
    model.number[circuit] = next;
  });
  model.name = (circuit) => `${columns.source[circuit]}->${columns.destination[circuit]} #${model.number[circuit]}`;

  // --- Holds and waits ---
  const edges = [];
  for (let circuit = 0; circuit < count; ++circuit) {
    const grants = columns.grants[circuit];
    edges.push(columns.probe[circuit], columns.first_data[circuit]);
    const worm = run.timing.worms ? wormEdges(run.timing, columns.probe[circuit], grants, columns.bytes[circuit], columns.receiver_ready[circuit]) : null;
    model.path(circuit).forEach((place, hop) => {
      const from = grants[hop];
      if (from === undefined) return;
      if (!model.holds.has(place)) model.holds.set(place, []);
      // The tail passes router k at Tt + 1 + k; the output can be granted from the edge after (2.6).
      const hold = { circuit, hop, place, from, until: columns.tail[circuit] + 2 + hop, data: columns.first_data[circuit] + 1 + hop, ...(worm ? worm[hop] : {}) };
      model.holds.get(place).push(hold);
      edges.push(from, hold.until);
      // The first request is 1 + route delay after the probe was driven (2.2).
      const asked = (hop === 0 ? columns.probe[circuit] : grants[hop - 1]) + 1 + route;
      if (from <= asked) return;
      const wait = { circuit, place, hop, from: asked, until: from };
      model.waits.push(wait);
      edges.push(asked);
      if (!model.waitsOf.has(circuit)) model.waitsOf.set(circuit, []);
      model.waitsOf.get(circuit).push(wait);
      if (!model.waitsOn.has(place)) model.waitsOn.set(place, []);
      model.waitsOn.get(place).push(wait);
    });
  }
  for (const list of model.holds.values()) {
    list.sort((a, b) => a.from - b.from);
    list.starts = Float64Array.from(list, (one) => one.from);
  }
  for (const list of model.waitsOn.values()) {
    list.sort((a, b) => a.from - b.from);
    list.starts = Float64Array.from(list, (one) => one.from);
    // [i]: the latest end among the first i + 1 waits, so that a search backwards knows when to stop.
    list.ends = new Float64Array(list.length);
    list.forEach((one, i) => { list.ends[i] = Math.max(one.until, i > 0 ? list.ends[i - 1] : 0); });
  }
  /** Edges at which something happens, ascending, each once. */
  model.events = Float64Array.from(new Set(edges)).sort();

  /** The hold of an output at an edge, or undefined. */
  model.holdAt = (place, edge) => {
    const list = model.holds.get(place);
    if (!list) return undefined;
    const one = list[placeAfter(list.starts, edge) - 1];
    return one && edge < one.until ? one : undefined;
  };
  /** The waits for an output at an edge. */
  model.waitsAt = (place, edge) => {
    const list = model.waitsOn.get(place);
    const found = [];
    if (!list) return found;
    for (let i = placeAfter(list.starts, edge) - 1; i >= 0 && list.ends[i] > edge; --i) {
      if (list[i].until > edge) found.push(list[i]);
    }
    return found.reverse();
  };
  /** The wait of a circuit at an edge, or undefined. */
  model.waitAt = (circuit, edge) => (model.waitsOf.get(circuit) || []).find((one) => one.from <= edge && edge < one.until);

  // --- Chains, as on the terminal (testbench/trace/README.md, Chains) ---
  const overlap = (a, b) => Math.min(a.until, b.until) - Math.max(a.from, b.from);
  /** Circuits that had the output during a wait, in order. */
  model.holders = (wait) => {
    const list = model.holds.get(wait.place) || [];
    const found = [];
    for (let i = placeAfter(list.starts || [], wait.until - 1) - 1; i >= 0 && list[i].until > wait.from; --i) found.unshift(list[i]);
    return found;
  };
  const chains = new Map();
  /** [{place, circuit, from, until}]: who had the output for most of the wait, what that circuit waited for, and so on. */
  model.chain = (wait) => {
    if (chains.has(wait)) return chains.get(wait);
    const most = (list, than) => list.reduce((best, one) => (overlap(one, than) > Math.max(0, best ? overlap(best, than) : 0) ? one : best), undefined);
    const worst = most(model.holders(wait), wait);
    const chain = [];
    chains.set(wait, chain);
    if (worst) {
      const had = { place: wait.place, circuit: worst.circuit, from: Math.max(worst.from, wait.from), until: Math.min(worst.until, wait.until) };
      chain.push(had);
      const cause = most((model.waitsOf.get(worst.circuit) || []), had);
      if (cause) chain.push(...model.chain(cause));
    }
    return chain;
  };
  const cyclesText = (cycles) => `${grouped(cycles)} cycle${cycles === 1 ? '' : 's'}`;
  /** A wait and its chain as lines, in the words of --contention. */
  model.waitLines = (wait) => {
    const chain = model.chain(wait);
    const holders = model.holders(wait).length;
    const lines = [`${model.name(wait.circuit)} waited ${cyclesText(wait.until - wait.from)} from ${grouped(wait.from)} for ${model.outputName(wait.place)}${holders > 1 ? `; ${holders} circuits had it in turn` : ''}`];
    chain.forEach((one, i) => {
      const next = chain[i + 1];
      lines.push(`held by ${model.name(one.circuit)} for ${cyclesText(one.until - one.from)}, which ${next ? `waited for ${model.outputName(next.place)}` : 'did not wait'}`);
    });
    if (chain.length === 0) lines.push('held by a circuit that is not on this page');
    return lines;
  };
  /** Who waits for whom at an edge, from a circuit on: [{circuit, place, holder}]; the last one's holder does not wait. */
  model.chainAt = (circuit, edge) => {
    const links = [];
    const seen = new Set();
    for (let at = circuit; at !== undefined && !seen.has(at);) {
      seen.add(at);
      const wait = model.waitAt(at, edge);
      if (!wait) break;
      const hold = model.holdAt(wait.place, edge);
      links.push({ circuit: at, place: wait.place, holder: hold?.circuit });
      at = hold?.circuit;
    }
    return links;
  };
  return model;
}
