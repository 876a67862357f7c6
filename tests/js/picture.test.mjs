import assert from "node:assert/strict";
import { test } from "node:test";

import { told } from "../../autograd_core/widgets/js/graph/boxes.js";

test("a track says after each event what its latest entry says, and nothing before the first", () => {
  /** @type {[number, string][]} */
  const track = [[1, "ac-ghost"], [3, ""], [7, "ac-has"]];
  assert.deepEqual([0, 1, 2, 3, 6, 7, 9].map((k) => told(track, k)),
    [undefined, "ac-ghost", "ac-ghost", "", "", "ac-has", "ac-has"]);
  assert.equal(told(undefined, 3), undefined);
});
