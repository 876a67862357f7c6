import assert from "node:assert/strict";
import { test } from "node:test";

import { placeOf, SavedModel } from "../../autograd_core/widgets/js/kit/page.js";

test("the place of a value among those of its setting; of numbers the nearest", () => {
  assert.equal(placeOf([0, 0.1, 0.2], 0.1 + 1e-12), 1);
  assert.equal(placeOf(["a", "b"], "b"), 1);
  assert.equal(placeOf([false, true], true), 1);
});

test("a saved page answers what it knows, and says what it needs for the rest", async () => {
  const state = { controls: [{ name: "lr", value: 1 }, { name: "e", value: "x" }], drawn: "one" };
  const model = new SavedModel(state, { stops: { lr: [1, 2] }, changes: { 0: { drawn: "one" }, 1: { drawn: "two" } } });
  /** @type {string[]} */
  const said = [];
  model.on("msg:custom", (/** @type {{ error: string }} */ { error }) => { said.push(error); });
  model.send({ kind: "change", name: "lr", value: 2 });
  assert.equal(model.get("drawn"), "two");
  model.send({ kind: "change", name: "e", value: "y" });
  await null;
  assert.equal(model.get("drawn"), "two");
  assert.deepEqual(said, ["", "This needs a running notebook."]);
});

test("folds that the page has not together are opened alone, and closed to what it has", () => {
  /** @param {...string} open */
  const drawn = (...open) => ({ drawn: { open }, changes: open.join(" ") });
  const folds = { "[]": drawn(), '["a"]': drawn("a"), '["b"]': drawn("b"), '["b","b.c"]': drawn("b", "b.c") };
  const paths = { a: ["a"], b: ["b"], "b.c": ["b", "b.c"] };
  const model = new SavedModel(drawn("a"), { folds, paths });
  assert.deepEqual(model.opened(["a", "b"]), drawn("b"));
  assert.deepEqual(model.opened([]), drawn());
  model.send({ kind: "fold", open: ["a", "b.c"] });
  assert.equal(model.get("changes"), "b b.c");
  assert.deepEqual(model.opened(["b.c"]), drawn(), "without the fold around it there is nothing to be open in");
});
