/**
 * What is nearest to `value` from `least` to `most`.
 * @param {number} value
 * @param {number} least
 * @param {number} most
 */
export const clamp = (value, least, most) => Math.max(least, Math.min(most, value));
