"""The small engine. It imports NumPy and itself; read graph, recording, tensor, operation, calls,
engine, in this order.
"""
