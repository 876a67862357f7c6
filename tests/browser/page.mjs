// Widgets on a page without JupyterLab. Each is drawn as anywidget draws it: by its own stub, which finds its bundle.
// `window.kernel`, where there is one, takes what a model sends and answers with messages for models.

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

const page = /** @type {typeof globalThis & { kernel?: (message: object) => Promise<Message[]> }} */ (globalThis);

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
    if (page.kernel) this.ask({ method: "update", state: this.changed, buffer_paths: [] });
    this.changed = {};
  }

  /** @param {object} message */
  send(message) {
    if (page.kernel) this.ask({ method: "custom", content: message }); else this.sent.push(message);
  }

  /** @param {object} data */
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

/** @param {Model} model @param {HTMLElement} el */
async function render(model, el) {
  const address = URL.createObjectURL(new Blob([String(model.get("_esm"))], { type: "text/javascript" }));
  const { default: stub } = await import(address);
  const host = { getModel: async (/** @type {string} */ name) => models.get(name.replace("anywidget:", "")) };
  return stub.render({ model, el, host, signal: new AbortController().signal });
}

/**
 * Put widgets below each other. `models` and `ends` are theirs afterwards, `render` draws one once more.
 * @param {Opened[]} opened all models, the bundle among them
 * @param {string[]} shown which of them are drawn
 */
async function show(opened, shown) {
  for (const each of opened) models.set(each.id, new Model(each));
  const drawn = shown.map((id) => /** @type {Model} */ (models.get(id)));
  const places = drawn.map(() => document.body.appendChild(document.createElement("div")));
  Object.assign(page, { models: drawn, ends: await Promise.all(drawn.map((model, i) => render(model, places[i]))) });
}

Object.assign(page, { show, receive, render });
