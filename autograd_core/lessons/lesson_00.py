"""Lesson 00: the game against SGD, and the map of the series."""

from dataclasses import dataclass

from .widgets.by_hand import optimizer_by_hand

__all__ = ["optimizer_by_hand", "series_map"]

CODE = {
    "loss = loss_fn(model(x), y)": {
        "01_recording_the_graph": "How does a loss find its network?",
        "06_masked_losses": "How does a mask decide what is trained?",
        "07_hard_negative_mining": "One cross-entropy: why opposite jobs for its two outputs?",
        "08_many_heads_one_loss": "One loss, seven heads: which loss trains which head?",
        "09_traps_in_one_loss": "Can I see all this in a real detector's loss?",
        "11_two_networks": "How does a frozen network pass a gradient on?",
    },
    "loss.backward()": {
        "02_backward_step_by_step": "What does it do, and in what order?",
        "04_freed_and_retained": "May I call it twice? What uses up memory?",
        "05_stale_and_in_place": "“modified by an inplace operation”: what does it mean?",
        "15_gradients_of_gradients": "What are gradients of gradients good for?",
    },
    "optimizer.step()": {"12_optimizer_steps": "What does each optimizer do with .grad?"},
    "optimizer.zero_grad()": {"03_accumulate_and_step": "Why is it needed?"},
}
"""For each line of a training loop the notebooks about it, with their questions."""

WHOLE = {
    "the whole loop": {
        "13_debug_the_loop": "Why doesn't my loss go down?",
        "10_train_a_detector": "Does a detector train?",
        "14_build_your_own": "Could I write this engine?",
        "16_many_processes": "How do many processes train one network?",
    },
    "my own model": {"the_day_after": "What is wrong with my model?"},
}

STYLE = (
    "<style>.ac-series>li{display:grid;grid-template-columns:minmax(0,19em) minmax(0,1fr);"
    "align-items:start;gap:2px 20px;padding:5px 0;font:14px/22px system-ui,sans-serif}"
    ".ac-series b{margin-left:8px}"
    "@media (max-width:600px){.ac-series>li{display:block}}</style>"
)
# stronger than JupyterLab's own styles
PLAIN = 'style="list-style:none;margin:0;padding:0"'
LINE = 'style="font-size:14px;background:none;padding:0"'
LINK = 'style="text-decoration:underline"'


@dataclass(frozen=True)
class SeriesMap:
    """Links to the notebooks, next to the line of code that each is about."""

    def __repr__(self) -> str:
        return "\n".join(
            f"{line}\n"
            + "\n".join(f"    {_number(name)}  {words}" for name, words in about.items())
            for line, about in {**CODE, **WHOLE}.items()
        )

    def _repr_html_(self) -> str:
        items = ""
        for line, about in {**CODE, **WHOLE}.items():
            head = f"<code {LINE}>{line}</code>" if line in CODE else f"<i>{line}</i>"
            links = "".join(map(_link, about, about.values()))
            items += f"<li>{head}<ul {PLAIN}>{links}</ul></li>"
        return f'{STYLE}<ul class="ac-series" {PLAIN}>{items}</ul>'


def _link(name: str, question: str) -> str:
    following = ", next" if name.startswith("01") else ""
    return (
        f'<li><a href="{name}.ipynb" {LINK}>{question}</a> <b>{_number(name)}</b>{following}</li>'
    )


def _number(name: str) -> str:
    return name[:2] if name[:2].isdigit() else ""


def series_map() -> SeriesMap:
    """Show which lesson is about which line of a training loop."""
    return SeriesMap()
