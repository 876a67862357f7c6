// Reads numbers and tensors as JSON, and writes how they are shown. test_same_as_python.py asks it.

import { readFileSync } from "node:fs";

import { number, tensorText } from "../../autograd_core/widgets/js/kit/format.js";

/** @import { Tensor } from "../../autograd_core/widgets/js/kit/types.d.ts" */

/** @type {{ numbers: number[], tensors: [Tensor | null, boolean][] }} */
const { numbers, tensors } = JSON.parse(readFileSync(0, "utf8"));
const texts = tensors.map(([tensor, gradient]) => tensorText(tensor, gradient));
console.log(JSON.stringify({ numbers: numbers.map(number), tensors: texts }));
