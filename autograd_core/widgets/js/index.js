// All views, by the name that a widget has in its trait `view`.

import * as views from "./index.js";
import { openSaved } from "./kit/page.js";

export { history } from "./graph/history.js";
export { graph } from "./graph/view.js";
export { callsByHand, optimizerByHand } from "./lessons/by_hand.js";
export { choice } from "./lessons/choice.js";
export { curves } from "./lessons/curves.js";
export { drawing } from "./lessons/drawing.js";
export { film } from "./lessons/film.js";
export { lineByLine } from "./lessons/line_by_line.js";
export { lossTree } from "./lessons/loss_tree.js";
export { memoryOverTime } from "./lessons/memory_over_time.js";
export { mining } from "./lessons/mining.js";
export { paint } from "./lessons/paint.js";
export { race } from "./lessons/race.js";
export { reachable } from "./lessons/reachable.js";
export { snake } from "./lessons/snake.js";
export { switchboard } from "./lessons/switchboard.js";
export { ward } from "./lessons/ward.js";

openSaved(views);
