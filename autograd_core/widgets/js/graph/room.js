// The room of a picture: the areas that no moving text may cover, and a free position for a text next to a box.

import { clamp } from "../kit/clamp.js";
import { all } from "../kit/dom.js";

/** @import { Point } from "./types.d.ts" */
/** @import { Box } from "./boxes.js" */
/** @import { Picture } from "./picture.js" */

export const HIGH = 20;                          // pixels: the height of a moving number
const GAP = 6;                                   // pixels around a text
const NEARBY = 24;                               // pixels: how far from a box a number begins to move sideways
const NEAR = 340, GRID = 8;                      // pixels: how far from its box a text may be; steps of the search

/** @typedef {{ x: number, y: number, width: number, height: number }} Area by its corner */

/** The areas of a picture that no moving text may cover: boxes, tabs, code, and the numbers of edges. */
export class Room {
  /** @param {Picture} picture */
  constructor({ boxes, svg: drawing }) {
    const { x: begin, width, height } = drawing.viewBox.baseVal;
    const { left, top, width: shown } = drawing.getBoundingClientRect();
    const zoom = shown / width || 1, around = drawing.parentElement, corner = around?.getBoundingClientRect();
    this.zoom = zoom;
    /** Where the picture begins in the room that it scrolls in. @type {Point} */
    this.origin = [left - begin * zoom - (corner?.left ?? 0) + (around?.scrollLeft ?? 0),
      top - (corner?.top ?? 0) + (around?.scrollTop ?? 0)];
    this.left = begin;
    this.right = begin + width;
    this.height = height;
    /** @type {Area[]} */
    this.taken = boxes.filter(({ data }) => data.kind !== "frame");
    for (const each of all(drawing, ".ac-tab rect, .ac-source text, .ac-start, :is(.ac-pill, .ac-legend).ac-shown")) {
      const { x, y, width: wide, height: high } = each.getBoundingClientRect();
      this.taken.push({ x: (x - left) / zoom + begin, y: (y - top) / zoom, width: wide / zoom, height: high / zoom });
    }
  }

  /** How much these areas would cover. A box counts 4, any other area and the outside count 1. @param {Area[]} areas */
  hits(areas) {
    return areas.reduce((total, { x, y, width, height }) => {
      const inside = x >= this.left && y >= 0 && x + width <= this.right && y + height <= this.height;
      const covered = this.taken.filter((other) => x < other.x + other.width && other.x < x + width
        && y < other.y + other.height && other.y < y + height);
      return covered.reduce((sum, other) => sum + ("data" in other ? 4 : 1), total + Number(!inside));
    }, 0);
  }

  /**
   * The position of a number on a line, moved sideways from the boxes that the line passes.
   * @param {Point} middle
   * @param {number} width
   * @param {(Area | null)[]} ends the boxes at the ends of the line
   * @returns {Point}
   */
  clear([x, y], width, ends) {
    const half = width / 2 + 2;
    let by = 0;
    for (const other of this.taken) {
      const right = other.x + other.width, isBeside = x <= other.x || x >= right;
      if (!isBeside || !("data" in other) || ends.includes(other)) continue;
      const over = Math.min(0, x <= other.x ? other.x - x - half : x - half - right);
      const far = Math.max(0, other.y - y - HIGH / 2, y - HIGH / 2 - other.y - other.height);
      const move = (x <= other.x ? over : -over) * clamp(1 - far / NEARBY, 0, 1);
      if (Math.abs(move) > Math.abs(by)) by = move;
    }
    return [by ? Math.max(x + by, this.left + half) : x, y];
  }

  /**
   * The corner of the free area nearest to a box. It covers lines only if all near areas do.
   * @param {Picture} picture
   * @param {Box} box
   * @param {number} w
   * @param {number} h
   * @returns {Point | null}
   */
  nearest({ boxes, lines: every }, { x, y, width, height }, w, h) {
    /** @param {Area} area */
    const near = (area) => area.y < y + NEAR && area.y + area.height > y - NEAR;
    const lines = every.filter(({ data }) => near(boxes[data.from]) && near(boxes[data.to]));
    const crossed = lines.flatMap(({ line }) => spots(line));
    this.taken = this.taken.filter(near);
    let least = Infinity;
    /** @type {Point | null} */
    let best = null;
    for (let top = Math.max(0, y - NEAR); top < Math.min(this.height - h, y + NEAR); top += GRID) {
      const last = Math.min(this.right - w, x + width + NEAR);
      for (let left = Math.max(this.left, x - NEAR - w); left < last; left += GRID) {
        const across = Math.max(x - left - w, left - x - width, 0), down = Math.max(y - top - h, top - y - height, 0);
        const cost = across + 2 * down + Math.abs(top + h / 2 - y - height / 2) / 2;
        const area = { x: left - GAP, y: top - 3, width: w + 2 * GAP, height: h + 6 };
        if (cost >= least || this.hits([area])) continue;
        const under = crossed.filter(([a, b]) => a > left && a < left + w && b > top && b < top + h).length;
        if (cost + 30 * under >= least) continue;
        least = cost + 30 * under;
        best = [left, top];
      }
    }
    return best;
  }
}

/**
 * The area of a text with this width around its middle.
 * @param {Point} middle
 * @param {number} width
 * @returns {Area}
 */
export const areaOf = ([x, y], width) => ({ x: x - width / 2, y: y - HIGH / 2, width, height: HIGH });

/**
 * The position at a part of a line, counted from its producer to its consumer.
 * @param {SVGPathElement} path
 * @param {number} t
 * @returns {Point}
 */
export function along(path, t) {
  const { x, y } = path.getPointAtLength(clamp(t, 0, 1) * path.getTotalLength());
  return [x, y];
}

/** Places along a line, near to each other. @param {SVGPathElement} path */
function spots(path) {
  const steps = Math.ceil(path.getTotalLength() / 8) || 1;
  return Array.from({ length: steps }, (_, i) => along(path, (i + 0.5) / steps));
}
