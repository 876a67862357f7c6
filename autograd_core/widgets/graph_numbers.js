// What the graph view knows: numbers as text, and the state of every box after each event.
// Text from Python goes into the page with textContent alone, so it is never markup.

const PHASE = {
  forward: "forward", loss: "loss", backward: "backward", accumulate: "backward", step: "step", zero_grad: "zero_grad",
};

// ---- elements --------------------------------------------------------------------------------------------------

function el(tag, attributes = {}, ...children) {
  const svg = tag.startsWith("svg:");
  const node = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag.slice(4)) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

const runs = (list) => list.map(([style, text]) => (style ? el("span", { class: `ac-${style}` }, text) : text));
const words = (list) => list.map(([, text]) => text).join("");

function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

function put(node, name, value) {
  if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value);
}

const pen = document.createElement("canvas").getContext("2d");
const widths = new Map();
let family = "sans-serif";                       // the font of the page, once a view stands in it

function measure(text, font) {
  pen.font = `${font} ${family}`;
  return pen.measureText(text).width;
}

function fit(text, width, font) {
  const key = `${font}|${width}|${text}`;
  if (widths.has(key)) return widths.get(key);
  let cut = text;
  if (measure(text, font) > width) {
    let low = 0, high = Math.min(text.length, 200);
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (measure(text.slice(0, middle) + "…", font) <= width) low = middle; else high = middle - 1;
    }
    cut = text.slice(0, low) + "…";
  }
  if (widths.size > 5000) widths.clear();
  widths.set(key, cut);
  return cut;
}

// ---- numbers: the same rules as words.py -----------------------------------------------------------------------

export function number(value) {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "string") return value.replace("-", "−");
  if (value === 0) return "0";
  const sign = value < 0 ? "−" : "", size = Math.abs(value);
  if (size < 0.001 || size >= 10000) {
    const [digits, exponent] = size.toExponential(1).split("e");
    return `${sign}${digits.replace(/\.0$/, "")}e${exponent.replace("+", "").replace("-", "−")}`;
  }
  const rounded = size.toFixed(3);
  return sign + (Math.abs(Number(rounded) - size) <= size * 1e-7 ? rounded.replace(/\.?0+$/, "") : rounded);
}

const sized = (shape) => shape.join("×") || "scalar";
const count = (tensor) => tensor[0].reduce((a, b) => a * b, 1);

function tensorText(tensor, gradient = false) {
  if (!tensor) return "None";
  const [shape, values, norm] = tensor;
  if (shape.length === 0) return number(values[0]);
  if (count(tensor) <= 3) return `[${values.map(number).join(", ")}]`;
  return gradient ? `norm ${number(norm)}` : sized(shape);
}

function precise(tensor) {
  if (!tensor) return "None";
  const [shape, values, norm] = tensor;
  if (!values) return `${sized(shape)}, norm ${norm}`;
  return shape.length === 0 ? String(values[0]) : `[${values.join(", ")}]`;
}

const finite = (tensor) => !tensor || !tensor[1] || tensor[1].every((x) => typeof x !== "string");

function sum(tensors) {
  if (tensors.length === 1) return tensors[0];
  if (tensors.some((t) => !t[1])) return null;
  const read = (x) => Number(String(x).replace("inf", "Infinity"));
  const word = (x) => (Number.isFinite(x) ? x : String(x).toLowerCase().replace("infinity", "inf"));
  const values = tensors[0][1].map((_, i) => tensors.reduce((total, tensor) => total + read(tensor[1][i]), 0));
  return [tensors[0][0], values.map(word), word(Math.hypot(...values))];
}

// ---- what is known after event k -------------------------------------------------------------------------------

class Tape {
  constructor(structure, numbers) {
    Object.assign(this, { structure, numbers });
    this.received = structure.nodes.map(() => []);
    structure.edges.forEach((edge, i) => { if (edge.sent) this.received[edge.producer].push(i); });
    this.received.forEach((list) => list.sort((a, b) => structure.edges[a].sent - structure.edges[b].sent));
    this.kept = structure.nodes.map(() => []);
    structure.events.forEach((event, i) => {
      if (["accumulate", "step", "zero_grad"].includes(event.kind)) this.kept[event.node].push(i);
    });
  }

  sent(edge) {
    const { sent } = this.structure.edges[edge];
    return this.numbers.events[sent - 1][2][this.structure.events[sent - 1].edges.indexOf(edge)];
  }

  node(index, k) {
    const { kind, recorded, ran } = this.structure.nodes[index], { events, values } = this.numbers;
    const all = this.received[index], arrived = all.filter((e) => this.structure.edges[e].sent <= k);
    const done = ran > 0 && ran <= k;
    const state = { here: k === 0 || recorded <= k, done, arrived, all, value: values[index], gradient: null };
    if (kind === "leaf") {
      const changes = this.kept[index], grads = changes.filter((i) => this.structure.events[i].kind !== "step");
      const steps = changes.filter((i) => this.structure.events[i].kind === "step");
      const grad = grads.filter((i) => i < k).pop(), step = steps.filter((i) => i < k).pop();
      state.gradient = grad !== undefined ? events[grad][1] : grads.length ? events[grads[0]][0] : null;
      if (step !== undefined) state.value = events[step][1];
    } else if (done || (ran && arrived.length && arrived.length === all.length)) {
      state.gradient = events[ran - 1][0];
    } else if (arrived.length) {
      state.gradient = sum(arrived.map((e) => this.sent(e)));
    }
    return state;
  }
}
