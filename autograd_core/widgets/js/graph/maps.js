// Maps: planes of tensors of more than three numbers. What was not sent in full is asked of the kernel, as a plane of
// at most 64 × 64 cells (widgets/graph/tensors.py says how).

import { real } from "../kit/format.js";

/** @import { Tensor } from "../kit/types.d.ts" */
/** @import { MapAnswer, Place, TensorMap } from "./types.d.ts" */
/** @import { View } from "./view.js" */

const WIDEST_ROW = 32;                           // of a tensor with one axis

/**
 * The plane of a tensor that was sent in full, as the kernel tells one.
 * @param {number[]} shape
 * @param {number[]} numbers
 * @param {number} plane
 * @returns {TensorMap}
 */
export function planeOf(shape, numbers, plane) {
  const known = numbers.filter(Number.isFinite), { length } = numbers;
  const [rows, columns] = shape.length > 1 ? shape.slice(-2)
    : [Math.ceil(length / WIDEST_ROW), Math.min(length, WIDEST_ROW)];
  return {
    rows, columns, lead: leadOf(shape, plane), planes: shape.length > 1 ? length / (rows * columns) : 1, block: [1, 1],
    cells: numbers.slice(plane * rows * columns, (plane + 1) * rows * columns),
    low: known.length ? Math.min(...known) : NaN, high: known.length ? Math.max(...known) : NaN,
    zeros: numbers.filter((x) => x === 0).length / length, nans: numbers.filter(Number.isNaN).length / length,
  };
}

/**
 * Where plane number `plane` stands along the axes before the last two.
 * @param {number[]} shape
 * @param {number} plane
 */
function leadOf(shape, plane) {
  /** @type {number[]} */
  const lead = [];
  shape.slice(0, -2).reduceRight((rest, size) => {
    lead.unshift(rest % size);
    return Math.floor(rest / size);
  }, plane);
  return lead;
}

/**
 * Where in the tensor a cell stands: "3, 17", or of a block "6:9, 34:36"; null beyond the end of the last row.
 * @param {number[]} shape
 * @param {Pick<TensorMap, "lead" | "block" | "columns">} map
 * @param {number} row
 * @param {number} column
 */
export function indexOf(shape, { lead, block, columns }, row, column) {
  const ends = shape.slice(-2);
  /** @param {number} i @param {number} size @param {number} end */
  const range = (i, size, end) => (size === 1 ? `${i}` : `${i * size}:${Math.min((i + 1) * size, end)}`);
  if (shape.length > 1) return [...lead, range(row, block[0], ends[0]), range(column, block[1], ends[1])].join(", ");
  const place = row * columns + column;
  return place * block[1] < shape[0] ? range(place, block[1], shape[0]) : null;
}

/** The maps that the kernel sent for the numbers that are shown, and what the reader chose for all of them. */
export class Maps {
  /** @param {View} view */
  constructor(view) {
    this.view = view;
    /** By question; null as long as there is no answer. @type {Map<string, TensorMap | { error: string } | null>} */
    this.known = new Map();
    /** By place. @type {Map<string, TensorMap | { error: string }>} */
    this.latest = new Map();
    /** Which plane is shown, by place. @type {Map<string, number>} */
    this.planes = new Map();
  }

  /** Of another graph nothing is known. */
  clear() {
    this.forget();
    this.latest.clear();
    this.planes.clear();
  }

  /** Of other numbers of the same graph the last maps are shown until the new ones have come. */
  forget() { this.known.clear(); }

  /** @param {Place} place */
  plane(place) { return this.planes.get(String(place)) ?? 0; }

  /**
   * The map of the tensor at `place`. While the kernel is asked for it, the last one that was there, or null.
   * @param {Tensor} tensor
   * @param {Place} place
   */
  get([shape, values], place) {
    if (values) return planeOf(shape, values.map(real), this.plane(place));
    const question = { kind: "map", engine: this.view.engine, place, plane: this.plane(place) };
    const key = JSON.stringify(question);
    if (!this.known.has(key)) {
      this.known.set(key, null);
      this.view.model.send(question);
    }
    return this.known.get(key) ?? this.latest.get(String(place)) ?? null;
  }

  /**
   * @param {MapAnswer} answer
   * @param {DataView[]} buffers the cells, float64, in the first of them
   */
  answered(answer, [cells]) {
    const { kind, engine, place, plane, ...rest } = answer, key = JSON.stringify({ kind, engine, place, plane });
    const map = "error" in rest ? rest : {
      ...rest, low: real(rest.low), high: real(rest.high),
      cells: [...new Float64Array(cells.buffer.slice(cells.byteOffset, cells.byteOffset + cells.byteLength))],
    };
    this.known.set(key, map);
    this.latest.set(String(place), map);
  }
}
