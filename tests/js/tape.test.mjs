import assert from "node:assert/strict";
import { test } from "node:test";

import { quotient, sum, Tape } from "../../autograd_core/widgets/js/graph/tape.js";
import { numbers, scalar, structure } from "./trace.mjs";

/** @import { Tensor } from "../../autograd_core/widgets/js/kit/types.d.ts" */

const tape = new Tape(structure(), numbers());

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
