import assert from "node:assert/strict";
import { test } from "node:test";

import { carried } from "../../autograd_core/widgets/js/graph/lines.js";
import { outline, weight } from "../../autograd_core/widgets/js/graph/shapes.js";
import { Tape } from "../../autograd_core/widgets/js/graph/tape.js";
import { numbers, scalar, structure } from "./trace.mjs";

const tape = new Tape(structure(), numbers());

/** Where the pen is after each command of a path, without its radii. @param {string} path */
function corners(path) {
  let x = 0, y = 0;
  /** @type {string[]} */
  const places = [];
  for (const [, command, rest] of path.matchAll(/([MHVaz])([^MHVaz]*)/g)) {
    const n = rest.trim().split(/[ ,]+/).map(Number);
    if (command === "M") [x, y] = n;
    else if (command === "H") [x] = n;
    else if (command === "V") [y] = n;
    else if (command === "a") [x, y] = [x + n[5], y + n[6]];
    places.push(`${x} ${y}`);
  }
  return places;
}

test("a box's two parts meet where the gradient's compartment begins", () => {
  const { left, right } = outline(280, 46, 166, 8);
  assert.deepEqual(corners(left), ["166 0", "8 0", "0 8", "0 38", "8 46", "166 46"]);
  assert.deepEqual(corners(right), ["166 0", "272 0", "280 8", "280 38", "272 46", "166 46", "166 46"]);
});

test("a line is as thick as its gradient is large, on a log scale, within limits", () => {
  assert.equal(weight(3, 3), 5);
  assert.equal(weight(0.3, 3), 3.5);
  assert.deepEqual([0, NaN, Infinity, 1e-12].map((norm) => weight(norm, 1)), [1.3, 1.3, 1.3, 1.3]);
});

test("what one edge has carried", () => {
  assert.deepEqual(carried([1], tape, 4, false), { count: 0, tensor: null, label: "" });
  assert.deepEqual(carried([1], tape, 5, false), { count: 1, tensor: scalar(2), label: "2" });
});

test("a line of several edges counts what has come, then shows the sum that its producer received", () => {
  assert.equal(carried([0, 3], tape, 4, true).label, "1 of 2");
  assert.equal(carried([0, 3], tape, 5, true).label, "4");
  assert.equal(carried([0, 1], tape, 5, true).label, "2 tensors", "of two producers there is no sum");
});
