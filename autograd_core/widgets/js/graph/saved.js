// A saved view: without a kernel, the page itself answers the sliders of a graph that it can compute.

import { clamp } from "../kit/clamp.js";
import { number, tensorText } from "../kit/format.js";
import { told } from "./boxes.js";
import { only, Scalars } from "./scalars.js";
import { sum, Tape } from "./tape.js";

/** @import { Control, Model, Tensor } from "../kit/types.d.ts" */
/** @import { Changes, Drawn, GraphState, Numbers, Said, Structure, Track } from "./types.d.ts" */

/** The texts of a tensor, each shorter than the one before. @param {Tensor} tensor */
const forms = (tensor) => [...new Set([tensorText(tensor), number(only(tensor))])];

/**
 * The classes of a box or a line with the sign of a gradient, which follows the class `after`.
 * @param {string} words
 * @param {string} after
 * @param {number} gradient
 */
function signed(words, after, gradient) {
  const sign = gradient < 0 ? " ac-negative" : gradient === 0 ? " ac-zero" : "";
  return words.replace(/ ac-(zero|negative)/, "").replace(after, after + sign);
}

/**
 * The changes of the picture with other numbers of the same graph: see widgets/graph/changes.py.
 * @param {Structure} structure
 * @param {Drawn} drawn
 * @param {Changes} changes
 * @param {Numbers} numbers
 * @returns {Changes}
 */
export function changed(structure, drawn, changes, numbers) {
  const { edges, events } = structure, tape = new Tape(structure, numbers), ran = edges.filter(({ sent }) => sent);
  const sizes = ran.map((edge) => Math.abs(only(tape.sent(edges.indexOf(edge))))).filter(Boolean);
  const most = Math.max(...sizes), decades = clamp(Math.log10(most / Math.min(...sizes)), 1, 8);
  /** The width of a line. @param {number} sent */
  const width = (sent) => (sent
    ? Number((2 + 8 * clamp(1 + Math.log10(Math.abs(sent) / most) / decades, 0, 1)).toFixed(1)) : 1);
  /**
   * A track that says something else after each event.
   * @template {Said | number} T
   * @param {Track<T> | undefined} track
   * @param {(says: T, k: number) => T} says
   * @returns {Track<T>}
   */
  const again = (track, says) => [...Array(events.length + 1).keys()].flatMap((k) => {
    const before = told(track, k);
    return before === undefined ? [] : [/** @type {[number, T]} */ ([k, says(before, k)])];
  }).filter(([, now], i, entries) => JSON.stringify(now) !== JSON.stringify(i ? entries[i - 1][1] : ""));
  /** @param {Tensor | null} tensor @param {Said} says */
  const filled = (tensor, says) => (tensor ? forms(tensor) : says);
  return {
    ...changes,
    legend: sizes.length ? [[Math.min(...ran.map(({ sent }) => sent)),
      [1, 0.5, 0].map((part) => number(most * 10 ** (-decades * part)))]] : [],
    boxes: changes.boxes.map((tracks, i) => {
      const at = (/** @type {number} */ k) => tape.node(drawn.boxes[i].nodes[0], k);
      const came = (/** @type {number} */ k) => (told(tracks.class, k)?.includes("ac-has") ? at(k).gradient : null);
      return {
        ...tracks,
        class: again(tracks.class, (words, k) => signed(words, "ac-has", only(came(k)))),
        value: again(tracks.value, (says, k) => filled(at(k).value, says)),
        gradient: again(tracks.gradient, (says, k) => filled(came(k), says)),
      };
    }),
    lines: changes.lines.map((tracks, i) => {
      const own = drawn.lines[i].edges.filter((edge) => edges[edge].sent);
      /** What it has carried, where that is one number. @param {number} k */
      const came = (k) => (told(tracks.weight, k) === undefined ? null
        : sum(own.filter((edge) => edges[edge].sent <= k).map((edge) => tape.sent(edge))));
      return {
        class: again(tracks.class, (words, k) => signed(words, "ac-shown", only(came(k)))),
        pill: again(tracks.pill, (says, k) => /** @type {string} */ (filled(came(k), says))),
        weight: again(tracks.weight, (_, k) => width(only(came(k)))),
      };
    }),
  };
}

/** Whether all numbers of a trace are finite. @param {Numbers} numbers */
const isFinite = ({ values, events }) => events.flatMap(([before, after, sent]) => [before, after, ...sent])
  .concat(values).every((tensor) => !tensor || Number.isFinite(only(tensor)));

/**
 * What answers the controls of a saved view: each slider, if the page can compute the graph. The others are fixed.
 * @param {Model<GraphState>} model
 * @returns {Model<GraphState>["send"]}
 */
export function answering(model) {
  const [structure, drawn, slopes] = [model.get("structure"), model.get("drawn"), model.get("slopes")];
  const [[numbers], [changes]] = [JSON.parse(model.get("numbers")), JSON.parse(model.get("changes"))];
  const scalars = new Scalars(structure, numbers, slopes), { objection } = scalars;
  const leaves = Object.fromEntries(slopes.map(({ name, at }) => [name, at]));
  model.set("controls", model.get("controls").map((each) => ({ ...each, fixed: each.kind !== "slider" || objection })));
  return (/** @type {any} */ { kind, name, value }) => {
    if (kind === "slopes") return model.set("slopes", scalars.along(leaves));
    const moved = { ...leaves, [name]: value }, now = scalars.run(moved);
    let error = `A number is inf or nan at ${name} = ${number(value)}. The picture shows ${number(leaves[name])}.`;
    if (isFinite(now)) {
      error = "";
      Object.assign(leaves, moved);
      model.set("numbers", JSON.stringify([now]));
      model.set("changes", JSON.stringify([changed(structure, drawn, changes, now)]));
      model.set("controls", model.get("controls").map((each) => /** @type {Control} */ (
        each.name === name ? { ...each, value } : each)));
    }
    model.set("answer", { change: model.get("answer").change + 1, error });
  };
}
