"""What all widgets share: theme, SVG, numbers as text, settings, the frame of a lesson's widget,
the bundle of scripts.

    theme      one palette for every widget and figure
    svg        parts of an SVG file; `sheet` collects them into a picture
    chart      lines over steps, in panels above each other
    format     numbers, shapes and tensors as short text
    text       how wide text is, and text cut to its room
    settings   what a reader may set
    agreement  what two engines' runs have in common
    bundle     what runs in the page, sent once for each kernel
    shown      what is left of a widget where no kernel runs
    page       a widget as one HTML file that needs no kernel
    files      write a file completely or not at all
    live       a widget that runs a function on both engines at every change
"""
