// Elements of a page. Text goes into them as text alone, so it is never markup.

/** @import { Attributes, Run } from "./types.d.ts" */

const SVG = "http://www.w3.org/2000/svg";

/**
 * An HTML element.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes]
 * @param {...(Node | string)} children
 */
export function el(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/**
 * An SVG element.
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes]
 * @param {...(Node | string)} children
 */
export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

/**
 * @template {Element} E
 * @param {E} element
 * @param {Attributes} attributes
 * @param {(Node | string)[]} children
 */
function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value !== "function") element.setAttribute(name, String(value));
    else element.addEventListener(name.slice("on".length), /** @type {EventListener} */ (value));
  }
  element.append(...children);
  return element;
}

/**
 * Set the text of an element, if it is another one: what is written is drawn anew, and read to the blind.
 * @param {Node} node
 * @param {string} text
 */
export function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/**
 * Set an attribute, if it is another one.
 * @param {Element} element
 * @param {string} name
 * @param {string | number | boolean} value
 */
export function put(element, name, value) {
  if (element.getAttribute(name) !== String(value)) element.setAttribute(name, String(value));
}

/**
 * Make what stands in `box` the same as a picture that Python has drawn, where every word of a person is escaped. Only
 * what differs is touched: so what has the focus, or is under the pointer, stays.
 * @param {Element} box
 * @param {string} picture
 */
export function redraw(box, picture) {
  const fresh = el("template");
  fresh.innerHTML = picture;
  become(box, fresh.content);
}

/** @param {Element} box @param {ParentNode} wanted */
function become(box, wanted) {
  const now = [...box.childNodes], then = [...wanted.childNodes];
  then.forEach((child, i) => {
    const old = now[i];
    if (!old) box.append(child);
    else if (old.nodeName !== child.nodeName) old.replaceWith(child);
    else if (old instanceof Element && child instanceof Element) {
      for (const { name } of [...old.attributes]) if (!child.hasAttribute(name)) old.removeAttribute(name);
      for (const { name, value } of child.attributes) put(old, name, value);
      become(old, child);
    } else write(old, child.textContent ?? "");
  });
  for (const extra of now.slice(then.length)) extra.remove();
}

/**
 * The element that an event happened in and that `selector` fits, or null.
 * @param {Event} event
 * @param {string} selector
 * @returns {HTMLElement | SVGElement | null}
 */
export function closest(event, selector) {
  return event.target instanceof Element ? event.target.closest(selector) : null;
}

/**
 * The parts of a picture that `selector` fits.
 * @param {Element} picture
 * @param {string} selector
 */
export function all(picture, selector) {
  /** @type {NodeListOf<SVGGElement>} */
  const found = picture.querySelectorAll(selector);
  return [...found];
}

/** An id, or a name of a group, that nothing else on the page has. */
export const uniqueId = () => `ac-${Math.random().toString(36).slice(2)}`;

/** @param {Run[]} list */
export const runs = (list) => list.map(([style, text]) => (style ? el("span", { class: `ac-${style}` }, text) : text));

/** The text of runs, without their styles. @param {Run[]} list */
export const plain = (list) => list.map(([, text]) => text).join("");

/**
 * @param {string} style
 * @param {...(Node | string)} content
 */
export const paragraph = (style, ...content) => el("p", { class: style }, ...content);

/** A name to be broken after its dots, and not before the number of "input 0". @param {string} name */
export function breakable(name) {
  const parts = name.replace(/ (?=\d+$)/, "\u00a0").split(/(?<=\.)/);
  return parts.flatMap((part, i) => (i ? [el("wbr"), part] : [part]));
}
