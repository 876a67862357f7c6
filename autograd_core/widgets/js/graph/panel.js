// The panel: what one box did, in words and numbers; or every parameter with its gradient.

import { button } from "../kit/button.js";
import { breakable, el, paragraph, plain, put, runs, svg, write } from "../kit/dom.js";
import { cellOf, count, finite, gradientStyle, number, real, shapeText, tensorText } from "../kit/format.js";
import { onTheme } from "../kit/shade.js";
import { heat } from "./heat.js";
import { Maps } from "./maps.js";
import { Parameters } from "./parameters.js";
import { isOperation } from "./tape.js";

/** @import { Run, Tensor } from "../kit/types.d.ts" */
/** @import { EventKind, GraphNode, NodeState, Place, Row, StoredPlace, Structure, SumPlace } from "./types.d.ts" */
/** @import { TraceEvent } from "./types.d.ts" */
/** @import { Shown } from "./heat.js" */
/** @import { Tape } from "./tape.js" */
/** @import { View } from "./view.js" */

/** @typedef {"details" | "parameters"} TabName */

const STRONG = "ac-strong", TOTAL = "ac-strong ac-rule-above";
const WIDTH = 354, WIDE = 432;                   // CSS pixels, where there is room
const LEAST_LIST = 372;                          // of the list of parameters, whose scale needs more than words do

/** The least width of the panel. */
export const LEAST_PANEL = 260;
const IN_FULL = 3;                               // numbers of a tensor; a larger one has a map
const PLAY = "Play, or take one step.", CLICK = "Click a box for its rule and its numbers.";
const BOOKMARK = "M0 0h8v10l-4-3.2-4 3.2z";

/** @param {string} text */
const heading = (text) => el("h4", {}, text);

/** @param {Tensor | null} tensor @param {"v" | "g"} kind */
const styleOf = (tensor, kind) => (kind === "g" ? gradientStyle(tensor) : kind);

/**
 * The cells of a row, each with its style.
 * @param {Tensor | null} tensor
 * @param {"v" | "g"} kind
 * @returns {[style: string, text: string][]}
 */
function cells(tensor, kind) {
  if (!tensor) return [["q", "None"]];
  const values = count(tensor) > IN_FULL ? null : tensor[1];
  if (!values) return [[finite(tensor) ? styleOf(tensor, kind) : "bad", tensorText(tensor, kind === "g")]];
  return values.map((x) => [typeof x === "string" ? "bad" : styleOf([[], [x], x], kind), number(x)]);
}

/**
 * The numbers of one engine: a column for each element.
 * @param {Row[]} rows
 * @param {Tape} tape
 */
function table(rows, tape) {
  const read = rows.map(([, , kind, place]) => cells(place && tape.at(place), kind));
  const width = Math.max(...read.map(({ length }) => length));
  const places = Array.from({ length: width }, (_, i) => `[${i}]`);
  const head = el("thead", {}, el("tr", {}, el("td"), ...places.map((text) => el("th", { scope: "col" }, text))));
  const lines = rows.map(([style, name], i) => el("tr", { class: style },
    el("th", { scope: "row" }, ...breakable(name)),
    ...Array.from({ length: width - read[i].length }, () => el("td", { class: "ac-v" })),
    ...read[i].map(([kind, text]) => el("td", { class: `ac-${kind}` }, text))));
  return el("table", {}, ...(width > 1 ? [head] : []), el("tbody", {}, ...lines));
}

/**
 * How far the second engine's numbers are from the first's, for each row that was compared.
 * @param {Row[]} rows
 * @param {Tape[]} tapes
 */
function comparedRows(rows, tapes) {
  const { differences } = tapes[1].numbers;
  return rows.map(([, , , place]) => (place ? differences[place.join(" ")] : undefined));
}

/**
 * The numbers of both engines beside each other; what differs is marked.
 * @param {Row[]} rows
 * @param {Tape[]} tapes
 */
function sideBySide(rows, tapes) {
  const differences = comparedRows(rows, tapes);
  const lines = rows.map(([style, name, kind, place], i) => {
    const differs = differences[i]?.[1] === false;
    const mark = differs ? [el("span", { class: "ac-bad", role: "img", "aria-label": "differs" }, "≠ ")] : [];
    const found = tapes.map((tape) => place && tape.at(place));
    return el("tr", { class: differs ? `${style} ac-differs` : style },
      el("th", { scope: "row" }, ...mark, ...breakable(name)),
      ...found.map((tensor) => el("td", { class: differs ? "ac-bad" : `ac-${styleOf(tensor, kind)}` },
        tensorText(tensor, kind === "g"))));
  });
  const engines = tapes.map((tape) => el("th", { scope: "col" }, tape.numbers.engine));
  return el("table", { class: "ac-both" }, el("thead", {}, el("tr", {}, el("td"), ...engines)),
    el("tbody", {}, ...lines));
}

/** @param {Tape["numbers"]["differences"][string][]} found */
function verdict(found) {
  const largest = number(cellOf(Math.max(0, ...found.map(([size]) => real(size)))));
  if (found.some(([, close]) => !close)) {
    return paragraph("ac-verdict ac-bad", `≠ The engines differ, by ${largest} at most.`);
  }
  return paragraph("ac-verdict ac-agreed", found.length ? `✓ largest difference ${largest}` : "✓ no difference");
}

/**
 * A node's name as a heading.
 * @param {GraphNode} node
 * @returns {Run[]}
 */
function nameOf(node) {
  if (isOperation(node)) return [["b", node.short], ["q", node.rest]];
  const kind = node.kind === "leaf" ? "AccumulateGrad, a leaf" : node.kind === "frozen" ? "frozen" : "no gradient";
  return [["v", node.label || node.kind], ["q", ` · ${kind}`]];
}

/**
 * What kind of box it is, and what becomes of a gradient there.
 * @param {GraphNode} node
 * @param {NodeState} state
 */
function about(node, state) {
  const type = [node.shape ? `shape ${shapeText(node.shape)}` : "", node.dtype].filter(Boolean).join(", ");
  const when = state.done ? "It has run backward."
    : state.here ? "It hasn't run backward yet." : "It isn't recorded yet.";
  switch (node.kind) {
    case "constant": return `A constant (${type}). It gets no gradient.`;
    case "frozen": return `A frozen parameter (${type}). requires_grad=False, so it gets no gradient.`;
    case "severed": return `An operation (${type}). Its value reaches the loss, but it gets no gradient.`;
    case "leaf": return `A leaf (${type}). Its gradient is added to .grad.`;
    default: return `An operation. Its result has ${type}. ${when}`;
  }
}

/** @param {Run[][]} list */
function rulesOf(list) {
  if (!list.length) return [];
  const lines = list.map((rule) => el("div", {}, ...runs(rule)));
  return [heading(list.length > 1 ? "Its rules" : "Its rule"), el("div", { class: "ac-rule" }, ...lines)];
}

/**
 * The tensors that a node saved, each as a chip with a bookmark.
 * @param {GraphNode} node
 * @param {boolean} released
 */
function savedTensors({ saved }, released) {
  const sound = saved.filter(({ stale }) => !stale);
  if (!sound.length) return [];
  const mark = () => svg("svg", { width: 8, height: 10, "aria-hidden": "true" }, svg("path", { d: BOOKMARK }));
  const style = `ac-chip${released ? " ac-released" : ""}`;
  const until = released ? "Released." : "Released as soon as this node is done.";
  return [heading("Saved for this step"), ...sound.map(({ label, text }) =>
    paragraph("", el("span", { class: style }, mark(), ` ${label}`), ` ${text} ${until}`))];
}

/** What a node saved, and was written into since. @param {GraphNode} node */
function staleSaves({ saved }) {
  return saved.filter(({ stale }) => stale)
    .map(({ text }) => paragraph("ac-alarm", `Saved and then modified: ${text}`));
}

export class Panel {
  /** @param {View} view */
  constructor(view) {
    this.view = view;
    /** @type {TabName} */
    this.tab = "details";
    /** The tab that the view has made room for. @type {TabName | null} */
    this.shown = null;
    /** @type {number | null} */
    this.looking = null;
    this.maps = new Maps(view);
    this.parameters = new Parameters(view);
    this.running = paragraph("ac-sentence");
    this.tabs = {
      details: this.tabButton("details", "Details"),
      parameters: this.tabButton("parameters", "Parameters"),
    };
    const list = { class: "ac-tabs", role: "tablist", "aria-label": "Panel" };
    this.list = el("div", { ...list, onkeydown: (event) => this.key(event) }, this.tabs.details, this.tabs.parameters);
    this.body = el("div", { role: "tabpanel" });
    const region = { role: "region", tabindex: "0", "aria-label": "Details" };
    this.box = el("div", { class: "ac-panel", ...region }, this.list, this.body);
    this.lines = el("div", { class: "ac-strip-lines" });
    this.opener = button("More, in the panel", "More", () => this.unroll());
    put(this.opener, "aria-expanded", false);
    /** On a narrow page three lines stand for the panel until it is asked for. */
    this.strip = el("div", { class: "ac-strip" }, this.lines, this.opener);
    this.remove = onTheme(() => this.redraw());
  }

  get least() { return this.tab === "parameters" ? LEAST_LIST : LEAST_PANEL; }

  get width() { return this.tab === "parameters" ? WIDE : WIDTH; }

  /**
   * @param {TabName} name
   * @param {string} label
   */
  tabButton(name, label) {
    return el("button", { type: "button", role: "tab", "data-tab": name, onclick: () => this.open(name) }, label);
  }

  /** Open the panel below the strip, or close it. */
  unroll(open = this.opener.getAttribute("aria-expanded") !== "true") {
    put(this.opener, "aria-expanded", open);
    this.view.root.classList.toggle("ac-unrolled", open);
    this.redraw();
  }

  /** @param {Structure} structure */
  build(structure) {
    const { parameters, leaves } = structure;
    this.maps.clear();
    this.parameters.build(structure);
    this.list.hidden = !parameters.length;
    write(this.tabs.parameters, leaves ? "Leaves" : "Parameters");
    this.tab = "details";
    this.looking = null;
  }

  renumber() {
    this.maps.forget();
    this.parameters.renumber();
  }

  redraw() { this.update(this.view.k, this.view.selected); }

  /** @param {TabName} name */
  open(name) {
    this.tab = name;
    if (this.view.root.classList.contains("ac-below")) this.unroll(true);
    this.redraw();
  }

  /** Show a parameter in the list. @param {number} index its place in model order */
  lead(index) {
    this.open("parameters");
    this.parameters.pick(this.parameters.rows[index]);
  }

  toggle() {
    if (!this.list.hidden) this.open(this.tab === "details" ? "parameters" : "details");
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    event.preventDefault();
    event.stopPropagation();
    this.toggle();
    this.tabs[this.tab].focus();
  }

  /**
   * @param {number} k
   * @param {number | null} selected
   */
  update(k, selected) {
    const told = this.told(k, selected);
    if (this.view.root.classList.contains("ac-below")) this.lines.replaceChildren(...this.summary(told));
    if (selected !== null && selected !== this.looking && !this.parameters.has(selected)) this.tab = "details";
    this.looking = selected;
    if (this.tab !== this.shown) {
      this.shown = this.tab;
      this.view.resize();
      return;
    }
    for (const [name, tab] of Object.entries(this.tabs)) {
      put(tab, "aria-selected", name === this.tab);
      put(tab, "tabindex", name === this.tab ? 0 : -1);
    }
    if (this.tab === "details") this.fill(this.details(told));
    else {
      if (!this.body.contains(this.parameters.box)) this.body.replaceChildren(this.running, this.parameters.box);
      const event = k ? this.view.structure.events[k - 1] : null;
      this.running.replaceChildren(...(event ? runs(this.view.filled(event.title, k)) : ["Ready"]));
      this.parameters.update(k, selected);
    }
  }

  /** New contents; what had the focus keeps it, if it is there again. @param {Node[]} contents */
  fill(contents) {
    const { activeElement: active } = document;
    const held = active instanceof HTMLElement && this.body.contains(active) ? active.dataset.key : null;
    this.body.replaceChildren(...contents);
    const again = held ? this.body.querySelector(`[data-key="${CSS.escape(held)}"]`) : null;
    if (again instanceof HTMLElement) again.focus({ preventScroll: true });
  }

  // ---- what one box did ----

  /**
   * What there is to say of the event, or else of the box that the reader selected; null where there is neither.
   * @param {number} k
   * @param {number | null} selected
   */
  told(k, selected) {
    const { view } = this, { structure, tape } = view, event = k ? structure.events[k - 1] : null;
    const own = event && (selected === null || selected === event.node) ? event : null, index = own?.node ?? selected;
    if (index === null) return null;
    const node = structure.nodes[index], state = tape.node(index, k);
    if (own) {
      const { kind, next } = own, phase = kind === "loss" ? structure.name : kind;
      return {
        node, state, next, title: view.filled(own.title, k), text: view.filled(own.text, k),
        place: `Event ${k} of ${structure.events.length} · ${phase}`, alarms: this.alarms(k),
        rules: kind === "backward" ? node.rules : [], rows: this.rowsOf(own, state, k),
        saved: kind === "backward" || kind === "forward" ? savedTensors(node, false) : [],
      };
    }
    /** @type {Row} */
    const value = ["", node.label || "its result", "v", state.valueAt];
    return {
      node, state, next: null, title: nameOf(node), text: /** @type {Run[]} */ ([["", about(node, state)]]),
      place: `Selected · Esc goes back to event ${k}`, alarms: this.reason(index),
      rules: node.rules, rows: [value, ...this.backward(index, state)], saved: savedTensors(node, state.done),
    };
  }

  /** All of it. @param {ReturnType<Panel["told"]>} told */
  details(told) {
    if (!told) {
      return [paragraph("ac-event", `${this.view.structure.events.length} events`), el("h3", {}, "Ready"),
        paragraph("", `${PLAY} Values are blue and run down the page. `
          + "Gradients climb up: orange if positive, violet if negative."),
        paragraph("", CLICK)];
    }
    const { node, state, place, title, text, alarms, rules, rows, saved, next } = told;
    return [paragraph("ac-event", place), el("h3", {}, ...runs(title)), paragraph("ac-sentence", ...runs(text)),
      ...alarms, ...staleSaves(node), ...rulesOf(rules), heading("Numbers in and out"), this.numbers(rows),
      ...this.heats(node, state), ...saved, ...(next ? [heading("Next"), paragraph("", ...runs(next))] : [])];
  }

  /** As much as has room in a strip: a sentence, the rule, the numbers. @param {ReturnType<Panel["told"]>} told */
  summary(told) {
    if (!told) return [paragraph("ac-sentence", `${PLAY} ${CLICK}`)];
    /** @param {...(Node | string)} content */
    const part = (...content) => [el("span", { class: "ac-strip-part" }, ...content), " "];
    const numbers = told.rows.flatMap(([, name, kind, place]) => {
      const tensor = place && this.view.tape.at(place);
      return part(`${name} `, el("b", { class: `ac-${styleOf(tensor, kind)}` }, tensorText(tensor, kind === "g")));
    });
    return [paragraph("ac-sentence", el("b", {}, ...runs(told.title)), ". ", ...runs(told.text)),
      paragraph("", ...told.rules.flatMap((rule) => part(...runs(rule)))), paragraph("", ...numbers)];
  }

  /**
   * A box that is looked into, in one sentence after the other.
   * @param {number} index
   * @param {number} k
   */
  sentence(index, k) {
    const { structure, tape } = this.view, node = structure.nodes[index];
    return [plain(nameOf(node)), about(node, tape.node(index, k)), ...node.rules.map(plain)].join(". ");
  }

  /** Why a parameter gets no gradient. @param {number} index */
  reason(index) {
    const parameter = this.view.structure.parameters.find(({ node, reason }) => node === index && reason);
    return parameter && !parameter.frozen ? [paragraph("ac-alarm", parameter.reason)] : [];
  }

  /** Whether the first inf or nan is made here, and where it comes from. @param {number} k */
  alarms(k) {
    const { structure: { nodes }, tape } = this.view;
    return tape.numbers.firsts.filter(([, at]) => at === k).map(([word, , node]) => {
      const origin = node === null ? null : nodes[node];
      const from = origin ? ` It comes from ${origin.label || `a ${origin.kind}`}, which holds it from the start.` : "";
      return paragraph("ac-alarm", `The first ${word} appears here.${from}`);
    });
  }

  /** Where the engines agree one column of numbers is enough. @param {Row[]} rows */
  numbers(rows) {
    const { tape, tapes } = this.view;
    if (tapes.length < 2) return table(rows, tape);
    const found = comparedRows(rows, tapes).filter((difference) => difference !== undefined);
    const differs = found.some(([, close]) => !close);
    return el("div", {}, differs ? sideBySide(rows, tapes) : table(rows, tape), verdict(found));
  }

  // ---- the rows of its table ----

  /**
   * @param {TraceEvent} event
   * @param {NodeState} state
   * @param {number} k
   * @returns {Row[]}
   */
  rowsOf({ kind, node: index }, state, k) {
    const node = this.view.structure.nodes[index];
    if (kind === "backward") return this.backward(index, state);
    if (kind === "forward") return this.forward(index, state, k);
    if (kind === "loss") return [[STRONG, node.label || "its result", "v", state.valueAt]];
    return this.change(node, state, kind, k);
  }

  /**
   * What an operation computed from what.
   * @param {number} index
   * @param {NodeState} state
   * @param {number} k
   * @returns {Row[]}
   */
  forward(index, state, k) {
    const { structure: { nodes, edges }, tape } = this.view;
    /** @type {Row[]} */
    const inputs = edges.filter((edge) => edge.consumer === index).map(({ producer }) => {
      const { kind, label, called } = nodes[producer];
      const name = label || (isOperation({ kind }) ? `from ${called}` : "a constant");
      return ["", name, "v", tape.node(producer, k).valueAt];
    });
    return [...inputs, [STRONG, nodes[index].label || "its result", "v", state.valueAt]];
  }

  /**
   * What an event wrote into a leaf, or into its .grad.
   * @param {GraphNode} node
   * @param {NodeState} state
   * @param {EventKind} kind
   * @param {number} k
   * @returns {Row[]}
   */
  change(node, state, kind, k) {
    const grad = `${node.label || "leaf"}.grad`, step = kind === "step", name = step ? node.label || "leaf" : grad;
    const colour = step ? "v" : "g";
    /** @type {Row[]} */
    const read = step ? [["", grad, "g", state.gradientAt]] : kind === "accumulate" ? this.arrived(state) : [];
    return [["", `${name} before`, colour, ["before", k - 1]], ...read,
      [TOTAL, `${name} after`, colour, ["after", k - 1]]];
  }

  /**
   * @param {NodeState} state
   * @returns {Row[]}
   */
  arrived({ arrived }) {
    const { structure: { edges, nodes }, tape } = this.view;
    return arrived.map((e) => {
      const { consumer, slot } = edges[e], several = edges.filter((edge) => edge.consumer === consumer).length > 1;
      return ["", `from ${nodes[consumer].called}${several ? `, input ${slot}` : ""}`, "g", tape.sentAt(e)];
    });
  }

  /**
   * What arrived, its sum, and what was sent.
   * @param {number} index
   * @param {NodeState} state
   */
  backward(index, state) {
    const { structure, tape } = this.view, { kind, label } = structure.nodes[index], rows = this.arrived(state);
    const place = tape.arrivedAt(state.arrived), added = place && tape.at(place);
    // an engine of the reader's own may pass on something else
    const adds = !added || tensorText(added, true) === tensorText(state.gradient, true);
    const sum = kind === "leaf" ? ".grad" : `${adds ? "Σ sum" : "passed on"}${label ? ` at ${label}` : ""}`;
    if (kind === "leaf" || (state.gradient && rows.length !== 1)) rows.push([TOTAL, sum, "g", state.gradientAt]);
    return state.done && state.gradientAt ? [...rows, ...this.sent(index, state.gradientAt)] : rows;
  }

  /**
   * What a node sent to its inputs, and the slope that it multiplied by.
   * @param {number} index
   * @param {StoredPlace | SumPlace} total
   */
  sent(index, total) {
    const { structure: { edges, nodes }, tape } = this.view;
    /** @type {Row[]} */
    const rows = [];
    edges.forEach((edge, i) => {
      if (edge.consumer !== index || !edge.sent) return;
      const place = tape.sentAt(i), to = nodes[edge.producer];
      /** @type {Place} */
      const slope = ["slope", place, total];
      if (nodes[index].slope && tape.at(slope)) rows.push(["", "× its slope", "v", slope]);
      rows.push([TOTAL, `sent to ${to.kind === "leaf" ? to.label || "a leaf" : to.called}`, "g", place]);
    });
    return rows;
  }

  /**
   * Maps of the value and of the gradient, where they have more than three numbers.
   * @param {GraphNode} node
   * @param {NodeState} state
   */
  heats(node, { value, valueAt, gradient, gradientAt }) {
    /** @type {Shown[]} */
    const found = [];
    if (value) found.push({ name: node.label || "its result", kind: "v", tensor: value, place: valueAt });
    if (gradient && gradientAt && (gradient[1] || gradientAt[0] !== "sum")) {
      const name = node.kind === "leaf" ? ".grad" : "gradient";
      found.push({ name, kind: "g", tensor: gradient, place: gradientAt });
    }
    return found.filter(({ tensor }) => count(tensor) > IN_FULL)
      .map((shown) => heat(shown, this.maps, () => this.redraw()));
  }
}
