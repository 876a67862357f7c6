// Shapes that boxes and lines are drawn with, as SVG paths.

export const BOOKMARK = "M0 0h8v10l-4-3.2-4 3.2z";
export const SCISSORS =
  "M1.2 10.8a2.2 2.2 0 1 1 3.4-1.3l8.2-6.6M4.6 4.5a2.2 2.2 0 1 0-3.4-1.3 2.2 2.2 0 0 0 3.4 1.3l8.2 6.6";
export const TRIANGLE = { closed: "M0 -5l6 5-6 5z", open: "M-1 -3h9l-4.5 6z" };

const LEAST_WEIGHT = 1.3, MOST_WEIGHT = 5, DECADE = 1.5;      // stroke widths; per power of ten below the largest norm

/**
 * A box in two parts: its left one, open at its right, and the compartment of the gradient.
 * @param {number} width
 * @param {number} height
 * @param {number} split where the compartment begins
 * @param {number} r the radius of the corners
 */
export function outline(width, height, split, r) {
  return {
    left: `M${split} 0H${r}a${r} ${r} 0 0 0 ${-r} ${r}V${height - r}a${r} ${r} 0 0 0 ${r} ${r}H${split}`,
    right: `M${split} 0H${width - r}a${r} ${r} 0 0 1 ${r} ${r}V${height - r}a${r} ${r} 0 0 1 ${-r} ${r}H${split}z`,
  };
}

/**
 * How thick a line is along which a gradient of this norm came.
 * @param {number} norm
 * @param {number} largest of all that were sent
 */
export function weight(norm, largest) {
  if (!(norm > 0) || !Number.isFinite(norm)) return LEAST_WEIGHT;
  return Math.max(LEAST_WEIGHT, MOST_WEIGHT + DECADE * Math.log10(norm / largest));
}
