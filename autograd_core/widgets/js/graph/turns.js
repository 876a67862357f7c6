// The backward pass in the reader's hands: which nodes may run, what is asked of who runs them, and what wrong answers
// say. Every right number is one that the engine sent; only what a mistake would have led to is worked out here.

import { cellOf, count, finite, number, real, shapeText, tensorText } from "../kit/format.js";
import { isLeaf, isOperation, quotient, sum } from "./tape.js";

/** @import { Run, Tensor } from "../kit/types.d.ts" */
/** @import { Structure, TraceEvent } from "./types.d.ts" */
/** @import { Tape } from "./tape.js" */

/**
 * An answer: how it is written, its number, what it is called among the wrong turns, and why it is wrong.
 * @typedef {{ text: string, tensor: Tensor | null, short: string, why: string }} Answer
 */

/** @typedef {[tensor: Tensor | null, short: string, why: (text: string) => string]} Way to a wrong answer */

/**
 * What is asked: `mistakes` are all that are known, `offers` the right answer and the likeliest of them. `edge` is the
 * one along which it goes; `leaf` the one whose whole gradient is asked for.
 * @typedef {object} Question
 * @property {string} title
 * @property {Run[]} words
 * @property {Run[][]} hint
 * @property {string} label
 * @property {Answer} right
 * @property {Answer[]} mistakes
 * @property {Answer[]} offers
 * @property {number | null} edge
 * @property {number | null} leaf
 */

const MOST_SHOWN = 20;                           // numbers of a tensor that is written out
const OFFERS = 3;
const NEAR = 0.005;                              // of a typed number: it is worked out from rounded ones

// ---- who may run ----

/**
 * The events of the backward pass, from the first to the last; null where they do not follow each other, or a node has
 * two of them.
 * @param {Pick<TraceEvent, "kind" | "node">[]} events
 */
export function passOf(events) {
  const own = events.flatMap(({ kind }, i) => (kind === "backward" || kind === "accumulate" ? [i + 1] : []));
  const first = own[0], last = own[own.length - 1];
  const once = new Set(own.map((k) => events[k - 1].node)).size === own.length;
  return own.length && once && last - first + 1 === own.length ? { first, last } : null;
}

/**
 * The events of `nodes` that can run after event k, in their order; of a fold as many as need nothing from outside.
 * @param {Tape} tape
 * @param {number[]} nodes
 * @param {number} k
 */
export function mayRun(tape, nodes, k) {
  const { events, edges } = tape.structure, own = new Set(nodes), picked = new Set();
  events.forEach(({ kind, node }, i) => {
    if (i < k || !own.has(node) || (kind !== "backward" && kind !== "accumulate")) return;
    if (tape.received[node].every((edge) => edges[edge].sent <= k || picked.has(edges[edge].sent))) picked.add(i + 1);
  });
  return /** @type {number[]} */ ([...picked]);
}

/** What a node is called in a sentence. @param {Structure} structure @param {number} node */
const nameOf = ({ nodes }, node) => (isOperation(nodes[node]) ? nodes[node].called : nodes[node].label || "a leaf");

/**
 * Why a node cannot run after event k: what it is called among the wrong turns, and a sentence.
 * @param {Tape} tape
 * @param {number[]} nodes those of its box
 * @param {number} k
 * @param {string} name
 */
export function refusal(tape, nodes, k, name) {
  const { structure } = tape, { kind } = structure.nodes[nodes[0]];
  const own = new Set(nodes), due = structure.events.some((event, i) => i >= k && own.has(event.node));
  const idle = { frozen: "is frozen (requires_grad=False): nothing is sent to it",
    constant: "is a constant: nothing is sent to it", severed: "gets no gradient: the path back to it was cut" };
  const why = idle[/** @type {"frozen"} */ (kind)];
  if (why) return { short: `${name}, which gets nothing`, why: `${name} ${why}.` };
  if (!due && nodes.some((node) => tape.received[node].length || node === structure.root)) {
    const has = isLeaf({ kind }) ? "has taken in what came" : "has run";
    return { short: `${name} again`, why: `${name} ${has}. That happens once in a pass.` };
  }
  if (!due) return { short: `${name}, which gets nothing`, why: `No gradient comes to ${name} in this pass.` };
  const outside = nodes.flatMap((node) => tape.received[node])
    .filter((edge) => !own.has(structure.edges[edge].consumer));
  const missing = outside.filter((edge) => structure.edges[edge].sent > k), came = outside.length - missing.length;
  const from = [...new Set(missing.map((edge) => nameOf(structure, structure.edges[edge].consumer)))];
  const waits = came ? `${came} of ${outside.length} has arrived. It waits for ${from.join(" and ")}.`
    : `nothing has arrived there yet. It comes from ${from.join(" and ")}.`;
  return { short: `${name} before ${from[0]}`, why: `${name} cannot run: ${waits}` };
}

// ---- tensors ----

/**
 * Two tensors, number by number; either may be a single one.
 * @param {Tensor | null} a
 * @param {Tensor | null} b
 * @param {(x: number, y: number) => number} f
 * @returns {Tensor | null}
 */
function pairs(a, b, f) {
  const left = a?.[1], right = b?.[1];
  if (!a || !b || !left || !right) return null;
  const [most, shape] = left.length >= right.length ? [left.length, a[0]] : [right.length, b[0]];
  if (![left, right].every(({ length }) => length === most || length === 1)) return null;
  const values = Array.from({ length: most }, (_, i) => f(real(left[i] ?? left[0]), real(right[i] ?? right[0])));
  return [shape, values.map(cellOf), cellOf(Math.hypot(...values))];
}

/** @param {Tensor | null} tensor @returns {Tensor | null} */
const minus = (tensor) => pairs(tensor, [[], [-1], 1], (x, y) => x * y);

/** @param {Tensor} tensor @returns {Tensor | null} */
function transposed([shape, values, norm]) {
  if (shape.length !== 2 || !values) return null;
  const [rows, columns] = shape;
  return [[columns, rows], values.map((_, i) => values[(i % rows) * columns + Math.floor(i / rows)]), norm];
}

/**
 * A tensor as it is offered: its numbers, row by row; of a large one the norm.
 * @param {Tensor} tensor
 */
export function written(tensor) {
  const [shape, values, norm] = tensor, size = count(tensor);
  if (!values || size > MOST_SHOWN) return `${shapeText(shape)}, norm ${number(norm)}`;
  if (size <= 3 && shape.length < 2) return tensorText(tensor, true);
  const texts = values.map(number), width = Math.max(...texts.map(({ length }) => length));
  const across = shape[shape.length - 1] || 1;
  const rows = Array.from({ length: size / across }, (_, i) => texts.slice(i * across, (i + 1) * across));
  return rows.map((row) => row.map((text) => text.padStart(width, "\u2007")).join("  ")).join("\n");
}

/** The right answer. @param {Tensor} tensor @returns {Answer} */
const answer = (tensor) => ({ text: written(tensor), tensor, short: "", why: "" });

// ---- what is asked ----

/** What a rule does, in words. @param {string} rule as it stands at an edge @param {string} to */
function inWords(rule, to) {
  if (!rule || rule === "its rule") return "It has its own rule";
  if (rule === "× 1") return "It passes on what arrives, as it is";
  if (rule === "× −1") return "It passes on what arrives, with its sign changed";
  if (rule.startsWith("×")) return `It multiplies what arrives by its slope in ${to}, ${rule.slice(2)}`;
  return rule.startsWith("÷") ? `It divides what arrives by ${rule.slice(2)}` : `Its rule is ${rule}`;
}

/**
 * The question with its offers: none where there is no wrong answer that looks different.
 * @param {Omit<Question, "mistakes" | "offers">} question
 * @param {Answer[]} wrong the likeliest first
 * @returns {Question[]}
 */
function asked(question, wrong) {
  const { right } = question, seen = new Set([right.text]);
  const mistakes = wrong.filter(({ text }) => !seen.has(text) && seen.add(text));
  const offers = [right, ...mistakes.slice(0, OFFERS - 1)].sort((a, b) => (a.text < b.text ? -1 : 1));
  return mistakes.length ? [{ ...question, mistakes, offers }] : [];
}

/**
 * What is asked of who runs these events: what goes along each edge; what comes of it where several meet.
 * @param {Tape} tape
 * @param {number[]} events
 * @param {number[]} nodes those of the box that runs
 * @returns {Question[]}
 */
export function questionsOf(tape, events, nodes) {
  const { structure } = tape, [k] = events, { kind, node, edges } = structure.events[k - 1], own = new Set(nodes);
  if (kind === "accumulate" && events.length === 1) return structure.large ? [] : grown(tape, k, node);
  if (structure.large || events.length > 1) {
    const leaving = events.flatMap((event) => structure.events[event - 1].edges).filter((edge) => {
      const { producer } = structure.edges[edge];
      return !own.has(producer) && isOperation(structure.nodes[producer]);
    });
    return leaving.slice(0, 1).flatMap((edge) => shapes(tape, edge));
  }
  const sends = edges.flatMap((edge) => (
    count(tape.sent(edge)) > MOST_SHOWN ? shapes(tape, edge) : sent(tape, k, edge)));
  const met = [...new Set(edges.map((edge) => structure.edges[edge].producer))];
  return [...sends, ...met.flatMap((producer) => meeting(tape, k, producer))];
}

/** What comes in at an event, said for a question. @param {Tape} tape @param {number} k */
function before(tape, k) {
  const { structure } = tape, { node } = structure.events[k - 1], state = tape.node(node, k);
  const inputs = structure.edges.filter(({ consumer }) => consumer === node).map(({ producer }) => producer);
  const known = inputs.flatMap((producer) => {
    const value = tape.at(tape.valueAt(producer, 0)), { label } = structure.nodes[producer];
    return value && count(value) <= 3 ? [`${label ? `${label} = ` : ""}${tensorText(value)}`] : [];
  });
  const result = state.value && count(state.value) <= 3 ? tensorText(state.value) : "";
  /** @type {Run[]} */
  const words = [["", "What arrived is "], ["g", state.gradient ? tensorText(state.gradient, true) : "1"], ["", "."]];
  if (result && known.length) {
    const from = [...new Set(known)].join(", ");
    words.push(["", " It had computed "], ["v", result], ["", " from "], ["v", from], ["", "."]);
  }
  return { words, g: state.gradient, value: state.value };
}

/** @param {Tape} tape @param {number} k @param {number} edge @returns {Question[]} */
function sent(tape, k, edge) {
  const { structure } = tape, { consumer, producer, rule } = structure.edges[edge], right = tape.sent(edge);
  const { words, g, value } = before(tape, k), from = nameOf(structure, consumer), to = nameOf(structure, producer);
  if (!g) return [];
  const alike = g[0].join() === right[0].join(), summed = rule.startsWith("×") && count(g) > count(right);
  const G = tensorText(g, true), says = `${inWords(rule, to)}${summed ? ", summed over what was stretched" : ""}.`;
  const siblings = structure.events[k - 1].edges.filter((other) => other !== edge), single = !siblings.length;
  const q = quotient(right, g), input = tape.at(tape.valueAt(producer, 0));
  /** @type {Way[]} */
  const ways = [];
  /** @param {Way} each */
  const way = (...each) => ways.push(each);
  const shape = `${to} has the shape ${shapeText(right[0])}, and so has its gradient`;
  if (!finite(right)) {
    const cause = finite(g) ? "The slope is not, and 0 times inf is nan" : "What arrived is not";
    way(pairs(right, right, (x) => (Number.isFinite(x) ? x : 0)), "0 for what is not finite", (text) =>
      `${text} would be finite. ${cause}. ${says}`);
  }
  if (rule === "× 1" && siblings.length) {
    way(pairs(right, [[], [2], 2], (x, y) => x / y), "shared out", (text) =>
      `${text} is a half. A sum does not share out: each input gets all that arrives.`);
  }
  if (!alike) {
    const stretched = count(g) === 1 ? pairs(g, right, (x) => x) : null;
    way(stretched, "not divided", (text) => `${text} is what arrived, once for each number. ${says}`);
    way(stretched && pairs(stretched, [[], [count(right)], 1], (x, y) => x / y), "shared out", () =>
      `That is what arrived, shared out among ${count(right)} numbers. ${says}`);
    way(g, "wrong shape", () => `That is what arrived, of shape ${shapeText(g[0])}. ${shape}. ${says}`);
  } else way(g, "factor forgotten", (text) => `${text} is what arrived. ${says}`);
  for (const other of siblings) {
    const goal = nameOf(structure, structure.edges[other].producer);
    if (goal !== to) way(tape.sent(other), "other input's slope", (text) => `${text} goes to ${goal}. ${says}`);
  }
  if (alike && masked(right, g)) {
    way(pairs(g, right, (x, y) => x - y), "mask turned round", () =>
      `There what does not pass stands, and 0 in place of what does. ${says}`);
  }
  if (single) {
    way(pairs(g, value, (x, y) => x * y), "value for slope", (text) =>
      `${text} is ${G} times the value. The slope of ${from} is not its value. ${says}`);
  }
  way(pairs(g, q, (x, y) => x + y), "sum for product", (text) =>
    `${text} is the sum of what arrived and the slope. ${says}`);
  way(pairs(g, input, (x, y) => x * y), "input for slope", (text) =>
    `${text} is ${G} times the value of ${to}. That is not the slope of ${from}. ${says}`);
  way(q, "slope alone", (text) => `${text} is the slope alone. What arrived, ${G}, is not in it.`);
  way(minus(right), "sign", (text) => `${text} has the wrong sign. ${says}`);
  way(transposed(right), "transposed", () => `That is transposed: ${shape}.`);
  const slope = q ? [/** @type {Run[]} */ ([["", " The slope is "], ["v", tensorText(q)], ["", "."]])] : [];
  if (words.length < 4 && slope.length) words.push(...slope[0]);      // what it was computed from was not kept
  return asked({
    title: `${from} runs: what does it send to ${to}?`, words, hint: [...structure.nodes[consumer].rules, ...slope],
    label: `${from} → ${to}`, edge, leaf: tape.received[producer].length === 1 ? empty(tape, producer) : null,
    right: answer(right),
  }, answers(ways));
}

/** Whether each number either passes, or is 0. @param {Tensor} right @param {Tensor} g */
function masked([, some], [, all]) {
  return some !== null && all !== null && some.length > 1 && some.every((x, i) => x === 0 || x === all[i]);
}

/** What ways are taken wrongly. @param {Way[]} ways @returns {Answer[]} */
function answers(ways) {
  return ways.flatMap(([tensor, short, why]) => {
    if (!tensor || !finite(tensor)) return [];
    const text = written(tensor);
    return [{ text, tensor, short, why: why(text.includes("\n") ? "That" : text) }];
  });
}

/**
 * Of a large tensor: which shape it has.
 * @param {Tape} tape
 * @param {number} edge
 * @returns {Question[]}
 */
function shapes(tape, edge) {
  const { structure } = tape, { consumer, producer } = structure.edges[edge], right = tape.sent(edge)[0];
  const from = nameOf(structure, consumer), to = nameOf(structure, producer), at = structure.nodes[consumer].shape;
  const has = `A gradient has the shape of what it is the gradient of: ${to} is ${shapeText(right)}.`;
  const siblings = structure.edges.filter((other) => other.consumer === consumer);
  const others = [...(at ? [at] : []), [...right].reverse(),
    ...siblings.map((other) => structure.nodes[other.producer].shape ?? [])];
  /** @param {number[]} shape @param {string} why @returns {Answer} */
  const offered = (shape, why) => ({ text: shapeText(shape), tensor: null, short: "wrong shape", why });
  return asked({
    title: `What shape has the gradient that goes to ${to}?`,
    words: [["", `What arrived at ${from} has the shape of its result${at ? `, ${shapeText(at)}` : ""}.`]],
    hint: [[["", has]]], edge, label: `${from} → ${to}`, right: offered(right, ""), leaf: null,
  }, others.map((shape) => offered(shape, `${shapeText(shape)} is another shape. ${has}`)));
}

/**
 * What several contributions come to.
 * @param {Tensor[]} terms the last that comes at their end
 * @param {string} rule
 * @returns {{ right: Answer, mistakes: Answer[] } | null}
 */
function addition(terms, rule) {
  const total = sum(terms), last = terms[terms.length - 1], rest = sum(terms.slice(0, -1));
  if (!total || !total[1] || count(total) > MOST_SHOWN) return null;
  return { right: answer(total), mistakes: answers([
    [last, "not added", (text) => `${text} came last. What was there stays, too: ${rule}.`],
    [rest, "not added", (text) => `${text} was there before. What comes is added: ${rule}.`],
    [pairs(rest, minus(last), (x, y) => x + y), "difference", (text) => `${text} is the difference: ${rule}.`],
    [pairs(rest, last, (x, y) => x * y), "product for sum", (text) => `${text} is the product: ${rule}.`],
  ]) };
}

/**
 * Where the last of several contributions comes with event k.
 * @param {Tape} tape
 * @param {number} k
 * @param {number} node
 * @returns {Question[]}
 */
function meeting(tape, k, node) {
  const { structure } = tape, { arrived, all } = tape.node(node, k), was = tape.node(node, k - 1).arrived.length;
  if (all.length < 2 || arrived.length < all.length || was === all.length) return [];
  const terms = arrived.map((edge) => tape.sent(edge)), name = structure.nodes[node].label || nameOf(structure, node);
  const found = addition(terms, "contributions are added");
  const texts = terms.map((term) => (count(term) <= 3 ? tensorText(term, true) : "a matrix"));
  return found ? asked({
    title: `${terms.length} contributions meet at ${name}: what is its gradient?`,
    words: [["", "They are "], ["g", texts.join(" and ")], ["", "."]], hint: [[["", "Contributions are added."]]],
    edge: null,
    label: `Σ at ${name}`, right: found.right, leaf: empty(tape, node),
  }, found.mistakes) : [];
}

/** The node, if it is a leaf that holds nothing yet. @param {Tape} tape @param {number} leaf */
function empty(tape, leaf) {
  const taken = tape.structure.events.findIndex(({ kind, node }) => kind === "accumulate" && node === leaf);
  return taken >= 0 && !tape.numbers.events[taken][0] ? leaf : null;
}

/**
 * Where a leaf holds a gradient already.
 * @param {Tape} tape
 * @param {number} k
 * @param {number} leaf
 * @returns {Question[]}
 */
function grown(tape, k, leaf) {
  const [held] = tape.numbers.events[k - 1], { arrived } = tape.node(leaf, k);
  const came = sum(arrived.map((edge) => tape.sent(edge)));
  const name = `${nameOf(tape.structure, leaf)}.grad`;
  const found = held && came ? addition([held, came], "backward() adds to .grad") : null;
  if (!held || !came || !found) return [];
  return asked({
    title: `${name} holds a gradient already: what stands there afterwards?`, edge: null,
    words: [["", "It holds "], ["g", written(held)], ["", ", and there comes "], ["g", written(came)], ["", "."]],
    hint: [[["", "backward() adds to .grad."]]], label: name, right: found.right, leaf,
  }, found.mistakes);
}

// ---- what was typed ----

/** A number as a person types it; null for anything else. @param {string} text */
export function typed(text) {
  const plain = text.trim().replace(/[−–]/g, "-").replace(",", ".");
  return /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(plain) ? Number(plain) : null;
}

/**
 * What a typed number says: the right answer or a mistake, whichever is nearest and near enough; null for neither.
 * @param {Question} question
 * @param {number} value
 * @returns {Answer | null}
 */
export function meant({ right, mistakes }, value) {
  const known = [right, ...mistakes].flatMap((each) => {
    const [, values] = each.tensor ?? [[], null, 0];
    if (values?.length !== 1) return [];
    const is = real(values[0]), off = Math.abs(is - value);
    return [{ each, off, near: off <= NEAR * Math.abs(is) || number(cellOf(value)) === number(values[0]) }];
  });
  known.sort((a, b) => a.off - b.off);
  return known.find(({ near }) => near)?.each ?? null;
}
