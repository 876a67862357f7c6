/** @import { Handler, Model } from "./types.d.ts" */

/**
 * Call `handlers[event]` at each of these events of a model, until what is returned is called.
 * @param {Pick<Model<unknown>, "on" | "off">} model
 * @param {Record<string, Handler>} handlers
 */
export function listen(model, handlers) {
  for (const [event, handler] of Object.entries(handlers)) model.on(event, handler);
  return () => {
    for (const [event, handler] of Object.entries(handlers)) model.off(event, handler);
  };
}
