// A widget in a page of its own, without a kernel: its state is in the page, and so is what Python would answer.

/** @import { Answers, Folded, Handler, Model, Render } from "./types.d.ts" */

/** @typedef {Record<string, unknown>} State */
export const NEEDS = "needs a running notebook";

/**
 * Where among the values of a setting one stands: of numbers, the nearest.
 * @param {(number | string | boolean)[]} all
 * @param {unknown} value
 */
export function placeOf(all, value) {
  if (typeof value !== "number") return all.findIndex((each) => each === value);
  const far = all.map((each) => Math.abs(Number(each) - value));
  return far.indexOf(Math.min(...far));
}

/** @param {string[]} keys */
const nameOf = (keys) => JSON.stringify([...keys].sort());

/** A model whose state is in the page. @implements {Model<State>} */
export class SavedModel {
  /** @type {Map<string, Set<Handler>>} */
  #handlers = new Map();

  /**
   * @param {State} state
   * @param {Answers} answers
   */
  constructor(state, answers) {
    this.state = state;
    this.answers = answers;
  }

  /** @param {string} name @returns {any} */
  get(name) { return this.state[name]; }

  /** @param {string} name @param {unknown} value */
  set(name, value) {
    this.state[name] = value;
    this.fire(`change:${name}`);
  }

  /** @param {string} name @param {Handler} handler */
  on(name, handler) {
    this.#handlers.set(name, (this.#handlers.get(name) ?? new Set()).add(handler));
  }

  /** @param {string} name @param {Handler} handler */
  off(name, handler) { this.#handlers.get(name)?.delete(handler); }

  save_changes() {}

  /** @param {string} name @param {...unknown} values */
  fire(name, ...values) {
    for (const each of this.#handlers.get(name) ?? []) /** @type {(...all: unknown[]) => void} */ (each)(...values);
  }

  /** @param {any} question */
  send(question) {
    if (question.kind === "fold") {
      for (const [name, value] of Object.entries(this.opened(question.open))) this.set(name, value);
    } else {
      const error = question.kind === "change" && this.change(question) ? "" : `This ${NEEDS}.`;
      const kind = question.kind === "change" ? "answer" : question.kind;
      queueMicrotask(() => this.fire("msg:custom", { ...question, kind, error }, []));
    }
  }

  /**
   * Show what Python would show for this setting; whether the page knows it.
   * @param {{ name: string, value: unknown }} change
   */
  change({ name, value }) {
    const { stops = {}, changes = {} } = this.answers;
    if (!(name in stops)) return false;
    const before = /** @type {{ name: string, value: unknown }[]} */ (this.state.controls);
    const controls = before.map((each) => (each.name === name ? { ...each, value } : each));
    const values = new Map(controls.map((each) => [each.name, each.value]));
    const places = Object.entries(stops).map(([key, all]) => placeOf(all, values.get(key)));
    const found = changes[places.join(",")];
    if (!found) return false;
    this.set("controls", controls);
    for (const [trait, is] of Object.entries(found)) this.set(trait, is);
    return true;
  }

  /**
   * What is drawn where these folds are open. Where the page has not all of them together, the one that was asked for
   * last alone; where one was closed, as many of the others as it has.
   * @param {string[]} open
   */
  opened(open) {
    const { folds = {}, paths = {} } = this.answers, { drawn: now, changes } = /** @type {Folded} */ (this.state);
    const found = folds[nameOf(open)], added = open.find((key) => !now.open.includes(key));
    if (found) return found;
    if (added) return folds[nameOf(paths[added] ?? [added])] ?? { drawn: now, changes };
    const within = Object.keys(folds).map((name) => /** @type {string[]} */ (JSON.parse(name)))
      .filter((keys) => keys.every((key) => open.includes(key)));
    return folds[nameOf(within.reduce((best, keys) => (keys.length > best.length ? keys : best)))];
  }
}

/** What kit/page.py has packed, with its bytes as a DataView. @param {string} text */
export async function unpacked(text) {
  const stream = new Blob([bytesOf(text)]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text(), (_, value) => (
    value?.base64 === undefined ? value : new DataView(bytesOf(value.base64).buffer)));
}

/** @param {string} base64 */
const bytesOf = (base64) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));

/** Draw the widget of a saved page, where this is one. @param {Record<string, Render<any>>} views */
export async function openSaved(views) {
  const place = typeof document === "undefined" ? null : document.getElementById("ac-saved");
  if (!place?.dataset.state) return;
  const { view, state, answers } = await unpacked(place.dataset.state);
  place.removeAttribute("data-state");
  views[view]({ model: new SavedModel(state, answers), el: place });
  const title = place.querySelector(".ac-title");
  for (const [name, value] of [["role", "heading"], ["aria-level", "1"]]) title?.setAttribute(name, value);
}
