"""The result of every prediction, written down by hand. After the run of a notebook, its kernel
compares them with what the widgets found (tests/notebooks/again.py).
"""

from collections.abc import Mapping

from autograd_core.lessons.questions.predict import Prediction

VERDICTS = {
    "00.1": "the same step",
    "01.1": "`loss = (net(x) ** 2).mean()`",
    "01.2": "the old layer",
    "01.3": "its value, the parameters and the image",
    "02.1": "Mul, Tanh, Exp, Neg, Sin",
    "02.2": "1,099,511,627,776, in 40 runs",
    "02.3": "`(p - one_hot) / 4`",
    "03.1": "it swings from about 0 to about 6",
    "03.2": "they are the same",
    "03.3": "the sum of three",
    "04.1": "2 | part",
    "04.2": "at 18",
    "04.3": "6 | each step",
    "04.4": "the nodes only",
    "05.1": "`sigmoid` and `sqrt`",
    "05.2": "it raises",
    "05.3": "`h = torch.sigmoid(layer(x))`",
    "05.4": "after `detach()` and `no_grad()`",
    "06.1": "0",
    "06.2": "three times as much",
    "06.3": "1, 1, 1, 1",
    "07.1": "1/3, 1/3 and −2/3",
    "07.2": "moved by opposite amounts",
    "07.3": "all 18",
    "07.4": "the pixel with the smallest loss",
    "08.1": "the same as from `total`",
    "08.2": "7",
    "08.3": "a gradient from `cos` only",
    "09.1": "unmasked and selected",
    "09.2": "only the gradient is nan",
    "09.3": "the gradients of `not text` and `text`",
    "10.1": "still 1.27",
    "10.2": "a map of one sign",
    "11.1": "exactly what `loss2.backward()` would put there",
    "11.2": "far lower than 83%",
    "11.3": "trained with `net2` in evaluation mode",
    "12.1": "momentum, weight decay and Adam",
    "12.2": "about 0.02",
    "12.3": "only Adam",
    "13.1": "3",
    "13.2": "8",
    "13.3": "much higher",
    "14.1": "only one of them",
    "14.2": "`b*(b + 1)`",
    "14.3": "below the right engine's",
    "15.1": "(1, 9)",
    "15.2": "(0, 0)",
    "15.3": "only the gradient of `w`",
    "16.1": "half of it",
    "16.2": "1.0",
    "16.3": "each process its own",
}


def faults_of(predictions: Mapping[str, Prediction], lesson: str) -> list[str]:
    """What is wrong with the verdicts of a lesson ("08") whose notebook has run."""
    expected = {name for name in VERDICTS if name.startswith(f"{lesson}.")}
    faults = [f"{name} is asked in one place only" for name in predictions.keys() ^ expected]
    for name in predictions.keys() & expected:
        prediction = predictions[name]
        if prediction.result is None:
            faults.append(f"{name} has no result: {prediction.message or 'no cell settles it'}")
        else:
            happened = prediction.question.choices[prediction.result].replace("`", "")
            if not happened.startswith(VERDICTS[name].replace("`", "")):
                faults.append(f"{name}: {happened!r} happened")
    return faults
