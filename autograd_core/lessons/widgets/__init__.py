"""The widgets of single lessons.

curves          03, 04, 06, 07, 12: lines over steps, drawn by `chart`; `film` (08) adds to them
paint           05: a mask, painted; `masking` says what comes of each way, `paint_still` draws
                the preview
mining          06: which pixels learn
gradient_table  07: which loss reaches which kernel
maps            08: maps as a still picture
switchboard     09: two networks and their switches
race            10: optimizers on a surface; `race_picture` is the map
shards          13: a batch shared out among processes
ward            11: broken loops beside a healthy one, each drawn from its `History`
"""
