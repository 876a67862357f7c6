// The boxes of a picture: one node, a dot or a sign, a fold, the frame around an open fold.
// Each has a `group` of the page and `update(k, event, selected)`, which brings it to event k.

import { put, svg, write } from "../kit/dom.js";
import { brief, count, finite, number, precise, shapeText, sizeText, tensorText } from "../kit/format.js";
import { fit, fitPath, fits, measure } from "../kit/text.js";
import { BOOKMARK, outline, TRIANGLE } from "./shapes.js";
import { isLeaf } from "./tape.js";

/** @import { Tensor } from "../kit/types.d.ts" */
/** @import { Anchor, Box as BoxData, FoldBoxData, FrameBoxData, NodeBoxData, NodeState } from "./types.d.ts" */
/** @import { Point, Rectangle, SmallBoxData, TraceEvent } from "./types.d.ts" */
/** @import { Picture } from "./picture.js" */

const LONG_LABEL = 8;                            // letters; a longer label stands in place of "AccumulateGrad"
const TAB_ROOM = 100;                            // pixels for the words of a bookmark

/**
 * @param {number} x
 * @param {number} y
 * @param {string} style
 * @param {Anchor} anchor
 */
export function text(x, y, style, content = "", anchor = "start") {
  return svg("text", { x, y, class: style, "text-anchor": anchor }, content);
}

/** What all boxes have: a place, two rings around it, a title, and marks. */
class Box {
  /**
   * @param {Picture} picture
   * @param {BoxData} data
   * @param {Rectangle} place
   * @param {string} style
   * @param {number} radius of its corners
   */
  constructor(picture, data, [x, y, width, height, split], style, radius) {
    this.picture = picture;
    this.data = data;
    this.x = x;
    this.y = y;
    this.width = width;
    this.height = height;
    this.split = split;
    this.title = svg("title");
    /** @param {string} name @param {number} by @param {number} rx */
    const ring = (name, by, rx) =>
      svg("rect", { class: name, x: -by, y: -by, width: width + 2 * by, height: height + 2 * by, rx });
    this.group = svg("g",
      { class: `ac-node ${style}`, transform: `translate(${x} ${y})`, role: "button", tabindex: "-1" },
      this.title, ring("ac-ring", 5, radius + 4), ring("ac-focus", 4, radius + 3));
  }

  /**
   * @param {string} name
   * @param {boolean} on
   */
  toggle(name, on) { this.group.classList.toggle(name, on); }

  /**
   * Set the marks that every box can have.
   * @param {TraceEvent | null} event
   * @param {number | null} selected
   * @param {boolean} here
   */
  mark(event, selected, here) {
    this.toggle("ac-current", event !== null && this.data.nodes.includes(event.node));
    this.toggle("ac-selected", selected !== null && this.data.nodes.includes(selected));
    this.toggle("ac-ghost", !here);
  }

  /** Where its value stands in the picture. @returns {Point} */
  get valuePlace() { return [this.x + (this.split || this.width) / 2, this.y + this.height * 0.7]; }

  /** Where its gradient stands in the picture. @returns {Point} */
  get gradientPlace() { return [this.x + (this.split + this.width) / 2, this.y + this.height * 0.7]; }

  /**
   * What a screen reader says, and what stands in the title, which may have more digits.
   * @param {string} label
   */
  describe(label, whole = label) {
    put(this.group, "aria-label", label);
    write(this.title, whole);
  }

  /**
   * @param {number} _k
   * @param {TraceEvent | null} _event
   * @param {number | null} _selected
   */
  update(_k, _event, _selected) {}
}

// ---- one node --------------------------------------------------------------------------------------------------

/** A box of one node. */
class SingleBox extends Box {
  /**
   * @param {Picture} picture
   * @param {NodeBoxData | SmallBoxData} data
   * @param {Rectangle} place
   * @param {string} style
   * @param {number} radius
   */
  constructor(picture, data, place, style, radius) {
    super(picture, data, place, style, radius);
    this.index = data.nodes[0];
    this.node = picture.structure.nodes[this.index];
    this.group.dataset.node = String(this.index);
  }

  /** @param {number} k */
  state(k) { return this.picture.view.tape.node(this.index, k); }

  get shapeOrNothing() { return this.node.shape ? sizeText(this.node.shape) : "not recorded"; }
}

class ConstantBox extends SingleBox {
  /**
   * @param {Picture} picture
   * @param {NodeBoxData} data
   * @param {Rectangle} place
   */
  constructor(picture, data, place) {
    super(picture, data, place, "ac-constant", 8);
    const { width, height, node } = this;
    this.name = text(width / 2, node.label ? 15 : 22, "ac-constant-name", "", "middle");
    this.value = text(width / 2, 29, "ac-constant-value", "", "middle");
    this.group.append(svg("rect", { class: "ac-box", width, height, rx: 6 }), this.name, this.value);
  }

  /**
   * @param {number} k
   * @param {TraceEvent | null} event
   * @param {number | null} selected
   */
  update(k, event, selected) {
    const { node } = this, state = this.state(k), shape = node.shape ?? [];
    this.mark(event, selected, state.here);
    const value = state.value ? tensorText(state.value) : sizeText(shape);
    const detail = state.value && count(state.value) <= 3 ? value : `${shapeText(shape)} · no grad`;
    write(this.name, fit(node.label || value, this.width - 10, "bold 13px"));
    const room = this.width - 8, shown = fits(detail, room, "11.5px") ? detail : detail.split(" · ")[0];
    write(this.value, node.label ? fit(shown, room, "11.5px") : "");
    this.describe(`${node.label || "constant"} ${detail}, no gradient`, `${node.label} = ${precise(state.value)}`);
  }
}

/** An operation or a leaf: name and value at the left, the compartment of its gradient at the right. */
class NodeBox extends SingleBox {
  /**
   * @param {Picture} picture
   * @param {NodeBoxData} data
   * @param {Rectangle} place
   */
  constructor(picture, data, place) {
    const node = picture.structure.nodes[data.nodes[0]], leaf = isLeaf(node), radius = leaf ? place[3] / 2 : 8;
    super(picture, data, place, `ac-${node.kind}${node.frozen ? " ac-at-rest" : ""}`, radius);
    const { width, height, split } = this, middle = height / 2, shape = outline(width, height, split, radius);
    this.leaf = leaf;
    this.slim = height < 34;
    this.compact = height < 46;
    this.bare = leaf && picture.slim;            // no room for a glyph and "AccumulateGrad"
    this.titled = leaf && (this.bare || node.label.length > LONG_LABEL);    // its label, "net.0.weight", is its name
    this.start = this.slim ? 14 : this.bare ? 18 : 45;
    const centre = (split + width) / 2 - (leaf ? 3 : 0);
    this.name = text(this.start, this.slim ? middle + 4.5 : middle - 3, "ac-name");
    this.value = text(this.start, middle + (this.compact ? 13 : 14), "ac-number ac-value");
    this.caption = text(centre, middle - 4, "ac-caption", "", "middle");
    this.gradient = text(centre, middle + (this.compact ? 4.5 : 13), "ac-number ac-gradient", "", "middle");
    this.group.append(svg("path", { class: "ac-part", d: shape.right }),
      svg("path", { class: "ac-box", d: shape.left }),
      ...(this.slim || this.bare ? [] : this.glyph(middle)), this.name, ...(this.slim ? [] : [this.value]),
      ...(this.compact ? [] : [this.caption]), this.gradient);
    this.spell();
    this.tab = node.saved.length && !this.compact ? this.bookmark() : null;
    if (this.tab) this.group.append(this.tab);
  }

  /** @param {number} middle */
  glyph(middle) {
    const { sign } = this.node;
    return [svg("circle", { class: "ac-glyph", cx: 23.5, cy: middle, r: this.compact ? 13 : 14 }),
      text(23.5, middle + 5, sign.length > 2 ? "ac-sign ac-long" : "ac-sign", sign, "middle")];
  }

  /**
   * Write the name. Its bold part is whole wherever it can be, if need be in light letters; what is left of the room is
   * for the rest, whole or not at all.
   */
  spell() {
    const { node, leaf, split } = this, room = split - this.start - 2;
    const label = this.titled ? node.label || "leaf" : "AccumulateGrad";
    const name = leaf ? this.data.kind === "leaf" && this.data.name || label : node.short;
    const strong = fitPath(name, room, "bold 13.5px"), light = fitPath(name, room, "12.5px");
    if (strong !== name && (light === name || (strong.endsWith("…") && !light.endsWith("…")))) {
      this.name.append(svg("tspan", { class: "ac-l" }, light));
      return;
    }
    this.name.append(svg("tspan", { class: "ac-b" }, strong));
    if (leaf || measure(strong, "bold 13.5px") + measure(node.rest, "12.5px") > room) return;
    this.name.append(svg("tspan", { class: "ac-q" }, node.rest));
  }

  bookmark() {
    const { saved } = this.node, all = `saved ${saved.map(({ label }) => label).join(", ")}`;
    const label = saved.length > 1 && !fits(all, TAB_ROOM, "12px") ? `saved ${saved.length} tensors`
      : fit(all, TAB_ROOM, "12px");
    const width = Math.ceil(measure(label, "12px")) + 27;
    return svg("g", { class: "ac-tab", transform: `translate(${this.width - 10 - width} -18)` },
      svg("rect", { width, height: 19, rx: 3 }), svg("path", { d: BOOKMARK, transform: "translate(7 4)" }),
      text(19, 13, "", label));
  }

  /**
   * "p = 0.525": where both have no room, the spaces go first, then the name is cut and not the number; where a number
   * alone has none, its short form stands for it.
   * @param {string} label
   * @param {string} value
   * @param {number} room
   * @param {string} short
   * @returns {string}
   */
  equation(label, value, room, short) {
    const whole = `${label} = ${value}`, tight = `${label}=${value}`;
    if (label && !fits(whole, room, "12.5px") && fits(tight, room, "12.5px")) return tight;
    const left = room - measure(` = ${value}`, "12.5px");
    if (label && left > 12) return `${fit(label, left, "12.5px")} = ${value}`;
    if (fits(value, room, "12.5px")) return value;
    return value === short ? fit(short, room, "12.5px") : this.equation(label, short, room, short);
  }

  /**
   * @param {number} k
   * @param {TraceEvent | null} event
   * @param {number | null} selected
   */
  update(k, event, selected) {
    const { node, leaf, width, split, compact } = this, state = this.state(k);
    const current = event?.node === this.index;
    this.mark(event, selected, state.here);
    const value = state.value ? (compact ? brief(state.value) : tensorText(state.value)) : this.shapeOrNothing;
    const gradient = this.gradientText(state);
    const room = split - this.start - 5;
    write(this.value, this.equation(this.titled ? "" : node.label, value, room, this.shapeOrNothing));
    write(this.caption, fit(this.captionText(state, current), width - split - 8, "11.5px"));
    this.writeGradient(gradient, state.gradient, width - split - (leaf ? 10 : 8));
    this.toggle("ac-has", state.gradient !== null);
    this.toggle("ac-half", !leaf && state.arrived.length > 0 && state.arrived.length < state.all.length);
    this.toggle("ac-bad-value", !state.sound);
    this.toggle("ac-bad-gradient", !finite(state.gradient));
    this.tab?.classList.toggle("ac-released", state.done && !current);
    put(this.group, "aria-pressed", selected === this.index);
    const kept = `${node.kind === "frozen" ? "frozen" : "AccumulateGrad of"} ${node.label || "a leaf"}`;
    const whole = state.gradient ? precise(state.gradient) : gradient;
    this.describe(`${leaf ? kept : node.called}, value ${value}, gradient ${gradient}${current ? ", current" : ""}`,
      `${node.short}${node.rest}\nvalue ${precise(state.value)}\n${leaf ? ".grad" : "gradient"} ${whole}`);
  }

  /**
   * What stands above the gradient: what it is, or how much of it has arrived.
   * @param {NodeState} state
   * @param {boolean} current
   */
  captionText({ arrived, all, done }, current) {
    if (this.leaf) return ".grad";
    if (!arrived.length || (done && !current)) return `∂ ${this.picture.structure.name}`;
    const several = arrived.length > 1 && arrived.length === all.length;
    return `${several ? "Σ " : ""}${arrived.length} of ${all.length} arrived`;
  }

  /**
   * What stands in the gradient's compartment, also where no gradient can come, and where none has come.
   * @param {NodeState} state
   */
  gradientText({ gradient, arrived }) {
    if (gradient) return this.compact ? brief(gradient) : tensorText(gradient, true);
    if (this.node.kind === "frozen") return "frozen";
    if (this.node.kind === "severed") return this.node.frozen ? "frozen" : "no gradient";
    return this.leaf ? "None" : arrived.length ? "…" : "not yet";
  }

  /**
   * Numbers are not cut: they stand in bold, else in light letters, else their norm stands for them.
   * @param {string} shown
   * @param {Tensor | null} tensor
   * @param {number} room
   */
  writeGradient(shown, tensor, room) {
    const bold = tensor !== null && fits(shown, room, "bold 12.5px");
    const light = tensor !== null && !bold && fits(shown, room, "12.5px");
    const norm = tensor !== null && !bold && !light && !this.compact && count(tensor) > 1;
    const font = tensor !== null && !light ? "bold 12.5px" : "12.5px";
    write(this.gradient, fit(norm ? `norm ${number(tensor[2])}` : shown, room, font));
    this.gradient.classList.toggle("ac-l", light);
  }
}

/** A sum, as a round sign; what only gives another shape, as a dot. */
class SmallBox extends SingleBox {
  /**
   * @param {Picture} picture
   * @param {SmallBoxData} data
   * @param {Rectangle} place
   */
  constructor(picture, data, place) {
    const { kind } = picture.structure.nodes[data.nodes[0]];
    super(picture, data, place, `ac-small ac-small-${data.kind} ac-${kind}`, place[3] / 2);
    const { width, height } = this;
    this.group.append(svg("circle", { class: "ac-box", cx: width / 2, cy: height / 2, r: width / 2 }));
    this.group.append(data.kind === "plus" ? text(width / 2, height / 2 + 5.5, "ac-plus-sign", "+", "middle")
      : text(width + 7, height / 2 + 4, "ac-shape-name", data.name));
  }

  /**
   * @param {number} k
   * @param {TraceEvent | null} event
   * @param {number | null} selected
   */
  update(k, event, selected) {
    const { node } = this, state = this.state(k);
    this.mark(event, selected, state.here);
    this.toggle("ac-has", state.gradient !== null);
    this.toggle("ac-bad-gradient", !finite(state.gradient) || !state.sound);
    const gradient = state.gradient ? brief(state.gradient) : node.kind === "severed" ? "no gradient" : "not yet";
    const value = state.value ? brief(state.value) : this.shapeOrNothing;
    put(this.group, "aria-pressed", selected === this.index);
    this.describe(`${node.called}, value ${value}, gradient ${gradient}`,
      `${node.short}${node.rest}\nvalue ${value}\ngradient ${gradient}`);
  }
}

// ---- folds -----------------------------------------------------------------------------------------------------

/** @param {{ count: number }} fold */
const nodeCount = ({ count: n }) => `${n} node${n === 1 ? "" : "s"}`;

/**
 * A fold's name in bold, and what kind of module it is where there is room.
 * @param {SVGTextElement} line
 * @param {{ name: string, type: string }} fold
 * @param {number} room for the name
 * @param {number} rest of the room, for both and the space between them
 */
function nameFold(line, { name, type }, room, rest) {
  const strong = fit(name, room, "bold 13.5px"), left = rest - measure(strong, "bold 13.5px");
  line.append(svg("tspan", { class: "ac-b" }, strong));
  if (type && left > 24) line.append(svg("tspan", { class: "ac-q", dx: 7 }, fit(type, left, "12.5px")));
}

/** A closed fold. Its value is what leaves it; its gradient is what has come back to it. */
class FoldBox extends Box {
  /**
   * @param {Picture} picture
   * @param {FoldBoxData} data
   * @param {Rectangle} place
   */
  constructor(picture, data, place) {
    super(picture, data, place, `ac-fold ${data.severed ? "ac-severed" : ""}`, 8);
    const atRest = data.severed && picture.structure.nodes[data.exit].frozen;
    this.group.classList.toggle("ac-at-rest", atRest);
    this.empty = atRest ? "frozen" : data.severed ? "no gradient" : "not yet";
    const { width, height, split } = this, shape = outline(width, height, split, 8), middle = height / 2;
    this.fold = data;
    this.group.dataset.fold = data.key;
    put(this.group, "aria-expanded", "false");
    const name = text(28, middle - 3, "ac-name");
    nameFold(name, data, split - 34, split - 42);
    this.value = text(28, middle + 13, "ac-number ac-value");
    this.gradient = text((split + width) / 2, middle + 4.5, "ac-number ac-gradient", "", "middle");
    this.group.append(svg("path", { class: "ac-part", d: shape.right }),
      svg("path", { class: "ac-box", d: shape.left }),
      svg("path", { class: "ac-triangle", d: TRIANGLE.closed, transform: `translate(13 ${middle})` }),
      name, this.value, this.gradient);
  }

  /**
   * @param {number} k
   * @param {TraceEvent | null} event
   * @param {number | null} selected
   */
  update(k, event, selected) {
    const { fold, picture: { view: { tape }, structure: { nodes } } } = this;
    const states = fold.nodes.map((i) => tape.node(i, k)), result = tape.node(fold.exit, k);
    this.mark(event, selected, states.some(({ here }, i) => here && !isLeaf(nodes[fold.nodes[i]])));
    const has = result.gradient !== null, value = result.value ? brief(result.value) : "";
    const gradient = result.gradient ? brief(result.gradient) : this.empty;
    const size = nodeCount(fold);
    this.value.replaceChildren(svg("tspan", { class: "ac-q" }, value ? `${size} · ` : size), value);
    write(this.gradient, fit(gradient, this.width - this.split - 6, has ? "bold 12.5px" : "12.5px"));
    this.toggle("ac-has", has);
    this.toggle("ac-bad-value", states.some((state) => state.here && !state.sound));
    this.toggle("ac-bad-gradient", states.some((state) => !finite(state.gradient)));
    const named = `${fold.name} ${fold.type}`;
    this.describe(`${named}, ${size}, folded, value norm ${value || "not recorded"}, gradient norm ${gradient}`,
      `${named}\n${size}\nvalue norm ${value}\ngradient norm ${gradient}\nClick to open`);
  }
}

/** The frame around an open fold. */
class FrameBox extends Box {
  /**
   * @param {Picture} picture
   * @param {FrameBoxData} data
   * @param {Rectangle} place
   */
  constructor(picture, data, place) {
    super(picture, data, place, "ac-frame", 10);
    const { width, height } = this, size = nodeCount(data) + (data.flat ? `, ${data.flat} of them shape only` : "");
    this.group.dataset.fold = data.key;
    put(this.group, "aria-expanded", "true");
    const name = text(32, 25, "ac-name");
    nameFold(name, data, 130, 138);
    this.group.append(svg("rect", { class: "ac-ground", width, height, rx: 10 }),
      svg("rect", { class: "ac-grip", x: 4, y: 4, width: width - 8, height: 32, rx: 7 }),
      svg("path", { class: "ac-triangle", d: TRIANGLE.open, transform: "translate(15 20)" }), name,
      text(width - 14, 25, "ac-count", size, "end"));
    this.describe(`${data.name} ${data.type}, ${size}, open`, `${data.name} ${data.type}\nClick to fold`);
  }
}

/**
 * The box for what Python sent.
 * @param {Picture} picture
 * @param {BoxData} data
 * @param {Rectangle} place
 */
export function boxOf(picture, data, place) {
  switch (data.kind) {
    case "fold": return new FoldBox(picture, data, place);
    case "frame": return new FrameBox(picture, data, place);
    case "plus": case "dot": return new SmallBox(picture, data, place);
    default: return picture.structure.nodes[data.nodes[0]].kind === "constant"
      ? new ConstantBox(picture, data, place) : new NodeBox(picture, data, place);
  }
}
