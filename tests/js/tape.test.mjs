import assert from "node:assert/strict";
import { test } from "node:test";

import { quotient, sum, Tape } from "../../autograd_core/widgets/js/graph/tape.js";
import { numbers, scalar, structure } from "./trace.mjs";

/** @import { Tensor } from "../../autograd_core/widgets/js/kit/types.d.ts" */

const tape = new Tape(structure(), numbers());

/** A node's gradient, a number, after each event. @param {number} i */
const gradients = (i) => tape.structure.events.map((_, k) => tape.node(i, k + 1).gradient?.[1]?.[0]);

test("a node has its sum as soon as all has arrived, and keeps it", () => {
  assert.deepEqual(gradients(2), [undefined, undefined, undefined, 1, 1, 1, 1, 1]);
});

test("a leaf's .grad turns from None when it is written, not when something arrives", () => {
  assert.deepEqual(gradients(0), [undefined, undefined, undefined, undefined, undefined, 4, 4, 4]);
  assert.deepEqual(tape.node(0, 4).arrived, [3]);
  assert.deepEqual(tape.node(0, 5).arrived, [3, 0], "in the order of arrival");
});

test("a step changes a leaf's value", () => {
  assert.deepEqual(tape.node(0, 7).value, scalar(2));
  assert.deepEqual(tape.node(0, 8).value, scalar(1.6));
});

test("a node is there from its own event on, and all are before the first", () => {
  assert.deepEqual([0, 1, 2].map((k) => tape.node(3, k).here), [true, false, true]);
});

test("a contribution is found by its edge", () => {
  assert.deepEqual(tape.sentAt(1), ["sent", 4, 1]);
  assert.deepEqual(tape.sent(1), scalar(2));
});

test("several contributions are added up until the node runs", () => {
  const late = structure(), { edges, nodes } = late;
  edges[3].producer = 2;                                // both inputs of the sum come from u, and u never runs
  nodes[2].ran = 0;
  assert.deepEqual(new Tape(late, numbers()).node(2, 4).gradient, scalar(2));
});

test("a sum of tensors, and none where one is too large to be known", () => {
  /** @type {Tensor} */
  const pair = [[2], [3, "inf"], "inf"], large = /** @type {Tensor} */ ([[2], null, 5]);
  assert.deepEqual(sum([pair, [[2], [1, 1], 1.4]]), [[2], [4, "inf"], "inf"]);
  assert.equal(sum([pair, large]), null);
  assert.equal(sum([large]), large, "one alone is known by its norm");
});

test("a slope is told where it can be divided by", () => {
  assert.deepEqual(quotient([[2], [6, 1], 0], [[2], [2, 4], 0]), [[2], [3, 0.25], 0]);
  assert.equal(quotient([[2], [6, 1], 0], [[2], [2, 0], 0]), null);
  assert.equal(quotient([[4], [1, 1, 1, 1], 2], [[4], [1, 1, 1, 1], 2]), null, "of three numbers at most");
  assert.equal(quotient([[1], [1], 1], null), null);
});

test("the first difference between two engines, and none that is rounding alone", () => {
  const other = numbers();
  other.differences = { "sent 4 1": [0.5, false], "after 0": [1e-16, true], "value 2": [1, false] };
  assert.equal(new Tape(structure(), other).firstDifference(), 1);
  assert.equal(tape.firstDifference(), undefined);
});

test("the norms that a leaf ever keeps", () => {
  assert.deepEqual(tape.norms(0), [4]);
});
