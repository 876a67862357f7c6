// The bundle of all views, loaded once for each page: many widgets, of several notebooks, share it. Kernels of
// different versions may send different ones, so each version has its own module, and its style reaches its own
// widgets alone.

/** @import { BundleState, Context, Render } from "./types.d.ts" */

/** The views of a bundle, by name. @typedef {Record<string, Render<Record<string, unknown>>>} Views */

/** The bundles that were loaded on this page, by version: all stubs find them here, whichever module they are in. */
const KEY = Symbol.for("autograd_core.views");

const page = /** @type {{ [KEY]?: Map<string, Promise<Views>> }} */ (globalThis);

/** The class of what a version's style reaches. @param {string} version */
export const scopeOf = (version) => `ac-version-${version}`;

/**
 * A style that reaches only what is inside of an element with this class. `:where` adds nothing to the weight of its
 * rules, and `@scope` would: JupyterLab's own rules win and lose against them as they would without it.
 * @param {string} style
 * @param {string} scope
 */
export const scoped = (style, scope) => `:where(.${scope}) {\n${style}\n}`;

/**
 * The views of a bundle. What cannot be loaded is tried again by the next widget.
 * @param {BundleState} bundle
 * @param {(bundle: BundleState) => Promise<Views>} start
 */
export function load(bundle, start = startOnPage) {
  const loaded = (page[KEY] ??= new Map()), known = loaded.get(bundle.version);
  if (known) return known;
  const views = start(bundle);
  loaded.set(bundle.version, views);
  views.catch(() => loaded.delete(bundle.version));
  return views;
}

/**
 * Run the script, and put the style on the page.
 * @param {BundleState} bundle
 * @returns {Promise<Views>}
 */
async function startOnPage({ version, script, style }) {
  const sheet = document.createElement("style");
  sheet.textContent = scoped(style, scopeOf(version));
  document.head.append(sheet);
  const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  try {
    return await import(address);
  } finally {
    URL.revokeObjectURL(address);
  }
}

export const NOT_STARTED = "This picture did not start. Run the cell again.";

/**
 * Draw the widget of a stub, as anywidget asks for it. The widget's model is one of ipywidgets: a stub's own model may
 * ignore messages, see kit/bundle.py.
 * @param {Context} context
 */
export async function render({ model: stub, el, host, signal }) {
  try {
    const model = await host.getModel(stub.get("widget")), source = await host.getModel(model.get("bundle"));
    const bundle = { version: source.get("version"), script: source.get("script"), style: source.get("style") };
    const views = await load(bundle);
    if (signal.aborted) return () => {};
    el.classList.add(scopeOf(bundle.version));
    return views[model.get("view")]({ model, el });
  } catch (error) {
    console.error(error);
    el.textContent = NOT_STARTED;
    return () => {};
  }
}
