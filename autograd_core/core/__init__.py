"""The small engine: it imports NumPy and itself, and is read in one sitting, in this order.

    graph       what is recorded: nodes and edges
    recording   whether anything is, and who hears of it
    tensor      what a tensor is
    operation   what an operation is, how it is called, and how its nodes run back
    engine      the walk back through the graph
"""
