"""The picture of the step view, which Python alone draws; what changes in it; a still as the
picture after an event.
"""

import copy
import math
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from autograd_core.trace import Trace
from autograd_core.widgets.graph import looks
from autograd_core.widgets.graph.changes import Changes, forms, is_negative, shown, weight
from autograd_core.widgets.graph.drawn import drawn_of, keys_of, plan_of
from autograd_core.widgets.graph.figure import figure
from autograd_core.widgets.graph.folds import folds_of
from autograd_core.widgets.graph.layout.placement import layout_of
from autograd_core.widgets.graph.layout.sizes import Sizes
from autograd_core.widgets.graph.looks import painted
from autograd_core.widgets.graph.scene import Scene
from autograd_core.widgets.graph.states import states
from autograd_core.widgets.graph.still import still
from autograd_core.widgets.kit.format import number, tensor_text
from autograd_core.widgets.kit.theme import LIGHT
from tests.widgets.large_traces import frozen_teacher, residual, transformer
from tests.widgets.sample_traces import chain, encoder, expression, logistic, product
from tests.widgets.test_layout import tree

SCRIPTS = Path(looks.STYLE).parent
TRACES = {
    "logistic": logistic(),
    "product": product(),
    "encoder": encoder(),
    "transformer": transformer(),
    "frozen": frozen_teacher(),
    "residual": residual(10),
}


def scene(trace: Trace, k: int) -> str:
    """The picture of a trace after event k."""
    drawing = figure(trace)
    drawn = plan_of(trace, drawing)
    tracks = Changes(trace).of(drawn)
    return Scene(trace, drawn, layout_of(Sizes(trace, drawing, tracks)), tracks, k).svg()


def test_a_statement_says_where_it_stands_to_whoever_points_at_it():
    places, called = ("net.py:7", "train.py:3"), ("train.py:3", "")
    trace = replace(logistic(), source=("p = f(x)", "loss = g(p)"), places=places, called=called)
    trace = replace(trace, nodes=tuple(replace(n, line=n.line and 1) for n in trace.nodes))
    titles = "<title>net.py:7, called in train.py:3</title>", "<title>train.py:3</title>"
    assert all(scene(trace, 1).count(title) == 1 for title in titles)
    assert "<title>net" not in scene(logistic(), 1)


# ---- drawn once ----------------------------------------------------------------------------------


def drawn_twice(script: str) -> set[str]:
    """The parts of the picture that a script makes itself: SVG elements of a class that the scene
    has.
    """
    scenes = "".join(scene(trace, 5) for trace in TRACES.values())
    known = {name for names in re.findall(r'class="([^"]*)"', scenes) for name in names.split()}
    made = re.findall(r'svg\(\s*"\w+",\s*\{[^}]*?class: *["`]([^"`]*)', script)
    return {name for names in made for name in names.split()} & known


@pytest.mark.parametrize("name", ["boxes", "lines", "picture", "canvas", "motion", "view"])
def test_the_scripts_of_the_picture_draw_nothing_that_python_draws(name):
    script = (SCRIPTS / f"{name}.js").read_text(encoding="utf-8")
    assert drawn_twice(script) == set()
    if name != "motion":
        assert not re.search(r'\bsvg\("|createElementNS', script), (
            "what moves is the only thing that a script draws"
        )


def test_a_planted_drawing_in_a_script_is_found():
    assert drawn_twice('svg("path", { class: "ac-box", d: shape.left })') == {"ac-box"}
    assert drawn_twice('svg("g", { class: `ac-pill ${style}`, transform })') == {"ac-pill"}


@pytest.mark.parametrize("trace", TRACES.values(), ids=TRACES)
def test_a_still_has_the_picture_of_the_page(trace):
    """With its changes, a scene has the boxes and lines of the page, in their places."""
    kinds = "ac-node", "ac-line", "ac-part", "ac-box", "ac-glyph", "ac-legend"

    def places(svg: str) -> list[tuple]:
        return [
            (each.get("class").split()[0], each.get("transform"), each.get("d"))
            for each in ElementTree.fromstring(svg).iter()
            if each.get("class", "").startswith(kinds)
        ]

    at = scene(trace, len(trace.events))
    assert places(at) == places(drawn_of(trace, (), Changes(trace))["layouts"][0]["svg"]) != []


# ---- what changes --------------------------------------------------------------------------------


def wrong(trace: Trace, changes: dict) -> list[str]:
    """Where the tracks of a small graph say something else than the states do."""
    found = []
    for k in range(len(trace.events) + 1):
        for i, (node, state) in enumerate(zip(trace.nodes, states(trace, k))):
            if node.kind == "constant":
                continue
            tracks = changes["boxes"][i]
            words = shown(tracks.get("class", []), k).split()
            first = {
                name: np.atleast_1d(np.array(shown(tracks[name], k), object))[0]
                for name in ("value", "gradient")
            }
            gradient = tensor_text(state.gradient, gradient=True)
            if state.gradient is None and node.kind != "leaf":
                gradient = "not yet"
            right = first == {"value": tensor_text(state.value), "gradient": gradient}
            right &= ("ac-has" in words) == (state.gradient is not None)
            right &= ("ac-ghost" in words) != state.recorded
            if not right:
                found.append(f"{node.name} {node.label} after event {k}")
    return found


def test_a_sum_that_is_not_whole_yet_is_said_as_it_is():
    """It lives for an event: where it stood in memory the next such sum may stand."""
    for seed in range(14):
        trace = tree(seed, 5 + seed)
        drawn = plan_of(trace, figure(trace))
        if not drawn["large"]:
            assert wrong(trace, Changes(trace).of(drawn)) == []


def test_what_two_edges_of_one_line_sent_is_said_as_it_is():
    """With its sign; and where it stood in memory the next such sum may stand."""
    steps = [("%0", "Mul", "a", "b")]
    for i in range(0, 36, 3):
        steps += [(f"%{i + 1 + j}", "Mul", f"%{i}", f"%{i}") for j in range(2)]
        steps.append((f"%{i + 3}", "Add", f"%{i + 1}", f"%{i + 2}"))
    trace = expression({"a": 0.5, "b": 1.01}, [*steps, ("loss", "Sub", "a", "%36")])
    drawn = plan_of(trace, figure(trace, keys_of(folds_of(trace))))
    sent = {edge: gradient for event in trace.events for edge, gradient in event.sent}
    sums = [[number(sum(sent[edge] for edge in line["edges"]))] for line in drawn["lines"]]
    assert [track["pill"][-1][1] for track in Changes(trace).of(drawn)["lines"]] == sums


@pytest.mark.parametrize(
    "trace", [logistic(), product(), chain(5)], ids=["logistic", "product", "chain"]
)
def test_the_tracks_say_what_is_known_after_every_event(trace):
    assert wrong(trace, Changes(trace).of(drawn_of(trace))) == []


def test_a_planted_difference_in_a_track_is_found():
    changes = copy.deepcopy(Changes(logistic()).of(drawn_of(logistic())))
    changes["boxes"][5]["gradient"][-1][0] += 1
    assert wrong(logistic(), changes) == ["SigmoidBackward0 p after event 14"]


def test_up_to_eight_numbers_are_said_where_there_is_room_so_that_zeros_and_pairs_are_seen():
    pair, nine = np.array([0.5, 0, 0, -0.5]), np.ones(9)
    assert forms(pair, True) == ["[0.5, 0, 0, −0.5]", "norm 0.707", "0.707"]
    assert forms(np.array([[0, 1], [2, 3]]), False) == ["[[0, 1], [2, 3]]", "2×2"]
    assert forms(nine, True) == ["norm 3", "3"] and forms(np.float64(2), True) == ["2"]
    assert forms(np.array([0.5, 0.25]), True) == ["[0.5, 0.25]", "norm 0.559", "0.559"]
    assert forms(np.zeros((2, 1, 3, 3)), False) == ["2×1×3×3", "4-D"]
    assert forms(np.zeros((20,)), False) == ["20 numbers", "(20,)"]
    assert "4-D" not in forms(np.zeros((2, 1, 3, 3)), True)


def test_a_number_waits_on_its_line_until_its_leaf_takes_it_in():
    trace = product()
    lines = Changes(trace).of(drawn_of(trace))["lines"]
    taken = {e.node: k for k, e in enumerate(trace.events, 1) if e.kind == "accumulate"}
    for edge, line in zip(trace.edges, lines):
        said = [[k, words.replace(" ac-negative", "")] for k, words in line["class"]]
        waits = [(k, words) for k, words in said if "ac-waits" in words]
        assert bool(waits) == (edge.producer in taken)
        if waits:
            assert said[-1] == [taken[edge.producer], "ac-ran ac-shown"]


def test_a_box_is_not_striped_before_its_number_is_computed():
    first = logistic()
    bad = replace(first.nodes[5], value=np.array([np.nan, 1.0]))
    trace = replace(first, nodes=(*first.nodes[:5], bad, *first.nodes[6:]))
    said = Changes(trace).of(drawn_of(trace))["boxes"][5]["class"]
    made = next(k for k, e in enumerate(trace.events, 1) if (e.kind, e.node) == ("forward", 5))
    assert "ac-bad-value" not in shown(said, made - 1) and "ac-bad-value" in shown(said, made)


def test_a_box_tells_how_much_has_arrived():
    captions = dict(Changes(logistic()).of(drawn_of(logistic()))["boxes"][5]["caption"])
    assert captions.keys() == {0, 13, 14, 16} and captions[0] == captions[16] == ["∂ loss"]
    assert captions[13] + captions[14] == ["1 of 2 arrived", "Σ 2 of 2 arrived"]


def test_a_line_of_several_edges_counts_what_has_come_then_shows_the_sum():
    """product(): u is used twice, so both its edges in one line bring the sum that it received."""
    trace = product()
    changes = Changes(trace)
    (k, gradient), *_ = (
        (k, dict(event.sent)[0]) for k, event in enumerate(trace.events, 1) if 0 in dict(event.sent)
    )
    pill = changes.line([0], trace.edges[0].producer)["pill"]
    assert pill == [[k, [tensor_text(gradient, gradient=True)]]]
    both = [i for i, edge in enumerate(trace.edges) if trace.nodes[edge.producer].label == "u"]
    texts = [text for _, (text,) in changes.line(both, trace.edges[both[0]].producer)["pill"]]
    assert len(both) == 2 and texts == ["1 of 2", "−1.239"]
    assert changes.line([0, 1], 0)["pill"][-1][1] == ["2 tensors"], (
        "of two producers there is no sum"
    )


def test_a_line_is_as_thick_as_its_gradient_is_large_on_a_log_scale_within_limits():
    assert [weight(size, 3, 2) for size in (3, 0.3, 0.03)] == [10, 6, 2]
    assert [weight(size, 1, 8) for size in (0, math.nan, math.inf, 1e-12)] == [1, 1, 1, 2]
    assert weight(1e-310, 1e20, 8) == 2, "their quotient is 0 in float64"
    assert weight(30, 3, 1) == weight(3, 3, 1), (
        "several gradients may have a larger sum than each of them"
    )


def test_the_scale_of_the_widths_reaches_from_the_smallest_to_the_largest_gradient():
    trace = logistic()
    changes, sent = Changes(trace), [g for e in trace.events for _, g in e.sent]
    sizes = [float(np.linalg.norm(each)) for each in sent]
    assert changes.largest == max(sizes)
    assert changes.decades == max(1, math.log10(max(sizes) / min(sizes)))
    ((k, texts),) = changes.legend()
    assert trace.events[k - 1].sent and texts[-1] == number(max(sizes))
    lines = changes.of(drawn_of(trace))["lines"]
    widths = [line["weight"][0][1] for line in lines if "weight" in line]
    assert max(widths) == 10 and min(widths) >= 2


def test_a_line_is_violet_exactly_if_all_that_it_shows_is_negative():
    negative = -1.0, [-1.0, 0.0], [-1.0, -2.0, -3.0]
    others = 1.0, 0.0, [-1.0, 1.0], [-1.0, -1.0, -1.0, -1.0], math.nan
    assert all(is_negative(np.array(each)) for each in negative)
    assert not any(is_negative(np.array(each)) for each in others)
    trace = logistic()
    drawn = drawn_of(trace)
    sent = {edge: gradient for event in trace.events for edge, gradient in event.sent}
    for line, tracks in zip(drawn["lines"], Changes(trace).of(drawn)["lines"]):
        words = [words for _, words in tracks.get("class", []) if "ac-ran" in words]
        if words:
            assert ("ac-negative" in words[-1]) == is_negative(np.asarray(sent[line["edges"][0]]))


# ---- looks ---------------------------------------------------------------------------------------


def test_a_still_has_looks_in_place_of_classes():
    picture = still(logistic(), 15)
    assert "class=" not in picture and "data-" not in picture and "var(" not in picture
    # a sanitiser drops it, and the ground hides its letters
    assert "paint-order" not in still(encoder(), 5) + picture
    named = [
        x for x in ElementTree.fromstring(picture).iter() if (x.text or "").startswith("p = [")
    ]
    assert {each.get("fill") for each in named} == {LIGHT["value"]}


@pytest.mark.parametrize("trace", TRACES.values(), ids=TRACES)
def test_every_colour_of_a_still_turns_dark_and_no_other_is_named(trace):
    _, style, picture = re.split("</?style>", still(trace, len(trace.events) // 2))
    named = re.findall(r'[ {]\[(fill|stroke)="(#\w+)"\]', style)
    assert {*named} == {*re.findall(r'(fill|stroke)="(#\w+)"', picture)}


def test_the_later_style_holds():
    def box(words: str) -> list[ElementTree.Element]:
        parts = '<path class="ac-part" d="M0 0"/><path class="ac-ring" d="M0 0"/>'
        picture = f'<svg class="ac-picture"><defs/><g class="ac-node {words}">{parts}</g></svg>'
        return list(ElementTree.fromstring(f"<svg>{painted(picture)}</svg>")[-1])

    for words, fill, opacity in (
        ("ac-has", LIGHT["gradient-tint"], "0.6"),
        ("ac-has ac-bad-gradient", "url(#ac-stripes)", None),
        ("ac-ghost", "none", None),
    ):
        (part,) = box(words)
        assert (part.get("fill"), part.get("stroke-opacity")) == (fill, opacity)
    assert len(box("ac-has ac-current")) == 2, "a ring that is seen is drawn"


# of what moves, and of what the reader's hands do; and a ground of letters
NOT_IN_A_STILL = (
    *("ac-flyer", "ac-holds", "ac-sends", "ac-trail", "ac-says", "ac-node", "ac-grip", "ac-ground"),
    *("ac-shape-name", ":is(.ac-bad"),
)


def uneven(style: str) -> list[str]:
    """The selectors of rules that a still does not have, or that do not weigh what the others do."""
    inside, outside = style.split(".ac-view svg.ac-picture {")[1].split("\n}\n", 1)

    def selectors(rules: str) -> list[str]:
        return [each.strip() for each in re.findall(r"(?:^|[}/])([^{}/*]+)\{", rules)]

    wrong = [each for each in selectors(inside) if not re.fullmatch(r":where\([^:()]*\)", each)]
    return [
        each
        for each in wrong + selectors(outside)
        if not any(word in each for word in NOT_IN_A_STILL)
    ]


def test_the_page_too_has_no_style_that_outweighs_a_later_one():
    style = looks.STYLE.read_text(encoding="utf-8")
    assert uneven(style) == []
    assert uneven(style + "\n.ac-view svg .ac-part { fill: red; }") == [".ac-view svg .ac-part"]
    assert uneven(style + "\n:where(.ac-part) { fill: red; }") == [":where(.ac-part)"]
    planted = style.replace("\n}\n", "\n  .ac-part { fill: red; }\n}\n", 1)
    assert uneven(planted) == [".ac-part"]
    assert len(looks._rules()) > 100
    for *_, attributes in looks._rules():
        assert not any("var(" in value or "mix(" in value for value in attributes.values())


def test_a_gradient_has_the_color_of_its_sign_and_zero_has_none():
    read = Changes(logistic()).reading
    gradients = np.zeros(2), np.array([-1.0, 0.0]), np.array([-1.0, 2.0])
    assert [read(each).sign for each in gradients] == [["ac-zero"], ["ac-negative"], []]
    words = frozenset({".ac-part"}), frozenset({".ac-has", ".ac-zero"})
    assert looks._looks(*words)["fill"] == LIGHT["card"]
