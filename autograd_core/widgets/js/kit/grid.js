// A grid of cells: the one under the pointer, and the one to which an arrow key leads.

import { clamp } from "./clamp.js";
import { ARROWS, withModifier } from "./keys.js";

/** @typedef {[row: number, column: number]} GridCell */
/** @typedef {[rows: number, columns: number]} Size */

/** The nearest cell of a grid. @param {GridCell} cell @param {Size} size @returns {GridCell} */
const within = ([row, column], [rows, columns]) =>
  [clamp(Math.floor(row), 0, rows - 1), clamp(Math.floor(column), 0, columns - 1)];

/**
 * The cell under the pointer, or the nearest one.
 * @param {MouseEvent} event
 * @param {Element} box that the grid fills
 * @param {Size} size
 */
export function cellUnder({ clientX, clientY }, box, [rows, columns]) {
  const { left, top, width, height } = box.getBoundingClientRect();
  return within([((clientY - top) / height) * rows, ((clientX - left) / width) * columns], [rows, columns]);
}

/**
 * The cell to which an arrow key leads, with Shift `far` cells away; null for any other key.
 * @param {KeyboardEvent} event
 * @param {GridCell} from
 * @param {Size} size
 */
export function cellAfter(event, [row, column], size, far = 1) {
  const by = ARROWS[event.key], times = event.shiftKey ? far : 1;
  if (!by || withModifier(event)) return null;
  event.preventDefault();
  return within([row + times * by[0], column + times * by[1]], size);
}
