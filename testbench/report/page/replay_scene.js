// SPDX-License-Identifier: Apache-2.0
// The network at one edge, on a canvas: links, probes, nodes.

/** What a node does: colour, letter, words. Letters tell the states apart where colours do not. */
const nodeStates = {
  starting: ['#7a7a7a', '', 'not started'], waiting: ['', 'W', 'waits'], receiving: ['#56b4e9', 'R', 'receives'],
  sending: ['#0072b2', 'S', 'sends'], computing: ['#e69f00', 'C', 'computes'], barrier: ['#cc79a7', 'B', 'in a barrier'], finished: ['#7a7a7a', '', 'finished'],
};

/** How strong the colour of a state is in a node, over the colour of the card. */
const nodeFill = 0.42;

/** Places of the nodes of a subcube, in units of a link: three dimensions as a cube, the others beside and above it, such that no link passes through a node. */
function cubePlaces(bits, narrow) {
  const steps = narrow
    ? [[1, 0], [0, -1], [0.42, -0.36], [1.95, 0.36], [0.4, -2.15], [-0.6, -4.6]]
    : [[1, 0], [0, -1], [0.42, -0.36], [2.1, 0.4], [0.4, -2.15], [4.6, -0.75]];
  return Array.from({ length: 1 << bits }, (_, node) => steps.reduce(([x, y], [dx, dy], bit) => ((node >> bit) & 1 ? [x + dx, y + dy] : [x, y]), [0, 0]));
}
/** The same up to four dimensions as cubes within each other: the last dimension leads from the outer to the inner one.
 * With these slants and this size no node is near another, nor near a link of others. */
function nestedPlaces(bits) {
  const inner = 0.48;
  return Array.from({ length: 1 << bits }, (_, node) => {
    const bit = (i) => (node >> i) & 1;
    if (bits <= 2) return [bit(0), -bit(1)];
    const slant = bits === 3 ? 0 : bit(2) - 0.5;
    const scale = bit(bits - 1) ? inner : 1;
    return [(bit(0) - 0.5 + 0.6 * slant) * scale, (0.5 - bit(1) - 0.2 * slant) * scale];
  });
}

/** Draws the line of a path. */
function outline(context, style, width) {
  [context.strokeStyle, context.lineWidth] = [style, width];
  context.stroke();
}

/**
 * Draws a model at an edge. `view`: {dims: shown dimensions, base: the bits of hidden ones, nested, links: dimensions
 * whose links are shown}. After draw(), `drawn` says what is on the canvas.
 */
function replayScene(model) {
  const scene = { drawn: { held: [], data: [], blocked: [], closing: [], dark: [] }, view: null };
  let nodes = [];
  let links = [];
  let size = { width: 0, height: 0 };
  let radius = 9;
  let placeOf = new Map();
  let linkOf = new Map();
  let layer = null;
  const { fan, network, outputs, columns } = model;

  /** Geometry for a canvas of this size; nodes and links that are seen. */
  scene.arrange = (view, width, height) => {
    scene.view = view;
    size = { width, height };
    const bits = network ? 6 : view.dims.length;
    const units = network ? network.places : view.nested && bits <= 4 ? nestedPlaces(bits) : cubePlaces(bits, width < 560);
    const [xs, ys] = [units.map(([x]) => x), units.map(([, y]) => y)];
    const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    const margin = 34;
    const scale = Math.min((width - 2 * margin) / Math.max(0.5, right - left), (height - 2 * margin) / Math.max(0.5, bottom - top), view.nested ? 300 : 190);
    const [dx, dy] = [(width - scale * (right - left)) / 2 - scale * left, (height - scale * (bottom - top)) / 2 - scale * top];
    radius = Math.max(bits > 4 ? 6 : 11, Math.min(17, scale * (bits > 4 ? 0.14 : view.nested ? 0.065 : 0.11)));
    const labelOf = (i) => (network ? i : view.dims.reduce((node, bit, k) => ((i >> k) & 1 ? node | (1 << bit) : node), view.base));
    nodes = units.map(([x, y], i) => ({ label: labelOf(i), x: x * scale + dx, y: y * scale + dy }));
    placeOf = new Map(nodes.map((node) => [node.label, node]));
    links = [];
    const lanes = new Map();
    const ends = network ? network.links : nodes.flatMap(({ label }) => view.dims.map((bit) => [label, bit, label ^ (1 << bit)]));
    for (const [from, bit, end] of ends) {
      if (!view.links.includes(bit)) continue;
      const [node, to] = [placeOf.get(from), placeOf.get(end)];
      const length = Math.hypot(to.x - node.x, to.y - node.y) || 1;
      const [ux, uy] = [(to.x - node.x) / length, (to.y - node.y) / length];
      // The two directions of a cable lie side by side, each on the right of its way, and so do its channels.
      const lane = lanes.get(`${from} ${end}`) ?? 0;
      lanes.set(`${from} ${end}`, lane + 1);
      const side = Math.min(3.4, radius * 0.36) * (1 + lane);
      const gap = Math.min(radius + 1, length * 0.3);
      const at = (along) => [node.x + ux * along - uy * side, node.y + uy * along + ux * side];
      const place = node.label * outputs + bit;
      links.push({ place, holds: model.holdsOf(place), from: node.label, to: to.label, bit, a: at(gap), b: at(length - gap) });
    }
    linkOf = Map.groupBy(links, (link) => link.place);
    layer = null;
  };
  const between = ([x1, y1], [x2, y2], part) => [x1 + (x2 - x1) * part, y1 + (y2 - y1) * part];
  /** On planes a place has several links, one at a time: that of the circuit. */
  const linkAt = (place, circuit) => (linkOf.get(place) || []).find((link) => !network?.planes || link.to === columns.destination[circuit]);

  const stroke = (context, list, style, width, dash = []) => {
    if (list.length === 0) return;
    context.beginPath();
    for (const { a, b } of list) {
      context.moveTo(a[0], a[1]);
      context.lineTo(b[0], b[1]);
    }
    context.setLineDash(dash);
    outline(context, style, width);
    context.setLineDash([]);
  };
  const dot = (context, [x, y], r, style) => {
    context.beginPath();
    context.arc(x, y, r, 0, 2 * Math.PI);
    context.fillStyle = style;
    context.fill();
  };
  const arrow = (context, from, to, style) => {
    const middle = between(from, to, 0.5);
    const length = Math.hypot(to[0] - from[0], to[1] - from[1]) || 1;
    const bow = Math.min(22, length * 0.35);
    const control = [middle[0] + ((to[1] - from[1]) / length) * bow, middle[1] - ((to[0] - from[0]) / length) * bow];
    context.beginPath();
    context.moveTo(...from);
    context.quadraticCurveTo(...control, ...to);
    outline(context, style, 1.8);
    const angle = Math.atan2(to[1] - control[1], to[0] - control[0]);
    context.beginPath();
    context.moveTo(...to);
    for (const turn of [0.45, -0.45]) context.lineTo(to[0] - 9 * Math.cos(angle + turn), to[1] - 9 * Math.sin(angle + turn));
    context.closePath();
    context.fillStyle = style;
    context.fill();
  };

  /** Draws the state at floor(edge); probes creep with its fraction. `colors` as the theme has them. */
  scene.draw = (context, exact, colors, followed) => {
    const edge = Math.floor(exact);
    const { width, height } = size;
    context.clearRect(0, 0, width, height);
    stroke(context, links, colors.idle, 1.2);
    const [held, data, closing, dark, blocked, heads, mine, hers] = [[], [], [], [], [], [], [], []];
    const chain = followed >= 0 ? new Set(model.chainAt(followed, edge).map((one) => one.holder)) : new Set();
    for (const link of links) {
      const hold = model.holdIn(link.holds, edge);
      if (!hold) {
        const tuning = model.tuningAt(link.place, edge);
        if (tuning?.mask === (link.from ^ link.to)) (edge < tuning.from ? closing : dark).push(link);
        continue;
      }
      const { circuit } = hold;
      if (network?.planes && link.to !== columns.destination[circuit]) continue;
      (edge >= hold.data ? data : held).push(link);
      if (circuit === followed) mine.push(link);
      else if (chain.has(circuit)) hers.push(link);
      const onward = columns.grants[circuit][hold.hop + 1];
      if (onward === undefined || edge < onward) {
        const part = Math.min(1, (exact - hold.from) / (1 + model.route));
        heads.push({ at: between(link.a, link.b, part), circuit });
      }
    }
    const width2 = radius > 9 ? 3.4 : 2.6;
    stroke(context, mine, colors.follow, width2 + 6);
    stroke(context, hers, colors.holder, width2 + 6);
    stroke(context, closing, colors.tuned, 1.4, [2, 4]);
    stroke(context, dark, colors.tuned, width2, [5, 3]);
    stroke(context, held, colors.held, width2);
    stroke(context, data, colors.data, width2);
    // Blocked probes, each with an arrow to the output that it waits for and the name of the circuit that has it.
    for (const wait of model.waitsNow(edge)) {
      const { circuit, place } = wait;
      const node = placeOf.get(model.router(place));
      if (!node) continue;
      const hold = model.holdAt(place, edge);
      const before = wait.hop > 0 ? linkAt(model.path(circuit)[wait.hop - 1], circuit) : undefined;
      blocked.push({ circuit, place, hold, holder: hold ? hold.circuit : -1, at: before ? before.b : [node.x, node.y - radius], link: linkAt(place, circuit), node });
    }
    stroke(context, blocked.flatMap(({ link }) => link || []), colors.bad, 1.6, [3, 4]);
    scene.nodes(context, edge, colors);
    const few = blocked.length <= 12;
    const names = [];
    const named = new Set();
    for (const head of heads) dot(context, head.at, radius > 9 ? 4.2 : 3.2, head.circuit === followed ? colors.follow : colors.probe);
    for (const head of blocked) {
      dot(context, head.at, radius > 9 ? 5 : 3.8, colors.bad);
      const to = head.link ? between(head.link.a, head.link.b, 0.5) : [head.node.x, head.node.y];
      if (head.link) arrow(context, head.at, to, colors.bad);
      else {
        context.beginPath();
        context.arc(to[0], to[1], radius + 3, 0, 2 * Math.PI);
        outline(context, colors.bad, 2);
      }
      if (!head.hold || named.has(head.place) || !(few || head.circuit === followed)) continue;
      named.add(head.place);
      const text = `${columns.source[head.holder]}→${columns.destination[head.holder]}`;
      context.font = '11px system-ui, sans-serif';
      context.textAlign = 'center';
      context.textBaseline = 'middle';
      // Beside the arrow's head or the node, where no other name is.
      const wide = context.measureText(text)?.width || 0;
      const spots = (head.link ? [[0, -11], [0, 13], [wide / 2 + 10, 0], [-wide / 2 - 10, 0], [0, -25], [0, 27]] : [[0, radius + 12], [0, -radius - 12], [wide / 2 + radius + 8, 0], [-wide / 2 - radius - 8, 0], [0, radius + 26]]).map(([dx, dy]) => [to[0] + dx, to[1] + dy]);
      const [x, y] = spots.find(([sx, sy]) => names.every(([nx, ny, nw]) => Math.abs(sx - nx) > (wide + nw) / 2 + 2 || Math.abs(sy - ny) > 13)) || spots[0];
      names.push([x, y, wide]);
      context.lineWidth = 4;
      context.strokeStyle = colors.card;
      context.strokeText(text, x, y);
      context.fillStyle = colors.bad;
      context.fillText(text, x, y);
    }
    const places = (list) => list.map((link) => link.place);
    scene.drawn = { held: places(held), data: places(data), blocked, closing: places(closing), dark: places(dark) };
  };

  const { programs } = model.run;
  /** The state of a node's program at an edge, or undefined where programs.csv is not there. */
  scene.programAt = (node, edge) => {
    if (!programs) return undefined;
    const of = programs.nodes[node];
    const i = placeAfter(of.from, edge) - 1;
    return i < 0 ? { state: 'starting', phase: 0, step: 0 } : { state: programs.states[of.state[i]], phase: of.phase[i], step: of.step[i], exposed: of.exposed?.[i] };
  };
  const drawNode = (context, node, colors) => {
    const [fill, letter] = node.state ? nodeStates[node.state] : ['', ''];
    dot(context, [node.x, node.y], radius, colors.card);
    if (fill) {
      context.globalAlpha = node.state === 'starting' || node.state === 'finished' ? 0.25 : nodeFill;
      context.fillStyle = fill;
      context.fill();
      context.globalAlpha = 1;
    }
    outline(context, node.exposed ? colors.tuned : fill || colors.soft, node.exposed ? 3 : 1.5);
    context.fillStyle = colors.ink;
    const small = radius < 11;
    context.font = `${small ? Math.max(7, Math.round(radius)) : 11}px system-ui, sans-serif`;
    context.fillText(String(node.label), node.x, small || !letter ? node.y : node.y - 4);
    if (small || !letter) return;
    context.font = 'bold 9px system-ui, sans-serif';
    context.fillText(letter, node.x, node.y + 6);
  };
  /** The nodes, from a layer of their own in which only those are drawn again whose state has changed. */
  scene.nodes = (context, edge, colors) => {
    const ratio = context.canvas?.width > 0 ? context.canvas.width / size.width : 1;
    if (!layer || layer.colors !== colors || layer.ratio !== ratio) {
      layer = { colors, ratio, canvas: element('canvas', { width: Math.round(size.width * ratio), height: Math.round(size.height * ratio) }) };
      layer.context = layer.canvas.getContext('2d');
      layer.context.setTransform(ratio, 0, 0, ratio, 0, 0);
      layer.context.textAlign = 'center';
      layer.context.textBaseline = 'middle';
      for (const node of nodes) node.state = null;
    }
    const reach = radius + 2;
    for (const node of nodes) {
      const { state = '', exposed = false } = scene.programAt(node.label, edge) ?? {};
      if (state === node.state && exposed === node.exposed) continue;
      [node.state, node.exposed] = [state, exposed];
      layer.context.clearRect(node.x - reach, node.y - reach, 2 * reach, 2 * reach);
      drawNode(layer.context, node, colors);
    }
    context.drawImage(layer.canvas, 0, 0, size.width, size.height);
  };

  /** The circuit at a point of the canvas: the one that has the nearest link, or waits or sends at the node there. */
  scene.circuitAt = (x, y, edge) => {
    const node = nodes.find((one) => Math.hypot(one.x - x, one.y - y) <= radius + 2);
    if (node) {
      const places = Array.from({ length: outputs }, (_, output) => node.label * outputs + output);
      const [wait] = places.flatMap((place) => model.waitsAt(place, edge));
      const sent = places.slice(0, fan).map((place) => model.holdAt(place, edge)).find((hold) => hold && columns.source[hold.circuit] === node.label);
      if (wait || sent) return (wait || sent).circuit;
    }
    let best = { far: 9 };
    for (const { a, b, holds } of links) {
      const hold = model.holdIn(holds, edge);
      if (!hold) continue;
      const length = (b[0] - a[0]) ** 2 + (b[1] - a[1]) ** 2 || 1;
      const part = Math.max(0, Math.min(1, ((x - a[0]) * (b[0] - a[0]) + (y - a[1]) * (b[1] - a[1])) / length));
      const far = Math.hypot(x - a[0] - part * (b[0] - a[0]), y - a[1] - part * (b[1] - a[1]));
      if (far < best.far) best = { far, circuit: hold.circuit };
    }
    return best.circuit ?? -1;
  };
  /** A point of a link, in pixels of the page. */
  scene.linkPoint = (place, part) => {
    const [link] = linkOf.get(place) || [];
    return link && between(link.a, link.b, part);
  };
  scene.shownLinks = () => links.map((one) => one.place);
  scene.shownNodes = () => nodes.map(({ label, x, y }) => ({ label, x, y, radius }));
  return scene;
}
