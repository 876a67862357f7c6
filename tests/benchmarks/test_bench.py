"""The benchmark times nothing whose answers differ, and measures what it says."""

import re
from functools import partial

import nbformat
import numpy as np
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from . import bench, by_hand, classroom, contest, detector, growth, inputs, lessons, peers
from .works import NUMPY, OURS, TORCH, Work, chain, perceptron, works

TINY = works(links=3, count=10, crops=1, side=32, steps=1)


@pytest.mark.parametrize(
    "name, dtype", [(name, dtype) for name, work in TINY.items() for dtype in work.dtypes]
)
def test_all_contenders_compute_the_same_gradients(name, dtype):
    passes = 1 if name == "lesson" else contest.PASSES
    contest.check_answers(
        {
            contender: contest.solve(make, dtype, passes)
            for contender, make in TINY[name].contenders.items()
            if contender not in contest.absent()
        },
        dtype,
    )


def only(work, *names):
    """`work` with these contenders alone: a new process that imports PyTorch is slow."""
    return Work(work.rows, {name: work.contenders[name] for name in names})


@pytest.mark.prove
def test_a_table_is_written():
    lines = []
    work = only(TINY["chain"], OURS, NUMPY)
    assert contest.table({"chain": work}, "float64", lines.append, rounds=3, seconds=0.001) == []
    assert [line.count("|") for line in lines] == [len(contest.COLUMNS) + 2] * 4
    assert lines[0].startswith("| work, float64 | PyTorch |")
    assert lines[2].startswith("| chain of 12 operations on 32 numbers, forward |" + "  |" * 5)
    median, low, high = map(
        float, re.fullmatch(r".* (\S+) \((\S+) to (\S+)\) \|", lines[2]).groups()
    )
    assert 0 < low <= median <= high


def test_the_middle_half():
    assert contest.middle(range(1, 10), ".2f") == "5.00 (2.50 to 7.50)"


def test_a_work_is_left_out_of_the_table_of_a_dtype_it_has_not_got():
    lines = []
    assert contest.table({"lesson": TINY["lesson"]}, "float32", lines.append) == []
    assert len(lines) == 2


# ---- planted errors ------------------------------------------------------------------------------


def slightly_wrong_chain(dtype):
    """The chain, with one gradient of 32 wrong by a thousandth."""
    stages, answers = chain("autograd_core", dtype, links=3)

    def planted():
        gradient = np.array(answers()[0])
        gradient[-1] *= 1.001
        return [gradient]

    return stages, planted


@pytest.mark.prove
def test_a_row_whose_answers_differ_is_refused():
    lines, work = (
        [],
        Work(
            {"a chain": (0,)}, {OURS: slightly_wrong_chain, NUMPY: partial(by_hand.chain, links=3)}
        ),
    )
    complaints = contest.table({"planted": work}, "float32", lines.append, rounds=2)
    assert complaints == ["planted, float32: gradient 0: autograd_core and NumPy differ"]
    assert not any("a chain" in line for line in lines)


def test_a_step_that_is_not_taken_is_refused():
    step = partial(perceptron, "torch", sizes=(2, 16, 16, 1), batch=100, optimizer="SGD")
    rates = {"it moves": 0.1, "it stands": 0.0}
    answers = {name: contest.solve(partial(step, lr=lr), "float32") for name, lr in rates.items()}
    with pytest.raises(contest.WrongAnswer, match="it moves and it stands differ"):
        contest.check_answers(answers, "float32")


@pytest.mark.parametrize(
    "found, complaint",
    [
        ([], "other answers with 0 arrays, first with 1"),
        ([np.ones(3, np.float32)], "gradient 0: first and other differ"),
        ([np.ones((1, 2), np.float32)], "gradient 0: first and other differ"),
        ([np.array([1, np.nan], np.float32)], "gradient 0: first and other differ"),
        ([np.ones(2)], "other computes in float64"),
    ],
)
def test_other_answers_are_refused(found, complaint):
    with pytest.raises(contest.WrongAnswer, match=complaint):
        contest.check_answers({"first": [np.ones(2, np.float32)], "other": found}, "float32")


def test_float64_is_compared_more_closely():
    answers = {"first": [np.ones(2)], "other": [np.ones(2) + 1e-8]}
    with pytest.raises(contest.WrongAnswer):
        contest.check_answers(answers, "float64")


class Single(np.ndarray):
    """A float32 array that refuses to take part in an operation that yields float64."""

    def __array_ufunc__(self, ufunc, method, *given, out=(), **options):
        plain = [array.view(np.ndarray) if isinstance(array, Single) else array for array in given]
        if out:
            options["out"] = tuple(array.view(np.ndarray) for array in out)
        result = getattr(ufunc, method)(*plain, **options)
        if result.dtype == np.float64:
            raise TypeError(f"{ufunc.__name__} yields float64")
        return result.view(Single) if isinstance(result, np.ndarray) else result


@pytest.fixture
def single(monkeypatch):
    """What `inputs` hands out is made of `Single`."""

    def guarded(value):
        if isinstance(value, np.ndarray):
            return value.view(Single) if value.dtype == np.float32 else value
        return (
            type(value)(*map(guarded, value))
            if hasattr(value, "_fields")
            else type(value)(map(guarded, value))
        )

    for name in ("layers", "near_one", "head", "crops"):
        monkeypatch.setattr(
            inputs, name, lambda *given, of=getattr(inputs, name): guarded(of(*given))
        )


@pytest.mark.parametrize("name", [name for name, work in TINY.items() if NUMPY in work.contenders])
def test_numpy_by_hand_stays_in_float32(single, name):
    contest.solve(TINY[name].contenders[NUMPY], "float32")


def test_a_promotion_to_float64_is_found(single):
    parameters, _, _ = inputs.layers((2, 1), 1, "float32")
    with pytest.raises(TypeError, match="multiply yields float64"):
        by_hand.adam(parameters, lr=np.float64(0.1))(parameters)


# ---- growth, lessons, files ----------------------------------------------------------------------


@pytest.mark.prove
def test_memory_of_a_graph_is_seen_and_comes_back():
    cost = growth.cost_apart("autograd_core", growth.TOGETHER, rounds=1, seconds=0.001)
    assert cost.held > 100 * growth.TOGETHER
    assert cost.held + 40 * growth.TOGETHER < cost.peak, (
        "backward counts who waits for whom, node by node"
    )
    assert cost.left < cost.peak / 5
    assert 0 < cost.seconds < 10


@pytest.mark.prove
def test_what_is_kept_counts_as_left(monkeypatch):
    kept = []
    monkeypatch.setattr(
        growth, "sum_chain", lambda x, count: kept.append(np.ones(1000 * count)) or (x + x)
    )
    cost = growth.cost("autograd_core", 100, rounds=1, seconds=0)
    assert cost.left > 0.9 * 8000 * 100


def test_the_figure_is_the_same_every_time(tmp_path):
    points = {n: growth.Cost(1e-6 * n, 200 * n, 300 * n, 0) for n in growth.NODES}
    for name in ("one.svg", "two.svg"):
        growth.draw({OURS: points, TORCH: points}, tmp_path / name)
    first, second = ((tmp_path / name).read_text() for name in ("one.svg", "two.svg"))
    assert first == second and len(first) < 50_000 and "nodes of the chain" in first

    lines = []
    growth.table({OURS: points, TORCH: points}, lines.append)
    assert lines[3:] == [
        "| bytes a node at the peak, backward included | 300 | 300 |",
        "| of the peak, given back after `del` | 100% | 100% |",
    ]


def notebook(path, *sources):
    nbformat.write(new_notebook(cells=list(map(new_code_cell, sources))), path)
    return path


@pytest.mark.prove
def test_a_lesson_is_measured_and_one_that_fails_is_refused(tmp_path):
    good = notebook(
        tmp_path / "01_good.ipynb",
        "%load_ext autograd_core.parity",
        "%%both\nT.ones(1) + 1",
        "import time\ntime.sleep(1)",
    )
    bad = notebook(tmp_path / "02_bad.ipynb", "1 / 0")
    lines = []
    (complaint,) = lessons.report(lines.append, [good, bad])
    assert "ZeroDivisionError" in complaint and complaint.startswith("02_bad.ipynb")
    *_, line = lines
    lesson, seconds, before, after = map(int, re.findall(r"\d+(?= [|sM])", line))
    assert len(lines) == 4 and lesson == 1 and seconds >= 1 and 20 < before < after - 50


def test_notebooks_that_fail_under_nbval_are_refused(monkeypatch):
    lines = []
    monkeypatch.setattr(lessons, "NBVAL", ["-c", "raise SystemExit('an output differs')"])
    assert lessons.report_nbval(lines.append) == ["nbval: an output differs\n"] and lines == []
    monkeypatch.setattr(lessons, "NBVAL", ["-c", "pass"])
    assert lessons.report_nbval(lines.append) == []
    assert re.fullmatch(r"All notebooks under nbval, two processes: \d+ s, at most 240\.", *lines)


def test_what_is_above_its_limit_says_so():
    assert lessons.cell(9.6, 10, "s") == "10 s"
    assert lessons.cell(351, 350, "MB") == "**351 MB, above 350**"


@pytest.mark.prove
def test_a_class_is_measured(monkeypatch):
    def notebook(source):
        return lambda number: new_notebook(cells=[new_code_cell(source)])

    monkeypatch.setattr(
        classroom, "lesson", notebook("import time; kept = bytearray(50_000_000); time.sleep(2)")
    )
    lines = []
    classroom.table([2], lines.append)
    seconds, most, size, answer, slowest = map(int, re.findall(r"(\d+) (?:s|MB|ms)\b", lines[-1]))
    assert 2 <= seconds <= most and size > 50 and 0 < answer <= slowest
    monkeypatch.setattr(classroom, "lesson", notebook("1 / 0"))
    with pytest.raises(Exception, match="ZeroDivisionError"):
        classroom.measure(1)


@pytest.mark.prove
def test_an_import_is_measured(monkeypatch):
    assert min(lessons.imports(rounds=2)) > 1
    monkeypatch.setattr(lessons, "IMPORT", "import autograd_core_")
    with pytest.raises(Exception, match="non-zero exit status"):
        lessons.imports(rounds=1)


def test_a_detector_is_scored_and_one_that_a_filter_beats_is_told(tmp_path, monkeypatch):
    lesson = (
        "%%both\nseed = 0\nT.manual_seed(seed)\nfound = T.rand(1).item()",
        "1 / 0",
        "%%both\ndef crops(step):\n    curved_text_batch(step, 2)\nrival = dict(text=0.6, line=0.5, degrees=0.5, pixels=2)",
        "%%both\nscore = dict(text=found, line=0.6, degrees=1, pixels=1)",
        "%%both\n1 / 0",
    )
    monkeypatch.setattr(detector, "LESSON", notebook(tmp_path / "10.ipynb", *lesson))
    lines = []
    complaints = detector.report(lines.append)
    found = [float(line.split("|")[2]) for line in lines[2:]]
    assert lines[1] == "| filters | 0.60 | 0.50 | 0.50 | 2.00 |" and len(set(found)) == 5
    assert sorted(found)[2] <= 0.6 < max(found) and complaints == [
        "the middle detector does not beat its rival: text"
    ]
    monkeypatch.setattr(
        detector, "LESSON", notebook(tmp_path / "10.ipynb", "%%both\nfound = 1", *lesson[2:])
    )
    with pytest.raises(LookupError, match="no longer holds T.manual_seed"):
        detector.trained(0)


def tell(line, say):
    say(line)


def test_the_page_and_the_readme_have_a_place_for_everything(tmp_path, monkeypatch, capsys):
    readme = tmp_path / "README.md"
    readme.write_text(bench.README.read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.setattr(bench, "README", readme)
    monkeypatch.setattr(bench, "RESULTS", tmp_path / "RESULTS.md")
    rows = [f"| {work}, and more | 1.5 (1 to 2) | 4 |" for work in bench.IN_FIGURES]
    rows = ["| --- | --- | --- |", "| left out | 7 | 8 |", *rows]
    monkeypatch.setattr(
        contest,
        "table",
        lambda works, dtype, say: tell(
            "\n".join([f"| table of {dtype} | PyTorch | x |", *rows]), say
        ),
    )
    monkeypatch.setattr(
        bench, "PARTS", {part: partial(tell, f"what {part} tells") for part in bench.PARTS}
    )
    assert bench.main([]) == 0
    before = readme.read_text(encoding="utf-8")
    assert bench.main([]) == 0
    assert readme.read_text(encoding="utf-8") == before
    assert (
        f"| table of float32 | PyTorch |\n| --- | --- |\n| {bench.IN_FIGURES[0]}, and more | 1.5 (1 to 2) |\n"
        in before
    )
    assert "left out" not in before
    page = (tmp_path / "RESULTS.md").read_text(encoding="utf-8")
    for told in (
        "table of float32",
        "table of float64",
        *(f"what {part} tells" for part in bench.PARTS),
    ):
        assert told in page


def test_a_readme_without_a_place_is_refused():
    with pytest.raises(ValueError, match="no place for it"):
        bench.shown("# autograd_core\n", bench.BEGIN, "| a table |\n")


def test_nothing_is_written_after_a_complaint(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(bench, "RESULTS", tmp_path / "RESULTS.md")
    monkeypatch.setattr(contest, "table", lambda works, dtype, say: ["small: gradient 0"])
    monkeypatch.setattr(bench, "PARTS", {})
    assert bench.main([]) == 1
    assert not bench.RESULTS.exists()
    assert "small: gradient 0" in capsys.readouterr().err


def test_an_unknown_work_is_refused(capsys):
    assert bench.main(["smal"]) == 2
    assert "there are expression, arithmetic, small" in capsys.readouterr().err


@pytest.mark.prove
def test_an_answer_on_a_nan_is_read_for_operation_line_and_module(monkeypatch):
    def said(answer):
        monkeypatch.setitem(peers.TOOLS, "tool", lambda *given: answer)
        return [word.strip() for word in peers.row("tool", 32, 2).split("|")[3:6]]

    assert [word.strip() for word in peers.row("autograd_core", 32, 2).split("|")[3:6]] == [
        "yes"
    ] * 3
    assert said("") == said("nan at conv1, elsewhere.py:3") == ["no"] * 3
    assert said(f"FindNanResult(label='log1p_1_4', source_line='peers.py:{peers.PLANTED_AT}')") == [
        "yes",
        "yes",
        "no",
    ]
    assert said(f"Log1PBackward0 in net, peers.py:{peers.PLANTED_AT + 1}") == ["yes", "no", "yes"]
