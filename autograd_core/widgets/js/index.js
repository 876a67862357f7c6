// All views, by the name that a widget has in its trait `view`.

export { graph } from "./graph/view.js";
export { choice } from "./lessons/choice.js";
export { curves } from "./lessons/curves.js";
export { drawing } from "./lessons/drawing.js";
export { film } from "./lessons/film.js";
export { gradientTable } from "./lessons/gradient_table.js";
export { mining } from "./lessons/mining.js";
export { paint } from "./lessons/paint.js";
export { race } from "./lessons/race.js";
export { settled } from "./lessons/settled.js";
