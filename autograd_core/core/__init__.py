"""The small engine. It imports NumPy and itself; read graph, recording, tensor, operation, engine,
in this order.
"""
