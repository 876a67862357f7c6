"""The operations, one file for each family; one operation is one block: its forward, and one rule
for each input.

    elementwise, activation, comparison, reduction, shape, sorting, linalg, einsum, gathering,
    indexing, inplace, convolution, windows, pooling, resizing, normalization, loss
    definition         the decorator that makes an operation; types, checks: how PyTorch takes
                       arguments
    table              the operations that rules may call by name

PyTorch's users call some of them by one name for several forms (`sum(x)`, `sum(x, dim)`): see
`compat/functions.py`."""
