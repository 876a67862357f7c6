"""The step view: a trace as a picture that you can play, scrub and inspect.

view        GraphView(trace), the widget: it sends a trace, and answers the reader's clicks
watch       watch(loss)
follow      follow(model, optimizer): the history of a training as a heat map, drawn by `heat`
explore     explore("a * b", a=2.0): a view with a typed `expression`, or with `sliders` for a
            function, and the loss along each slider
describe    the texts of each event; `formulas` are the backward rules in words
folds       the folds of a large graph; `figure` has the items to draw for the open folds
layout      the places of boxes and lines
scene       the picture, drawn once, as SVG with named parts; `changes` are its changes, event by
            event
drawn       the picture for the browser; `states` are the states of each node after each event
parameters  the list of parameters; `tensors` are numbers and maps for the browser
still       the picture of one event as an SVG file, styled by `looks`
save        a view as a page that plays
"""
