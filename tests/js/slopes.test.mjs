import assert from "node:assert/strict";
import { test } from "node:test";

import { axesOf, change, drawing, PLOT, ranking, ticks } from "../../autograd_core/widgets/js/graph/slopes.js";

/** @import { Slope } from "../../autograd_core/widgets/js/graph/types.d.ts" */

const WIDTH = 300;

/** @type {(f: (x: number) => number | null, at: number, grad: Slope["grad"], name?: string) => Slope} */
const slope = (f, at, grad, name = "a") => ({
  name, low: -4, high: 4, at, loss: f(at), grad, why: "", curve: Array.from({ length: 41 }, (_, i) => f(-4 + i / 5)),
});

/** @param {Slope} one @param {Slope | null} now */
const drawn = (one, now = null) => drawing(one, axesOf([one], [0.5]), WIDTH, "loss", now);

/** Places of a picture in the units of its axes. @param {Slope} one @returns {(place: number[]) => number[]} */
const back = (one) => ([px, py]) => {
  const { low, high, bottom, top } = axesOf([one], [0.5]), { left, right, above, height } = PLOT;
  return [low + ((px - left) * (high - low)) / (WIDTH - left - right), top - ((py - above) * (top - bottom)) / height];
};

/** @param {string} picture @param {string} name of a class */
const path = (picture, name) => [...picture.matchAll(new RegExp(`<path class="${name}" d="M([^"]*)"`, "g"))]
  .map(([, d]) => d.split("L").map((point) => point.split(" ").map(Number)));

/** @param {string} picture @param {string} name of a class */
function circle(picture, name) {
  const [, x, y] = picture.match(new RegExp(`<circle class="${name}" cx="([^"]*)" cy="([^"]*)"`))
    ?? assert.fail(`there is no ${name}`);
  return [Number(x), Number(y)];
}

/** Equal, as far as a hundredth of a pixel. @param {number} a @param {number} b */
const close = (a, b) => assert.ok(Math.abs(a - b) < 2e-3, `${a} is not ${b}`);

/** @param {number} x */
const square = (x) => (1.3 - 0.5 * x) ** 2;

test("the dot is on the curve, and the tangent spans half a unit to either side with the slope .grad", () => {
  for (const at of [2, -3.97, 0.123]) {
    const given = slope(square, at, -(1.3 - 0.5 * at)), picture = drawn(given), units = back(given);
    const [[from, to]] = path(picture, "ac-tangent").map((ends) => ends.map(units));
    const [x, y] = units(circle(picture, "ac-at"));
    close(x, at);
    close(y, square(at));
    close(from[0], at - 0.5);
    close(to[0], at + 0.5);
    close(to[1] - from[1], Number(given.grad));
    close((from[1] + to[1]) / 2, square(at));
    const [[start, corner, tip]] = path(picture, "ac-triangle").map((ends) => ends.map(units));
    close(Math.abs(corner[0] - start[0]), 0.5);
    close((tip[1] - start[1]) / (corner[0] - start[0]), Number(given.grad));
  }
});

test("all plots share one scale, which clears every dot, ring and end of a tangent by 10 %", () => {
  const all = [slope((x) => (2 * x - 0.2) ** 2, -0.5, -4.8), slope((x) => (x / 2 + 0.2) ** 2, 2, 1.2, "b")];
  const { bottom, top } = axesOf(all, [0.5, 0.5]);
  assert.deepEqual([bottom, top], [-2, 6], "1.44 − 2.4 = −0.96, and the dot at −1 is 4.84");
  const slants = all.map((each) => {
    const [[[x1, y1], [x2, y2]]] = path(drawing(each, axesOf(all, [0.5, 0.5]), WIDTH, "loss"), "ac-tangent");
    return (y2 - y1) / (x2 - x1);
  });
  close(slants[0] / slants[1], -4.8 / 1.2);
  assert.deepEqual(axesOf([slope((x) => x * 0.01, 2, 0.01)], [0.5]).top, 0.03, "small losses have fractions");
});

test("ticks are round numbers", () => {
  assert.deepEqual(ticks(-2, 6, 8), [-2, -1, 0, 1, 2, 3, 4, 5, 6]);
  assert.deepEqual(ticks(-4, 4, 7), [-4, -2, 0, 2, 4]);
  assert.deepEqual(ticks(0, 0.3, 8), [0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3]);
});

test("the largest gradient is first, whatever its sign", () => {
  const bars = ranking([slope(square, 1, 1.2), slope(square, 1, -4.8, "b"), slope(square, 1, null, "c")]);
  assert.deepEqual(bars.map(({ name, share, negative, text }) => [name, share, negative, text]),
    [["b", 1, true, "−4.8"], ["a", 0.25, false, "1.2"], ["c", 0, false, "None"]]);
});

test("a negative gradient is violet", () => {
  assert.match(drawn(slope(square, 1, -1)), /ac-slant ac-negative/);
  assert.doesNotMatch(drawn(slope(square, 1, 1)), /ac-negative/);
});

test("where there is no finite loss the curve has a gap", () => {
  assert.equal(path(drawn(slope((x) => (x === 0 ? null : 1 / x), 2, -0.25)), "ac-curve").length, 2);
  const picture = drawn(slope((x) => (x > 0 ? Math.log(x) : null), -1, -1));
  assert.ok(!/ac-at|ac-tangent/.test(picture), "without a loss there is no point to touch");
});

test("a level curve, a slider without a width, and a .grad that is None or nan", () => {
  assert.doesNotMatch(drawn(slope(() => 3, 2, 0)), /NaN|Infinity/);
  assert.doesNotMatch(drawn(slope(() => 0, 2, 0)), /NaN|Infinity/);
  assert.doesNotMatch(drawn({ ...slope(square, 2, 0.3), low: 2, high: 2 }), /NaN|Infinity/);
  for (const grad of [null, "nan"]) assert.doesNotMatch(drawn(slope(square, 2, grad)), /ac-tangent|NaN/);
});

test("a nudge: the tangent stays where it began, the ring is on it, the dot on the curve", () => {
  const from = slope(square, 2, -0.3), now = slope(square, 2.5, 0.7), picture = drawn(from, now), units = back(from);
  assert.deepEqual(path(picture, "ac-tangent"), path(drawn(from), "ac-tangent"));
  assert.deepEqual(path(picture, "ac-triangle"), path(drawn(from), "ac-triangle"));
  const [ring, dot] = ["ac-foretold ac-negative", "ac-at"].map((name) => units(circle(picture, name)));
  close(ring[0], 2.5);
  close(ring[1], square(2) - 0.15);
  close(dot[1], square(2.5));
});

test("a change is told with four digits", () => {
  assert.deepEqual([0.4, -0.002975, -0.003, 1.5e-7, 0].map(change), ["+0.4", "−0.002975", "−0.003", "+1.5e−7", "0"]);
});

test("labels are inside the plot", () => {
  for (let at = -3.9; at < 4; at += 0.3) {
    const picture = drawn(slope((x) => Math.sin(4 * x), at, 4 * Math.cos(4 * at)));
    const label = /<text class="ac-(?:rise|length|named)[^"]*" x="([^"]*)"[^>]*>([^<]*)/g;
    for (const [, x, words] of picture.matchAll(label)) {
      const half = (words.length * 7) / 2;
      assert.ok(Number(x) - half >= PLOT.left - 1 && Number(x) + half <= WIDTH - PLOT.right + 1, `${words} at ${at}`);
    }
  }
});
