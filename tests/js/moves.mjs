// Reads as JSON the states of saved views of `explore`, each with moves of its sliders, and writes what the page
// answers. The rule that is named in "planted" is wrong. test_scalars.py asks it.

import { readFileSync } from "node:fs";

import { answering } from "../../autograd_core/widgets/js/graph/saved.js";
import { RULES } from "../../autograd_core/widgets/js/graph/scalars.js";
import { SavedModel } from "../../autograd_core/widgets/js/kit/page.js";

const TRAITS = ["numbers", "changes", "slopes", "controls", "answer"];

/** @type {{ programs: { state: Record<string, unknown>, moves: [string, number][] }[], planted?: string }} */
const { programs, planted } = JSON.parse(readFileSync(0, "utf8"));
/** @param {SavedModel} model */
const sending = (model) => answering(/** @type {any} */ (model));
const models = programs.map(({ state }) => new SavedModel(structuredClone(state), {})), sends = models.map(sending);
if (planted) {
  const [, right] = RULES[planted];
  RULES[planted][1] = (...all) => right(...all).map((sent) => 1.01 * sent);
}
console.log(JSON.stringify(programs.map(({ state, moves }, i) => {
  const again = new SavedModel(state, {});
  sending(again);                                // with the wrong rule
  return { controls: again.get("controls"), answers: moves.map(([name, value]) => {
    sends[i]({ kind: "change", name, value });
    sends[i]({ kind: "slopes" });
    return Object.fromEntries(TRAITS.map((trait) => [trait, models[i].get(trait)]));
  }) };
})));
