import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { chosen, equation } from "../../autograd_core/widgets/js/kit/text.js";

const cases = JSON.parse(readFileSync(new URL("../widgets/fit_cases.json", import.meta.url), "utf8"));

/** A page whose letters are 10 pixels wide, and 12 in bold. */
const pen = {
  font: "",
  /** @param {string} text */
  measureText: (text) => ({ width: text.length * (pen.font.startsWith("bold") ? 12 : 10) }),
};
globalThis.document = /** @type {any} */ ({ createElement: () => ({ getContext: () => pen }) });

test("what has no room is said in fewer words: the cases are Python's too", () => {
  assert.ok(cases.length > 5);
  for (const [name, texts, room, line, number] of cases) {
    assert.equal(equation(name, texts, room, "12.5px"), line);
    assert.deepEqual(chosen(texts, room, "12.5px"), number);
  }
});
