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

// A name to be broken after its dots, and not before the number of "input 0".
const broken = (name) => name.replace(/ (?=\d+$)/, "\u00a0").split(/(?<=\.)/).flatMap((part, i) => (i ? [el("wbr"), part] : [part]));

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

const fits = (text, width, font) => measure(text, font) <= width;

// A dotted name, its first parts left out where they have no room: "…conv1.weight".
function fitPath(name, width, font) {
  const parts = name.split("."), texts = [name, ...parts.slice(1).map((_, i) => `…${parts.slice(i + 1).join(".")}`)];
  return texts.find((text) => measure(text, font) <= width) ?? fit(name, width, font);
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
const inPlace = (shape) => (shape.length === 1 ? `${shape[0]} ${shape[0] === 1 ? "number" : "numbers"}` : sized(shape));     // of the value
const count = (tensor) => tensor[0].reduce((a, b) => a * b, 1);

function tensorText(tensor, gradient = false) {
  if (!tensor) return "None";
  const [shape, values, norm] = tensor;
  if (shape.length === 0) return number(values[0]);
  if (count(tensor) <= 3) return `[${values.map(number).join(", ")}]`;
  return gradient ? `norm ${number(norm)}` : inPlace(shape);
}

function precise(tensor) {
  if (!tensor) return "None";
  const [shape, values, norm] = tensor;
  if (!values) return `${sized(shape)}, norm ${norm}`;
  return shape.length === 0 ? String(values[0]) : `[${values.join(", ")}]`;
}

// What there is to read of a tensor: all its numbers, or its norm alone.
const readable = (tensor) => (tensor ? tensor[1] ?? [tensor[2]] : []);
const finite = (tensor) => readable(tensor).every((x) => typeof x !== "string");
const real = (x) => (typeof x === "string" ? Number(x.replace("inf", "Infinity")) : Number(x));
const sendable = (x) => (Number.isFinite(x) ? x : String(x).toLowerCase().replace("infinity", "inf"));

function sum(tensors) {
  if (tensors.length === 1) return tensors[0];
  if (tensors.some((t) => !t[1])) return null;
  const values = tensors[0][1].map((_, i) => tensors.reduce((total, tensor) => total + real(tensor[1][i]), 0));
  return [tensors[0][0], values.map(sendable), sendable(Math.hypot(...values))];
}

// Element by element, where that says what the slope was: three numbers at most, and nowhere 0/0.
function quotient(sent, total) {
  if (!sent?.[1] || sent[1].length > 3 || total?.[1]?.length !== sent[1].length) return null;
  return total[1].every((x) => typeof x === "number" && x !== 0) ? [sent[0], sent[1].map((x, i) => x / total[1][i]), 0] : null;
}

const isOperation = ({ kind }) => kind === "operation" || kind === "severed";

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

  // The tensor at a place: ["value", node], ["grad", leaf], ["before", event], ["after", event], ["sent", event, position]; or one that
  // follows from others: ["sum", ...places], ["slope", place of what was sent, place of what had arrived].
  at([kind, index, ...rest]) {
    if (kind === "sum") return sum([index, ...rest].map((place) => this.at(place)));
    if (kind === "slope") return quotient(this.at(index), this.at(rest[0]));
    if (kind === "value") return this.numbers.values[index];
    if (kind === "grad") return this.numbers.grads[index] ?? null;
    const [before, after, sent] = this.numbers.events[index];
    return kind === "before" ? before : kind === "after" ? after : sent[rest[0]];
  }

  sentAt(edge) {
    const event = this.structure.edges[edge].sent - 1;
    return ["sent", event, this.structure.events[event].edges.indexOf(edge)];
  }

  sent(edge) { return this.at(this.sentAt(edge)); }

  node(index, k) {
    const { kind, recorded, ran } = this.structure.nodes[index];
    const all = this.received[index], arrived = all.filter((e) => this.structure.edges[e].sent <= k);
    const done = ran > 0 && ran <= k;
    let valueAt = ["value", index], gradientAt = null;
    if (kind === "leaf") {
      const changes = this.kept[index], grads = changes.filter((i) => this.structure.events[i].kind !== "step");
      const steps = changes.filter((i) => this.structure.events[i].kind === "step");
      const grad = grads.filter((i) => i < k).pop(), step = steps.filter((i) => i < k).pop();
      if (grads.length) gradientAt = grad === undefined ? ["before", grads[0]] : ["after", grad];
      else gradientAt = ["grad", index];         // no event of this trace writes it
      if (step !== undefined) valueAt = ["after", step];
    } else if (done || (ran && arrived.length && arrived.length === all.length)) {
      gradientAt = ["before", ran - 1];
    } else if (arrived.length) {
      gradientAt = arrived.length === 1 ? this.sentAt(arrived[0]) : ["sum", ...arrived.map((e) => this.sentAt(e))];
    }
    const value = this.at(valueAt), gradient = gradientAt ? this.at(gradientAt) : null;
    return { here: k === 0 || recorded <= k, done, arrived, all, value, gradient, valueAt, gradientAt };
  }

  // The norm of every gradient that is ever kept at a leaf.
  norms(index) {
    const kept = this.kept[index].filter((i) => this.structure.events[i].kind !== "step");
    const all = kept.length ? kept.flatMap((i) => this.numbers.events[i].slice(0, 2)) : [this.numbers.grads[index]];
    return all.filter(Boolean).map(([, , norm]) => real(norm));
  }

  // Where the first inf and the first nan stand, in the order of events: [word, event, the constant or leaf it is from].
  firsts() {
    const found = new Map();
    this.numbers.events.forEach(([before, after, sent], i) => {
      for (const x of [before, after, ...sent].flatMap(readable)) {
        const word = typeof x === "string" ? x.replace("-", "") : null;
        if (word && !found.has(word)) found.set(word, i + 1);
      }
    });
    return [...found].map(([word, k]) => [word, k, this.origin(word, this.structure.events[k - 1].node)]);
  }

  // The first event at which the engines differ, on the tape of the second; 0: in what a leaf or a constant holds.
  firstDifference() {
    const found = Object.entries(this.numbers.differences).filter(([, [, close]]) => !close).map(([place]) => {
      const [kind, index] = place.split(" ");
      return kind === "value" ? this.structure.nodes[index].recorded : Number(index) + 1;
    });
    return found.length ? Math.min(...found) : undefined;
  }

  // The input of box `index` that holds `word` from the start, or null.
  origin(word, index) {
    const { edges, nodes } = this.structure;
    const holds = ({ producer }) => readable(this.numbers.values[producer]).some((x) => String(x).endsWith(word));
    const from = edges.find((edge) => edge.consumer === index && !isOperation(nodes[edge.producer]) && holds(edge));
    return from ? nodes[from.producer] : null;
  }
}
