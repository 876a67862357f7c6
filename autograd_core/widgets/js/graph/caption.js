// The caption of an event: at most twelve words next to the box, for readers who watch. The panel has the long text.

import { plain } from "../kit/dom.js";
import { count, tensorText } from "../kit/format.js";
import { quotient } from "./tape.js";
import { first, nameOf } from "./turns.js";

/** @import { Tensor } from "../kit/types.d.ts" */
/** @import { Tape } from "./tape.js" */
/** @import { Picture } from "./picture.js" */

const MOST_WORDS = 12, MOST_NUMBERS = 3;

/** @param {Tensor | null} tensor */
const said = (tensor) => (tensor && count(tensor) <= MOST_NUMBERS ? tensorText(tensor, true) : "");

/**
 * Sentences about a backward event, the most exact first.
 * @param {Tape} tape
 * @param {number} k
 */
export function sending(tape, k) {
  const { structure } = tape, { node, edges } = structure.events[k - 1], name = first(nameOf(structure, node));
  const [total] = tape.numbers.events[k - 1], came = said(total), sent = edges.map((edge) => tape.sent(edge));
  const to = edges.map((edge) => nameOf(structure, structure.edges[edge].producer)), texts = sent.map(said);
  const slope = edges.length === 1 && total && count(total) === 1 ? quotient(sent[0], total) : null;
  const passes = edges.length > 0 && edges.every((edge) => structure.edges[edge].rule === "× 1");
  const pairs = to.map((goal, i) => `${texts[i] || "a gradient"} to ${goal}`), all = pairs.join(" and ");
  return [
    passes && came ? `${name} passes ${came} on to ${to.join(" and to ")}.` : "",
    slope ? `${name} multiplies ${came} by its slope, ${tensorText(slope)}, and sends ${texts[0]} to ${to[0]}.` : "",
    all && `${name} sends ${all}.`,
    `${name} sends a gradient to ${edges.length === 1 ? to[0] : `each of its ${edges.length} inputs`}.`,
    edges.length ? `${name} sends on a gradient.` : `${name} runs and sends nothing.`,
  ];
}

/**
 * A sentence of at most twelve words about the change between two events of a picture.
 * @param {Picture} picture
 * @param {number} from
 * @param {number} to
 */
export function caption({ view, drawn, boxOf, structure }, from, to) {
  const { kind, node, title } = structure.events[to - 1], { tape } = view, box = drawn.boxes[boxOf.get(node) ?? 0];
  const label = structure.nodes[node].label || "the leaf", [before, after] = tape.numbers.events[to - 1];
  const was = said(before) || "None", now = said(after);
  const forms = to > from + 1 && box.name ? [`${box.name} runs.`] : kind === "backward" ? sending(tape, to)
    : kind === "accumulate" && now ? [`${label}.grad was ${was} and is now ${now}.`] : [];
  return [...forms, `${first(plain(view.filled(title, to)))}.`]
    .find((each) => each && each.split(/\s+/).length <= MOST_WORDS) ?? "";
}
