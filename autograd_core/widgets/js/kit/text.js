// How wide text is, and text cut to the room that it has. A font is written as in CSS, without its family: "bold 12px".

const MOST_LETTERS = 200;               // of a text that is cut
const LEAST_NAME = 22;                  // pixels

let family = "sans-serif";

/** @type {CanvasRenderingContext2D | null} */
let pen = null;

/** Measure in the font of this element from now on. It has one as soon as it is on a page. @param {Element} element */
export function measureIn(element) { family = getComputedStyle(element).fontFamily || family; }

/**
 * @param {string} text
 * @param {string} font
 */
export function measure(text, font) {
  pen ??= document.createElement("canvas").getContext("2d");
  if (!pen) throw new Error("this browser has no canvas to measure text on");
  pen.font = `${font} ${family}`;
  return pen.measureText(text).width;
}

/**
 * @param {string} text
 * @param {number} width
 * @param {string} font
 */
export const fits = (text, width, font) => measure(text, font) <= width;

/**
 * The text, cut with an ellipsis where it has no room.
 * @param {string} text
 * @param {number} width
 * @param {string} font
 */
export function fit(text, width, font) {
  if (fits(text, width, font)) return text;
  let cut = text.slice(0, MOST_LETTERS);
  while (cut && !fits(`${cut}…`, width, font)) cut = cut.slice(0, -1);
  return `${cut}…`;
}

/**
 * A dotted name, its first parts left out where they have no room: "…conv1.weight".
 * @param {string} name
 * @param {number} width
 * @param {string} font
 */
export function fitPath(name, width, font) {
  const parts = name.split("."), shorter = parts.slice(1).map((_, i) => `…${parts.slice(i + 1).join(".")}`);
  return [name, ...shorter].find((text) => fits(text, width, font)) ?? fit(name, width, font);
}

/**
 * "p = 0.525", of the first of `texts` that fits: where it does not, the spaces go first, then the name is cut.
 * @param {string} name
 * @param {string[]} texts the same in fewer words each
 * @param {number} room
 * @param {string} font
 */
export function equation(name, texts, room, font) {
  for (const text of texts) {
    const left = room - measure(` = ${text}`, font), named = name ? [`${name} = ${text}`, `${name}=${text}`] : [];
    const cut = name && left > LEAST_NAME ? [`${fit(name, left, font)} = ${text}`] : [];
    const found = [...named, ...cut, text].find((each) => fits(each, room, font));
    if (found !== undefined) return found;
  }
  return fit(texts[texts.length - 1], room, font);
}

/**
 * The first of `texts` that fits, in bold or else in light letters, and whether in light ones.
 * @param {string[]} texts
 * @param {number} room
 * @param {string} font
 * @returns {[text: string, light: boolean]}
 */
export function chosen(texts, room, font) {
  for (const text of texts) {
    for (const light of [false, true]) if (fits(text, room, light ? font : `bold ${font}`)) return [text, light];
  }
  return [fit(texts[texts.length - 1], room, `bold ${font}`), false];
}
