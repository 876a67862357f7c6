// The lines between boxes. A line stands for one edge, or for all edges between two boxes.

const LEAST_WEIGHT = 1.3, MOST_WEIGHT = 5, DECADE = 1.5;      // stroke widths; per power of ten below the largest norm

class Line {
  constructor(picture, line, route) {
    Object.assign(this, { picture, line, d: route.d, brief: route.brief });
    const { structure, drawn } = picture, [first] = line.edges;
    this.kind = structure.nodes[structure.edges[first].producer].kind;
    const heads = [["down", line.to], ["up", line.from]].filter(([, end]) => !line.cut && drawn.boxes[end].kind !== "dot")
      .map(([way]) => el("svg:path", { class: `ac-head ac-${way}`, d: route[way] }));
    const whole = el("svg:path", { class: "ac-line", d: route.d });
    this.dots = line.dots.map(([node, name], i) => this.dot(node, name, route.dots[i]));
    this.group = el("svg:g", { class: `ac-edge ac-from-${this.kind}${line.cut ? " ac-cut" : ""}` }, whole, ...heads, ...this.dots);
    if (route.number) {
      const [x, y, anchor] = route.number;
      this.group.append(text(x, y, "ac-slot", structure.edges[first].slot, anchor));
    }
    this.pill = null;
    if (route.pill && (line.cut ? line.label : this.kind !== "constant")) this.drawPill(route.pill);
  }

  dot(node, name, [x, y]) {
    return el("svg:g", { class: "ac-way", "data-node": node }, el("svg:circle", { class: "ac-box", cx: x, cy: y, r: 4 }),
      text(x, y - 8, "ac-shape-name", name, "middle"));
  }

  drawPill(centre) {
    this.rect = el("svg:rect", { height: 22, rx: 11, y: -11 });
    this.text = text(0, 4, "", "", "middle");
    this.title = el("svg:title");
    const parts = { class: "ac-pill", transform: `translate(${centre})`, "aria-hidden": "true" };
    this.pill = el("svg:g", parts, this.title, this.rect, this.text);
    if (!this.line.cut) return;
    this.pill.classList.add("ac-shown", "ac-severs");
    const label = this.brief ? "" : this.line.label, mark = el("svg:path", { class: "ac-scissors", d: SCISSORS });
    const room = Math.ceil(measure(label, "bold 12px")) + (label ? 44 : 28);
    this.text.textContent = label;
    put(this.text, "x", 10);
    put(mark, "transform", `translate(${label ? 12 - room / 2 : -7} -7)`);
    this.pill.append(mark);
    this.widen(room);
    write(this.title, this.line.label);
  }

  widen(width) {
    this.rect.setAttribute("width", width);
    this.rect.setAttribute("x", -width / 2);
  }

  // What has come along the line after event k: [how many edges have sent, a tensor if that is one, words for the label].
  sent(k) {
    const { view: { tape }, structure, large } = this.picture, { edges } = this.line;
    const done = edges.filter((e) => structure.edges[e].sent && structure.edges[e].sent <= k);
    if (!done.length) return [0, null, ""];
    if (edges.length === 1) {
      const tensor = tape.sent(edges[0]);
      return [1, tensor, large ? brief(tensor) : tensorText(tensor, true)];
    }
    const due = edges.filter((e) => structure.edges[e].sent), producers = new Set(due.map((e) => structure.edges[e].producer));
    if (done.length < due.length) return [done.length, null, `${done.length} of ${due.length}`];
    if (producers.size > 1) return [done.length, null, `${producers.size} tensors`];
    const [producer] = producers, all = tape.received[producer], { ran } = structure.nodes[producer];
    const total = ran && all.every((e) => due.includes(e)) ? tape.numbers.events[ran - 1][0] : sum(due.map((e) => tape.sent(e)));
    return [done.length, total, total ? brief(total) : `${due.length} sent`];
  }

  update(k) {
    const { structure, large } = this.picture, { edges, cut } = this.line;
    const [arrived, tensor, words] = this.sent(k), ran = arrived > 0;
    this.group.classList.toggle("ac-ghost", k > 0 && structure.nodes[structure.edges[edges[0]].consumer].recorded > k);
    this.group.classList.toggle("ac-ran", ran);
    if (ran && large && tensor) this.group.style.setProperty("--ac-weight", this.weight(tensor[2]));
    if (!this.pill || cut) return;
    this.pill.classList.toggle("ac-shown", ran);
    if (!ran) return;
    this.pill.classList.toggle("ac-sending", edges.some((e) => structure.edges[e].sent === k));
    this.pill.classList.toggle("ac-bad", !finite(tensor));
    const label = this.brief ? "↑" : `↑ ${words}`;
    if (this.text.textContent !== label) {
      this.text.textContent = label;
      this.widen(Math.ceil(measure(label, "bold 12px")) + (this.brief ? 16 : 22));
    }
    write(this.title, tensor ? precise(tensor) : words);
  }

  weight(norm) {
    if (!(norm > 0) || !Number.isFinite(norm)) return LEAST_WEIGHT;
    return Math.max(LEAST_WEIGHT, MOST_WEIGHT + DECADE * Math.log10(norm / this.picture.largest)).toFixed(1);
  }
}
