"""The widgets of the lessons. Each is a class in small letters, because lessons call it like a
function.

by_hand         00, 03: the learner is the optimizer, or makes the calls of a training loop
reachable       01: two networks, and what a tensor reaches along its pointers
unrolled        01: the nodes of a loop, one for each time that it ran
held_by         01: what a single loss keeps alive
ladder          02: gradients that wait for each other, or don't
memory_over_time  04: what nodes hold, for four ways to call `backward()`
live_graph      04: `curves` of a loop, with a sentence
curves          03, 04, 14, 15: lines over steps; `film` (08) adds maps to them
snake           10: a film next to a large photo with the text that a detector finds
dots            10: scores of several networks next to a baseline
paint           06: a painted mask, and the gradients of six ways to mask
mining          07: which pixels learn
line_by_line    09: the lines of a loss, edited in place, next to the gradients of its maps
loss_tree       08: one backward pass from five losses to seven kernels and their trunk
maps            10, 14: maps as a still picture
switchboard     11: two networks and their switches
race            12, 15: optimizers on a surface
table           06, 07, 10, 11, 12, 16: results as a table with names for rows and columns
ward            13: failing loops next to a correct one, each drawn from its `History`
shards          16: a batch cut into two shards, and the gradients of two processes
bowl            a loss over one weight, for `by_hand` and `curves`
figure          06, 07: a still picture with a text
drawing         the base class of `switchboard`, `shards`, `unrolled` and `held_by`
"""
