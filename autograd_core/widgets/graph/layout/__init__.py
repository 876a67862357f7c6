"""Where the boxes and lines of a graph are.

boxes   a layout: boxes, routes, bands
sizes   of boxes, gaps and texts, in CSS pixels
routes  the points of a line, and its path
lanes   which lane beside the trunk a line runs in
small   up to 30 nodes, each beside its source line; `small_rows` says which node stands in
        which row
large   folded graphs as one trunk; `large_rows` says which item stands in which row
"""
