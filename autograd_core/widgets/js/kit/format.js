// Numbers, shapes and tensors as short text. kit/format.py follows the same rules; tests/widgets/format_cases.json
// holds cases for both.

/** @import { Cell, Tensor } from "./types.d.ts" */

const FLOAT32_DIGITS = 1e-7;                     // float32 has no more

/**
 * Three decimals; exact short numbers without trailing zeros; a power of ten below 0.001 and from 10,000.
 * @param {Cell | null} value
 * @returns {string}
 */
export function number(value) {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "string") return value.replace("-", "−");
  if (value === 0) return "0";
  const sign = value < 0 ? "−" : "", size = Math.abs(value);
  if (size < 0.001 || size >= 10000) {
    const [digits, exponent] = size.toExponential(1).split("e");
    return `${sign}${digits.replace(/\.0$/, "")}e${exponent.replace("+", "").replace("-", "−")}`;
  }
  const rounded = size.toFixed(3), exact = Math.abs(Number(rounded) - size) <= size * FLOAT32_DIGITS;
  return sign + (exact ? rounded.replace(/\.?0+$/, "") : rounded);
}

/** @param {number[]} shape */
export const shapeText = (shape) => shape.join("×") || "scalar";

/** A tensor in place of its value: its shape, where that could not be taken for a number. @param {number[]} shape */
export function sizeText(shape) {
  return shape.length === 1 ? `${shape[0]} ${shape[0] === 1 ? "number" : "numbers"}` : shapeText(shape);
}

/** @param {Tensor} tensor */
export const count = ([shape]) => shape.reduce((a, b) => a * b, 1);

/** Up to three elements in full; beyond, the size of a value, the norm of a gradient. @param {Tensor | null} tensor */
export function tensorText(tensor, gradient = false) {
  if (!tensor) return "None";
  const [shape, values, norm] = tensor;
  if (values && shape.length === 0) return number(values[0]);
  if (values && count(tensor) <= 3) return `[${values.map(number).join(", ")}]`;
  return gradient ? `norm ${number(norm)}` : sizeText(shape);
}

/**
 * "q" if a gradient is None or 0, "bad" if it is not finite, "n" if all that `tensorText` says of it is negative,
 * else "g".
 * @param {Tensor | null} gradient
 */
export function gradientStyle(gradient) {
  if (!gradient || real(gradient[2]) === 0) return "q";
  if (!finite(gradient)) return "bad";
  const values = (count(gradient) <= 3 ? gradient[1] : null) ?? [];
  return values.length && values.every((x) => real(x) <= 0) && values.some((x) => real(x) < 0) ? "n" : "g";
}

/** One number for a tensor: the number it is, or its norm. @param {Tensor} tensor */
export function brief(tensor) {
  const [, values, norm] = tensor;
  return number(values && count(tensor) === 1 ? values[0] : norm);
}

/** A tensor with all its digits. @param {Tensor | null} tensor */
export function precise(tensor) {
  if (!tensor) return "None";
  const [shape, values, norm] = tensor;
  if (!values) return `${shapeText(shape)}, norm ${norm}`;
  return shape.length === 0 ? String(values[0]) : `[${values.join(", ")}]`;
}

/** A number from what Python sent: "nan", "inf" and "-inf" are words there. @param {Cell} value */
export const real = (value) => (typeof value === "string" ? Number(value.replace("inf", "Infinity")) : Number(value));

/**
 * A number as Python sends it.
 * @param {number} value
 * @returns {Cell}
 */
export function cellOf(value) {
  return Number.isFinite(value) ? value : String(value).toLowerCase().replace("infinity", "inf");
}

/** What there is to read of a tensor: all its numbers, or its norm alone. @param {Tensor | null} tensor */
export const readable = (tensor) => (tensor ? tensor[1] ?? [tensor[2]] : []);

/** @param {Tensor | null} tensor */
export const finite = (tensor) => readable(tensor).every((x) => typeof x !== "string");

/** A share of a whole, as "none" or in percent. @param {number} share */
export function percent(share) {
  return share === 0 ? "none" : share < 0.001 ? "below 0.1%" : `${Number((100 * share).toFixed(1))}%`;
}
