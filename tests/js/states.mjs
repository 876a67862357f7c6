// Reads the structure and the numbers of a trace as JSON, and writes the state of each node after each event.
// test_same_as_python.py asks it.

import { readFileSync } from "node:fs";

import { Tape } from "../../autograd_core/widgets/js/graph/tape.js";

/** @import { Numbers, Structure } from "../../autograd_core/widgets/js/graph/types.d.ts" */

/** @type {{ structure: Structure, numbers: Numbers }} */
const { structure, numbers } = JSON.parse(readFileSync(0, "utf8")), tape = new Tape(structure, numbers);
const ks = Array.from({ length: structure.events.length + 1 }, (_, k) => k);
console.log(JSON.stringify(ks.map((k) => structure.nodes.map((_, i) => {
  const { value, gradient, arrived, all, done, here } = tape.node(i, k);
  return { value, gradient, arrived: arrived.length, expected: all.length, done, here };
}))));
