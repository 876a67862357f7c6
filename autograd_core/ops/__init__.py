"""The operations, one file for each family. An operation is a forward function with one backward rule
for each input; `core/operation.py` explains how to read one. If a public function has several forms
(`sum(x)`, `sum(x, dim)`), each form is an operation, and the public function is defined below them.

    arithmetic, elementwise, activation, comparison, reduction, shape, sorting, linalg, gathering,
    indexing, inplace, convolution, windows, pooling, normalization, loss
    table   the operations that rules may call by name
"""
