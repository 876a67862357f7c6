import assert from "node:assert/strict";
import { test } from "node:test";

import { change, drawing } from "../../autograd_core/widgets/js/graph/slopes.js";

/** @import { Slope } from "../../autograd_core/widgets/js/graph/types.d.ts" */

/** @type {(f: (x: number) => number | null, at: number, grad: Slope["grad"]) => Slope} */
const slope = (f, at, grad) => ({
  name: "a", low: -4, high: 4, at, loss: f(at), grad, why: "",
  curve: Array.from({ length: 41 }, (_, i) => f(-4 + i / 5)),
});

/** @param {string} picture @param {string} name of a class @param {string[]} attributes */
function read(picture, name, ...attributes) {
  const [part] = picture.match(new RegExp(`<[a-z]+ class="${name}"[^>]*>`)) ?? assert.fail(`there is no ${name}`);
  return attributes.map((each) => Number(part.match(new RegExp(` ${each}="([^"]*)"`))?.[1]));
}

/** The points of a picture's curves, in pixels. @param {string} picture */
const curves = (picture) => [...picture.matchAll(/ d="M([^"]*)"/g)]
  .map(([, d]) => d.split("L").map((point) => point.split(" ").map(Number)));

/** What a picture shows, read back from it by its curve's ends, whose losses are known. @param {Slope} drawn */
function readBack(drawn, picture = drawing(drawn)) {
  const points = curves(picture).flat(), [left] = points, right = points[points.length - 1];
  const known = drawn.curve.filter((y) => y !== null);
  const places = drawn.curve.flatMap((y, i) => (y === null ? [] : [-4 + i / 5]));
  const wide = (right[0] - left[0]) / (places[places.length - 1] - places[0]);
  const high = (right[1] - left[1]) / (known[known.length - 1] - known[0]);
  const [x1, y1, x2, y2] = read(picture, "ac-tangent", "x1", "y1", "x2", "y2");
  const [x, y] = read(picture, "ac-at", "cx", "cy");
  /** @type {(x: number, y: number) => [number, number]} */
  const back = (px, py) => [places[0] + (px - left[0]) / wide, known[0] + (py - left[1]) / high];
  const [from, to] = [back(x1, y1), back(x2, y2)];
  return { slant: (to[1] - from[1]) / (to[0] - from[0]), dot: back(x, y), from, points };
}

/** @param {number} a @param {number} b */
const close = (a, b) => assert.ok(Math.abs(a - b) < 1e-9, `${a} is not ${b}`);

/** @param {number} x */
const square = (x) => (1.3 - 0.5 * x) ** 2;

test("the tangent's slope is .grad, it touches at the dot, and the dot is on the curve", () => {
  for (const at of [2, -3.97, 0.123]) {
    const given = slope(square, at, -(1.3 - 0.5 * at)), { slant, dot, from, points } = readBack(given);
    close(slant, Number(given.grad));
    close(dot[0], at);
    close(dot[1], square(at));
    close(from[1] + slant * (at - from[0]), square(at));
    const [x, y] = read(drawing(given), "ac-at", "cx", "cy");
    assert.ok(points.some(([px, py]) => px === x && py === y));
  }
});

test("a .grad that is not the curve's slope is drawn as it is", () => {
  close(readBack(slope(square, 2, 5)).slant, 5);
});

test("where there is no finite loss the curve has a gap", () => {
  assert.equal(curves(drawing(slope((x) => (x === 0 ? null : 1 / x), 2, -0.25))).length, 2);
  assert.equal(curves(drawing(slope((x) => (x > 0 ? Math.log(x) : null), 2, 0.5)))[0].length, 21);
  const picture = drawing(slope((x) => (x > 0 ? Math.log(x) : null), -1, -1));
  assert.ok(!/ac-at|ac-tangent/.test(picture), "without a loss there is no point to touch");
});

test("a level curve, and a .grad that is None or nan", () => {
  assert.doesNotMatch(drawing(slope(() => 3, 2, 0)), /NaN|Infinity/);
  for (const grad of [null, "nan"]) assert.doesNotMatch(drawing(slope(square, 2, grad)), /ac-tangent|NaN/);
});

test("a slider without a width has a dot", () => {
  const picture = drawing({ ...slope(square, 2, 0.3), low: 2, high: 2 });
  assert.doesNotMatch(picture, /NaN|Infinity/);
});

test("a nudge: the tangent stays where it began, the ring is on it, the dot on the curve", () => {
  const from = slope(square, 2, -0.3), now = slope(square, 4, 0.7), picture = drawing(now, from);
  const { slant, dot } = readBack(now, picture);
  close(slant, -0.3);
  close(dot[1], square(4));
  const [x, y] = read(picture, "ac-foretold", "cx", "cy");
  const [x1, y1, x2, y2] = read(picture, "ac-tangent", "x1", "y1", "x2", "y2");
  close(y1 + ((y2 - y1) / (x2 - x1)) * (x - x1), y);
  assert.equal(x, read(picture, "ac-at", "cx")[0]);
});

test("a change is told with four digits", () => {
  assert.deepEqual([0.4, -0.002975, -0.003, 1.5e-7, 0].map(change), ["+0.4", "−0.002975", "−0.003", "+1.5e−7", "0"]);
});

test("the number of the slope is clear of the curve, and within the picture", () => {
  /** @type {[f: (x: number) => number, grad: (x: number) => number][]} */
  const losses = [[square, (x) => 0.5 * x - 1.3], [Math.sin, Math.cos], [(x) => x / (1 + Math.exp(-x)), () => 0.9],
    [(x) => -2 * x, () => -2], [(x) => Math.sin(4 * x), (x) => 4 * Math.cos(4 * x)]];
  for (const [f, grad] of losses) {
    for (let at = -3.9; at < 4; at += 0.1) {
      const picture = drawing(slope(f, at, grad(at))), [x, y] = read(picture, "ac-grad", "x", "y");
      const text = picture.match(/ac-grad"[^>]*>([^<]*)/)?.[1] ?? "", right = x + 7 * text.length;
      const between = curves(picture).flatMap((points) => points.slice(1).flatMap(([c, d], i) => {
        const [a, b] = points[i];
        return Array.from({ length: 20 }, (_, k) => [a + ((c - a) * k) / 20, b + ((d - b) * k) / 20]);
      }));
      const inside = between.filter(([a, b]) => a > x && a < right && b > y - 9 && b < y);
      assert.deepEqual(inside, [], `${text} at ${at}`);
      assert.ok(x >= 0 && right <= 184 && y >= 9 && y <= 96);
    }
  }
});
