// Reads numbers, tensors and depths of color as JSON, and writes how they are shown. test_same_as_python.py asks it.

import { readFileSync } from "node:fs";

import { number, tensorText } from "../../autograd_core/widgets/js/kit/format.js";
import { cellStyle } from "../../autograd_core/widgets/js/kit/shade.js";

/** @import { Tensor } from "../../autograd_core/widgets/js/kit/types.d.ts" */

/** @type {{ numbers: number[], tensors: [Tensor | null, boolean][], depths?: number[] }} */
const { numbers, tensors, depths = [] } = JSON.parse(readFileSync(0, "utf8"));
const texts = tensors.map(([tensor, gradient]) => tensorText(tensor, gradient));
const cells = depths.map((depth) => [cellStyle(Math.abs(depth), "value"), cellStyle(depth, "gradient")]);
console.log(JSON.stringify({ numbers: numbers.map(number), tensors: texts, cells }));
