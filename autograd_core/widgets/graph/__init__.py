"""The step view: a trace as a picture that is played, scrubbed and looked into.

view        GraphView(trace), the widget: what is sent of a trace, and what the reader's hands
            ask for
watch       watch(loss)
follow      follow(model, optimizer): the history of a training as a heat map, drawn by `heat`
explore     explore("a * b", a=2.0): a view with a typed `expression`, or with `sliders` for a
            function, and the loss along each slider
describe    what the view says of each event; `formulas` are the backward rules as a reader sees
            them
folds       what a large graph folds into; `figure` is what is drawn of it where some folds are
            open
layout      where boxes and lines are
scene       the picture, drawn once, as SVG with named parts; `changes` is what changes in it,
            event by event
drawn       the picture as the browser gets it; `states` is what is known of each node after
            each event
parameters  the list of parameters; `tensors` are numbers and maps as the browser gets them
still       the picture of one event as an SVG file, with its `looks` written into it
save        a view as a page that plays
"""
