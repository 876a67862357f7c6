"""Where the boxes and lines of a graph are.

boxes      the parts of a layout: boxes, routes and bands
sizes      the sizes of boxes, gaps and texts, in CSS pixels
routes     the points of a line, and its path
blocks     items with their leaves and constants, grouped by source line or by open fold
rows       the row of each item in its block
flow       the columns of a block: forks, joins and straight paths
placement  the positions of all boxes and lines on the page
"""
