// Curves over steps. Python draws them; here the reader moves along them and changes settings.

import { clamp } from "../kit/clamp.js";
import { all, el, put, write } from "../kit/dom.js";
import { number } from "../kit/format.js";
import { withModifier } from "../kit/keys.js";
import { engines, Live, rendering } from "../kit/live.js";

/** @import { Cell, Model } from "../kit/types.d.ts" */
/** @import { BallPlace, CurveLine, CurvePlaces, CurvesState } from "./types.d.ts" */

const PAGE = 10;                                 // steps

/**
 * The step that is nearest to a pixel.
 * @param {CurvePlaces} places
 * @param {number} x
 */
export function stepAt({ left, right, steps }, x) {
  return clamp(Math.round(((x - left) / (right - left)) * (steps - 1)), 0, steps - 1);
}

/** What a line is called: in a panel of its own by that alone. @param {CurveLine} line */
export const lineName = ({ name, panel }) => (name === panel ? name : `${panel}: ${name}`);

/**
 * The class of a number's color: a negative gradient is violet, and None has none.
 * @param {string} role
 * @param {Cell | null} value
 */
export function inkOf(role, value) {
  if (role !== "gradient") return role && "ac-v";
  return value === null ? "" : Number(value) < 0 ? "ac-n" : "ac-g";
}

/**
 * Bring the ball of a bowl to its place, and its lines.
 * @param {HTMLElement} bowl
 * @param {BallPlace | null} place
 */
export function roll(bowl, place) {
  for (const part of all(bowl, "[data-part]")) {
    const to = place?.[/** @type {keyof BallPlace} */ (part.getAttribute("data-part"))];
    put(part, "display", to ? "" : "none");
    for (const [key, value] of Object.entries(to ?? {})) put(part, key, value);
  }
}

/**
 * @template {CurvesState} State
 * @extends {Live<State>}
 */
export class CurvesView extends Live {
  /** @param {Model<State>} model */
  constructor(model) {
    super(model, "curves");
    /** The step that is read; null: none was chosen. @type {number | null} */
    this.at = null;
    this.picture = el("div", { class: "ac-curves-picture", role: "slider", tabindex: 0, "aria-valuemin": 0,
      onkeydown: (event) => this.press(event) });
    this.cursor = el("div", { class: "ac-curves-cursor" });
    this.rows = el("tbody");
    this.caption = el("caption");
    const engine = model.get("engine"), against = model.get("against");
    this.key = engines(engine, against);
    this.engines = el("thead", {}, el("tr", {}, el("td"), el("th", { scope: "col" }, engine),
      el("th", { scope: "col" }, against)));
    this.stage = el("div", { class: "ac-curves-stage", onpointermove: ({ clientX }) => {
      this.read(stepAt(this.drawn.places, clientX - this.picture.getBoundingClientRect().left));
    } }, this.picture, this.cursor);
    this.header.append(this.key);
    this.bowl = el("div");
    this.main.append(this.stage, el("div", { class: "ac-curves-side" },
      el("table", { class: "ac-numbers ac-curves-table" }, this.caption, this.engines, this.rows), this.bowl));
  }

  get last() { return this.drawn.places.steps - 1; }

  /** The steps that the keys lead to. */
  get stops() { return Array.from({ length: this.drawn.places.steps }, (_, step) => step); }

  /** The step that is read until the reader chooses one. */
  get opening() { return Math.min(this.drawn.opens ?? this.last, this.last); }

  resized() { this.tellWidth(this.stage); }

  draw() {
    const { svg, x, lines, bowl } = this.drawn;
    this.picture.innerHTML = svg;                // drawn by Python, which has escaped every word of a person
    this.bowl.innerHTML = bowl?.svg ?? "";
    this.key.hidden = this.engines.hidden = !lines.some(({ other }) => other);
    put(this.picture, "aria-valuemax", Math.max(this.last, 0));
    put(this.picture, "aria-label", `Read the curves along ${x}`);
    this.read(this.at === null ? null : Math.min(this.at, this.last));
  }

  /** Read the numbers at a step. @param {number | null} step */
  read(step) {
    const { lines, x, places: { left, right, top, bottom, steps } } = this.drawn;
    if (!steps) return;
    this.at = step;
    const at = step ?? this.opening, place = left + (right - left) * (steps > 1 ? at / this.last : 0.5);
    Object.assign(this.cursor.style, { left: `${place}px`, top: `${top}px`, height: `${bottom - top}px` });
    write(this.caption, `${x} ${at}`);
    /** @param {(Cell | null)[]} values */
    const shown = (values) => number(values[at] ?? null);
    this.rows.replaceChildren(...lines.map((line) => {
      const columns = line.other ? [line.values, line.other] : [line.values];
      const cells = columns.map((values) => el("td", { class: inkOf(line.role, values[at] ?? null) }, shown(values)));
      return el("tr", {}, el("th", { scope: "row" }, lineName(line)), ...cells);
    }));
    const sentence = lines.map((line) => `${lineName(line)} ${shown(line.values)}`).join(", ");
    roll(this.bowl, this.drawn.bowl?.at[at] || null);
    put(this.picture, "aria-valuenow", at);
    put(this.picture, "aria-valuetext", `${x} ${at}: ${sentence}`);
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    const { stops } = this, last = stops.length - 1, at = stops.indexOf(this.at ?? this.opening);
    const to = {
      ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: last, PageUp: at - PAGE, PageDown: at + PAGE,
    }[event.key];
    if (to === undefined || withModifier(event)) return;
    event.preventDefault();
    this.read(stops[clamp(to, 0, last)]);
  }
}

export const curves = rendering(CurvesView);
