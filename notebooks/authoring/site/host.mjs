// Widgets on a page without JupyterLab. Each is drawn as anywidget draws it: by its own stub, which finds its bundle.
// `window.kernel`, where there is one, takes what a model sends and answers with messages for models. A page of the
// site brings its models, and what the reader's hands on them show; the tests show widgets, and are their kernel.

/** @typedef {Record<string, unknown>} State */
/** @typedef {(...values: never[]) => void} Handler */

/**
 * A message to a model: new state, or a message of the widget's own. `bytes` are its buffers in base64.
 * @typedef {object} Message
 * @property {string} id
 * @property {"update" | "custom"} method
 * @property {State} [state]
 * @property {unknown} [content]
 * @property {string[]} bytes
 * @property {string[]} [places] the names in `state` that the buffers belong to
 */

/** @typedef {{ id: string, state: State, bytes: string[], places: string[] }} Opened */

/**
 * What a page is given. `bundle` is the state of the model that holds all scripts; `sections` are searched.
 * @typedef {object} Given
 * @property {(asked: Asked) => Message[] | Promise<Message[]>} [kernel]
 * @property {State} [bundle]
 * @property {Section[]} [sections]
 */

/** @typedef {[name: string, heading: string, id: string, words: string]} Section what is searched */

/** @typedef {{ id: string, data: { method: "update" | "custom", state?: State, content?: State } }} Asked */

const page = /** @type {typeof globalThis & Given} */ (globalThis);

/** @param {string} text */
const decoded = (text) => new DataView(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer);

/** A model as anywidget hands it to a view, with what a test wants to know of it. */
class Model {
  /** @param {Opened} opened */
  constructor({ id, state, bytes, places }) {
    this.id = id;
    this.state = state;
    places.forEach((name, i) => { state[name] = decoded(bytes[i]); });
    /** @type {Record<string, Set<Handler>>} */
    this.handlers = {};
    /** What was sent and nobody has taken. @type {object[]} */
    this.sent = [];
    this.saved = 0;
    /** @type {State} */
    this.changed = {};
  }

  /** @param {string} name */
  get(name) { return this.state[name]; }

  /** @param {string} name @param {unknown} value */
  set(name, value) {
    this.state[name] = this.changed[name] = value;
    this.fire(`change:${name}`);
  }

  /** @param {string} names @param {Handler} handler */
  on(names, handler) { for (const name of names.split(" ")) (this.handlers[name] ??= new Set()).add(handler); }

  /** @param {string} names @param {Handler} handler */
  off(names, handler) { for (const name of names.split(" ")) this.handlers[name]?.delete(handler); }

  /** @param {string} name @param {...unknown} values */
  fire(name, ...values) {
    for (const handler of this.handlers[name] ?? []) /** @type {(...values: unknown[]) => void} */ (handler)(...values);
  }

  save_changes() {
    this.saved += 1;
    if (page.kernel) this.ask({ method: "update", state: this.changed });
    this.changed = {};
  }

  /** @param {State} message */
  send(message) {
    if (page.kernel) this.ask({ method: "custom", content: message }); else this.sent.push(message);
  }

  /** @param {Asked["data"]} data */
  async ask(data) { receive(await page.kernel?.({ id: this.id, data }) ?? []); }
}

/** @type {Map<string, Model>} */
const models = new Map();

/** @param {Message[]} messages */
function receive(messages) {
  for (const { id, method, state = {}, content, bytes, places = [] } of messages) {
    const model = models.get(id), buffers = bytes.map(decoded);
    if (!model) continue;
    if (method === "custom") model.fire("msg:custom", content, buffers);
    else {
      places.forEach((name, i) => { state[name] = buffers[i]; });
      Object.assign(model.state, state);
      for (const name of Object.keys(state)) model.fire(`change:${name}`);
    }
  }
}

/** Draw a widget by its stub, which is the only child of its box. @param {Model} model @param {HTMLElement} el */
async function render(model, el) {
  const [child] = /** @type {string[]} */ (model.get("children"));
  const stub = /** @type {Model} */ (models.get(child.replace("IPY_MODEL_", "")));
  const address = URL.createObjectURL(new Blob([String(stub.get("_esm"))], { type: "text/javascript" }));
  const { default: drawing } = await import(address);
  const host = { getModel: async (/** @type {string} */ name) => models.get(name.replace("anywidget:", "")) };
  return drawing.render({ model: stub, el, host, signal: new AbortController().signal });
}

/**
 * Put widgets below each other. `models` and `ends` are theirs afterwards, `render` draws one once more.
 * @param {Opened[]} opened all models, among them the bundle and the stubs
 * @param {string[]} shown which of them are drawn
 */
async function show(opened, shown) {
  for (const each of opened) models.set(each.id, new Model(each));
  const drawn = shown.map((id) => /** @type {Model} */ (models.get(id)));
  const places = drawn.map(() => document.body.appendChild(document.createElement("div")));
  Object.assign(page, { models: drawn, ends: await Promise.all(drawn.map((model, i) => render(model, places[i]))) });
}

Object.assign(page, { show, receive, render, ranked });

// ---- a page of the site ----------------------------------------------------------------------------------------

const NO_KERNEL = "No notebook runs behind this page, so the picture stays. Run this lesson in JupyterLab: make lab.";
const NEEDED = "The picture as it was saved. Run this lesson in JupyterLab to move it: make lab.";
const FOUND_AT_MOST = 12;

/**
 * What the reader's hands on a widget would change: see outcomes.py. `first` is its state when the page opens.
 * @typedef {object} Outcome
 * @property {State[][]} [results]
 * @property {string[]} [summaries]
 * @property {State[]} [controls]
 * @property {Record<string, [value: unknown, differs: State][]>} [moves]
 * @property {[width: number, differs: object][]} [widths]
 * @property {State} first
 */

/** @typedef {Record<string, Outcome>} Outcomes */

/** @param {string} id @param {State} state @returns {Message} */
const update = (id, state) => ({ id, method: "update", state, bytes: [] });

/** @param {string} id @param {State} content @returns {Message} */
const custom = (id, content) => ({ id, method: "custom", content, bytes: [] });

/** @param {string} name @returns {number[]} */
const answersOf = (name) => /** @type {number[]} */ (models.get(name)?.get("answers"));

/**
 * What this page answers in place of a kernel.
 * @param {Outcomes} outcomes
 * @returns {(asked: Asked) => Message[]}
 */
const answering = (outcomes) => ({ id, data: { method, content = {}, state = {} } }) => {
  const known = outcomes[id];
  if (state.width) return known?.widths?.length ? [fitted(id, known.widths, Number(state.width))] : [];
  if (method === "update") return state.answers && known?.results ? resolved(id, outcomes) : [];
  if (content.kind === "map") return [custom(id, { ...content, error: NO_KERNEL })];
  if (content.kind !== "change") return [];              // a fold waits, and says so itself
  const moved = moveOf(known, content), answer = { kind: "answer", error: moved ? "" : NO_KERNEL };
  if (moved) delete known.widths;                        // they are of the settings at which the page opens
  const said = models.get(id)?.get("answer") ? update(id, { answer }) : custom(id, answer);
  return moved ? [update(id, moved), said] : [said];
};

/**
 * A picture as wide as there is room.
 * @param {string} id
 * @param {[width: number, differs: object][]} widths
 * @param {number} room
 */
function fitted(id, widths, room) {
  const [, differs] = widths.findLast(([width]) => width <= room) ?? widths[0];
  return update(id, { drawn: { .../** @type {object} */ (models.get(id)?.get("drawn")), ...differs } });
}

/**
 * The state after a control has moved, the others being as they were; null where nobody has tried.
 * @param {Outcome} known
 * @param {State} asked
 */
function moveOf({ moves = {}, controls = [], first }, { name, value }) {
  const tried = moves[String(name)] ?? [];
  const keys = Object.values(moves).flat().flatMap(([, differs]) => Object.keys(differs));
  const far = tried.map(([each]) => (each === value ? 0 : Math.abs(Number(each) - Number(value)) || Infinity));
  const move = tried[far.indexOf(Math.min(...far))];
  return move && {
    ...Object.fromEntries(keys.map((key) => [key, move[1][key] ?? first[key]])),
    controls: controls.map((each) => (each.name === name ? { ...each, value: move[0] } : each)),
  };
}

/**
 * What the answers to a question settle.
 * @param {string} id
 * @param {Outcomes} outcomes
 */
function resolved(id, outcomes) {
  const { results: told = [], summaries = [] } = outcomes[id], answers = answersOf(id);
  const results = answers.map((answer, i) => told[i][answer] ?? {});
  const summary = answers.includes(-1) ? "" : summaries[results.filter((result) => result.state === "right").length];
  unfold(id);
  return [update(id, { results, summary })];
}

/** What was folded away until this question has its answer. @param {string} id */
function unfold(id) {
  const parts = /** @type {HTMLElement[]} */ ([...document.querySelectorAll(".widget, details.early")]);
  for (const part of parts.slice(parts.findIndex(({ dataset }) => dataset.model === id) + 1)) {
    if (part instanceof HTMLDetailsElement) part.open = true;
    else if (models.get(part.dataset.model ?? "")?.get("answers")) return;
  }
}

/** @param {string} address */
const script = (address) => new Promise((done) => {
  document.head.append(Object.assign(document.createElement("script"), { src: address, onload: done }));
});

/**
 * The sections that have most of these words, the best first. A rare word counts more than a frequent one, and a word
 * of the heading more than one of the text. Numbers don't count, because a message of the reader has other ones.
 * @param {Section[]} sections
 * @param {string} query
 */
function ranked(sections, query) {
  const all = query.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];
  const named = all.filter((word) => /\p{L}/u.test(word));
  const words = [...new Set(named.length ? named : all)], least = words.length < 3 ? words.length : 0.6 * words.length;
  const texts = sections.map((section) => [section[1].toLowerCase(), section.join(" ").toLowerCase()]);
  const counts = words.map((word) => texts.filter(([, text]) => text.includes(word)).length);
  const rare = (/** @type {string} */ word) => Math.log((1 + texts.length) / counts[words.indexOf(word)]);
  return sections.map((section, i) => {
    const [heading, text] = texts[i], found = words.filter((word) => text.includes(word));
    const score = found.reduce((sum, word) => sum + rare(word) * (heading.includes(word) ? 3 : 1), 0);
    return { section, score: found.length && found.length >= least ? score : 0 };
  }).filter(({ score }) => score).sort((a, b) => b.score - a.score).map(({ section }) => section);
}

/** @param {HTMLInputElement} box @param {HTMLElement} list */
async function search(box, list) {
  if (!page.sections) await script("assets/search.js");
  const words = box.value.toLowerCase().split(/\s+/).filter(Boolean), found = ranked(page.sections ?? [], box.value);
  list.replaceChildren(...found.slice(0, FOUND_AT_MOST).map(([name, heading, id, text]) => {
    const link = Object.assign(document.createElement("a"), { href: `${name}.html#${encodeURIComponent(id)}` });
    const at = Math.max(0, text.toLowerCase().indexOf(words[0]) - 40);
    const title = document.createElement("b"), item = document.createElement("li");
    title.textContent = `${name.slice(0, 2)} ${heading}`;
    link.append(title, ` ${text.slice(at, at + 120)}`);
    item.append(link);
    return item;
  }));
  if (words.length && !found.length) list.textContent = "Nothing found.";
  list.hidden = !words.length;
}

/** @param {string} given the models and the outcomes: JSON, zipped, in base64 */
async function start(given) {
  const plain = new Blob([decoded(given)]).stream().pipeThrough(new DecompressionStream("gzip"));
  const { models: opened, outcomes } = await new Response(plain).json();
  for (const each of opened) {
    models.set(each.id, new Model(each.bundle ? { id: each.id, state: page.bundle, bytes: [], places: [] } : each));
  }
  for (const [id, outcome] of Object.entries(outcomes)) {
    const state = models.get(id)?.state;
    if (state) outcome.first = { ...Object.assign(state, outcome.controls && { controls: outcome.controls }) };
  }
  page.kernel = answering(outcomes);
  const parts = /** @type {HTMLDetailsElement} */ (document.querySelector(".contents"));
  parts.open = matchMedia("(min-width: 1100px)").matches;
  const input = /** @type {HTMLInputElement} */ (document.querySelector("input[type=search]"));
  const list = /** @type {HTMLElement} */ (document.querySelector(".found"));
  input.addEventListener("input", () => search(input, list));
  list.parentElement?.addEventListener("keydown", (event) => { if (event.key === "Escape") list.hidden = true; });
  document.querySelector(".theme")?.addEventListener("click", () => {
    const light = document.body.dataset.jpThemeLight !== "true";
    document.body.dataset.jpThemeLight = localStorage.theme = String(light);
  });
  for (const place of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".widget"))) {
    const model = models.get(place.dataset.model ?? ""), el = document.createElement("div");
    if (!model) {
      place.append(Object.assign(el, { className: "note", textContent: NEEDED }));
      continue;
    }
    place.replaceChildren(el);
    await render(model, el);
    el.addEventListener("focusout", () => model.fire("change:controls"));    // a control goes back to what is shown
  }
  document.body.dataset.ready = "";
}

const given = document.getElementById("given")?.textContent;
if (given) start(given);
