"""What a large graph folds into, and what is drawn of it."""

from dataclasses import replace

import pytest

from autograd_core.widgets import GraphView
from autograd_core.widgets.graph.drawn import drawn_of, keys_of
from autograd_core.widgets.graph.figure import figure
from autograd_core.widgets.graph.folds import Fold, folds_of
from tests.widgets.large_traces import frozen_teacher, residual, transformer
from tests.widgets.sample_traces import chain

TRACES = {
    "transformer": transformer(),
    "layers": transformer(3, "model."),
    "residual": residual(15),
    "teacher": frozen_teacher(),
    "chain": chain(120),
}


def outline(parts) -> list:
    """The names of the folds, with those in each of them."""
    return [(part.name, outline(part.parts)) for part in parts if isinstance(part, Fold)]


def in_a_model(*layers) -> list:
    """The outline of a model with these layers."""
    return [("tok", []), ("pos", []), *layers, ("head", []), ("cross_entropy", [])]


def test_modules_fold_and_the_loss_by_its_source_line():
    names = ["tok", "pos", "norm1", "attn", "norm2", "ff", "head", "cross_entropy"]
    kinds = ["Embedding"] * 2 + ["LayerNorm", "Attention", "LayerNorm", "Sequential", "Linear", ""]
    folds = folds_of(TRACES["transformer"])
    assert outline(folds) == [(name, []) for name in names]
    found = [(fold.kind, fold.own) for fold in folds if isinstance(fold, Fold)]
    assert found == list(zip(kinds, [2, 2, 3, 23, 3, 13, 4, 3]))


def test_the_model_itself_is_no_fold_and_small_modules_are_none_in_others():
    layers = [(f"layers.{i}", [("attn", []), ("ff", [])]) for i in range(3)]
    assert outline(folds_of(TRACES["layers"])) == in_a_model(*layers)


def test_without_modules_source_lines_fold():
    trace = TRACES["transformer"]
    nodes = (replace(n, module="", line=1 if n.line is None else n.line) for n in trace.nodes)
    bare = replace(trace, modules=(), nodes=tuple(nodes))
    names = [name for name, _ in outline(folds_of(bare))]
    assert names == ["h = tok(ids) + pos(rang…", "block", "cross_entropy"]


def test_without_lines_runs_of_nodes_fold():
    folds = folds_of(TRACES["chain"])
    assert len(folds) == 10 and all(isinstance(fold, Fold) and fold.own <= 14 for fold in folds)
    long = folds_of(chain(5_000))
    assert len(long) <= 31 and all(len(fold.parts) <= 31 for fold in long)


def test_a_module_called_twice_is_two_folds():
    trace = TRACES["transformer"]
    nodes = (replace(n, module="norm1") if n.module == "norm2" else n for n in trace.nodes)
    keys = keys_of(folds_of(replace(trace, nodes=tuple(nodes))))
    assert [key for key in keys if key.startswith("norm1")] == ["norm1", "norm1 #2"]


def test_calls_that_follow_each_other_are_folds_of_their_own():
    """The three layers as three calls of the first: they stand side by side, and are not one fold."""
    trace = TRACES["layers"]

    def called(node):
        model, layers, number, *inner = (*node.module.split("."), "", "")
        if layers != "layers":
            return node
        path = [model, layers, "0", *filter(None, inner)]
        around = ((".".join(path[:i]), int(number) + 1) for i in range(3, len(path) + 1))
        return replace(node, module=".".join(path), calls=(("model", 1), *around))

    again = replace(trace, nodes=tuple(map(called, trace.nodes)))
    calls = "", " (call 2)", " (call 3)"
    layers = [(f"layers.0{call}", [(f"attn{call}", []), (f"ff{call}", [])]) for call in calls]
    assert outline(folds_of(again)) == in_a_model(*layers)
    merged = replace(again, nodes=tuple(replace(node, calls=()) for node in again.nodes))
    assert [name for name, _ in outline(folds_of(merged))].count("layers.0") == 1, (
        "what nobody recorded is one run"
    )


@pytest.mark.parametrize("name", TRACES)
@pytest.mark.parametrize("opened", [False, True], ids=["folded", "open"])
def test_every_node_is_drawn_once_and_every_edge_between_boxes(name, opened):
    trace = TRACES[name]
    keys = keys_of(folds_of(trace)) if opened else []
    drawing = figure(trace, keys)
    on_the_way = [dot for line in drawing.lines for dot in line.dots]
    drawn = [node for item in drawing.items for node in item.nodes]
    assert sorted([*drawn, *on_the_way]) == [
        i for i, node in enumerate(trace.nodes) if node.kind != "constant"
    ]
    assert [frame.fold.key for frame in drawing.frames] == keys
    for index, edge in enumerate(trace.edges):
        ends = drawing.place[edge.producer], drawing.place[edge.consumer]
        lines = [line for line in drawing.lines if index in line.edges]
        assert len(lines) == (
            ends[0] != ends[1] and edge.producer not in on_the_way or edge.consumer in on_the_way
        )
    order = {node: place for place, item in enumerate(drawing.items) for node in item.nodes}
    assert all(
        order[edge.producer] <= order[edge.consumer]
        for edge in trace.edges
        if edge.producer in order and edge.consumer in order
    ), "folds wait for each other in no circle"


def test_the_items_of_an_open_module():
    trace = TRACES["transformer"]
    drawing = figure(trace, ["ff"])
    inside = [
        (item.kind, trace.nodes[item.nodes[0]].name.removesuffix("Backward0"))
        for item in drawing.items
        if item.frame == 0
    ]
    layer = ["View", "leaf", "leaf", "Addmm", "View"]
    names = [kind if kind == "leaf" else name for kind, name in inside]
    assert names == [*layer, "Gelu", *layer]
    assert [kind for kind, name in inside if name == "View"] == ["dot"] * 4
    assert [item.kind for item in drawing.items].count("plus") == 3
    dots = [[trace.nodes[dot].name for dot in line.dots] for line in drawing.lines if line.dots]
    assert dots == [["TBackward0"], ["TBackward0"]]


def test_a_cut_is_on_its_line_and_severed_items_are_marked():
    drawing = figure(TRACES["transformer"])
    cut = [line for line in drawing.lines if line.cut]
    assert [line.cut for line in cut] == ["detach()"]
    assert [item.fold.name for item in drawing.items if item.severed] == ["pos"]
    assert drawing.items[cut[0].producer].severed and not drawing.items[cut[0].consumer].severed


def test_a_fold_toggle_sends_what_is_drawn_and_nothing_else():
    view, sent = GraphView(TRACES["transformer"]), []
    view.send_state = lambda key=None: sent.append({*key})
    view._received(view, {"kind": "fold", "open": ["ff", "of another graph"]}, [])
    assert sent == [{"drawn", "changes"}] and view.drawn["open"] == ["ff"]
    view.unfold([])
    assert view.drawn == drawn_of(TRACES["transformer"])
    with pytest.raises(ValueError, match="there is no fold 'ffn'; the folds are tok, pos"):
        view.unfold(["ffn"])
    assert GraphView(TRACES["transformer"], opened=["attn"]).drawn["open"] == ["attn"]
