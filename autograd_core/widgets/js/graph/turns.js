// The backward pass in the reader's hands: which nodes may run, what is asked of who runs them, and what wrong answers
// say. Every right number is one that the engine sent; only what a mistake would have led to is worked out here.

import { cellOf, count, finite, gradientStyle, number, real, shapeText, sizeText, tensorText } from "../kit/format.js";
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
 * one along which it goes. `slack` is how far a typed number may be off that was worked out from the numbers shown.
 * @typedef {object} Question
 * @property {string} title
 * @property {Run[]} words
 * @property {Run[][]} hint
 * @property {string} label
 * @property {Answer} right
 * @property {Answer[]} mistakes
 * @property {Answer[]} offers
 * @property {number | null} edge
 * @property {number} slack
 */

const MOST_SHOWN = 20;                           // numbers of a tensor that is written out
const OFFERS = 3;
const LIST = new Intl.ListFormat("en-GB");
const NEAR = 0.005;                              // of a typed number: it is worked out from rounded ones
const MOST_NAMED = 3;
const DECIMAL = 0.0005, DIGIT = 0.05;            // what is lost at most of a number that is shown: see `number`

// ---- who may run ----

/** @param {Pick<TraceEvent, "kind">} event */
const isBack = ({ kind }) => kind === "backward" || kind === "accumulate";

/**
 * The events of the backward pass, from the first to the last; null where they do not follow each other, or a node has
 * two of them.
 * @param {Pick<TraceEvent, "kind" | "node">[]} events
 */
export function passOf(events) {
  const own = events.flatMap((event, i) => (isBack(event) ? [i + 1] : []));
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
  events.forEach((event, i) => {
    const { node } = event;
    if (i < k || !own.has(node) || !isBack(event)) return;
    if (tape.received[node].every((edge) => edges[edge].sent <= k || picked.has(edges[edge].sent))) picked.add(i + 1);
  });
  return /** @type {number[]} */ ([...picked]);
}

/** What a node is called in a sentence. @param {Structure} structure @param {number} node */
export function nameOf({ nodes }, node) {
  const { called, label, kind } = nodes[node];
  return isOperation({ kind }) ? called : label || (kind === "constant" ? "a constant" : "a leaf");
}

/** The same at the beginning of a sentence: "The transpose", but "w". @param {string} name */
export const first = (name) => name.replace(/^(the|a) /, (word) => word[0].toUpperCase() + word.slice(1));

/**
 * Why a node cannot run after event k: what it is called among the wrong turns, and a sentence.
 * @param {Tape} tape
 * @param {number[]} nodes those of its box
 * @param {number} k
 * @param {string} name
 */
export function refusal(tape, nodes, k, name) {
  const { structure } = tape, { kind } = structure.nodes[nodes[0]];
  const own = new Set(nodes), alone = nodes.every((node) => structure.nodes[node].kind === kind);
  const leaf = isLeaf({ kind }) && alone;
  const due = structure.events.some((event, i) => i >= k && own.has(event.node) && isBack(event));
  const idle = { frozen: "is frozen (requires_grad=False), so it gets no gradient",
    constant: "is a constant, so it gets no gradient", severed: "gets no gradient: no path leads to it" };
  const resting = alone ? idle[/** @type {"frozen"} */ (kind)] : undefined;
  if (resting) return { short: `${name}, which gets no gradient`, why: `${first(name)} ${resting}.` };
  if (!due && nodes.some((node) => tape.received[node].length || node === structure.root)) {
    const has = leaf ? "has added its gradient" : "has run";
    return { short: `${name} again`, why: `${first(name)} ${has}. It does this once in each pass.` };
  }
  if (!due) return { short: `${name}, which gets no gradient`, why: `${first(name)} gets no gradient in this pass.` };
  const outside = nodes.flatMap((node) => tape.received[node])
    .filter((edge) => !own.has(structure.edges[edge].consumer));
  const missing = outside.filter((edge) => structure.edges[edge].sent > k), came = outside.length - missing.length;
  const from = [...new Set(missing.map((edge) => nameOf(structure, structure.edges[edge].consumer)))];
  const has = came === 1 ? "has" : "have";
  const state = came ? `${came} of ${outside.length} gradients ${has} arrived` : "no gradient has arrived";
  const why = `${first(name)} can't ${leaf ? "add" : "run"} yet: ${state}. It waits for ${listed(from)}.`;
  return { short: `${name} before ${from[0]}`, why };
}

/**
 * What a node saved, by its names: a product or a quotient of which no tensor is told kept a plain number.
 * @param {Structure} structure
 * @param {number} node
 */
export function savedBy({ nodes }, node) {
  const { short, saved } = nodes[node], names = saved.map(({ label }) => label);
  return names.length || !["Mul", "Div"].includes(short) ? names : ["a number"];
}

/**
 * The node at which a second pass raises: the first of the engine's order that had saved something.
 * @param {Structure} structure in the order of the engine that recorded the graph
 */
export function refusing(structure) {
  const found = structure.events.find(({ kind, node }) => kind === "backward" && savedBy(structure, node).length);
  return found && !structure.large ? found.node : null;
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

/** Names in a sentence: the first few. @param {string[]} names */
function listed(names) {
  const more = names.length - MOST_NAMED;
  return LIST.format(more > 0 ? [...names.slice(0, MOST_NAMED), `${more} more`] : names);
}

/** How large a tensor is, in a sentence. @param {Tensor} tensor */
const sizeOf = ([shape]) => (shape.length ? sizeText(shape) : "one number");

/** The share of a number that is lost at most where it is shown. @param {Tensor | null} tensor */
function lost(tensor) {
  const values = tensor?.[1] ?? [];
  const rounded = values.map(real).filter((x) => Number.isFinite(x) && number(x) !== String(x).replace("-", "−"));
  return Math.max(0, ...rounded.map(Math.abs).map((x) => (x < 0.001 || x >= 10000 ? DIGIT : DECIMAL / x)));
}

/**
 * What a rule does, in words.
 * @param {string} rule as it stands at an edge
 * @param {string} to
 */
function inWords(rule, to) {
  if (!rule || rule === "its rule") return "The hint shows its rule";
  if (rule === "× 1") return "It passes the gradient on unchanged";
  if (rule === "× −1") return "It changes the sign of the gradient";
  if (/^expand\(g, \w+\) \//.test(rule)) return "It divides the gradient among the numbers of its input";
  if (/^expand\(g, \w+\)$/.test(rule)) return "It sends the gradient to each number of its input";
  const by = /^× (input|other)$/.test(rule) ? "the other factor" : rule === "÷ other" ? "the divisor" : rule.slice(2);
  if (rule.startsWith("÷")) return `It divides the gradient by ${by}`;
  const slope = /^\([^()]*(\([^()]*\)[^()]*)*\)$/.test(by) ? by.slice(1, -1) : by;
  if (!rule.startsWith("×")) return `Its rule is ${rule}`;
  return `It multiplies the gradient by the slope for ${to}, which is ${slope}`;
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
 * What is asked of who runs these events: what goes along each edge; what comes of it where several meet. Nothing is
 * asked about a fold, a large graph or a large gradient: there the reader only says which node may run.
 * @param {Tape} tape
 * @param {number[]} events
 * @returns {Question[]}
 */
export function questionsOf(tape, events) {
  const { structure } = tape, [k] = events, { kind, node, edges } = structure.events[k - 1];
  if (structure.large || events.length > 1) return [];
  if (kind === "accumulate") return grown(tape, k, node);
  const sends = edges.flatMap((edge) => (count(tape.sent(edge)) > MOST_SHOWN ? [] : sent(tape, k, edge)));
  const met = [...new Set(edges.map((edge) => structure.edges[edge].producer))];
  return [...sends, ...met.flatMap((producer) => meeting(tape, k, producer))];
}

/**
 * A sentence with gradients in it, after which a full stop stands; those of a matrix stand below each other.
 * @param {(string | Tensor)[]} parts
 * @returns {Run[]}
 */
function sentence(...parts) {
  const last = parts[parts.length - 1], block = typeof last !== "string" && written(last).includes("\n");
  /** @param {Tensor} tensor @param {string} text @returns {Run} */
  const gradient = (tensor, text) => [gradientStyle(tensor), text.includes("\n") ? `\n${text}\n` : text];
  const all = [...parts, ...(block ? [] : ["."])];
  return all.map((part) => (typeof part === "string" ? ["", part] : gradient(part, written(part))));
}

/** What comes in at an event, said for a question. @param {Tape} tape @param {number} k */
function before(tape, k) {
  const { structure } = tape, { node } = structure.events[k - 1], { gradient: g, value } = tape.node(node, k);
  const inputs = structure.edges.filter(({ consumer }) => consumer === node).map(({ producer }) => producer);
  const known = inputs.flatMap((producer) => {
    const input = tape.at(tape.valueAt(producer, 0)), { label } = structure.nodes[producer];
    return input && count(input) <= 3 ? [`${label ? `${label}\u00a0=\u00a0` : ""}${tensorText(input)}`] : [];
  });
  /** @type {Run[]} */
  const words = g ? sentence("It received ", g) : [];
  const whole = value && count(value) <= 3 && known.length === inputs.length;
  if (whole) {
    const from = LIST.format(new Set(known));
    words.push(["", " Its result was "], ["v", tensorText(value)], ["", " from "], ["v", from], ["", "."]);
  }
  return { words, g, value, whole };
}

/** @param {Tape} tape @param {number} k @param {number} edge @returns {Question[]} */
function sent(tape, k, edge) {
  const { structure } = tape, { consumer, producer, rule } = structure.edges[edge], right = tape.sent(edge);
  const { words, g, value, whole } = before(tape, k), from = nameOf(structure, consumer);
  if (!g) return [];
  const alike = g[0].join() === right[0].join(), summed = rule.startsWith("×") && count(g) > count(right);
  const all = structure.events[k - 1].edges, siblings = all.filter((other) => other !== edge);
  const inputs = structure.edges.filter((other) => other.consumer === consumer).length;
  const twins = all.filter((other) => structure.edges[other].producer === producer);
  const to = nameOf(structure, producer);
  const place = twins.length > 1 ? ` (${twins.indexOf(edge) + 1} of ${twins.length})` : "";
  const rest = summed ? ", and sums over the broadcast numbers" : "", says = `${inWords(rule, to)}${rest}.`;
  const q = quotient(right, g), input = tape.at(tape.valueAt(producer, 0)), product = /^[×÷] (?!−?1$)/.test(rule);
  /** @type {Way[]} */
  const ways = [];
  /** @param {Way} each */
  const way = (...each) => ways.push(each);
  const shape = `The gradient of ${to} has the shape of ${to}: ${sizeOf(right)}`;
  if (!finite(right)) {
    const born = right[1]?.includes("nan") ? ", and 0 times inf is nan" : "";
    const cause = finite(g) ? `The slope isn't${born}` : "The gradient that arrived isn't";
    way(pairs(right, right, (x) => (Number.isFinite(x) ? x : 0)), "0 for what is not finite", (text) =>
      `${text} would be finite. ${cause}. ${says}`);
  }
  if (siblings.length && all.every((other) => structure.edges[other].rule === "× 1")) {
    way(pairs(right, [[], [2], 2], (x, y) => x / y), "divided", (text) =>
      `${text} is half of it. Each input gets the whole gradient.`);
  }
  if (!alike) {
    const stretched = count(g) === 1 ? pairs(g, right, (x) => x) : null;
    const shared = stretched && pairs(stretched, [[], [count(right)], 1], (x, y) => x / y);
    way(stretched, shared && written(shared) === written(right) ? "not divided" : "to each number", (text) =>
      `${text} is the gradient, once for each number. ${says}`);
    way(shared, "divided", () => `That divides the gradient among ${count(right)} numbers. ${says}`);
    way(g, "wrong shape", () => `That is the gradient, ${sizeOf(g)}. ${shape}. ${says}`);
  } else way(g, product ? "factor forgotten" : "passed on unchanged", (text) =>
    `${text} is the gradient that arrived. ${says}`);
  for (const other of siblings) {
    const goal = nameOf(structure, structure.edges[other].producer);
    if (goal !== to) way(tape.sent(other), "other input's gradient", (text) => `${text} goes to ${goal}. ${says}`);
  }
  if (alike && masked(right, g)) {
    way(pairs(g, right, (x, y) => x - y), "mask inverted", () =>
      `That is 0 where the mask is true. ${says}`);
  }
  if (inputs === 1 && alike) {
    way(pairs(g, value, (x, y) => x * y), "value for slope", (text) =>
      `${text} is the gradient times the result of ${from}. The rule needs the slope. ${says}`);
  }
  way(pairs(g, q, (x, y) => x + y), "sum for product", (text) =>
    `${text} is the sum of the gradient and the slope. ${says}`);
  if (alike && product) {
    way(pairs(g, input, (x, y) => x * y), "input for slope", (text) =>
      `${text} is the gradient times the value of ${to}. The rule needs the slope. ${says}`);
  }
  way(q, "only the slope", (text) => `${text} is only the slope. Multiply it by the gradient.`);
  way(minus(right), "sign", (text) => `${text} has the wrong sign. ${says}`);
  const slope = q ? [/** @type {Run[]} */ ([["", " The slope is "], ["v", tensorText(q)], ["", "."]])] : [];
  if (!whole && slope.length) words.push(...slope[0]);                // what it was computed from was not kept
  const shown = [g, q, input, inputs === 1 ? value : null].reduce((share, each) => share + lost(each), NEAR);
  return asked({
    title: `${first(from)} runs: what does it send to ${to}${place}?`, words,
    hint: [...structure.nodes[consumer].rules, ...slope], label: `${from} → ${to}${place}`, edge,
    slack: shown * Math.abs(real(right[2])), right: answer(right),
  }, answers(ways));
}

/** Whether each number either passes, or is 0, and both are there. @param {Tensor} right @param {Tensor} g */
function masked([, some], [, all]) {
  if (!some || !all || !some.every((x, i) => x === 0 || x === all[i])) return false;
  return some.some((x) => x !== 0) && some.some((x, i) => x !== all[i]);
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
 * What several contributions come to.
 * @param {Tensor[]} terms the last that comes at their end
 * @param {string} rule
 * @returns {{ right: Answer, mistakes: Answer[], slack: number } | null}
 */
function addition(terms, rule) {
  const total = sum(terms), last = terms[terms.length - 1], rest = sum(terms.slice(0, -1));
  if (!total || !total[1] || count(total) > MOST_SHOWN) return null;
  const off = terms.map((term) => lost(term) * Math.abs(real(term[2])));
  const slack = off.reduce((a, b) => a + b, NEAR * Math.abs(real(total[2])));
  return { slack, right: answer(total), mistakes: answers([
    [last, "not added", (text) => `${text} is only the last one: ${rule}.`],
    [rest, "not added", (text) => `${text} lacks the last one: ${rule}.`],
    [pairs(rest, minus(last), (x, y) => x + y), "difference", (text) => `${text} is the difference, but ${rule}.`],
    [pairs(rest, last, (x, y) => x * y), "product for sum", (text) => `${text} is the product, but ${rule}.`],
    [pairs(total, [[], [terms.length], 1], (x, y) => x / y), "mean for sum",
      (text) => `${text} is the mean, but ${rule}.`],
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
  const terms = arrived.map((edge) => tape.sent(edge)), name = nameOf(structure, node);
  const found = addition(terms, "contributions are added");
  if (!found) return [];
  const words = sentence(...terms.flatMap((term, i) => [i ? " and " : "They are ", term]));
  return asked({
    title: `${terms.length} contributions meet at ${name}: what is its gradient?`, words,
    hint: [[["", "Contributions are added."]]], edge: null, label: `Σ at ${name}`, right: found.right,
    slack: found.slack,
  }, found.mistakes);
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
    title: `${name} already has a gradient. What is it afterwards?`, edge: null,
    words: sentence("It is ", held, ", and this gradient arrives: ", came),
    hint: [[["", "backward() adds to .grad."]]], label: name, right: found.right, slack: found.slack,
  }, found.mistakes);
}

// ---- what was typed ----

/**
 * The numbers that have a name after event k.
 * @param {Tape} tape
 * @param {number} k
 */
export const knownNames = (tape, k) => new Map(tape.structure.nodes.flatMap(({ label }, i) => {
  const { value } = tape.node(i, k);
  return label && value?.[1]?.length === 1 ? [/** @type {[string, number]} */ ([label, real(value[1][0])])] : [];
}));

/**
 * The number that a person types as a number, a name, or arithmetic of these with + - * / and parentheses; null for
 * anything else.
 * @param {string} text
 * @param {Map<string, number>} [names]
 * @returns {number | null}
 */
export function typed(text, names = new Map()) {
  const plain = text.replace(/[−–]/g, "-").replace(/[×·]/g, "*").replace(/^\s*(-?\d*),(\d+)\s*$/, "$1.$2");
  const tokens = plain.match(/(\d+\.?\d*|\.\d+)(e[-+]?\d+)?|[\p{L}_][\p{L}\d_.]*|\S/giu) ?? [];
  let at = 0;
  /** @returns {number} */
  const factor = () => {
    const token = tokens[at++] ?? "";
    if (token === "-") return -factor();
    if (token === "+") return factor();
    if (token !== "(") return /^[\d.]/.test(token) ? Number(token) : names.get(token) ?? NaN;
    const inner = chain(term, "+", "-");
    return tokens[at++] === ")" ? inner : NaN;
  };
  const term = () => chain(factor, "*", "/");
  /** @param {() => number} part @param {string} one @param {string} other @returns {number} */
  const chain = (part, one, other) => {
    let total = part();
    while (tokens[at] === one || tokens[at] === other) {
      const sign = tokens[at++], next = part();
      total = sign === "+" ? total + next : sign === "-" ? total - next : sign === "*" ? total * next : total / next;
    }
    return total;
  };
  const total = chain(term, "+", "-");
  return at === tokens.length && Number.isFinite(total) ? total : null;
}

/**
 * What a typed number says: the right answer or a mistake, whichever is nearest and near enough; null for neither.
 * @param {Question} question
 * @param {number} value
 * @returns {Answer | null}
 */
export function meant({ right, mistakes, slack }, value) {
  const known = [right, ...mistakes].flatMap((each) => {
    const [, values] = each.tensor ?? [[], null, 0];
    if (values?.length !== 1) return [];
    const is = real(values[0]), off = Math.abs(is - value), most = each === right ? slack : NEAR * Math.abs(is);
    return [{ each, off, near: off <= most || number(cellOf(value)) === number(values[0]) }];
  });
  known.sort((a, b) => a.off - b.off);
  return known.find(({ near }) => near)?.each ?? null;
}
