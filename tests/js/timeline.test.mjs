import assert from "node:assert/strict";
import { test } from "node:test";

import { oneStep } from "../../autograd_core/widgets/js/graph/player.js";
import { groupsOf, over, phasesOf, withRoom } from "../../autograd_core/widgets/js/graph/timeline.js";
import { structure } from "./trace.mjs";

const { events } = structure();

test("phases follow each other, and accumulating is part of backward", () => {
  assert.deepEqual(phasesOf(events).map(({ name, first, last }) => [name, first, last]),
    [["forward", 1, 2], ["loss", 3, 3], ["backward", 4, 7], ["step", 8, 8]]);
  assert.deepEqual(phasesOf([]), []);
});

test("in a large graph events are grouped by the part that they happen in", () => {
  const groups = groupsOf(events, ["first", "second"], [0, 0, 0, 1]);
  assert.deepEqual(groups.map(({ name, phase, first, last }) => [name, phase, first, last]),
    [["first", "forward", 1, 1], ["second", "forward", 2, 2], ["second", "backward", 4, 4], ["first", "backward", 5, 7],
      ["first", "step", 8, 8]]);
  assert.deepEqual(groupsOf(events, ["first"], [0, 0, 0, -1]).map(({ first }) => first), [1, 5, 8],
    "what belongs to no part has no bar");
});

test("labels keep clear of each other, those of higher rank first", () => {
  const label = (/** @type {number} */ from, /** @type {number} */ to) => ({ from, to });
  const [a, b, c] = [label(0, 10), label(8, 20), label(10, 30)];
  assert.deepEqual(withRoom([a, b, c]), [a, c]);
  assert.deepEqual(withRoom([b, a, c]), [b]);
  assert.equal(over(a, c), false, "they may touch");
});

test("one step leads on by one event, and over a closed fold as a whole", () => {
  const foldAt = (/** @type {number} */ k) => (k >= 3 && k <= 6 ? `fold ${k <= 5 ? "forward" : "backward"}` : null);
  const walk = (/** @type {number} */ from, /** @type {number} */ direction) => oneStep(from, direction, foldAt);
  assert.deepEqual([0, 1, 2, 5, 6].map((k) => walk(k, 1)), [1, 2, 5, 6, 7]);
  assert.deepEqual([7, 6, 5, 4, 2].map((k) => walk(k, -1)), [6, 5, 2, 2, 1]);
});
