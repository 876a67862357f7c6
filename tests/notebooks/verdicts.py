"""The result of every prediction, written down by hand. After the run of a notebook, its kernel
compares them with what the widgets found (tests/notebooks/again.py).
"""

from collections.abc import Mapping

from autograd_core.lessons.questions.predict import Prediction

VERDICTS = {
    "00.1": "the other way",
    "00.2": "as far as foretold, within a tenth",
    "01.1": "`loss = (net(x) ** 2).mean()`",
    "01.2": "the old layer",
    "01.3": "its value, the parameters and the image",
    "02.1": "the sum of both",
    "02.2": "Mul, Exp, Add, Sin",
    "02.3": "None",
    "02.4": "two numbers",
    "03.1": "w.grad",
    "03.2": "it moves w as usual",
    "03.3": "three times the gradient",
    "03.4": "they never part, to the last bit",
    "03.5": "once, in the first pass",
    "04.1": "at 18",
    "04.2": "one",
    "04.3": "walks more",
    "04.4": "during backward",
    "04.5": "when no name holds a tensor of it",
    "05.1": "for exp alone",
    "05.2": "h = T.sigmoid(layer(x))",
    "05.3": "it raises after detach() alone",
    "05.4": "it is another one",
    "06.1": "exactly 0",
    "06.2": "nan",
    "06.3": "no, the lonely word counts more",
    "06.4": "None",
    "07.1": "equal size, opposite sign",
    "07.2": "moved by opposite amounts",
    "07.3": "24",
    "07.4": "exactly 0 in all 48 pixels",
    "07.5": "the three hardest",
    "08.1": "its own gradient, to the last bit",
    "08.2": "9",
    "08.3": "all different",
    "08.4": "the trunk's last digits, and the work",
    "08.5": "hardly at all",
    "08.6": "yes",
    "09.1": "no",
    "09.2": "the loss is fine, gradients are nan",
    "09.3": "no step makes it shorter",
    "10.2": "direction",
    "10.1": "less than 25 % larger",
    "10.3": "well above 1",
    "11.1": "exactly the same as without it",
    "11.2": "net1 is trained by loss1 alone",
    "11.3": "they have not changed, and hold the sum of ten gradients",
    "11.4": "twice as large",
    "11.5": "at the same place",
    "12.1": "0.1 and 0.1",
    "12.2": "momentum, decay and Adam, but not RMSprop",
    "12.3": "zero once, and divide each loss by 3",
    "12.4": "no, the single element of the other row counts too much",
    "12.5": "neither",
    "13.1": "in more than half, not in all",
    "13.2": "more",
    "14.1": "fewer than 150",
    "14.2": "it falls to nearly where PyTorch's does",
    "15.1": "a node of a new graph",
    "15.2": "it grows more than a hundredfold, and comes back",
    "15.3": "more than loss held before",
    "15.4": "whatever h was made of, through h",
    "15.5": "that at the tested point no difference was seen",
    "16.1": "no, the 4 rows count too much",
    "16.2": "no",
}


def faults_of(predictions: Mapping[str, Prediction], lesson: str) -> list[str]:
    """What is wrong with the verdicts of a lesson ("08") whose notebook has run."""
    expected = {name for name in VERDICTS if name.startswith(f"{lesson}.")}
    faults = [f"{name} is asked in one place only" for name in predictions.keys() ^ expected]
    for name in predictions.keys() & expected:
        prediction = predictions[name]
        if prediction.result is None:
            faults.append(f"{name} has no result: {prediction.message or 'no cell settles it'}")
        elif not prediction.question.choices[prediction.result].startswith(VERDICTS[name]):
            faults.append(f"{name}: {prediction.question.choices[prediction.result]!r} happened")
    return faults
