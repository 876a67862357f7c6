// What a saved page of a step view needs of all views: that one.

import { graph } from "./graph/view.js";
import { openSaved } from "./kit/page.js";

openSaved({ graph });
