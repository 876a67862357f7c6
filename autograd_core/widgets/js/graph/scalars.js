// Runs a recorded graph of single numbers again, forward and backward, from other leaves: a page without a kernel
// computes by it what Python would answer when a slider moves.

/** @import { Tensor } from "../kit/types.d.ts" */
/** @import { GraphNode, Numbers, Slope, Structure } from "./types.d.ts" */

/** @typedef {Record<string, number>} Leaves their values, by name */

const ROUNDING = 2e-5;                           // as a share of the height of a curve

/** What x gets of g if the larger number gets it. @param {number} g @param {number} x @param {number} y */
const won = (g, x, y) => (x > y ? g : x === y ? g / 2 : 0);

/**
 * What an operation computes from x and y, and what it sends to them: g has arrived, and r is its result. `n` holds the
 * plain numbers of its call. A name ends with that of its node: PowBackward1 is Pow1. See autograd_core/ops.
 * @typedef {(x: number, y: number, n: Record<string, number>) => number} Forward
 * @typedef {(g: number, x: number, y: number, r: number, n: Record<string, number>) => number[]} Backward
 * @type {Record<string, [Forward, Backward]>}
 */
export const RULES = {
  Add0: [(x, y, n) => x + n.alpha * y, (g, _x, _y, _r, n) => [g, g * n.alpha]],
  Sub0: [(x, y, n) => x - n.alpha * y, (g, _x, _y, _r, n) => [g, -g * n.alpha]],
  Rsub1: [(x, _, n) => n.other - x, (g) => [-g]],
  Mul0: [(x, y) => x * y, (g, x, y) => [g * y, g * x]],
  Div0: [(x, y) => x / y, (g, x, y) => [g / y, (-g * (x / y)) / y]],
  Reciprocal0: [(x) => 1 / x, (g, _x, _y, r) => [-g * r * r]],
  Neg0: [(x) => -x, (g) => [-g]],
  Pow0: [(x, _, n) => x ** n.exponent, (g, x, _y, _r, n) => [n.exponent && g * n.exponent * x ** (n.exponent - 1)]],
  Pow1: [(x, y) => x ** y, (g, x, y, r) => [y && g * y * x ** (y - 1), !x && y >= 0 ? 0 : g * r * Math.log(x)]],
  Pow2: [(x, _, n) => n.input ** x, (g, x, _y, r, n) => [!n.input && x >= 0 ? 0 : g * r * Math.log(n.input)]],
  Exp0: [Math.exp, (g, _x, _y, r) => [g * r]],
  Log0: [Math.log, (g, x) => [g / x]],
  Sqrt0: [Math.sqrt, (g, _x, _y, r) => [g / (2 * r)]],
  Abs0: [Math.abs, (g, x) => [g * Math.sign(x)]],
  Sin0: [Math.sin, (g, x) => [g * Math.cos(x)]],
  Cos0: [Math.cos, (g, x) => [-g * Math.sin(x)]],
  Tanh0: [Math.tanh, (g, _x, _y, r) => [g * (1 - r * r)]],
  Sigmoid0: [(x) => 1 / (1 + Math.exp(-x)), (g, _x, _y, r) => [g * (1 - r) * r]],
  Relu0: [(x) => Math.max(x, 0), (g, _x, _y, r) => [r ? g : 0]],
  Maximum0: [(x, y) => Math.max(x, y), (g, x, y) => [won(g, x, y), won(g, y, x)]],
  Minimum0: [(x, y) => Math.min(x, y), (g, x, y) => [won(g, y, x), won(g, x, y)]],
};

/** @param {GraphNode} node */
const ruleOf = ({ short, rest }) => RULES[short + rest.slice(-1)];

/** The number of a tensor that has one; nan for any other. @param {Tensor | null} tensor */
export const only = (tensor) => (tensor?.[1]?.length === 1 ? Number(tensor[1][0]) : NaN);

/** The same tensor with another number. @template {Tensor | null} T @param {T} old @param {number} x @returns {T} */
export const like = (old, x) => /** @type {T} */ (old && [old[0], [x], Math.abs(x)]);

export class Scalars {
  /** @param {Structure} structure @param {Numbers} numbers @param {Slope[]} slopes */
  constructor(structure, numbers, slopes) {
    this.structure = structure;
    this.numbers = numbers;
    this.slopes = slopes;
    const { nodes, edges } = structure;
    /** The producers of each node's inputs. @type {number[][]} */
    this.inputs = nodes.map(() => []);
    for (const { consumer, slot, producer } of edges) this.inputs[consumer][slot] = producer;
    this.first = numbers.values.map(only);
    /** The plain numbers of each node. The node of 1 − x doesn't keep the 1. */
    this.plain = nodes.map(({ short, numbers: plain }, i) => (
      short === "Rsub" ? { other: this.first[i] + this.first[this.inputs[i][0]] } : plain));
  }

  /** The values of all nodes. @param {Leaves} leaves */
  forward(leaves) {
    const { structure: { nodes, events }, inputs, plain } = this;
    const values = this.first.map((x, i) => (nodes[i].kind === "leaf" ? leaves[nodes[i].label] ?? x : x));
    for (const { kind, node } of events) {
      if (kind !== "forward") continue;
      const [x, y] = inputs[node].map((i) => values[i]);
      values[node] = ruleOf(nodes[node])[0](x, y, plain[node]);
    }
    return values;
  }

  /** All numbers of the trace. @param {Leaves} leaves @returns {Numbers} */
  run(leaves) {
    const { structure: { nodes, edges, events, root }, inputs, plain, numbers } = this, values = this.forward(leaves);
    const arrived = nodes.map((_, i) => (i === root ? 1 : 0));
    return {
      ...numbers,
      values: numbers.values.map((old, i) => like(old, values[i])),
      events: numbers.events.map(([before, after, sent], i) => {
        const { kind, node, edges: out } = events[i], g = arrived[node];
        if (kind !== "backward") return [before, like(after, kind === "accumulate" ? g : values[node]), sent];
        const [x, y] = inputs[node].map((each) => values[each]);
        const back = ruleOf(nodes[node])[1](g, x, y, values[node], plain[node]);
        const all = out.map((edge) => back[edges[edge].slot]);
        out.forEach((edge, j) => { arrived[edges[edge].producer] += all[j]; });
        return [like(before, g), after, sent.map((old, j) => like(old, all[j]))];
      }),
    };
  }

  /** The loss along each leaf. @param {Leaves} leaves @returns {Slope[]} */
  along(leaves) {
    const { structure: { nodes, events, root }, slopes } = this, { events: now } = this.run(leaves);
    const lossAt = (/** @type {Leaves} */ moved) => {
      const loss = this.forward({ ...leaves, ...moved })[root];
      return Number.isFinite(loss) ? loss : null;
    };
    return slopes.map((slope) => {
      const { name, low, high, curve } = slope;
      const k = events.findLastIndex(({ kind, node }) => kind === "accumulate" && nodes[node].label === name);
      return { ...slope, at: leaves[name], loss: lossAt({}), grad: k < 0 ? slope.grad : only(now[k][1]),
        curve: curve.map((_, i) => lossAt({ [name]: low + ((high - low) * i) / (curve.length - 1) })) };
    });
  }

  /** Why the page can't compute this graph, "" if it can: it must get the numbers and curves that Python recorded. */
  get objection() {
    const { structure: { nodes, events }, numbers, slopes } = this;
    const why = slopes[0]?.why ?? "there is no curve";
    if (why) return `${why}.`;
    const unknown = events.find(({ kind, node }) => kind === "forward" && !ruleOf(nodes[node]));
    if (unknown) return `This page has no rule for ${nodes[unknown.node].short}.`;
    const again = this.along(Object.fromEntries(slopes.map(({ name, at }) => [name, at])));
    const isSame = again.every((now, i) => {
      const known = slopes[i].curve.filter((y) => y !== null), height = Math.max(...known) - Math.min(...known);
      const [found, expected] = [now, slopes[i]].map(({ loss, grad, curve }) => [loss, grad, ...curve]);
      return found.every((x, j) => {
        const y = Number(expected[j] ?? NaN);
        return x === expected[j] || Math.abs(Number(x) - y) <= ROUNDING * height + 1e-9 * Math.abs(y);
      });
    });
    return isSame && !numbers.firsts.length ? "" : "This page can't compute it.";
  }
}
