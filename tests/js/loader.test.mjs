import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { load, NOT_STARTED, render, scoped, scopeOf } from "../../autograd_core/widgets/js/kit/loader.js";

const KEY = Symbol.for("autograd_core.views");
const bundle = (/** @type {string} */ version) => ({ version, script: "", style: "" });

beforeEach(() => { Reflect.deleteProperty(globalThis, KEY); });

test("a bundle is loaded once for each page, whoever asks", async () => {
  let times = 0;
  const start = async () => { times += 1; return {}; };
  const [first, second] = await Promise.all([load(bundle("a"), start), load(bundle("a"), start)]);
  assert.equal(times, 1);
  assert.equal(first, second);
});

test("another version is loaded beside it", async () => {
  const views = (/** @type {string} */ name) => async () => ({ [name]: () => () => {} });
  const loaded = await Promise.all(["a", "b"].map((version) => load(bundle(version), views(version))));
  assert.deepEqual(loaded.map(Object.keys), [["a"], ["b"]]);
});

test("what could not be loaded is tried again", async () => {
  await assert.rejects(load(bundle("a"), async () => { throw new Error("no"); }), /no/);
  assert.deepEqual(await load(bundle("a"), async () => ({})), {});
});

test("a style reaches its own version alone", () => {
  assert.equal(scoped("p { color: red }", "x"), ":where(.x) {\np { color: red }\n}");
});

/** A model that holds what it is given. @param {Record<string, string>} state */
const modelOf = (state) => ({
  get: (/** @type {string} */ name) => state[name], set() {}, save_changes() {}, send() {}, on() {}, off() {},
});

/**
 * What anywidget hands to a stub on a page with these models, and the texts and classes that it gives its element.
 * @param {Record<string, object>} models
 */
function contextOf(models) {
  const classes = /** @type {string[]} */ ([]);
  const el = { textContent: "", classList: { add: (/** @type {string} */ name) => classes.push(name) } };
  const host = { getModel: async (/** @type {string} */ reference) => {
    if (!(reference in models)) throw new Error("widget model not found");
    return models[reference];
  } };
  const model = modelOf({ widget: "anywidget:1" }), { signal } = new AbortController();
  return { el, classes, context: /** @type {any} */ ({ model, el, host, signal }) };
}

const widget = modelOf({ view: "paint", bundle: "anywidget:2" });

test("a stub finds its widget and its bundle, and calls the view that the widget names", async () => {
  const drawn = /** @type {unknown[]} */ ([]);
  await load(bundle("v"), async () => ({ paint: ({ model, el }) => {
    drawn.push(model, el);
    return () => {};
  } }));
  const { el, classes, context } = contextOf({ "anywidget:1": widget, "anywidget:2": modelOf(bundle("v")) });
  await render({ ...context, signal: AbortSignal.abort() });
  assert.deepEqual([drawn, classes], [[], []], "a view that was removed before the bundle was loaded isn't drawn");
  await render(context);
  assert.deepEqual([drawn, classes], [[widget, el], [scopeOf("v")]]);
});

test("a view that cannot start says so", async (t) => {
  t.mock.method(console, "error", () => {});
  await load(bundle("v"), async () => ({ paint: () => { throw new TypeError("drawn is undefined"); } }));
  const models = { "anywidget:1": widget, "anywidget:2": modelOf(bundle("v")) };
  for (const known of /** @type {Record<string, object>[]} */ ([{}, { "anywidget:1": widget }, models])) {
    const { el, context } = contextOf(known);
    const end = await render(context);
    assert.equal(el.textContent, NOT_STARTED);
    end();
  }
});
