// A widget in a page of its own, without a kernel: its state is in the page, and so is what Python would answer.

/** @import { Handler, Model, Render } from "./types.d.ts" */

/** @typedef {Record<string, unknown>} State */

/**
 * What Python would answer: `folds` has what is drawn for each list of open folds, by their keys in order, and `paths`
 * the folds that have to be open for one to be seen open.
 * @typedef {{ folds?: Record<string, { open: string[] }>, paths?: Record<string, string[]> }} Answers
 */

export const NEEDS = "needs a running notebook";

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
    if (question.kind === "fold") this.set("drawn", this.opened(question.open));
    else queueMicrotask(() => this.fire("msg:custom", { ...question, error: `This ${NEEDS}.` }, []));
  }

  /**
   * What is drawn where these folds are open. Where the page has not all of them together, the one that was asked for
   * last alone; where one was closed, as many of the others as it has.
   * @param {string[]} open
   */
  opened(open) {
    const { folds = {}, paths = {} } = this.answers, now = /** @type {{ open: string[] }} */ (this.state.drawn);
    const found = folds[nameOf(open)], added = open.find((key) => !now.open.includes(key));
    if (found) return found;
    if (added) return folds[nameOf(paths[added] ?? [added])] ?? now;
    const within = Object.values(folds).filter((each) => each.open.every((key) => open.includes(key)));
    return within.reduce((best, each) => (each.open.length > best.open.length ? each : best));
  }
}

/** @param {string} text what kit/page.py packed */
async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

/**
 * Draw the widget of a saved page, where this is one.
 * @param {Record<string, Render<any>>} views
 */
export async function openSaved(views) {
  const place = typeof document === "undefined" ? null : document.getElementById("ac-saved");
  if (!place?.dataset.state) return;
  const { view, state, answers } = await unpacked(place.dataset.state);
  place.removeAttribute("data-state");
  views[view]({ model: new SavedModel(state, answers), el: place });
}
