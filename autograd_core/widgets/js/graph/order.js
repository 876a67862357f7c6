// A trace whose events stand in another order: that in which a reader runs its nodes.

import { tensorText } from "../kit/format.js";
import { Tape } from "./tape.js";

/** @import { Box, Changes, Drawn, GraphLine, Numbers, Said, Structure, Track, Tracks } from "./types.d.ts" */

/**
 * All that is shown of a trace.
 * @typedef {{ structure: Structure, numbers: Numbers[], changes: Changes[], drawn: Drawn }} Shown
 */

/** The numbers of events, and the place of each in the new order; an event that is none stays as it is. */
class Places {
  /** @param {number[]} order the numbers of all events */
  constructor(order) {
    this.order = order;
    /** @type {number[]} */
    this.of = [0];
    order.forEach((event, i) => { this.of[event] = i + 1; });
  }

  /** @param {number} k */
  at(k) { return this.of[k] ?? k; }

  /** What belongs to each event, from 1. @template T @param {T[]} each @returns {T[]} */
  sorted(each) { return this.order.map((event) => each[event - 1]); }

  /**
   * What a track says, from the new places on. What changes after an event in which nothing has a part changes when the
   * event before it is over.
   * @template {Said | number} T
   * @param {Track<T>} track
   * @param {Set<number>} own the events that it tells of
   * @returns {Track<T>}
   */
  track(track, own) {
    const places = track.map(([k]) => (own.has(k) || !own.has(k - 1) ? this.at(k) : this.at(k - 1) + 1));
    places.sort((a, b) => a - b);
    return track.map(([, says], i) => [places[i], says]);
  }

  /**
   * @template {object} T
   * @param {T} tracks
   * @param {Set<number>} own
   * @returns {T}
   */
  tracks(tracks, own) {
    const moved = Object.entries(tracks).map(([name, track]) => [name, this.track(track, own)]);
    return Object.fromEntries(moved);
  }
}

/**
 * The same with its events in this order, in which each still comes after those that it waits for.
 * @param {Shown} shown
 * @param {number[]} order
 * @returns {Shown}
 */
export function arranged(shown, order) {
  const { structure: before, drawn } = shown, places = new Places(order);
  const structure = {
    ...before,
    nodes: before.nodes.map((node) => ({ ...node, ran: places.at(node.ran) })),
    edges: before.edges.map((edge) => ({ ...edge, sent: places.at(edge.sent) })),
    events: places.sorted(before.events),
  };
  const numbers = shown.numbers.map((each) => ({
    ...each,
    events: places.sorted(each.events),
    firsts: each.firsts.map(/** @returns {typeof each.firsts[0]} */ ([word, k, node]) => [word, places.at(k), node]),
    differences: Object.fromEntries(Object.entries(each.differences).map(([place, found]) => {
      const [kind, index, ...rest] = place.split(" ");
      return [kind === "value" ? place : [kind, places.at(Number(index) + 1) - 1, ...rest].join(" "), found];
    })),
  }));
  const changes = shown.changes.map((each, i) => {
    const tape = new Tape(structure, numbers[i]);
    return {
      start: places.track(each.start, new Set(each.start.map(([k]) => k))),
      legend: places.track(each.legend, new Set(each.legend.map(([k]) => k))),
      lines: each.lines.map((line, j) => places.tracks(line, ofLine(before, drawn.lines[j]))),
      boxes: each.boxes.map((box, j) => {
        const data = drawn.boxes[j];
        return partly(places.tracks(box, ofBox(before, data)), data, tape);
      }),
    };
  });
  return { structure, numbers, changes, drawn };
}

/**
 * The events in which a box has a part.
 * @param {Structure} structure
 * @param {Box} box
 */
function ofBox({ events, edges }, { nodes }) {
  const own = new Set(nodes);
  return new Set(events.flatMap(({ node, edges: sent }, i) => (
    own.has(node) || sent.some((edge) => own.has(edges[edge].producer)) ? [i + 1] : [])));
}

/**
 * The events in which a line has a part: at a leaf also that which takes in what came along it.
 * @param {Structure} structure
 * @param {GraphLine} line
 */
function ofLine({ events, edges }, line) {
  const own = new Set(line.edges.map((edge) => edges[edge].sent)), { producer } = edges[line.edges[0]];
  events.forEach(({ kind, node }, i) => { if (kind === "accumulate" && node === producer) own.add(i + 1); });
  return own;
}

/**
 * What a node shows as long as not all has come: what has, in the order in which it came.
 * @param {Tracks} tracks
 * @param {Box} box
 * @param {Tape} tape
 * @returns {Tracks}
 */
function partly(tracks, { kind, nodes: [node] }, tape) {
  const { edges, nodes, large } = tape.structure, all = tape.received[node];
  if (kind !== "node" || nodes[node].kind !== "operation" || all.length < 2) return tracks;
  const came = all.map((edge) => edges[edge].sent), [first, last] = [came[0], came[came.length - 1]];
  const texts = all.map((edge) => tensorText(tape.sent(edge), true)), waiting = new Set(came.filter((k) => k < last));
  /** @template {Said} T @param {Track<T>} track @param {Track<T>} meanwhile @returns {Track<T>} */
  const put = (track, meanwhile) => {
    const whole = track.filter(([k]) => k >= first && k <= last).slice(-1);
    return [...track.filter(([k]) => k < first), ...meanwhile,
      ...whole.map(/** @returns {[number, T]} */ ([, says]) => [last, says]), ...track.filter(([k]) => k > last)];
  };
  const counts = [...waiting].map((k) => /** @type {const} */ ([k, came.filter((other) => other <= k).length]));
  const { gradient = [], caption = [], class: style = [] } = tracks;
  const half = style.filter(([k]) => k >= first && k < last).slice(0, 1);
  return {
    ...tracks,
    gradient: put(gradient, counts.map(([k, n]) => [k, large ? ["…"] : [`${texts.slice(0, n).join(" + ")} + …`, "…"]])),
    caption: large ? caption : put(caption, counts.map(([k, n]) => [k, [`${n} of ${all.length} arrived`]])),
    class: put(style, half.map(([, says]) => [first, says])),
  };
}
