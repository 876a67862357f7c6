// All views, by the name that a widget has in its trait `view`.

import { history } from "./graph/history.js";
import { graph } from "./graph/view.js";
import { openSaved } from "./kit/page.js";
import { callsByHand, optimizerByHand } from "./lessons/by_hand.js";
import { choice } from "./lessons/choice.js";
import { curves } from "./lessons/curves.js";
import { drawing } from "./lessons/drawing.js";
import { film } from "./lessons/film.js";
import { lineByLine } from "./lessons/line_by_line.js";
import { lossTree } from "./lessons/loss_tree.js";
import { memoryOverTime } from "./lessons/memory_over_time.js";
import { mining } from "./lessons/mining.js";
import { paint } from "./lessons/paint.js";
import { race } from "./lessons/race.js";
import { reachable } from "./lessons/reachable.js";
import { snake } from "./lessons/snake.js";
import { switchboard } from "./lessons/switchboard.js";
import { ward } from "./lessons/ward.js";

export {
  callsByHand, choice, curves, drawing, film, graph, history, lineByLine, lossTree, memoryOverTime, mining,
  optimizerByHand, paint, race, reachable, snake, switchboard, ward,
};

openSaved({
  callsByHand, choice, curves, drawing, film, graph, history, lineByLine, lossTree, memoryOverTime, mining,
  optimizerByHand, paint, race, reachable, snake, switchboard, ward,
});
