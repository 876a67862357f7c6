import assert from "node:assert/strict";
import { test } from "node:test";

import { sending } from "../../autograd_core/widgets/js/graph/caption.js";
import { ease, share, slopeText } from "../../autograd_core/widgets/js/graph/motion.js";
import { leavesAtOnce } from "../../autograd_core/widgets/js/graph/player.js";
import { Tape } from "../../autograd_core/widgets/js/graph/tape.js";
import { numbers, scalar, structure } from "./trace.mjs";

const tape = new Tape(structure(), numbers());

test("a share runs from 0 to 1 between two moments, and easing keeps both ends", () => {
  assert.deepEqual([0, 150, 250, 350, 900].map((ms) => share(ms, 150, 350)), [0, 0, 0.5, 1, 1]);
  assert.deepEqual([0, 0.5, 1].map(ease), [0, 0.5, 1]);
  assert.ok(ease(0.1) < 0.1 && ease(0.9) > 0.9);
});

test("a slope is said as a number where the rule is a product, else as the rule", () => {
  assert.equal(slopeText("× b", scalar(3), tape, 0), "× 3");
  assert.equal(slopeText("f(g, x)", scalar(3), tape, 0), "× 3", "of one number to one number any rule is a slope");
  const large = new Tape(structure(), numbers());
  large.numbers.events[4] = [[[4], null, 2], null, [[[4], null, 3], scalar(2)]];
  assert.equal(slopeText("xᵀ @ g", large.sent(0), large, 0), "xᵀ @ g");
  assert.equal(slopeText("× b", large.sent(0), large, 0), "× b");
});

test("a caption says what a node sends; the most exact form is first", () => {
  assert.deepEqual(sending(tape, 5).slice(2, 4),
    ["Mul sends 3 to a and 2 to b.", "Mul sends a gradient to each of its 2 inputs."]);
  assert.equal(sending(tape, 4)[0], "Add passes 1 on to Mul and to a.");
});

test("leaves step at once when played", () => {
  const kinds = /** @type {const} */ (["backward", "step", "step", "zero_grad", "zero_grad"]);
  const events = kinds.map((kind) => ({ kind }));
  assert.deepEqual([1, 2, 3, 4, 5].map((k) => leavesAtOnce(events, k)), [1, 3, 3, 5, 5]);
});
