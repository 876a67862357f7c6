// A loss as lines of code beside the gradients of its maps. A line or a pixel is chosen on either side; a line is
// edited in place. Python runs the code; here the maps of all lines are known, so choosing a line asks nobody.

import { button } from "../kit/button.js";
import { closest, el, put, svg, uniqueId, write } from "../kit/dom.js";
import { number } from "../kit/format.js";
import { cellAfter, cellUnder } from "../kit/grid.js";
import { ARROWS, withModifier } from "../kit/keys.js";
import { Live, rendering } from "../kit/live.js";
import { drawMap, legend, onTheme, signed } from "../kit/shade.js";

/** @import { GridCell, Size } from "../kit/grid.js" */
/** @import { Model } from "../kit/types.d.ts" */
/** @import { BatchRow, CodeLine, LineByLineState } from "./types.d.ts" */

const FINE = 5;                                  // pixels of a canvas for each pixel of a map
const FAR = 8;                                   // pixels that Shift and an arrow key leap
const MARKS = "Grey mark: size of the gradient that a line sends. Stripes: nan. The scale is logarithmic.";
const HEAD = ["batch", "loss", "nan in the gradient", "ignored pixels that learn"];

/**
 * @typedef {{ name: string, paper: HTMLCanvasElement, mark: HTMLElement, below: HTMLElement }} LineMap
 */

/** @extends {Live<LineByLineState>} */
class LineByLine extends Live {
  /** @param {Model<LineByLineState>} model */
  constructor(model) {
    super(model, "lines");
    this.sources.push("path");
    const { shape: [rows, columns], maps, joins, outlines } = this.drawn;
    this.rows = rows;
    this.columns = columns;
    /** The chosen line, counted from 1; 0: the total. */
    this.line = 0;
    /** The line that is being edited, or 0. */
    this.open = 0;
    /** What was asked of Python in the editor. @type {{ name: string } | undefined} */
    this.taken = undefined;
    /** The pixel that was asked for last. @type {[row: number, column: number, map: number] | undefined} */
    this.wanted = undefined;
    /** @type {HTMLElement[]} */
    this.items = [];
    this.code = el("ol", { class: "ac-lines-code", onkeydown: (event) => this.keyInCode(event),
      onclick: (event) => this.clicked(event) });
    this.key = el("p", { class: "ac-lines-key" }, this.drawn.key);
    this.told = el("p", { class: "ac-lines-told", role: "status" });
    this.table = el("table", { class: "ac-numbers ac-lines-table" });
    this.badge = el("p", { class: "ac-lines-badge" });
    this.warning = el("p", { class: "ac-lines-warning" });
    this.heading = el("p", { class: "ac-lines-heading" });
    /** @type {LineMap[]} */
    this.list = [];
    const groups = maps.map(([title, names], i) => {
      const figures = names.map((name) => this.figure(name, outlines));
      if (names.length === 1) figures.push(this.masks(outlines));
      const join = names.length > 1 ? el("span", { class: "ac-lines-join" }, joins[i] ?? "") : "";
      return el("section", { "aria-label": title }, figures[0], join, ...figures.slice(1));
    });
    this.scale = el("div");
    this.pencil = button("Edit", "", () => this.edit(this.line));
    this.lift = button("Move", "", () => this.take("move_up", this.line));
    this.header.append(this.pencil, this.lift, button("Undo all edits", "Reset", () => this.want("reset", null)));
    this.picture = el("div", { class: "ac-lines-maps" }, this.heading, ...groups.reverse());
    this.left = el("div", { class: "ac-lines-left" }, this.table, this.badge, this.warning, this.key, this.code,
      this.told, this.scale);
    this.main.append(this.left, this.picture);
    this.box.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.all();
    });
    this.controls.box.hidden = false;
    this.gone = onTheme(() => this.paint());
  }

  /** @param {string} name @param {unknown} value */
  want(name, value) { this.controls.want(name, value); }

  // ---- the maps ----

  /** @returns {Size} */
  get size() { return [this.rows, this.columns]; }

  /** @param {string} name @param {string[]} outlines */
  figure(name, outlines) {
    const place = this.list.length, { rows, columns } = this;
    const paper = el("canvas", { width: columns * FINE, height: rows * FINE, tabindex: 0, role: "application",
      onclick: (event) => this.pick(cellUnder(event, paper, this.size), place),
      onkeydown: (event) => this.keyInMap(event, place) });
    const mark = el("i", { class: "ac-lines-mark" }), below = el("div", { class: "ac-lines-below" });
    this.list.push({ name, paper, mark, below });
    return el("figure", {}, el("figcaption", {}, name),
      el("div", { class: "ac-lines-plane" }, paper, this.overlay(outlines, ""), mark), below);
  }

  /** The input and which pixels may train: outlines, and what is ignored hatched. @param {string[]} outlines */
  masks(outlines) {
    const label = "Outlined: the text to learn. Hatched: the ignored text and the padding.";
    const title = this.drawn.crop ? "the input crop" : "which pixels may train";
    return el("figure", { class: "ac-lines-masks" }, el("figcaption", {}, title),
      el("div", { class: "ac-lines-plane" }, this.overlay(outlines, label)),
      el("div", { class: "ac-lines-below" }, "hatched: ignored"));
  }

  /** @param {string[]} outlines @param {string} label */
  overlay([learned, ignored, hatched], label) {
    const id = uniqueId(), attributes = label ? { role: "img", "aria-label": label } : { "aria-hidden": "true" };
    const pattern = svg("pattern", { id, width: 2, height: 2, patternUnits: "userSpaceOnUse",
      patternTransform: "rotate(45)" }, svg("rect", { width: 0.7, height: 2, class: "ac-lines-hatch" }));
    const { crop } = this.drawn, whole = { width: this.columns, height: this.rows, preserveAspectRatio: "none" };
    const photo = crop ? [svg("image", { href: crop, ...whole })] : [];
    const ground = label ? [...photo, pattern, svg("path", { d: hatched, fill: `url(#${id})` })] : [];
    return svg("svg", { viewBox: `0 0 ${this.columns} ${this.rows}`, ...attributes }, ...ground,
      svg("path", { d: learned, class: "ac-lines-outline" }),
      svg("path", { d: ignored, class: "ac-lines-outline ac-lines-ignored" }));
  }

  /** The line whose gradient the maps show: the chosen one, or the last one. @returns {CodeLine} */
  get shown() {
    const { lines } = this.drawn, sending = lines.filter(({ share }) => share !== null);
    return lines[this.line - 1] ?? sending[sending.length - 1] ?? lines[lines.length - 1];
  }

  paint() {
    const { shown, columns, rows } = this, { end, old } = this.drawn, size = rows * columns;
    const planes = this.list.map(() => new Float64Array(size));
    shown.at.forEach((at, i) => { planes[Math.floor(at / size)][at % size] = shown.is[i] ?? NaN; });
    this.list.forEach(({ name, paper, below }, k) => {
      drawMap(paper, { cells: planes[k], columns, rows }, (x) => signed(x, end), "gradient");
      const all = [...planes[k]], known = all.filter((x) => Number.isFinite(x) && x !== 0);
      const wrong = all.filter((x) => !Number.isFinite(x)).length;
      const low = Math.min(0, ...known), high = Math.max(0, ...known), some = known.length ? [low, high] : [];
      const count = known.length === 1 ? "1 pixel" : `${known.length} pixels`;
      below.replaceChildren(!known.length && !wrong ? "all zero" : count,
        ...(wrong ? [el("span", { class: "ac-lines-nan" }, `${wrong} nan`)] : []));
      const words = [...some.map(number), ...below.childNodes].map((each) => (
        typeof each === "string" ? each : each.textContent));
      put(paper, "aria-label", `${name}: ${words.join(", ")}. The arrow keys choose a pixel.`);
    });
    const through = `sent through line ${this.line}${shown.name && shown.name !== "return" ? `: ${shown.name}` : ""}`;
    const words = this.line ? through : "gradient of the total";
    write(this.heading, old ? `${words} · of the code before the error` : words);
    this.picture.classList.toggle("ac-old", old);
  }

  // ---- the code ----

  draw() {
    const { lines, rows, badge, warning, end } = this.drawn;
    this.line = Math.min(this.line, lines.length);
    const had = this.items.findIndex((item) => item.contains(document.activeElement));
    this.items = lines.map((line, i) => this.item(line, i + 1));
    this.code.replaceChildren(...this.items);
    if (had >= 0 && !this.open) this.focus(had + 1);
    write(this.badge, badge && `✓ ${badge}`);
    write(this.warning, warning && `⚠ ${warning}`);
    const head = HEAD.map((text) => el("th", { scope: "col" }, text));
    const body = rows.map((row) => this.row(row));
    this.table.replaceChildren(el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...body));
    this.scale.replaceChildren(legend(end, "this output"));
    this.show();
  }

  /** @param {BatchRow} row */
  row({ batch, passed, error, loss, nan, learn }) {
    const [style, sign] = passed ? ["ac-lines-yes", "✓"] : ["ac-lines-nan", "✗"];
    const cells = error === undefined ? [loss, nan, learn].map((x) => el("td", {}, String(x)))
      : [el("td", { colspan: 3, class: "ac-lines-nan" }, error)];
    return el("tr", {}, el("th", { scope: "row" }, batch), ...cells, el("td", {}, el("b", { class: style }, sign)));
  }

  /** @param {CodeLine} line @param {number} at */
  item(line, at) {
    const ink = el("i", { class: `ac-lines-gutter${line.wrong ? " ac-lines-striped" : ""}` });
    if (line.share !== null) ink.style.setProperty("--ac-share", String(Math.max(line.share, 0.12)));
    const text = line.text.trimStart(), indent = line.text.length - text.length;
    const code = el("code", {}, text);
    code.style.setProperty("--ac-indent", `${indent}ch`);
    const chooser = el("button", { type: "button", class: "ac-lines-line", "data-line": at }, ink,
      el("span", { class: "ac-lines-number" }, String(at)), code,
      line.warns ? el("span", { title: this.drawn.warning }, "⚠") : "", el("span", { class: "ac-lines-arrives" }));
    const item = el("li", { class: line.changed ? "ac-lines-changed" : "" }, chooser);
    if (line.error) item.append(el("p", { class: "ac-lines-error" }, line.error));
    return item;
  }

  /** Show what is chosen: the line, its maps, and the path of the pixel. */
  show() {
    const { lines } = this.drawn, path = this.model.get("path"), { numbers } = path;
    this.items.forEach((item, i) => {
      const at = i + 1, chooser = item.querySelector("button");
      if (!chooser) return;
      put(chooser, "aria-current", at === this.line);
      put(chooser, "tabindex", at === (this.line || 1) ? 0 : -1);
      const arrives = numbers?.[at];
      item.classList.toggle("ac-lines-on", arrives !== undefined);
      item.classList.toggle("ac-lines-off", numbers !== undefined && arrives === undefined);
      const note = arrives === undefined ? "" : `${arrives}${path.starts === at ? " · nan starts here" : ""}`;
      const place = chooser.querySelector(".ac-lines-arrives") ?? chooser;
      write(place, note);
      place.classList.toggle("ac-lines-nan", Boolean(arrives?.includes("nan")));
      item.querySelector(".ac-lines-editor")?.remove();
      if (at === this.line && this.open === at) item.append(this.editor(lines[i], at));
    });
    this.tools(lines[this.line - 1]);
    this.list.forEach(({ mark }, k) => {
      const [row, column, map] = path.pixel ?? [0, 0, -1];
      mark.hidden = map !== k;
      mark.style.left = `${(100 * column) / this.columns}%`;
      mark.style.top = `${(100 * row) / this.rows}%`;
    });
    write(this.told, path.told ?? lines[this.line - 1]?.told ?? MARKS);
    this.paint();
  }

  /** Which buttons can be used with the chosen line. @param {CodeLine | undefined} line */
  tools(line) {
    const which = line ? `line ${this.line}` : "a line";
    /** @type {[HTMLButtonElement, boolean, string, string][]} */
    const buttons = [
      [this.pencil, Boolean(line?.text.trim()), `✎ Edit ${which}`, "(E)"],
      [this.lift, Boolean(line?.moves), `↑ Move ${which} up`, "by one line"],
    ];
    for (const [each, usable, words, more] of buttons) {
      const why = line ? "this line stays as it is" : "choose a line first";
      each.disabled = !usable;
      put(each, "title", `${words.slice(2)} ${usable ? more : `(${why})`}`);
      put(each, "aria-label", each.title);
      write(each, words);
    }
    put(this.pencil, "aria-expanded", this.open > 0);
  }

  /** @param {CodeLine} line @param {number} at */
  editor(line, at) {
    const input = el("input", { type: "text", spellcheck: "false", autocomplete: "off", value: line.text.trim(),
      "aria-label": `Code of line ${at}`, onkeydown: (event) => {
        if (event.key === "Enter") this.take("edit", { line: at, code: input.value });
      } });
    const offers = line.offers.filter((code) => code !== line.text.trim()).map((code) => el("button", {
      type: "button", class: "ac-lines-offer", onclick: () => this.take("edit", { line: at, code }) }, code));
    const actions = [button("Run this line (Enter)", "Run", () => this.take("edit", { line: at, code: input.value }))];
    if (line.changed) actions.push(button(`Undo the edit of line ${at}`, "Undo", () => this.take("undo", at)));
    actions.push(button("Close the editor", "Close", () => this.edit(0)));
    const box = el("div", { class: "ac-lines-editor" }, input, el("div", { class: "ac-lines-actions" }, ...actions));
    if (offers.length) {
      box.append(el("div", { class: "ac-lines-offers" }, el("span", {}, "or take one of these:"), ...offers));
    }
    return box;
  }

  /** Open the editor of a line; 0 closes it. @param {number} at */
  edit(at) {
    this.open = this.open === at ? 0 : at;
    this.show();
    if (this.open) this.items[at - 1].querySelector("input")?.focus();
    else this.focus(this.line || 1);
  }

  /** @param {string} name @param {unknown} value */
  take(name, value) {
    if (name === "move_up") this.line -= 1;
    this.taken = { name };
    this.want(name, value);
  }

  /** @param {string} error */
  answered(error) {
    super.answered(error);
    const taken = this.taken;
    this.taken = undefined;
    if (!taken) return;
    if (error) {                                 // the editor stays, and so does what was typed
      if (taken.name === "move_up") this.line += 1;
      return;
    }
    this.open = 0;
    this.show();
    this.focus(this.line || 1);
  }

  /** @param {number} at */
  focus(at) { this.items[at - 1]?.querySelector("button")?.focus({ preventScroll: true }); }

  /** @param {number} at */
  choose(at) {
    if (at !== this.line) this.open = 0;
    this.line = at;
    if (this.model.get("path").pixel) this.want("pixel", null);
    this.show();
  }

  /** The gradient of the total again, and no pixel. */
  all() {
    const open = this.open;
    this.open = 0;
    if (open) {
      this.show();
      this.focus(open);
    } else this.choose(0);
  }

  /** @param {Event} event */
  clicked(event) {
    const at = Number(closest(event, ".ac-lines-line")?.dataset.line);
    if (at) this.choose(at);
  }

  /** @param {KeyboardEvent} event */
  keyInCode(event) {
    if (closest(event, ".ac-lines-editor") || withModifier(event)) return;
    const step = ARROWS[event.key]?.[0] ?? 0, line = this.drawn.lines[this.line - 1];
    if (step) {
      const { lines } = this.drawn;
      let at = this.line || (step > 0 ? 0 : lines.length + 1);
      do at += step; while (lines[at - 1] && !lines[at - 1].text.trim());
      at = Math.max(1, Math.min(at, lines.length));
      this.choose(at);
      this.focus(at);
    } else if (line && event.key.toLowerCase() === "e") this.edit(this.line);
    else if (line?.changed && event.key.toLowerCase() === "u") this.take("undo", this.line);
    else return;
    event.preventDefault();
  }

  // ---- a pixel ----

  /** @param {GridCell} cell @param {number} map */
  pick(cell, map) {
    this.wanted = [...cell, map];
    this.want("pixel", this.wanted);
  }

  /** @param {KeyboardEvent} event @param {number} map */
  keyInMap(event, map) {
    const [row, column] = this.wanted ?? this.model.get("path").pixel ?? [this.rows / 2, this.columns / 2];
    const to = cellAfter(event, [row, column], this.size, FAR);
    if (to) this.pick(to, map);
  }
}

export const lineByLine = rendering(LineByLine);
