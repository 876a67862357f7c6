// Reads what kit/page.py has packed, and writes what a saved page makes of it. test_same_as_python.py asks it.

import { readFileSync } from "node:fs";

import { unpacked } from "../../autograd_core/widgets/js/kit/page.js";

const { packed } = JSON.parse(readFileSync(0, "utf8")), { answers, state } = await unpacked(packed);
console.log(JSON.stringify({ state, folds: answers.folds ?? {} }));
