// The state of every box after each event.

import { cellOf, finite, real } from "../kit/format.js";

/** @import { Tensor } from "../kit/types.d.ts" */
/** @import { GraphNode, NodeState, Numbers, PhaseName, Place, StoredPlace, SumPlace } from "./types.d.ts" */
/** @import { EventKind, Structure } from "./types.d.ts" */

/** The phase that an event belongs to. @type {Record<EventKind, PhaseName>} */
export const PHASE = {
  forward: "forward", loss: "loss", backward: "backward", accumulate: "backward", step: "step", zero_grad: "zero_grad",
};

/** @param {Pick<GraphNode, "kind">} node */
export const isOperation = ({ kind }) => kind === "operation" || kind === "severed";

/** Whether a node keeps a .grad, or could. @param {Pick<GraphNode, "kind">} node */
export const isLeaf = ({ kind }) => kind === "leaf" || kind === "frozen";

/**
 * What tensors add up to; null where one of them was too large to be sent.
 * @param {Tensor[]} tensors
 * @returns {Tensor | null}
 */
export function sum(tensors) {
  if (tensors.length === 1) return tensors[0];
  const all = tensors.map(([, values]) => values);
  const [first] = all;
  if (!first || !all.every((values) => values !== null)) return null;
  const total = first.map((_, i) => all.reduce((partial, values) => partial + real(values[i]), 0));
  return [tensors[0][0], total.map(cellOf), cellOf(Math.hypot(...total))];
}

/**
 * One tensor divided by another, element by element, where that says what the slope was: of three numbers at most, and
 * nowhere 0/0.
 * @param {Tensor | null} sent
 * @param {Tensor | null} total
 * @returns {Tensor | null}
 */
export function quotient(sent, total) {
  const above = sent?.[1], below = total?.[1];
  if (!sent || !above || above.length > 3 || below?.length !== above.length) return null;
  const divisors = below.filter((x) => typeof x === "number" && x !== 0).map(Number);
  return divisors.length < below.length ? null : [sent[0], above.map((x, i) => Number(x) / divisors[i]), 0];
}

/** The numbers of one engine, read at any event. An event k is the kth; 0 is before the first. */
export class Tape {
  /**
   * @param {Structure} structure
   * @param {Numbers} numbers
   */
  constructor(structure, numbers) {
    this.structure = structure;
    this.numbers = numbers;
    const { nodes, edges, events } = structure;
    /** The edges along which each node receives, in that order. @type {number[][]} */
    this.received = nodes.map(() => []);
    edges.forEach(({ sent, producer }, i) => { if (sent) this.received[producer].push(i); });
    for (const list of this.received) list.sort((a, b) => edges[a].sent - edges[b].sent);
    /** The events that write each leaf, by index. @type {number[][]} */
    this.written = nodes.map(() => []);
    events.forEach(({ kind, node }, i) => {
      if (kind === "accumulate" || kind === "step" || kind === "zero_grad") this.written[node].push(i);
    });
  }

  /**
   * @param {Place} place
   * @returns {Tensor | null}
   */
  at(place) {
    if (place[0] === "sum") {
      const [, ...places] = place;
      return sum(places.map((each) => this.at(each)).filter((tensor) => tensor !== null));
    }
    if (place[0] === "slope") return quotient(this.at(place[1]), this.at(place[2]));
    if (place[0] === "value") return this.numbers.values[place[1]];
    if (place[0] === "grad") return this.numbers.grads[place[1]] ?? null;
    const [before, after, sent] = this.numbers.events[place[1]];
    return place[0] === "before" ? before : place[0] === "after" ? after : sent[place[2]];
  }

  /**
   * Where the contribution stands that came along an edge.
   * @param {number} edge
   * @returns {StoredPlace}
   */
  sentAt(edge) {
    const event = this.structure.edges[edge].sent - 1;
    return ["sent", event, this.structure.events[event].edges.indexOf(edge)];
  }

  /** The contribution that came along an edge. @param {number} edge */
  sent(edge) { return /** @type {Tensor} */ (this.at(this.sentAt(edge))); }

  /**
   * The state of a node after event k.
   * @param {number} index
   * @param {number} k
   * @returns {NodeState}
   */
  node(index, k) {
    const { kind, recorded, ran } = this.structure.nodes[index];
    const all = this.received[index], arrived = all.filter((edge) => this.structure.edges[edge].sent <= k);
    const done = ran > 0 && ran <= k, ready = done || (ran > 0 && arrived.length > 0 && arrived.length === all.length);
    const valueAt = this.valueAt(index, k);
    /** @type {StoredPlace} */
    const whole = ["before", ran - 1];
    const gradientAt = kind === "leaf" ? this.gradAt(index, k) : ready ? whole : this.arrivedAt(arrived);
    const value = this.at(valueAt), gradient = gradientAt ? this.at(gradientAt) : null;
    const sound = finite(value) || this.numbers.masks.includes(index);
    return { here: k === 0 || recorded <= k, done, sound, arrived, all, value, gradient, valueAt, gradientAt };
  }

  /**
   * Where a node's value stands after event k: the last step has changed a leaf's.
   * @param {number} index
   * @param {number} k
   * @returns {StoredPlace}
   */
  valueAt(index, k) {
    const steps = this.written[index].filter((event) => this.structure.events[event].kind === "step");
    const last = steps.findLast((event) => event < k);
    return last === undefined ? ["value", index] : ["after", last];
  }

  /**
   * Where a leaf's .grad stands after event k.
   * @param {number} index
   * @param {number} k
   * @returns {StoredPlace}
   */
  gradAt(index, k) {
    const writes = this.gradWrites(index), last = writes.findLast((event) => event < k);
    if (!writes.length) return ["grad", index];
    return last === undefined ? ["before", writes[0]] : ["after", last];
  }

  /** The events that write a leaf's .grad, by index. @param {number} index */
  gradWrites(index) {
    return this.written[index].filter((event) => this.structure.events[event].kind !== "step");
  }

  /**
   * Where the sum stands of what has arrived so far, or null.
   * @param {number[]} edges
   * @returns {StoredPlace | SumPlace | null}
   */
  arrivedAt(edges) {
    if (!edges.length) return null;
    return edges.length === 1 ? this.sentAt(edges[0]) : ["sum", ...edges.map((edge) => this.sentAt(edge))];
  }

  /** The norm of every gradient that is ever kept at a leaf. @param {number} index */
  norms(index) {
    const writes = this.gradWrites(index), { events, grads } = this.numbers;
    const all = writes.length ? writes.flatMap((i) => [events[i][0], events[i][1]]) : [grads[index]];
    return all.flatMap((tensor) => (tensor ? [real(tensor[2])] : []));
  }

  /** The first event at which this engine, the second, differs from the first; 0: in a leaf or a constant. */
  firstDifference() {
    const found = Object.entries(this.numbers.differences).filter(([, [, close]]) => !close).map(([place]) => {
      const [kind, index] = place.split(" ");
      return kind === "value" ? this.structure.nodes[Number(index)].recorded : Number(index) + 1;
    });
    return found.length ? Math.min(...found) : undefined;
  }
}
