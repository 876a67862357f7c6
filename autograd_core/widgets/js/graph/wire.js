// What Python sends of a view says nothing twice; here it is made whole again. See widgets/graph/wire.py.

/** @import { Tensor } from "../kit/types.d.ts" */
/** @import { Drawn, Layout, Numbers, Structure } from "./types.d.ts" */

/**
 * A column of a table: its values, or each of them once and where they stand; in `of` may stand numbers of `runs`.
 * @typedef {unknown[] | { of: unknown[], at: number[], runs?: unknown[] }} Column
 */

/** @typedef {{ count: number, columns: Record<string, Column> }} Table */

/** @typedef {{ nodes: Table, edges: Table, events: Table }} Tables */
/** @typedef {Omit<Structure, keyof Tables> & Tables} SentStructure */
/** @typedef {Omit<Layout, "svg"> & { svg: number[] }} SentLayout */
/** @typedef {Omit<Drawn, "layouts"> & { pieces: string[], layouts: SentLayout[] }} SentDrawn */

/**
 * Numbers in which places in `tensors` stand for tensors.
 * @typedef {object} SentNumbers
 * @property {Tensor[]} tensors
 * @property {(number | null)[]} values
 * @property {Record<number, number>} grads
 * @property {[before: number | null, after: number | null, sent: number[]][]} events
 */

/** @param {Column} column */
function valuesOf(column) {
  if (Array.isArray(column)) return column;
  const { of, at, runs } = column;
  const known = runs ? /** @type {number[][]} */ (of).map((places) => places.map((place) => runs[place])) : of;
  return at.map((place) => known[place]);
}

/** @param {Table} table */
function rowsOf({ count, columns }) {
  const names = Object.keys(columns), all = names.map((name) => valuesOf(columns[name]));
  return Array.from({ length: count }, (_, row) => Object.fromEntries(names.map((name, i) => [name, all[i][row]])));
}

/**
 * @param {SentStructure} sent
 * @returns {Structure}
 */
export function structureOf(sent) {
  const { nodes, edges, events } = sent;
  return /** @type {any} */ ({ ...sent, nodes: rowsOf(nodes), edges: rowsOf(edges), events: rowsOf(events) });
}

/**
 * @param {SentDrawn} sent
 * @returns {Drawn}
 */
export function drawnOf({ pieces, layouts, ...rest }) {
  const whole = layouts.map(({ svg, ...layout }) => ({ ...layout, svg: svg.map((at) => pieces[at]).join("><") }));
  return /** @type {any} */ ({ ...rest, layouts: whole });
}

/**
 * @param {SentNumbers} sent
 * @returns {Numbers}
 */
export function numbersOf({ tensors, values, grads, events, ...rest }) {
  /** @param {number | null} place */
  const at = (place) => (place === null ? null : tensors[place]);
  return /** @type {any} */ ({
    ...rest,
    values: values.map(at),
    grads: Object.fromEntries(Object.entries(grads).map(([node, place]) => [node, at(place)])),
    events: events.map(([before, after, sent]) => [at(before), at(after), sent.map(at)]),
  });
}
