// You step: the learner is the optimizer, or makes the calls of a training loop. Python has computed all that the moves
// can lead to; here the learner goes from state to state, and is told what a move came to.

import { button } from "../kit/button.js";
import { clamp } from "../kit/clamp.js";
import { all, el, put, write } from "../kit/dom.js";
import { number } from "../kit/format.js";
import { withModifier } from "../kit/keys.js";
import { Live, rendering } from "../kit/live.js";
import { inkOf, roll } from "./curves.js";

/** @import { Model } from "../kit/types.d.ts" */
/** @import { CallsDrawn, CurvePlaces, HandsDrawn, HandsState, Numbers, OptimizerDrawn, Pair } from "./types.d.ts" */

const AGAIN = "r";                               // the key that starts again
const PAUSE = 700;                               // ms between two calls of the loop that is shown
const LOOP = [0, 1, 2];                          // backward, step, zero_grad
const NO_SLOPE = 1e-12;                          // a gradient below is rounding

/** A gradient has a sign also where it is above 0. @param {string} name @param {number | null} value */
const signed = (name, value) => `${name.endsWith(".grad") && (value ?? 0) > 0 ? "+" : ""}${number(value)}`;

/** What a number is: its color. A phrase names a number that only explains. @param {string} name */
const roleOf = (name) => (name.endsWith(".grad") ? "gradient" : name.includes(" ") ? "" : "value");

/** The states on a way, the first one included. @param {number[][]} leads @param {number[]} way */
export function statesOn(leads, way) {
  const states = [0];
  for (const move of way) states.push(leads[states[states.length - 1]][move]);
  return states;
}

/**
 * Where a loss is in the picture. A loss beyond the top or the bottom is drawn there.
 * @param {CurvePlaces} places
 * @param {Pair} range the least and the greatest loss
 * @param {number} move
 * @param {number} loss
 * @returns {Pair}
 */
export function pixelsOf({ left, right, top, bottom, steps }, [low, high], move, loss) {
  const down = clamp((high - loss) / (high - low), 0, 1);
  return [left + ((right - left) * move) / (steps - 1), top + (bottom - top) * down];
}

/**
 * What a move along one number did: whether it went against the sign of the gradient, and what happened to the loss.
 * @param {number} gradient before the move
 * @param {boolean} up
 * @param {number} before the loss
 * @param {number} after
 */
export function toldOfMove(gradient, up, before, after) {
  const against = gradient > 0 !== up, went = after > before ? "rose" : after < before ? "fell" : "is the same";
  if (Math.abs(gradient) < NO_SLOPE) return `The gradient was 0, so both directions are uphill: the loss ${went}.`;
  if (!against) return `With the gradient: the loss ${went}.`;
  return `Against the gradient${after < before ? "" : ", but the step was too long"}: the loss ${went}.`;
}

/** Who is lower after so many moves. @param {number} moves @param {number} yours @param {number} rival */
export function standing(moves, yours, rival) {
  const who = yours < rival ? "You are lower" : yours > rival ? "SGD is lower" : "You are level";
  return `After ${moves} move${moves === 1 ? "" : "s"}: you ${number(yours)}, SGD ${number(rival)}. ${who}.`;
}

/**
 * What a call did: 0 is `backward`, 1 `step`, 2 `zero_grad`.
 * @param {number} call
 * @param {number | undefined} former the call before
 * @param {string} name of the weight
 * @param {Numbers} before the weight, its gradient and the slope of the loss
 * @param {Numbers} after
 */
export function toldOfCall(call, former, name, before, after) {
  const [w, grad] = before.map(number), [moved, sum] = after.map(number), none = before[1] === null;
  const slope = number(before[2]), stays = `${name} did not move.`;
  if (call === 0 && !before[1]) return `${name}.grad is now the slope at ${w}: ${sum}. ${stays}`;
  if (call === 0) return `The slope ${slope} was added to ${grad}: ${name}.grad is ${sum}. ${stays}`;
  if (call === 2 && none) return `${name}.grad was already None.`;
  if (call === 2 && former === 0) return `${name}.grad is None: ${grad} was deleted before any step() used it.`;
  if (call === 2) return `${name}.grad is None. ${stays}`;
  if (none) return `${name}.grad is None: step() did nothing, and there is no error.`;
  if (before[0] === after[0]) return `${name}.grad is ${grad}. ${stays}`;
  const moves = `${name} moved from ${w} to ${moved}`;
  if (before[1] === before[2]) return `${moves}, against the slope ${slope}. ${name}.grad is still ${grad}.`;
  const old = former === 1 ? "an old gradient" : "a sum of gradients";
  return `${moves} because ${name}.grad was ${grad}, ${old}. The slope was ${slope}.`;
}

/**
 * A subclass says what the last move did, and shows it in the picture.
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
    const notes = [model.get("note"), `keys ${signs}`, `${AGAIN} starts again`];
    write(this.note, notes.filter(Boolean).join("; "));
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

  get unit() { return "moves"; }

  get way() { return this.model.get("walked"); }

  /** The places of the states so far. */
  get on() { return statesOn(this.drawn.leads, this.way); }

  get won() { return this.drawn.ends.includes(this.on[this.way.length]); }

  get over() { return this.won || this.way.length >= this.drawn.most; }

  /** @param {KeyboardEvent} event */
  press(event) {
    const move = this.keys.indexOf(event.key);
    if (withModifier(event) || move < 0) return;
    event.preventDefault();
    if (event.key === AGAIN) this.walk([]); else this.move(move);
  }

  /** @param {number} move */
  move(move) { if (!this.over) this.walk([...this.way, move]); }

  /** @param {number[]} way */
  walk(way) {
    this.model.set("walked", way);
    this.model.save_changes();
  }

  draw() {
    const { names, states, most } = this.drawn, { on, over, way } = this, now = states[on[way.length]];
    names.forEach((name, i) => {
      write(this.numbers[i], signed(name, now[i]));
      put(this.numbers[i], "class", inkOf(roleOf(name), now[i]));
    });
    for (const each of this.buttons) put(each, "aria-disabled", over);
    write(this.told, `${this.tell(on)} ${over ? this.ending() : `${most - way.length} of ${most} ${this.unit} left.`}`);
  }

  /** What the last move did. @param {number[]} _on the places of the states so far @returns {string} */
  tell(_on) { throw new Error("a subclass says so"); }

  /** How the game ended. @returns {string} */
  ending() { throw new Error("a subclass says so"); }
}

/** @extends {HandsView<OptimizerDrawn>} */
class OptimizerView extends HandsView {
  /** @param {Model<HandsState<OptimizerDrawn>>} model */
  constructor(model) {
    super(model, ["ArrowLeft", "ArrowRight", "ArrowDown", "ArrowUp"], "", (move) => move.slice(move.indexOf(" ") + 1));
    const [a, , b] = this.drawn.moves.map((move) => move.split(" ")[0]);
    write(this.note, `← → move ${a}, ↓ ↑ move ${b}; ${AGAIN} starts again`);
    this.shown = this.drawn.svg;
  }

  /** @param {number[]} on */
  tell(on) {
    const { states, names, moves, rival, places, range, svg, map, at, trail } = this.drawn;
    const { over, way } = this, last = way.length, shown = over ? map : svg;
    /** @param {number[]} losses @returns {Pair[]} */
    const path = (losses) => losses.map((loss, move) => pixelsOf(places, range, move, loss));
    if (this.shown !== shown) this.picture.innerHTML = this.shown = shown;
    this.follow("line", "you", over ? on.map((state) => at[state]) : path(on.map((state) => states[state][0])));
    this.follow("rival", "SGD", (over ? trail : path(rival)).slice(0, last + 1));
    if (!last) return `The loss is ${number(rival[0])}, for you and for SGD.`;
    const [before, now] = [on[last - 1], on[last]].map((state) => states[state]), move = way[last - 1];
    const gradient = before[names.indexOf(`${moves[move].split(" ")[0]}.grad`)];
    return `${toldOfMove(gradient, move % 2 === 1, before[0], now[0])} ${standing(last, now[0], rival[last])}`;
  }

  /**
   * Draw a path with a dot at its end; nothing of an empty one.
   * @param {string} line the path's name in the picture
   * @param {string} end the dot's
   * @param {Pair[]} places
   */
  follow(line, end, places) {
    const [place] = places.slice(-1);
    for (const each of all(this.picture, `[data-part=${line}]`)) put(each, "d", place ? `M${places.join("L")}` : "");
    for (const each of all(this.picture, `[data-part=${end}]`)) {
      put(each, "display", place ? "inline" : "none");
      if (place) put(each, "transform", `translate(${place.join(" ")})`);
    }
  }

  ending() { return `${this.won ? "✓ Done: both gradients are 0." : "That was the last move."} Here is the valley.`; }
}

/** @extends {HandsView<CallsDrawn>} */
class CallsView extends HandsView {
  get unit() { return "calls"; }

  /** @param {Model<HandsState<CallsDrawn>>} model */
  constructor(model) {
    super(model, ["b", "s", "z"], "b s z", (move) => move);
    this.rows = el("tbody");
    const heads = this.drawn.names.map((name) => el("th", { scope: "col" }, name));
    const head = el("thead", {}, el("tr", {}, el("td"), ...heads));
    this.main.append(el("table", { class: "ac-numbers" }, el("caption", {}, "Your calls"), head, this.rows));
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.loop = button("Show a loop that wins", "Show the loop", () => this.play([]));
    this.main.querySelector(".ac-hands-side")?.append(" ", this.loop);
    const slope = el("output", {}, `${this.drawn.names[2]} `, this.numbers[2]);
    this.main.querySelector(".ac-hands-row")?.append(slope);
  }

  /** Go this way, and on by the recommended loop until the game is over. @param {number[]} way */
  play(way) {
    this.walk(way);
    if (this.over || !this.box.isConnected) return;
    this.timer = setTimeout(() => this.play([...way, LOOP[way.length % LOOP.length]]), PAUSE);
  }

  /** @param {number[]} way */
  walk(way) {
    clearTimeout(this.timer);
    super.walk(way);
  }

  /** Whether a call was a step that did not use the slope of the loss. @param {number[]} on @param {number} i */
  strays(on, i) {
    const [, grad, slope] = this.drawn.states[on[i]];
    return this.way[i] === 1 && grad !== null && grad !== slope;
  }

  /** @param {number[]} on */
  tell(on) {
    const { states, names, moves, goal, within, at } = this.drawn, { way } = this, last = way.length;
    roll(this.picture, at[on[last]] || null);
    this.rows.replaceChildren(...way.map((move, i) => {
      const cells = states[on[i + 1]].map((value, k) =>
        el("td", { class: inkOf(roleOf(this.drawn.names[k]), value) }, number(value)));
      const head = el("th", { scope: "row", class: "ac-c" }, moves[move]);
      return el("tr", { class: this.strays(on, i) ? "ac-stray" : "" }, head, ...cells);
    }));
    this.loop.hidden = !this.over || this.won;
    if (!last) return `Bring ${names[0]} within ${number(within)} of ${number(goal)}.`;
    return toldOfCall(way[last - 1], way[last - 2], names[0], states[on[last - 1]], states[on[last]]);
  }

  ending() {
    const { goal, within, names } = this.drawn, near = `within ${number(within)} of ${number(goal)}`;
    if (this.won) return `✓ Done in ${this.way.length} calls: ${names[0]} is ${near}.`;
    const { on } = this, steps = this.way.filter((move) => move === 1).length;
    const strays = this.way.filter((_, i) => this.strays(on, i)).length;
    const why = strays ? ` ${strays} of ${steps} steps did not use the slope at ${names[0]}.` : "";
    return `That was the last call, and ${names[0]} isn't ${near}.${why}`;
  }
}

export const optimizerByHand = rendering(OptimizerView);
export const callsByHand = rendering(CallsView);
