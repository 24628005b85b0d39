// SPDX-License-Identifier: Apache-2.0
// Who holds and who waits for which output of a router at each edge, from the circuits of a run (hw/README.md, 2 and 3).

/** The first place of an ascending list whose value, as `of` has it, is greater than `value`. */
function placeAfter(list, value, of = (one) => one) {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (of(list[middle]) > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** A function that works out its result when it is first asked for it. */
function once(make) {
  let made;
  return () => (made ??= make());
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
 * Holds and waits by output. An output is a number: router * outputs + output of a link, or + links + eject port. Off
 * cubes the page has the way of each circuit, as numbers router * links + output (run.network.paths).
 * A circuit holds an output from its grant to the edge at which the output can be granted again.
 */
function circuitModel(run) {
  const { columns } = run.circuits;
  const { nodes, ports } = run.summary.machine;
  const { network } = run;
  const dim = network ? 0 : run.summary.machine.dim;
  /** Outputs of a router that are links. */
  const fan = network ? network.outputs.length : dim;
  const outputs = fan + (ports === 'one' ? 1 : Math.max(1, fan));
  const count = columns.source.length;
  const route = run.timing.route_cycles;
  const model = { run, columns, network, dim, fan, nodes, outputs, count, route, holds: [], waits: [], cycles: run.summary.measured.cycles };

  /** Links on a circuit's way, as [router, output]. */
  const linksOf = (circuit) => {
    if (network) return network.paths[circuit].map((link) => [Math.floor(link / fan), link % fan]);
    const [source, destination] = [columns.source[circuit], columns.destination[circuit]];
    const below = (bit) => (1 << bit) - 1;
    const bits = Array.from({ length: dim }, (_, bit) => bit).filter((bit) => ((source ^ destination) >> bit) & 1);
    return bits.map((bit) => [(source & ~below(bit)) | (destination & below(bit)), bit]);
  };
  /** Outputs on a circuit's way, the eject port last. */
  model.path = (circuit) => {
    const links = linksOf(circuit);
    const port = ports === 'one' || links.length === 0 ? 0 : links[links.length - 1][1];
    return [...links.map(([router, output]) => router * outputs + output), columns.destination[circuit] * outputs + fan + port];
  };
  model.isLink = (place) => place % outputs < fan;
  model.router = (place) => Math.floor(place / outputs);
  model.outputName = (place) => (model.isLink(place) ? `link ${model.router(place)}:${place % outputs}` : `eject port ${model.router(place)}:${(place % outputs) - fan}`);

  // Messages of a node are counted by the edge of their probe, then by inject port, which is the lowest dimension, or the first output.
  const lowest = (circuit) => linksOf(circuit)[0]?.[1] ?? -1;
  const numbers = once(() => {
    const number = new Int32Array(count);
    const inOrder = [...columns.source.keys()].sort((a, b) => columns.probe[a] - columns.probe[b] || lowest(a) - lowest(b));
    for (const sent of Map.groupBy(inOrder, (circuit) => columns.source[circuit]).values()) sent.forEach((circuit, i) => { number[circuit] = i + 1; });
    return number;
  });
  model.name = (circuit) => `${columns.source[circuit]}->${columns.destination[circuit]} #${numbers()[circuit]}`;

  // --- Holds and waits ---
  for (let circuit = 0; circuit < count; ++circuit) {
    const grants = columns.grants[circuit];
    const probe = columns.probe[circuit];
    const path = model.path(circuit);
    const worm = run.timing.worms ? wormEdges(run.timing, probe, grants, columns.bytes[circuit], columns.receiver_ready[circuit]) : null;
    for (let hop = 0; hop < Math.min(grants.length, columns.hops[circuit] + 1); ++hop) {
      const [place, from] = [path[hop], grants[hop]];
      // The tail passes router k at Tt + 1 + k; the output can be granted from the edge after (2.6).
      const { data, until } = worm ? worm[hop] : { data: columns.first_data[circuit] + 1 + hop, until: columns.tail[circuit] + 2 + hop };
      model.holds.push({ circuit, hop, place, from, data, until });
      // The first request is 1 + route delay after the probe was driven (2.2).
      const asked = (hop === 0 ? probe : grants[hop - 1]) + 1 + route;
      if (from > asked) model.waits.push({ circuit, place, hop, from: asked, until: from });
    }
  }
  const holdsOn = Map.groupBy(model.holds, (one) => one.place);
  model.waitsOn = Map.groupBy(model.waits, (one) => one.place);
  model.waitsOf = Map.groupBy(model.waits, (one) => one.circuit);
  for (const list of [...holdsOn.values(), ...model.waitsOn.values()]) list.sort((a, b) => a.from - b.from);
  /** Outputs that anybody has at any time. */
  model.places = () => [...holdsOn.keys()];
  const nothing = [];
  /** All holds of an output, in order. */
  model.holdsOf = (place) => holdsOn.get(place) || nothing;
  const lastsAt = (edge) => (one) => one.from <= edge && edge < one.until;
  /** By place, when a link of a plane was dark, and since when it had been closing: {place, asked, from, until, mask}. */
  model.dark = Map.groupBy((run.dark || []).map(([node, plane, mask, from, until, asked]) => ({ place: node * outputs + plane, asked, from, until: until ?? model.cycles, mask })), (one) => one.place);
  model.tuningAt = (place, edge) => (model.dark.get(place) || nothing).find((one) => one.asked <= edge && edge < one.until);

  const events = once(() => {
    const dark = [...model.dark.values()].flat();
    const edges = [...columns.probe, ...columns.first_data, ...[...model.holds, ...dark].flatMap((one) => [one.from, one.until]), ...dark.map((one) => one.asked), ...model.waits.map((one) => one.from)];
    return Float64Array.from(new Set(edges)).sort();
  });
  /** Edges at which something happens, ascending, each once. */
  Object.defineProperty(model, 'events', { get: events });

  /** Of all holds of an output that at an edge, or undefined. */
  model.holdIn = (holds, edge) => {
    const hold = holds[placeAfter(holds, edge, (one) => one.from) - 1];
    return hold && edge < hold.until ? hold : undefined;
  };
  model.holdAt = (place, edge) => model.holdIn(model.holdsOf(place), edge);
  /** All waits at an edge, by output. */
  model.waitsNow = (edge) => model.waits.filter(lastsAt(edge)).sort((a, b) => a.place - b.place || a.from - b.from);
  /** The waits for an output at an edge. */
  model.waitsAt = (place, edge) => (model.waitsOn.get(place) || nothing).filter(lastsAt(edge));
  /** The wait of a circuit at an edge, or undefined. */
  model.waitAt = (circuit, edge) => (model.waitsOf.get(circuit) || nothing).find(lastsAt(edge));

  // --- Chains, as on the terminal (testbench/trace/README.md, Chains) ---
  const overlap = (a, b) => Math.min(a.until, b.until) - Math.max(a.from, b.from);
  /** Circuits that had the output during a wait, in order. */
  model.holders = (wait) => model.holdsOf(wait.place).filter((one) => overlap(one, wait) > 0);
  const chains = new Map();
  /** [{place, circuit, from, until}]: who had the output for most of the wait, what that circuit waited for, and so on. */
  model.chain = (wait) => {
    if (chains.has(wait)) return chains.get(wait);
    const most = (list, than) => list.reduce((best, one) => (overlap(one, than) > Math.max(0, best ? overlap(best, than) : 0) ? one : best), undefined);
    const worst = most(model.holders(wait), wait);
    const chain = [];
    chains.set(wait, chain);  // at once: worms in deep buffers can wait for each other, and go on
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
    const [chain, holders] = [model.chain(wait), model.holders(wait).length];
    return [
      `${model.name(wait.circuit)} waited ${cyclesText(wait.until - wait.from)} from ${grouped(wait.from)} for ${model.outputName(wait.place)}${holders > 1 ? `; ${holders} circuits had it in turn` : ''}`,
      ...chain.map((one, i) => `held by ${model.name(one.circuit)} for ${cyclesText(one.until - one.from)}, which ${chain[i + 1] ? `waited for ${model.outputName(chain[i + 1].place)}` : 'did not wait'}`),
      ...(chain.length === 0 ? ['held by a circuit that is not on this page'] : []),
    ];
  };
  /** Who waits for whom at an edge, from a circuit on: [{circuit, place, holder}]; the last one's holder does not wait. */
  model.chainAt = (circuit, edge, seen = new Set()) => {
    const wait = seen.has(circuit) ? undefined : model.waitAt(circuit, edge);
    if (!wait) return [];
    const holder = model.holdAt(wait.place, edge)?.circuit;
    return [{ circuit, place: wait.place, holder }, ...model.chainAt(holder, edge, seen.add(circuit))];
  };
  return model;
}
