import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { load, render, scoped, scopeOf } from "../../autograd_core/widgets/js/kit/loader.js";

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

test("a widget's stub asks for its bundle, and lets the view draw that it names", async () => {
  const drawn = /** @type {unknown[]} */ ([]), classes = /** @type {string[]} */ ([]);
  const el = { classList: { add: (/** @type {string} */ name) => classes.push(name), toggle() {} } };
  const views = { paint: (/** @type {{ el: unknown }} */ context) => { drawn.push(context.el); return () => {}; } };
  await load(bundle("v"), async () => views);
  const host = { getModel: async (/** @type {string} */ reference) => {
    assert.equal(reference, "anywidget:1");
    return modelOf(bundle("v"));
  } };
  const context = { model: modelOf({ view: "paint", bundle: "anywidget:1" }), el, host, signal: AbortSignal.abort() };
  // @ts-expect-error: the element and the models are stand-ins
  const show = (more = {}) => render({ ...context, ...more });
  await show();
  assert.deepEqual([drawn, classes], [[], []], "a view that is gone before the bundle has come is not drawn");
  await show({ signal: new AbortController().signal });
  assert.deepEqual([drawn, classes], [[el], [scopeOf("v")]]);
});

test("a view is marked as disconnected as long as its bundle is", async () => {
  const marks = /** @type {boolean[]} */ ([]), handlers = /** @type {Set<() => void>} */ (new Set());
  const toggle = (/** @type {string} */ _, /** @type {boolean} */ on) => marks.push(on);
  const el = { classList: { add() {}, toggle } };
  await load(bundle("v"), async () => ({ paint: () => () => {} }));
  const inKernel = {
    comm_live: true,
    on: (/** @type {string} */ _, /** @type {() => void} */ handler) => handlers.add(handler),
    off: (/** @type {string} */ _, /** @type {() => void} */ handler) => handlers.delete(handler),
  };
  const manager = { get_model: async (/** @type {string} */ id) => (id === "1" ? inKernel : undefined) };
  const model = { ...modelOf({ view: "paint", bundle: "anywidget:1" }), widget_manager: manager };
  const gone = new AbortController(), host = { getModel: async () => modelOf(bundle("v")) };
  // @ts-expect-error: the element and the models are stand-ins
  await render({ model, el, host, signal: gone.signal });
  inKernel.comm_live = false;
  handlers.forEach((handler) => handler());
  assert.deepEqual(marks, [false, true]);
  gone.abort();
  assert.equal(handlers.size, 0);
});
