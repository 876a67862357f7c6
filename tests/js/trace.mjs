// A trace for the tests: u = a * b, loss = u + a, then backward, then a step of a.

/** @import { Tensor } from "../../autograd_core/widgets/js/kit/types.d.ts" */
/** @import { EventKind, GraphNode, NodeKind } from "../../autograd_core/widgets/js/graph/types.d.ts" */
/** @import { Numbers, Structure } from "../../autograd_core/widgets/js/graph/types.d.ts" */

/** @param {number} x @returns {Tensor} */
export const scalar = (x) => [[], [x], Math.abs(x)];

/** @param {NodeKind} kind @param {string} short @param {string} label @returns {GraphNode} */
const node = (kind, short, label) => ({
  kind, short, label, rest: "Backward0", line: 0, called: short, module: "", dtype: "float64", shape: [],
  numbers: {}, saved: [], rules: [], slope: false, recorded: 0, ran: 0,
});

/** @returns {Structure} */
export function structure() {
  const nodes = [node("leaf", "AccumulateGrad", "a"), node("leaf", "AccumulateGrad", "b"),
    node("operation", "Mul", "u"), node("operation", "Add", "loss")];
  Object.assign(nodes[2], { recorded: 1, ran: 5 });
  Object.assign(nodes[3], { recorded: 2, ran: 4 });
  /** @param {EventKind} kind @param {number} at @param {number[]} [edges] */
  const event = (kind, at, edges = []) => ({ kind, node: at, edges, title: [], text: [], next: [] });
  const events = [event("forward", 2), event("forward", 3), event("loss", 3), event("backward", 3, [2, 3]),
    event("backward", 2, [0, 1]), event("accumulate", 0), event("accumulate", 1), event("step", 0)];
  return {
    title: "", note: "", notice: "", large: false, root: 3, name: "loss", parameters: [],
    leaves: true, nodes, events,
    edges: [{ consumer: 2, slot: 0, producer: 0, sent: 5, rule: "× b" },
      { consumer: 2, slot: 1, producer: 1, sent: 5, rule: "× a" },
      { consumer: 3, slot: 0, producer: 2, sent: 4, rule: "× 1" },
      { consumer: 3, slot: 1, producer: 0, sent: 4, rule: "× 1" }],
  };
}

/** With a = 2 and b = 3, so that loss = 8. @returns {Numbers} */
export function numbers() {
  return {
    engine: "autograd_core", line: [], masks: [], firsts: [], differences: {},
    values: [2, 3, 6, 8].map(scalar), grads: {},
    events: [[null, scalar(6), []], [null, scalar(8), []], [null, scalar(8), []],
      [scalar(1), null, [scalar(1), scalar(1)]], [scalar(1), null, [scalar(3), scalar(2)]],
      [null, scalar(4), []], [null, scalar(2), []], [scalar(2), scalar(1.6), []]],
  };
}
