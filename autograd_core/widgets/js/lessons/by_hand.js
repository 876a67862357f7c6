// You step: the learner is the optimizer, or makes the calls of a training loop. Python has computed all that the moves
// can lead to; here the learner goes from state to state, and is told what a move came to.

import { button } from "../kit/button.js";
import { all, el, put, write } from "../kit/dom.js";
import { number } from "../kit/format.js";
import { withModifier } from "../kit/keys.js";
import { Live, rendering } from "../kit/live.js";
import { roll } from "./curves.js";

/** @import { Model } from "../kit/types.d.ts" */
/** @import { CallsDrawn, CurvePlaces, HandsDrawn, HandsState, Numbers, OptimizerDrawn, Pair } from "./types.d.ts" */

const AGAIN = "r";                               // the key that starts again

/** A gradient has a sign also where it is above 0. @param {string} name @param {number | null} value */
const signed = (name, value) => `${name.endsWith(".grad") && (value ?? 0) > 0 ? "+" : ""}${number(value)}`;

/** The states on a way, the first one included. @param {number[][]} leads @param {number[]} way */
export function statesOn(leads, way) {
  const states = [0];
  for (const move of way) states.push(leads[states[states.length - 1]][move]);
  return states;
}

/**
 * Where a loss stands in the picture; one that is beyond its top stands there.
 * @param {CurvePlaces} places
 * @param {Pair} range the least and the greatest loss
 * @param {number} move
 * @param {number} loss
 * @returns {Pair}
 */
export function pixelsOf({ left, right, top, bottom, steps }, [low, high], move, loss) {
  return [left + ((right - left) * move) / (steps - 1), top + (bottom - top) * Math.max(high - loss, 0) / (high - low)];
}

/**
 * What a move along one number came to.
 * @param {number} gradient before it
 * @param {boolean} up
 * @param {number} before the loss
 * @param {number} after
 */
export function toldOfMove(gradient, up, before, after) {
  const against = gradient > 0 === up, went = after > before ? "rose" : after < before ? "fell" : "is the same";
  if (!gradient) return `The gradient was 0, and the loss ${went}.`;
  if (against) return `Against the sign, and the loss ${went}.`;
  return `With the sign, and ${after < before ? "the loss fell" : `yet the loss ${went}: it was too far`}.`;
}

/** Who is lower after so many moves. @param {number} moves @param {number} yours @param {number} rival */
export function standing(moves, yours, rival) {
  const who = yours < rival ? "You are lower" : yours > rival ? "SGD is lower" : "You are level";
  return `After ${moves} move${moves === 1 ? "" : "s"}: you ${number(yours)}, SGD ${number(rival)}. ${who}.`;
}

/**
 * What a call came to: 0 is `backward`, 1 `step`, 2 `zero_grad`.
 * @param {number} call
 * @param {number | undefined} former the call before
 * @param {string} name of the weight
 * @param {Numbers} before the weight and its gradient
 * @param {Numbers} after
 * @param {Numbers} goal
 */
export function toldOfCall(call, former, name, before, after, goal) {
  const [w, grad] = before.map(number), [moved, sum] = after.map(number), none = before[1] === null;
  if (call === 0 && none) return `${name}.grad was None, and is ${sum}: the slope at ${w}. ${name} stays.`;
  if (call === 0 && before[1] === after[1]) return `The slope at ${w} is 0: ${name}.grad is ${grad} as before.`;
  if (call === 0) return `The slope at ${w} was added to ${grad}: ${name}.grad is ${sum}, the sum. ${name} stays.`;
  if (call === 2 && none) return `${name}.grad was None already.`;
  if (call === 2 && former === 0) return `${grad} is thrown away, with no step() since backward().`;
  if (call === 2) return `${name}.grad is None again. ${name} stays.`;
  if (none) return `${name}.grad is None: step() has nothing to read, and ${name} stays. Nothing complains.`;
  if (before[0] === after[0]) return `${name}.grad is ${grad}: ${name} stays.`;
  const went = `${name} went from ${w} to ${moved}`;
  if (before[0] === goal[0]) return `At ${w} the slope is 0, and yet ${went}: ${grad} was still in ${name}.grad.`;
  return `${went}: ${name}.grad was ${former === 1 ? `still ${grad}, with no backward() since` : grad}.`;
}

/**
 * A subclass says what the last move came to, and shows it in the picture.
 * @template {HandsDrawn} Drawn
 * @extends {Live<HandsState<Drawn>>}
 */
class HandsView extends Live {
  /**
   * @param {Model<HandsState<Drawn>>} model
   * @param {string[]} keys of the moves
   * @param {string} signs of the keys
   * @param {(move: string) => string} text on a button
   */
  constructor(model, keys, signs, text) {
    super(model, "hands");
    write(this.note, `keys ${signs}; ${AGAIN} starts again`);
    this.keys = [...keys, AGAIN];
    this.sources.push("walked");
    const { moves, names, svg } = this.drawn, weights = names.filter((name) => names.includes(`${name}.grad`));
    this.numbers = names.map((name) => el("b", { class: name.endsWith(".grad") ? "ac-g" : "ac-v" }));
    this.buttons = moves.map((move, i) => button(`${move} (${keys[i]})`, text(move), () => this.move(i)));
    const each = moves.length / weights.length;
    this.told = el("p", { role: "status" });
    const again = button(`Start again (${AGAIN})`, "Start again", () => this.walk([]));
    const side = el("div", { class: "ac-hands-side", tabindex: 0, role: "group", "aria-label": "Your moves",
      onkeydown: (event) => this.press(event) });
    weights.forEach((weight, i) => {
      const numbers = [weight, `${weight}.grad`].map((name) =>
        el("output", {}, `${name} `, this.numbers[names.indexOf(name)]));
      side.append(el("div", { class: "ac-hands-row" },
        el("div", { class: "ac-buttons" }, ...this.buttons.slice(i * each, (i + 1) * each)), ...numbers));
    });
    side.append(this.told, again);
    this.picture = el("div", { class: "ac-hands-picture" });
    this.picture.innerHTML = svg;                // drawn by Python, which has escaped every word of a person
    this.main.append(side, this.picture);
  }

  get way() { return this.model.get("walked"); }

  /** @param {KeyboardEvent} event */
  press(event) {
    const move = this.keys.indexOf(event.key);
    if (withModifier(event) || move < 0) return;
    event.preventDefault();
    if (event.key === AGAIN) this.walk([]); else this.move(move);
  }

  /** @param {number} move */
  move(move) { if (this.way.length < this.drawn.most) this.walk([...this.way, move]); }

  /** @param {number[]} way */
  walk(way) {
    this.model.set("walked", way);
    this.model.save_changes();
  }

  draw() {
    const { names, states, leads, most } = this.drawn, { way } = this, left = most - way.length;
    const on = statesOn(leads, way), now = states[on[way.length]];
    names.forEach((name, i) => write(this.numbers[i], signed(name, now[i])));
    for (const each of this.buttons) put(each, "aria-disabled", left === 0);
    write(this.told, `${this.tell(on)} ${left ? `${left} of ${most} left.` : "That was the last one."}`);
  }

  /** What the last move came to. @param {number[]} _on the places of the states so far @returns {string} */
  tell(_on) { throw new Error("a subclass says so"); }
}

/** @extends {HandsView<OptimizerDrawn>} */
class OptimizerView extends HandsView {
  /** @param {Model<HandsState<OptimizerDrawn>>} model */
  constructor(model) {
    super(model, ["ArrowLeft", "ArrowRight", "ArrowDown", "ArrowUp"], "← → ↓ ↑", (move) => move.split(" ")[1]);
  }

  /** @param {number[]} on */
  tell(on) {
    const { states, names, moves, rival, places, range } = this.drawn, { way } = this, last = way.length;
    const yours = on.map((state, i) => pixelsOf(places, range, i, states[state][0]));
    const ends = { you: yours[last], SGD: pixelsOf(places, range, last, rival[last]) };
    for (const line of all(this.picture, "[data-part=line]")) put(line, "d", `M${yours.join("L")}`);
    for (const [name, [x, y]] of Object.entries(ends)) {
      for (const end of all(this.picture, `[data-part=${name}]`)) put(end, "transform", `translate(${x} ${y})`);
    }
    if (!last) return `The loss is ${number(rival[0])}, for you and for SGD.`;
    const [before, now] = [on[last - 1], on[last]].map((state) => states[state]), move = way[last - 1];
    const gradient = before[names.indexOf(`${moves[move].split(" ")[0]}.grad`)];
    return `${toldOfMove(gradient, move % 2 === 1, before[0], now[0])} ${standing(last, now[0], rival[last])}`;
  }
}

/** @extends {HandsView<CallsDrawn>} */
class CallsView extends HandsView {
  /** @param {Model<HandsState<CallsDrawn>>} model */
  constructor(model) {
    super(model, ["b", "s", "z"], "b s z", (move) => move);
    this.rows = el("tbody");
    const heads = this.drawn.names.map((name) => el("th", { scope: "col" }, name));
    const head = el("thead", {}, el("tr", {}, el("td"), ...heads));
    this.main.append(el("table", { class: "ac-numbers" }, el("caption", {}, "Your calls"), head, this.rows));
  }

  /** @param {number[]} on */
  tell(on) {
    const { states, names, moves, goal, at } = this.drawn, { way } = this, last = way.length, now = states[on[last]];
    roll(this.picture, at[on[last]] || null);
    this.rows.replaceChildren(...way.map((move, i) => {
      const cells = states[on[i + 1]].map((value, k) => el("td", { class: k ? "ac-g" : "ac-v" }, number(value)));
      return el("tr", {}, el("th", { scope: "row", class: "ac-c" }, moves[move]), ...cells);
    }));
    if (!last) return `Bring ${names[0]} to ${number(goal[0])}, and ${names[1]} to ${number(goal[1])}.`;
    const told = toldOfCall(way[last - 1], way[last - 2], names[0], states[on[last - 1]], now, goal);
    const done = on.findIndex((state) => goal.every((value, i) => value === states[state][i]));
    return on[done] === on[last] ? `${told} ✓ Done in ${done} calls: no call moves ${names[0]} any more.` : told;
  }
}

export const optimizerByHand = rendering(OptimizerView);
export const callsByHand = rendering(CallsView);
