"""The browser's part in the tests of lesson widgets."""


def change(widget, name, value) -> str:
    """Send a change as the browser does, and return the error that is sent back, or ""."""
    sent = []
    widget.send = sent.append
    widget._received(widget, {"kind": "change", "name": name, "value": value}, [])
    (answer,) = sent
    assert answer["kind"] == "answer"
    return answer["error"]
