"""The operations, one file for each family; one operation is one block: its forward, and one rule
for each input. `core/operation.py` says how to read one. A function with several forms (`sum(x)`,
`sum(x, dim)`) stands below its forms.

    arithmetic, elementwise, activation, comparison, reduction, shape, sorting, linalg, gathering,
    indexing, inplace, convolution, windows, pooling, normalization, loss
    table   the operations that rules may call by name
"""
