"""The parts that all widgets share: theme, SVG, numbers as text, settings, the frame of a lesson's
widget, and the bundle of scripts.

    theme      one palette for every widget and figure
    svg        parts of an SVG file; `sheet` collects them into a picture
    chart      lines over steps, in panels above each other
    format     numbers, shapes and tensors as short text
    text       the width of text, and text cut to fit
    settings   the switches, choices and sliders of a widget
    agreement  the comparison of two engines' results
    bundle     scripts and styles, sent to the page once for each kernel
    shown      the picture and the words of a widget without a kernel
    page       a widget as one HTML file that needs no kernel
    files      write a file completely or not at all
    live       a widget that runs a function on both engines at every change
"""
