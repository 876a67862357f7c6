"""Preconditions: one line for what must hold, and the words for when it does not."""


def check(holds, message, *values, error=RuntimeError):
    """Raises `error` unless `holds`; the `{}` of `message` are filled in with `values` only then."""
    if not holds:
        raise error(message.format(*values))
