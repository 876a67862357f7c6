// What was predicted beside what came out: a text that Python has written.

import { listen } from "../kit/listen.js";

/** @import { Render } from "../kit/types.d.ts" */

/** @type {Render<{ content: string }>} */
export const settled = ({ model, el: parent }) => {
  const draw = () => { parent.innerHTML = model.get("content"); };    // Python has escaped every word of a person
  draw();
  return listen(model, { "change:content": draw });
};
