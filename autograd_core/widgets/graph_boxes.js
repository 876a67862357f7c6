// The boxes of a picture: one node, a dot or a sign, a fold, the frame around an open fold.
// Each has a `group` of the page and `update(k, event, selected)`, which brings it to event k.

const BOOKMARK = "M0 0h8v10l-4-3.2-4 3.2z";
const SCISSORS = "M1.2 10.8a2.2 2.2 0 1 1 3.4-1.3l8.2-6.6M4.6 4.5a2.2 2.2 0 1 0-3.4-1.3 2.2 2.2 0 0 0 3.4 1.3l8.2 6.6";
const TRIANGLE = { closed: "M0 -5l6 5-6 5z", open: "M-1 -3h9l-4.5 6z" };

const LONG_LABEL = 8;
const keeps = ({ kind }) => kind === "leaf" || kind === "frozen";

// One number for a tensor: the number it is, or its norm.
const brief = (tensor) => number(count(tensor) === 1 ? tensor[1][0] : tensor[2]);

function text(x, y, style, content = "", anchor = "start") {
  return el("svg:text", { x, y, class: style, "text-anchor": anchor }, content);
}

// The left part of a box, open at its right, and the gradient's compartment: corners of radius `r`.
function outline(width, height, split, r) {
  return [`M${split} 0H${r}a${r} ${r} 0 0 0 ${-r} ${r}V${height - r}a${r} ${r} 0 0 0 ${r} ${r}H${split}`,
    `M${split} 0H${width - r}a${r} ${r} 0 0 1 ${r} ${r}V${height - r}a${r} ${r} 0 0 1 ${-r} ${r}H${split}z`];
}

class Box {
  constructor(picture, box, [x, y, width, height, split], style, rx) {
    Object.assign(this, { picture, box, width, height, split });
    this.title = el("svg:title");
    const ring = (name, by, r) => el("svg:rect", { class: name, x: -by, y: -by, width: width + 2 * by, height: height + 2 * by, rx: r });
    const place = { transform: `translate(${x} ${y})`, role: "button", tabindex: "-1" };
    this.group = el("svg:g", { class: `ac-node ${style}`, ...place }, this.title, ring("ac-ring", 5, rx + 4), ring("ac-focus", 4, rx + 3));
  }

  toggle(name, on) { this.group.classList.toggle(name, on); }

  // The marks that every box can have.
  mark(event, selected, here) {
    this.toggle("ac-current", event !== null && this.box.nodes.includes(event.node));
    this.toggle("ac-selected", selected !== null && this.box.nodes.includes(selected));
    this.toggle("ac-ghost", !here);
  }

  say(label, whole = label) {
    put(this.group, "aria-label", label);
    write(this.title, whole);
  }
}

// ---- one node --------------------------------------------------------------------------------------------------

class NodeBox extends Box {
  constructor(picture, box, place) {
    const node = picture.structure.nodes[box.nodes[0]], height = place[3], leaf = keeps(node);
    super(picture, box, place, `ac-${node.kind}`, leaf ? height / 2 : 8);
    Object.assign(this, { node, leaf, index: box.nodes[0], slim: height < 34, compact: height < 46 });
    this.bare = leaf && picture.slim;            // no room for a glyph and "AccumulateGrad"
    this.apart = leaf && (this.bare || node.label.length > LONG_LABEL);     // a long name, "net.0.weight", is the title
    this.group.dataset.node = this.index;
    if (node.kind === "constant") this.drawConstant(); else this.draw();
  }

  drawConstant() {
    const { width, height, node } = this;
    this.name = text(width / 2, node.label ? 15 : 22, "ac-constant-name", "", "middle");
    this.value = text(width / 2, 29, "ac-constant-value", "", "middle");
    this.group.append(el("svg:rect", { class: "ac-box", width, height, rx: 6 }), this.name, this.value);
  }

  draw() {
    const { width, height, split, node, leaf, slim, compact } = this, middle = height / 2;
    const [left, right] = outline(width, height, split, leaf ? middle : 8), centre = (split + width) / 2 - (leaf ? 3 : 0);
    const glyph = slim || this.bare ? [] : this.glyph(middle);
    this.start = slim ? 14 : this.bare ? 18 : 45;
    this.name = text(this.start, slim ? middle + 4.5 : middle - 3, "ac-name");
    this.value = text(this.start, middle + (compact ? 13 : 14), "ac-number ac-value");
    this.caption = text(centre, middle - 4, "ac-caption", "", "middle");
    this.gradient = text(centre, middle + (compact ? 4.5 : 13), "ac-number ac-gradient", "", "middle");
    this.group.append(el("svg:path", { class: "ac-part", d: right }), el("svg:path", { class: "ac-box", d: left }), ...glyph,
      this.name, ...(slim ? [] : [this.value]), ...(compact ? [] : [this.caption]), this.gradient);
    this.spell();
    if (node.saved.length && !compact) {
      this.tab = this.bookmark();
      this.group.append(this.tab);
    }
  }

  glyph(middle) {
    const { sign } = this.node;
    return [el("svg:circle", { class: "ac-glyph", cx: 23.5, cy: middle, r: this.compact ? 13 : 14 }),
      text(23.5, middle + 5, sign.length > 2 ? "ac-sign ac-long" : "ac-sign", sign, "middle")];
  }

  // The bold part is whole wherever it can be, if need be in light letters; what is left of the room is for the rest,
  // whole or not at all.
  spell() {
    const { node, leaf, split } = this, room = split - this.start - 2;
    const name = leaf ? this.box.name ?? (this.apart ? node.label || "leaf" : "AccumulateGrad") : node.short;
    const strong = fitPath(name, room, "bold 13.5px"), light = fitPath(name, room, "12.5px"), cut = (text) => text.endsWith("…");
    if (strong !== name && (light === name || (cut(strong) && !cut(light)))) {
      this.name.append(el("svg:tspan", { class: "ac-l" }, light));
      return;
    }
    this.name.append(el("svg:tspan", { class: "ac-b" }, strong));
    if (leaf || measure(strong, "bold 13.5px") + measure(node.rest, "12.5px") > room) return;
    this.name.append(el("svg:tspan", { class: "ac-q" }, node.rest));
  }

  bookmark() {
    const { saved } = this.node, all = `saved ${saved.map((s) => s.label).join(", ")}`;
    const label = saved.length > 1 && !fits(all, 100, "12px") ? `saved ${saved.length} tensors` : fit(all, 100, "12px");
    const room = Math.ceil(measure(label, "12px")) + 27;
    return el("svg:g", { class: "ac-tab", transform: `translate(${this.width - 10 - room} -18)` },
      el("svg:rect", { width: room, height: 19, rx: 3 }), el("svg:path", { d: BOOKMARK, transform: "translate(7 4)" }), text(19, 13, "", label));
  }

  // "p = 0.525": where both have no room, the spaces go first, then the name is cut and not the number.
  line(label, value, room) {
    const tight = label && !fits(`${label} = ${value}`, room, "12.5px") && `${label}=${value}`;
    if (tight && fits(tight, room, "12.5px")) return tight;
    const left = room - measure(` = ${value}`, "12.5px");
    return label && left > 12 ? `${fit(label, left, "12.5px")} = ${value}` : fit(value, room, "12.5px");
  }

  update(k, event, selected) {
    const { node } = this, state = this.picture.view.tape.node(this.index, k);
    this.mark(event, selected, state.here);
    if (node.kind === "constant") this.updateConstant(state); else this.updateNumbers(state, k, event, selected);
  }

  updateConstant(state) {
    const { node } = this, value = state.value ? tensorText(state.value) : inPlace(node.shape ?? []);
    const detail = state.value && count(state.value) <= 3 ? value : `${sized(node.shape ?? [])} · no grad`;
    write(this.name, fit(node.label || value, this.width - 10, "bold 13px"));
    const room = this.width - 8, shown = fits(detail, room, "11.5px") ? detail : detail.split(" · ")[0];
    write(this.value, node.label ? fit(shown, room, "11.5px") : "");
    this.say(`${node.label || "constant"} ${detail}, no gradient`, `${node.label} = ${precise(state.value)}`);
  }

  // Numbers are not cut: in bold, else in light letters, else their norm stands for them.
  writeGradient(text, tensor, room) {
    const light = tensor !== null && !fits(text, room, "bold 12.5px") && fits(text, room, "12.5px");
    const bold = tensor !== null && !light, norm = bold && !this.compact && count(tensor) > 1 && !fits(text, room, "bold 12.5px");
    write(this.gradient, fit(norm ? `norm ${number(tensor[2])}` : text, room, bold ? "bold 12.5px" : "12.5px"));
    this.gradient.classList.toggle("ac-l", light);
  }

  // What stands in the gradient's compartment where no gradient can come, and where none has come.
  nothing(state) {
    if (this.node.kind === "frozen") return "frozen";
    if (this.node.kind === "severed") return "no gradient";
    return this.leaf ? "None" : state.arrived.length ? "…" : "not yet";
  }

  updateNumbers(state, k, event, selected) {
    const { node, leaf, width, split, compact } = this, current = event?.node === this.index, has = state.gradient !== null;
    const value = state.value ? (compact ? brief(state.value) : tensorText(state.value)) : node.shape ? inPlace(node.shape) : "not recorded";
    const total = state.all.length, n = state.arrived.length;
    write(this.value, this.line(this.apart ? "" : node.label, value, split - this.start - 5));
    let caption = leaf ? ".grad" : `∂ ${this.picture.structure.name}`;
    if (!leaf && n && (!state.done || current)) caption = `${n > 1 && n === total ? "Σ " : ""}${n} of ${total} arrived`;
    const gradient = !has ? this.nothing(state) : compact ? brief(state.gradient) : tensorText(state.gradient, true);
    write(this.caption, fit(caption, width - split - 8, "11.5px"));
    this.writeGradient(gradient, has ? state.gradient : null, width - split - (leaf ? 10 : 8));
    this.toggle("ac-has", has);
    this.toggle("ac-bad-value", !finite(state.value));
    this.toggle("ac-bad-gradient", !finite(state.gradient));
    if (this.tab) this.tab.classList.toggle("ac-released", state.done && !current);
    const shown = !leaf ? node.called : `${node.kind === "frozen" ? "frozen" : "AccumulateGrad of"} ${node.label || "a leaf"}`;
    put(this.group, "aria-pressed", selected === this.index);
    const whole = has ? precise(state.gradient) : gradient;
    this.say(`${shown}, value ${value}, gradient ${gradient}${current ? ", current" : ""}`,
      `${node.short}${node.rest}\nvalue ${precise(state.value)}\n${leaf ? ".grad" : "gradient"} ${whole}`);
  }
}

// ---- small: a sum, another shape -------------------------------------------------------------------------------

class SmallBox extends Box {
  constructor(picture, box, place) {
    super(picture, box, place, `ac-small ac-small-${box.kind} ac-${picture.structure.nodes[box.nodes[0]].kind}`, place[3] / 2);
    const { width, height } = this;
    this.index = box.nodes[0];
    this.group.dataset.node = this.index;
    this.group.append(el("svg:circle", { class: "ac-box", cx: width / 2, cy: height / 2, r: width / 2 }));
    if (box.kind === "plus") this.group.append(text(width / 2, height / 2 + 5.5, "ac-plus-sign", "+", "middle"));
    else this.group.append(text(width + 7, height / 2 + 4, "ac-shape-name", box.name));
  }

  update(k, event, selected) {
    const state = this.picture.view.tape.node(this.index, k), node = this.picture.structure.nodes[this.index];
    this.mark(event, selected, state.here);
    this.toggle("ac-has", state.gradient !== null);
    this.toggle("ac-bad-gradient", !finite(state.gradient) || !finite(state.value));
    const gradient = state.gradient ? brief(state.gradient) : node.kind === "severed" ? "no gradient" : "not yet";
    const value = state.value ? brief(state.value) : node.shape ? inPlace(node.shape) : "not recorded";
    put(this.group, "aria-pressed", selected === this.index);
    this.say(`${node.called}, value ${value}, gradient ${gradient}`, `${node.short}${node.rest}\nvalue ${value}\ngradient ${gradient}`);
  }
}

// ---- folds -----------------------------------------------------------------------------------------------------

const countText = ({ count: n }) => `${n} node${n === 1 ? "" : "s"}`;

class FoldBox extends Box {
  constructor(picture, box, place) {
    super(picture, box, place, `ac-fold ${box.severed ? "ac-severed" : ""}`, 8);
    const { width, height, split } = this, [left, right] = outline(width, height, split, 8), middle = height / 2;
    this.group.dataset.fold = box.key;
    put(this.group, "aria-expanded", "false");
    const room = split - 34, strong = fit(box.name, room, "bold 13.5px");
    const left_over = room - measure(strong, "bold 13.5px") - 8;
    const name = text(28, middle - 3, "ac-name");
    name.append(el("svg:tspan", { class: "ac-b" }, strong));
    if (left_over > 24 && box.type) name.append(el("svg:tspan", { class: "ac-q", dx: 7 }, fit(box.type, left_over, "12.5px")));
    this.value = text(28, middle + 13, "ac-number ac-value");
    this.gradient = text((split + width) / 2, middle + 4.5, "ac-number ac-gradient", "", "middle");
    this.group.append(el("svg:path", { class: "ac-part", d: right }), el("svg:path", { class: "ac-box", d: left }),
      el("svg:path", { class: "ac-triangle", d: TRIANGLE.closed, transform: `translate(13 ${middle})` }), name, this.value, this.gradient);
  }

  // The value is what leaves the fold; the gradient what has come back to it.
  update(k, event, selected) {
    const { tape } = this.picture.view, { box } = this, states = box.nodes.map((i) => tape.node(i, k)), state = tape.node(box.exit, k);
    this.mark(event, selected, states.some(({ here }, i) => here && !keeps(this.picture.structure.nodes[box.nodes[i]])));
    const has = state.gradient !== null, value = state.value ? brief(state.value) : "";
    const gradient = has ? brief(state.gradient) : box.severed ? "no gradient" : "not yet";
    this.value.replaceChildren(el("svg:tspan", { class: "ac-q" }, value ? `${countText(box)} · ` : countText(box)), value);
    write(this.gradient, fit(gradient, this.width - this.split - 6, has ? "bold 12.5px" : "12.5px"));
    this.toggle("ac-has", has);
    this.toggle("ac-bad-value", states.some((each) => each.here && !finite(each.value)));
    this.toggle("ac-bad-gradient", states.some((each) => !finite(each.gradient)));
    const words = `${box.name} ${box.type}, ${countText(box)}, folded, value norm ${value || "not recorded"}, gradient norm ${gradient}`;
    this.say(words, `${box.name} ${box.type}\n${countText(box)}\nvalue norm ${value}\ngradient norm ${gradient}\nClick to open`);
  }
}

class FrameBox extends Box {
  constructor(picture, box, place) {
    super(picture, box, place, "ac-frame", 10);
    const { width, height } = this, flat = box.flat ? `, ${box.flat} of them shape only` : "";
    this.group.dataset.fold = box.key;
    put(this.group, "aria-expanded", "true");
    const name = text(32, 25, "ac-name"), strong = fit(box.name, 130, "bold 13.5px");
    name.append(el("svg:tspan", { class: "ac-b" }, strong));
    const room = 138 - measure(strong, "bold 13.5px");
    if (box.type && room > 24) name.append(el("svg:tspan", { class: "ac-q", dx: 7 }, fit(box.type, room, "12.5px")));
    this.group.append(el("svg:rect", { class: "ac-ground", width, height, rx: 10 }),
      el("svg:rect", { class: "ac-grip", x: 4, y: 4, width: width - 8, height: 32, rx: 7 }),
      el("svg:path", { class: "ac-triangle", d: TRIANGLE.open, transform: "translate(15 20)" }), name,
      text(width - 14, 25, "ac-count", countText(box) + flat, "end"));
    this.say(`${box.name} ${box.type}, ${countText(box)}${flat}, open`, `${box.name} ${box.type}\nClick to fold`);
  }

  update() {}
}

const BOXES = { node: NodeBox, leaf: NodeBox, plus: SmallBox, dot: SmallBox, fold: FoldBox, frame: FrameBox };
