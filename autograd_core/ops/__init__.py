"""The operations, one file for each family; one operation is one block: its forward, and one rule
for each input.

    elementwise, comparison, reduction, shape, linalg, indexing, gathering, sorting, inplace, loss,
    convolution,
    normalization      what the lessons need; the rest is in extended/
    definition         the decorator that makes an operation; types, checks: how PyTorch takes
                       arguments
    table              the operations that rules may call by name

PyTorch's users call some of them by one name for several forms (`sum(x)`, `sum(x, dim)`): see
`compat/functions.py`."""
