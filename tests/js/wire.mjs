// Makes whole what Python sends of a view: test_same_as_python.py asks it.

import { readFileSync } from "node:fs";

import { numbersOf, structureOf } from "../../autograd_core/widgets/js/graph/wire.js";

const { structure, numbers } = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify({ structure: structureOf(structure), numbers: JSON.parse(numbers).map(numbersOf) }));
