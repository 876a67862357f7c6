"""Where the boxes and lines of a graph are.

boxes      a layout: boxes, routes, bands
sizes      of boxes, gaps and texts, in CSS pixels
routes     the points of a line, and its path
blocks     items with what is beside them, in the blocks of source lines and of open folds
rows       which item is in which row of its block
flow       the columns of a block: forks, joins and straight paths
placement  all of it on the page
"""
