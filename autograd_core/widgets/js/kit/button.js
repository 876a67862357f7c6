// Buttons, and the icons of a player on them.

import { el, svg } from "./dom.js";

const ICONS = {
  previous: "M3 2h2.4v14H3zM16 2v14L6 9z",
  next: "M12.6 2H15v14h-2.4zM2 2l10 7-10 7z",
  play: "M4 2l12 7-12 7z",
  pause: "M4 2h3.6v14H4zM10.4 2H14v14h-3.6z",
};

/** @param {keyof typeof ICONS} name */
export function icon(name) {
  const path = svg("path", { d: ICONS[name], fill: "currentColor" });
  return svg("svg", { width: 18, height: 18, viewBox: "0 0 18 18", "aria-hidden": "true" }, path);
}

/**
 * @param {string} label for those who do not see it, and on hover; a text that it lacks is said first
 * @param {Node | string} content
 * @param {(event: MouseEvent) => void} onclick
 * @param {string} [style] a further class
 */
export function button(label, content, onclick, style = "") {
  const words = typeof content === "string" && /\w{2}/.test(content) ? content : "";
  const says = words && !label.toLowerCase().includes(words.toLowerCase());
  const name = says ? `${words}: ${label}` : label;
  const attributes = { type: "button", class: `ac-button ${style}`, "aria-label": name, title: label, onclick };
  return el("button", attributes, content);
}

/**
 * A button that looks like a word of a sentence.
 * @param {string} text
 * @param {() => void} onclick
 * @param {string} [style] a further class
 */
export function textButton(text, onclick, style = "") {
  return el("button", { type: "button", class: `ac-text-button ${style}`, onclick }, text);
}
