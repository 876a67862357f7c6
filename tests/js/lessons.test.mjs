import assert from "node:assert/strict";
import { test } from "node:test";

import {
  pixelsOf, standing, statesOn, toldOfCall, toldOfMove,
} from "../../autograd_core/widgets/js/lessons/by_hand.js";
import { pageState, statusText } from "../../autograd_core/widgets/js/lessons/choice.js";
import { lineName, stepAt } from "../../autograd_core/widgets/js/lessons/curves.js";
import { brushOf } from "../../autograd_core/widgets/js/lessons/paint.js";
import { saidOf, stepOf } from "../../autograd_core/widgets/js/lessons/race_by_hand.js";
import { reach } from "../../autograd_core/widgets/js/lessons/reachable.js";
import { axisOf, curveOf, gapsOf, placeAt } from "../../autograd_core/widgets/js/lessons/race.js";

/** @import { Step } from "../../autograd_core/widgets/js/lessons/race_by_hand.js" */

test("choice: what has become of a question", () => {
  assert.equal(pageState(-1, {}), "open");
  assert.equal(pageState(2, {}), "kept");
  assert.equal(pageState(2, { state: "right" }), "right");
  assert.equal(pageState(-1, undefined), "open");
});

test("choice: what is said below a question", () => {
  assert.match(statusText(-1, {}, "Kept.", false), /^Choose an answer/);
  assert.match(statusText(1, {}, "Kept.", false), /^Kept\. Enter again/);
  assert.match(statusText(1, {}, "Kept.", true), /^Kept\. Arrow keys/);
  assert.equal(statusText(1, { status: "It adds." }, "Kept.", false), "It adds.");
});

test("curves: the step under a pointer, and the ends", () => {
  const places = { left: 50, right: 150, top: 0, bottom: 10, steps: 11 };
  assert.deepEqual([0, 50, 54, 56, 150, 900].map((x) => stepAt(places, x)), [0, 0, 0, 1, 10, 10]);
});

test("curves: a line that is alone in its panel has its name", () => {
  const line = { role: "value", values: [], other: null };
  assert.equal(lineName({ panel: "w", name: "w", ...line }), "w");
  assert.equal(lineName({ panel: "grad norm", name: "0.weight", ...line }), "grad norm: 0.weight");
});

test("paint: a stroke takes away what its first cell has", () => {
  assert.deepEqual(brushOf("mask", [true, "nan"])([true, ""]), [false, ""]);
  assert.deepEqual(brushOf("mask", [false, ""])([false, "nan"]), [true, "nan"], "poison stays");
  assert.deepEqual(brushOf("nan", [false, "nan"])([true, "inf"]), [true, ""]);
  assert.deepEqual(brushOf("inf", [false, "nan"])([true, ""]), [true, "inf"]);
  assert.deepEqual(brushOf("erase", [true, ""])([true, "nan"]), [false, ""]);
});

test("race: a loss without a number breaks its curve", () => {
  assert.equal(curveOf([1, null, 0.5, 0]), "M0 4M666.6666666666666 52L1000 100");
});

test("the axis of a loss has powers of ten up to its top", () => {
  const axis = axisOf(1000);
  assert.deepEqual(axis.map(([text]) => text), ["≤ 1e−6", "0.001", "1", "1000"]);
  assert.ok(axis.every(([, share], i) => Math.abs(share - i / 3) < 1e-12));
  assert.deepEqual(axisOf(0.5).map(([text]) => text), ["≤ 1e−6", "0.001"]);
});

test("race: losses fall on a log scale, from 1 at the top to 0 at a millionth above the lowest", () => {
  const [gap, other] = gapsOf([[3, 2 + 1e-3, 2 + 1e-6, 2, "nan"], [2.5, "inf", 1e9, 2, 2]], 2, 1);
  [1, 0.5, 0, 0].forEach((share, i) => assert.ok(Math.abs(Number(gap[i]) - share) < 1e-9));
  assert.equal(gap[4], null);
  assert.ok(Number(other[0]) < 1 && other[1] === 1 && other[2] === 1, "what is above the top stays there");
});

test("race: a mark is told the landing that it is nearest to, and only if that is near", () => {
  /** @type {[[number, number], string][]} */
  const landings = [[[0, 0], "Right."], [[0.3, 0], "One."], [[0.38, 0], "Other."]];
  assert.equal(saidOf([0.03, 0], landings), "✓ Off by 0.03. Right.");
  assert.equal(saidOf([0.07, 0], landings), "Off by 0.07.");
  assert.equal(saidOf([0.33, 0], landings), "Off by 0.33. One.");
  assert.equal(saidOf([0.35, 0], landings), "Off by 0.35. Other.");
  assert.equal(saidOf([0.38, 0.07], landings), "Off by 0.39.");
});

/**
 * What six steps of SGD on x²/2 + y² remember, with nine digits.
 * @param {number} lr
 * @param {number} momentum
 * @returns {[string, any[]][]}
 */
function rowsOf(lr, momentum, { nesterov = false, start = [-1.7, 1.2] } = {}) {
  /** @type {Record<string, any[]>} */
  const rows = { position: [], ".grad": [], momentum_buffer: [] };
  let w = start, b = [0, 0];
  for (let k = 0; k <= 6; k++) {
    const g = [w[0], 2 * w[1]], before = b;
    b = g.map((x, i) => momentum * before[i] + x);
    const made = k ? before : ["nan", "nan"];
    for (const [key, pair] of Object.entries({ position: w, ".grad": g, momentum_buffer: made })) {
      rows[key].push(pair.map((x) => (typeof x === "string" ? x : Number(x.toPrecision(9)))));
    }
    w = w.map((x, i) => x - lr * (nesterov ? g[i] + momentum * b[i] : b[i]));
  }
  return Object.entries(rows);
}

/** @type {[[number, number], [number, number]]} */
const VIEW = [[-2.1, 2.1], [-1.35, 1.65]];

test("race: a step by hand lands where the rule says, and each mistake where it leads", () => {
  const lr = 0.2, momentum = 0.5, rows = rowsOf(lr, momentum), kept = Object.fromEntries(rows);
  const { place, gradient, last, landings } = /** @type {Step} */ (stepOf(rows, 1, VIEW));
  /** @type {number[]} */
  const w = kept.position[1], g = /** @type {number[]} */ (kept[".grad"][1]);
  const d = w.map((x, i) => x - kept.position[0][i]);
  /** @type {[string, (i: number) => number][]} */
  const leads = [
    ["The step is 0.9 of", (i) => w[i] + momentum * d[i] - lr * g[i]],
    ["plain SGD's step", (i) => w[i] - lr * g[i]],
    ["the old buffer only", (i) => w[i] + momentum * d[i]],
    ["last step once more", (i) => w[i] + d[i]],
    ["uphill", (i) => w[i] + momentum * d[i] + lr * g[i]],
    ["is multiplied by 0.9 first", (i) => w[i] + d[i] - lr * g[i]],
    ["isn't multiplied by lr", (i) => w[i] + momentum * d[i] - g[i]],
  ];
  const pairs = leads.map(([words, lead]) => ({ words, pair: [lead(0), lead(1)] })), right = pairs[0].pair;
  const told = pairs.filter(({ pair }, i) => !i || Math.hypot(pair[0] - right[0], pair[1] - right[1]) > 0.08);
  assert.equal(landings.length, told.length);
  assert.ok(told.length >= 6);
  landings.forEach(([landing, words], i) => {
    assert.ok(words.includes(told[i].words), words);
    assert.ok(Math.hypot(landing[0] - told[i].pair[0], landing[1] - told[i].pair[1]) < 1e-7, words);
  });
  for (const [found, known] of [[place, w], [gradient, g.map((x) => lr * x)], [last, d]]) {
    assert.ok(Math.hypot(found[0] - known[0], found[1] - known[1]) < 1e-7);
  }
  const little = stepOf(rowsOf(lr, 0.9), 1, VIEW);     // 0.9 is too near to 1 to be seen
  assert.ok(little && !little.landings.some(([, words]) => words.includes("multiplied by 0.9 first")));
});

test("race: a step that cannot be made by hand is none", () => {
  assert.equal(stepOf(rowsOf(0.2, 0.9), 0, VIEW), null);
  assert.equal(stepOf(rowsOf(0.2, 0.9), 6, VIEW), null);
  assert.equal(stepOf(rowsOf(0.02, 0.9), 1, VIEW), null);
  assert.equal(stepOf(rowsOf(0.2, 0.9, { nesterov: true }), 1, VIEW), null);
  assert.equal(stepOf(rowsOf(0.2, 0.9, { start: [-3, 1] }), 1, VIEW), null);
});

test("race: the place that was pressed, in x and y", () => {
  assert.deepEqual(placeAt([[-2.1, 2.1], [-1.35, 1.65]], 0.5, 0), [0, 1.65]);
  assert.deepEqual(placeAt([[-2.1, 2.1], [-1.35, 1.65]], 1, 1), [2.1, -1.35]);
});

test("by hand: the states on a way", () => {
  const leads = [[1, 2], [0, 3], [3, 0], []];
  assert.deepEqual(statesOn(leads, []), [0]);
  assert.deepEqual(statesOn(leads, [0, 1]), [0, 1, 3]);
  assert.deepEqual(statesOn(leads, [1, 1, 0]), [0, 2, 0, 1]);
});

test("by hand: where a loss stands in the picture", () => {
  const places = { left: 50, right: 150, top: 10, bottom: 110, steps: 11 };
  assert.deepEqual(pixelsOf(places, [0, 2], 0, 2), [50, 10]);
  assert.deepEqual(pixelsOf(places, [0, 2], 10, 0.5), [150, 85]);
  assert.deepEqual(pixelsOf(places, [0, 2], 5, 7), [100, 10], "a loss beyond the top is drawn there");
  assert.deepEqual(pixelsOf(places, [0, 2], 5, -1), [100, 110], "and one beyond the bottom");
});

test("by hand: what a move along a slope came to", () => {
  assert.equal(toldOfMove(-5.5, true, 1.6, 0.6), "Against the gradient: the loss fell.");
  assert.equal(toldOfMove(2, false, 1.6, 0.6), "Against the gradient: the loss fell.");
  assert.equal(toldOfMove(2, true, 1, 2), "With the gradient: the loss rose.");
  assert.equal(toldOfMove(-2, false, 1, 2), "With the gradient: the loss rose.");
  assert.equal(toldOfMove(2, false, 1, 2), "Against the gradient, but the step was too long: the loss rose.");
  assert.match(toldOfMove(2, false, 1, 1), /the step was too long: the loss is the same/);
  assert.equal(toldOfMove(0, true, 1, 2), "The gradient was 0, so both directions are uphill: the loss rose.");
});

test("by hand: who is lower", () => {
  assert.equal(standing(1, 0.5, 0.25), "After 1 move: you 0.5, SGD 0.25. SGD is lower.");
  assert.match(standing(12, 0.1, 0.25), /^After 12 moves: .* You are lower\.$/);
  assert.match(standing(2, 0.25, 0.25), /level/);
});

test("by hand: each mistake among the three calls has its own sentence", () => {
  const [backward, step, zero] = [0, 1, 2];
  /** @type {[number, number | undefined, (number | null)[], (number | null)[], RegExp][]} */
  const cases = [
    [backward, undefined, [0, null, -3], [0, -3, -3], /^w\.grad is now the slope at 0: −3\. w did not move\.$/],
    [backward, backward, [0, -3, -3], [0, -6, -3], /^The slope −3 was added to −3: w\.grad is −6\./],
    [backward, step, [2.25, -3, -0.75], [2.25, -3.75, -0.75],
      /^The slope −0\.75 was added to −3: w\.grad is −3\.75\./],
    [step, undefined, [0, null, -3], [0, null, -3], /is None: step\(\) did nothing, and there is no error/],
    [step, backward, [0, -3, -3], [1.5, -3, -1.5],
      /^w moved from 0 to 1\.5, against the slope −3\. w\.grad is still −3\.$/],
    [step, step, [1.5, -3, -1.5], [3, -3, 0], /because w\.grad was −3, an old gradient\. The slope was −1\.5\.$/],
    [step, backward, [0, -6, -3], [3, -6, 0], /because w\.grad was −6, a sum of gradients\. The slope was −3\.$/],
    [step, backward, [3, 0, 0], [3, 0, 0], /^w\.grad is 0\. w did not move\.$/],
    [zero, undefined, [0, null, -3], [0, null, -3], /already None/],
    [zero, backward, [0, -3, -3], [0, null, -3], /None: −3 was deleted before any step\(\) used it/],
    [zero, step, [3, -6, 0], [3, null, 0], /^w\.grad is None\. w did not move\.$/],
  ];
  const told = cases.map(([call, former, before, after]) => toldOfCall(call, former, "w", before, after));
  cases.forEach(([, , , , said], i) => assert.match(told[i], said));
  assert.equal(new Set(told).size, cases.length);
});

test("reachable: all to which pointers lead, each once", () => {
  const pointers = { loss: ["a", "b"], a: ["leaf"], b: ["leaf", "other"], alone: ["far"] };
  assert.deepEqual([...reach(pointers, ["loss"])].sort(), ["a", "b", "leaf", "loss", "other"]);
  assert.deepEqual([...reach(pointers, ["leaf", "alone"])].sort(), ["alone", "far", "leaf"]);
  assert.deepEqual([...reach(pointers, [])], []);
});
