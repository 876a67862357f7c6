// The lines between boxes, drawn by Python as the boxes are. A line stands for one edge, or for all edges between two.

import { put, write } from "../kit/dom.js";
import { precise } from "../kit/format.js";
import { fits } from "../kit/text.js";
import { become, stretch, told } from "./boxes.js";

/** @import { GraphLine, Point } from "./types.d.ts" */
/** @import { Picture } from "./picture.js" */

export class Line {
  /**
   * @param {Picture} picture
   * @param {number} index
   * @param {GraphLine} data
   * @param {SVGGElement} group
   * @param {SVGGElement | undefined} pill its label
   */
  constructor(picture, index, data, group, pill) {
    this.picture = picture;
    this.index = index;
    this.data = data;
    this.group = group;
    this.pill = pill;
    this.line = /** @type {SVGPathElement} */ (group.querySelector(".ac-line"));
    /** Where a gradient that came along it points. */
    this.head = group.querySelector(".ac-up");
    const [x, y] = (pill?.getAttribute("transform") ?? "").match(/-?[\d.]+/g)?.map(Number) ?? [];
    /** Where its label stands. @type {Point | null} */
    this.rest = pill ? [x, y] : null;
    if (pill && data.cut) stretch(pill);
  }

  /** What has come along it after event k, in as many words as have room on its label. @param {number} k */
  text(k) {
    const { room = "Infinity" } = this.pill?.dataset ?? {};
    const { font = "bold 12px" } = this.pill?.querySelector("text")?.dataset ?? {};
    const texts = [told(this.picture.changes.lines[this.index].pill, k) ?? ""].flat();
    return texts.find((text) => fits(text, Number(room), font)) ?? texts[texts.length - 1];
  }

  /** Whether anything of it is nan or inf. @param {number} k */
  bad(k) { return told(this.picture.changes.lines[this.index].class, k)?.includes("ac-bad") ?? false; }

  /** @param {number} k */
  update(k) {
    const { data, pill, picture: { structure: { edges }, view: { tape } } } = this;
    const tracks = this.picture.changes.lines[this.index], words = this.text(k);
    for (const each of pill && !data.cut ? [this.group, pill] : [this.group]) become(each, told(tracks.class, k) ?? "");
    const weight = told(tracks.weight, k);
    if (weight) {
      this.group.style.setProperty("--ac-weight", String(weight));
      const place = this.head?.getAttribute("transform")?.replace(/ scale.*/, "");
      if (this.head) put(this.head, "transform", `${place} scale(${(0.95 + weight / 10).toFixed(2)})`);
    }
    if (!pill || data.cut || !words) return;
    pill.classList.toggle("ac-sending", data.edges.some((edge) => edges[edge].sent === k));
    const [title, , text] = pill.children;
    write(title, data.edges.length === 1 ? precise(tape.sent(data.edges[0])) : words);
    if (text.textContent === words) return;
    write(text, words);
    stretch(pill);
  }
}
