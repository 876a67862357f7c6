"""Where the boxes and lines of a graph are.

boxes      a layout: boxes, routes, bands
sizes      of boxes, gaps and texts, in CSS pixels
routes     the points of a line, and its path
lanes      which lane beside the trunk a line runs in
rows       which item stands in which row, and which way the lines take
columns    how far across and down
placement  one trunk down the page, of small and of folded graphs
"""
