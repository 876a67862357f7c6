// Keys. Jupyter has its own, x cuts a cell and an arrow leaves it: so a plain key in a widget must not reach it.

/** Whether a key is pressed together with Ctrl, Alt or the command key. @param {KeyboardEvent} event */
export const withModifier = (event) => event.ctrlKey || event.metaKey || event.altKey;

/** Whether a key is Jupyter's or the browser's also while a widget has the focus. @param {KeyboardEvent} event */
export function isChord(event) {
  return withModifier(event) || event.key === "Tab" || (event.key === "Enter" && event.shiftKey);
}

/** Keep a plain key, except Escape, from Jupyter. @param {KeyboardEvent} event */
export function keepFromJupyter(event) {
  if (!isChord(event) && event.key !== "Escape") event.stopPropagation();
}

/** Rows and columns that an arrow key leads on. @type {Record<string, [number, number]>} */
export const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
