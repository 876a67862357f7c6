"""A loss as lines of code, linked with the gradients of its maps: choose a line, a pixel, or edit."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import torch
import traitlets

import autograd_core

from ...parity.agreement_report import first_line
from ...widgets.kit.agreement import Agreement, array_of, compare
from ...widgets.kit.format import number, shorten
from ...widgets.kit.live import Live
from ...widgets.kit.shade import DEPTHS, LEVELS, OPACITIES, ceiling, opacity, shaded, signed
from ...widgets.kit.sheet import Sheet
from ...widgets.kit.theme import MONO
from ..loss_lines import compiled, path_of, source_of, traced
from .maps import legend, title

ENGINES = {"autograd_core": autograd_core, "PyTorch": torch}
MARGIN, ROW, CODE, PLANE = 16, 18, 616, 160  # pixels of the still
MOST = 200  # letters of a line that is typed


class line_by_line(Live):
    """Draw the lines of `loss(out, *truth)` beside the gradients at the maps in `out`.

    batches  {name: (out, *truth)}, arrays or tensors; out is pixels × maps. The picture is of the
             first batch, and its third target tells which pixels may train.
    maps     {heading: the names of its maps}. The last heading is drawn first, next to the crop.
    joins    for each heading the operation that couples its maps.
    shape    rows and columns of a map.
    offered  {line: statements to choose from}
    key      what the names in the code mean
    crop     the input of the first batch as the address of a picture.

    `loss` is the loss as edited. Raises what the first run raises on both engines.
    """

    view = traitlets.Unicode("lineByLine").tag(sync=True)
    path = traitlets.Dict().tag(sync=True)
    """The pixel that is chosen, and what arrives on its path, by line."""

    def __init__(
        self,
        loss: Callable,
        batches: Mapping[str, Sequence],
        *,
        maps: Mapping[str, Sequence[str]],
        joins: Sequence[str] = (),
        shape: tuple[int, int],
        offered: Mapping[int, Sequence[str]] | None = None,
        key: str = "",
        crop: str = "",
        **options: Any,
    ):
        self.names, self.posted = loss.__globals__, source_of(loss).rstrip().splitlines()
        self.batches = {name: [array_of(a) for a in given] for name, given in batches.items()}
        self.headings, self.joins, self.shape = maps, [*joins], shape
        self.maps = [name for names in maps.values() for name in names]
        self.offered, self.key, self.crop = offered or {}, key, crop
        self.order, self.texts = [*range(len(self.posted))], [*self.posted]
        first = next(iter(self.batches.values()))
        self.learned, self.trains = first[1] & first[3], first[3]
        self.pixel: list[int] | None = None
        self.end, self.old = 0.0, False
        self.sent: dict[int, np.ndarray] = {}
        self.called_by: dict[int, str] = {}
        options.setdefault("title", loss.__name__)
        options.setdefault("note", "click a line to edit or move it · click a pixel")
        super().__init__(self._run_on("autograd_core"), self._run_on("PyTorch"), **options)

    # ---- the code

    @property
    def source(self) -> str:
        """The code as edited."""
        return "\n".join(self.texts[at] for at in self.order)

    @property
    def loss(self) -> Callable:
        """The loss as edited."""
        return compiled(self.source, self.names)

    def edit(self, line: int, code: str) -> None:
        """Put another statement into `line`. Raises SyntaxError if it is none."""
        at = self.order[line - 1]
        old = self.texts[at]
        self._become(self.order, {at: old[: len(old) - len(old.lstrip())] + code[:MOST].strip()})

    def move_up(self, line: int) -> None:
        """Exchange `line` and the line above it."""
        order = [*self.order]
        order[line - 2 : line] = order[line - 1], order[line - 2]
        self._become(order, {})

    def undo(self, line: int) -> None:
        """Give `line` the code that it had at first, at its place."""
        at = self.order[line - 1]
        moved = self.order[at] != at
        self._become(sorted(self.order) if moved else self.order, {at: self.posted[at]})

    def reset(self) -> None:
        """Undo all edits."""
        self._become(sorted(self.order), dict(enumerate(self.posted)))

    def _become(self, order: list[int], texts: Mapping[int, str]) -> None:
        before = self.order, self.texts
        self.order, self.texts = order, [texts.get(i, text) for i, text in enumerate(self.texts)]
        try:
            compiled(self.source, {})
            self.pixel, self.path = None, {}
            self.update()
        except BaseException as error:  # an interrupt too
            self.order, self.texts = before
            if isinstance(error, SyntaxError):
                raise ValueError("This line isn't complete yet. Nothing has changed.") from None
            raise

    def changed(self, content: dict[str, Any]) -> None:
        name, value = content["name"], content["value"]
        if name == "edit":
            self.edit(int(value["line"]), str(value["code"]))
        elif name == "pixel":
            self.choose(value)
        elif name in ("move_up", "undo"):
            getattr(self, name)(int(value))
        elif name == "reset":
            self.reset()

    # ---- the runs

    def arguments(self) -> dict[str, Any]:
        return {"source": self.source}

    def _run_on(self, engine: str) -> Callable:
        T = ENGINES[engine]

        def run(source: str) -> dict[str, dict]:
            loss = compiled(source, {"torch": T, "F": T.nn.functional})
            first, threads = next(iter(self.batches)), torch.get_num_threads()
            torch.set_num_threads(1)  # small tensors: more threads take longer
            try:
                return {
                    name: self._traced(loss, *self._tensors(T, name), total_only=name != first)
                    for name in self.batches
                }
            finally:
                torch.set_num_threads(threads)

        return run

    def _tensors(self, engine: Any, batch: str) -> tuple[Any, list]:
        out, *truth = map(engine.from_numpy, self.batches[batch])
        return out, truth

    def _traced(self, loss: Callable, out: Any, truth: list, total_only: bool) -> dict:
        """The loss of a batch and what each line sends, or an error."""
        heard: list[tuple[int, str]] = []
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # backward warns once more
                found = traced(loss, out, truth, heard, total_only)
        except Exception as error:
            return {"error": first_line(error), "line": getattr(error, "line", 0), "heard": heard}
        sent: dict[int, Any] = {}
        for each, _, gradient in found:
            sent[each.line] = sent[each.line] + gradient if each.line in sent else gradient
        names = {each.line: each.name for each, *_ in found}
        value = found[-1][0].value.detach()
        return {"loss": value, "sent": sent, "names": names, "heard": heard}

    def judge(self, ours: dict, theirs: dict) -> Agreement:
        for name in self.batches:
            raised = [each[name].get("error", "no error") for each in (ours, theirs)]
            if len({each.partition(":")[0] for each in raised}) > 1:
                return Agreement(f"{name}: {raised[0]} here, {raised[1]} in PyTorch", True)
        if all("error" in each for each in ours.values()):
            return Agreement("the same errors")
        names = "loss", "sent"
        ours, theirs = (
            {name: {key: each[key] for key in names if key in each} for name, each in run.items()}
            for run in (ours, theirs)
        )
        return compare(ours, theirs)

    # ---- the picture

    def draw(self, ours: dict, theirs: dict | None) -> dict:
        first, theirs = next(iter(self.batches)), theirs or ours
        found = ours[first] if "loss" in ours[first] else theirs[first]
        self.old = "loss" not in found
        if not self.old:
            self.sent = {line: array_of(each, np.float64) for line, each in found["sent"].items()}
            self.called_by, self.total = found["names"], float(found["loss"])
            self.end = self.end or ceiling(self.sent[max(self.sent)])
        warned = theirs[first]["heard"][:1]
        self.rows = [self._row(name, ours[name]) for name in self.batches]
        passed = all(row["passed"] for row in self.rows)
        wrong = {found["line"]: found["error"]} if self.old else {}
        learned, ignored = (each.reshape(self.shape) for each in (self.learned, ~self.trains))
        return {
            "lines": [self._line(i, wrong, dict(warned)) for i in range(1, len(self.order) + 1)],
            "maps": [[heading, [*names]] for heading, names in self.headings.items()],
            "joins": self.joins,
            "key": self.key,
            "shape": [*self.shape],
            "outlines": [_outline(learned), _outline(ignored), _covered(ignored)],
            "crop": self.crop,
            "end": self.end,
            "old": self.old,
            "rows": self.rows,
            "badge": "every row passes" if passed and not warned else "",
            "warning": "".join(
                f"line {line}: {words.partition(' (Trig')[0]}" for line, words in warned
            ),
        }

    def _line(self, line: int, wrong: dict[int, str], warned: dict[int, str]) -> dict:
        at = self.order[line - 1]
        text, above = self.texts[at], self.texts[self.order[line - 2]] if line > 1 else ""
        alike = all(_may_move(each) for each in (text, above)) and _indent(text) == _indent(above)
        sent = self.sent.get(line)
        plane = np.zeros(0) if sent is None else sent.T.ravel()
        places = np.flatnonzero(plane)  # a nan is not 0
        largest = np.abs(plane[np.isfinite(plane)]).max(initial=0)
        return {
            "text": text,
            "name": self.called_by.get(line, ""),
            "share": None if sent is None else opacity(min(float(signed(largest, self.end)), 1)),
            "wrong": bool(np.isnan(plane).any()),
            "at": places.tolist(),
            "is": [None if np.isnan(x) else float(f"{x:.4g}") for x in plane[places]],
            "told": self._told(line, sent),
            "changed": text != self.posted[at] or at != line - 1,
            "offers": [*self.offered.get(at + 1, ())],
            "moves": alike,
            "error": wrong.get(line, ""),
            "warns": line in warned,
        }

    def _told(self, line: int, sent: np.ndarray | None) -> str:
        if sent is None:
            return f"Line {line} sends no gradient: no result of it requires one and is used."
        hit = ((sent != 0) & np.isfinite(sent)).sum(0)
        parts = [f"{name} ({_counted(n)})" for name, n in zip(self.maps, hit) if n]
        wrong = int(np.isnan(sent).sum())
        to = " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]])) or "no map"
        nan = f"; {wrong} of the numbers are nan" if wrong else ""
        return f"Line {line} sends a gradient to {to}{nan}."

    def _row(self, name: str, found: dict) -> dict:
        """A row of the table: the loss of a batch, its nan, and the ignored pixels that learn."""
        if "error" in found:
            return {"batch": name, "error": shorten(found["error"], 90), "passed": False}
        gradient = array_of(found["sent"][max(found["sent"])], np.float64)
        ignored = gradient[~self.batches[name][3]]
        learn = int(((ignored != 0) & np.isfinite(ignored)).any(1).sum())
        loss, wrong = float(found["loss"]), int(np.isnan(gradient).sum())
        passed = np.isfinite(loss) and not wrong and not learn
        told = f"{loss:.4f}" if np.isfinite(loss) and loss else number(loss)
        return {"batch": name, "loss": told, "nan": wrong, "learn": learn, "passed": bool(passed)}

    # ---- a pixel

    def choose(self, pixel: Sequence[int] | None) -> None:
        """Show the path of a pixel: (row, column, map). None: of no pixel."""
        self.pixel = pixel and [*map(int, pixel)]
        if self.pixel is None:
            self.path = {}
            return
        row, column, channel = self.pixel
        name = next(iter(self.batches))
        for engine in ENGINES.values():
            loss = compiled(self.source, {"torch": engine, "F": engine.nn.functional})
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    at = row * self.shape[1] + column
                    path = path_of(loss, *self._tensors(engine, name), at, channel)
                break
            except Exception as error:
                problem = error
        else:
            raise problem
        lines = sorted(path)
        starts = [b for a, b in pairwise(lines) if _wrong(path[a]) and not _wrong(path[b])]
        parts = [f"{_numbers(path[line])} at line {line}" for line in reversed(lines)]
        where = f"Row {row}, column {column} of {self.maps[channel]}"
        told = f"{where}. Gradients on its path: {', '.join(parts)}."
        if not parts:
            told = f"{where}: no line reads it."
        self.path = {
            "pixel": self.pixel,
            "numbers": {str(line): _numbers(path[line]) for line in lines},
            "starts": starts[0] if starts else 0,
            "told": told,
        }

    # ---- what is left without a kernel

    def still(self) -> str:
        width = 2 * MARGIN + CODE + 2 * PLANE + 2 * MARGIN
        sheet = Sheet(width, MARGIN)
        title(sheet, f"{self.title}, and the gradient of its result at the maps", "text")
        if self.key:
            title(sheet, self.key, "text2", weight=400, size=12)
        start = sheet.height
        head = {"batch": "batch", "loss": "loss", "nan": "nan", "learn": "ignored that learn"}
        for place, row in enumerate([head, *self.rows], 1):
            value = row.get("loss", row.get("error"))
            cells = [row["batch"], value, row.get("nan"), row.get("learn")]
            for x, cell in zip((0, 90, 180, 250), cells):
                if cell is not None:
                    sheet.text(str(cell), MARGIN + x, start + place * ROW, "text2")
        top = start + (len(self.rows) + 2) * ROW
        for line, each in enumerate(self.drawn["lines"], 1):
            y = top + line * ROW
            if each["share"] is not None:
                ink = "error" if each["wrong"] else "text2"
                sheet.rect(
                    MARGIN, y - 13, 8, ROW - 2, fill=ink, fill_opacity=max(each["share"], 0.1)
                )
            sheet.text(str(line), MARGIN + 34, y, "text3", anchor="end", size=11)
            code = each["text"].lstrip()
            x = MARGIN + 42 + 6.7 * _indent(each["text"])
            sheet.text(code, x, y, "text", size=11, font_family=MONO)
        self._maps(sheet, MARGIN * 2 + CODE, start)
        sheet.height = max(sheet.height, top + (len(self.order) + 1) * ROW)
        legend(sheet, self.end)
        return sheet.svg(repr(self))

    def _maps(self, sheet: Sheet, left: float, top: float) -> None:
        total = self.sent[max(self.sent)]
        height = round(PLANE * self.shape[0] / self.shape[1])
        stripes, y = sheet.stripes("error", 0.8), top
        for names in reversed(self.headings.values()):
            for column, name in enumerate(names):
                x = left + column * (PLANE + MARGIN)
                plane = total[:, self.maps.index(name)].reshape(self.shape)
                place = {"x": x, "y": y + 18, "width": PLANE, "height": height}
                sheet.text(name, x, y + 13, "text", weight=700)
                depth = signed(plane, self.end)
                for fill, sign in (("gradient-solid", 1), ("negative-solid", -1)):
                    shade = np.ceil(LEVELS * np.interp(sign * depth, DEPTHS, OPACITIES))
                    sheet.parts.append(shaded(shade, fill, sheet.live, **place))
                if np.isnan(plane).any():
                    sheet.parts.append(shaded(LEVELS * np.isnan(plane), stripes, **place))
                self._outlined(sheet, place)
                sheet.text(_summary(plane), x, y + height + 32, "text2", size=11)
            y += height + 46
        if self.crop:
            place = {**place, "x": left + PLANE + MARGIN, "y": top + 18}
            sheet.text("the input crop", place["x"], place["y"] - 5, "text", weight=700)
            sheet.add("image", href=self.crop, preserveAspectRatio="none", **place)
            self._outlined(sheet, place)
        sheet.height = max(sheet.height, round(y))

    def _outlined(self, sheet: Sheet, place: dict[str, float]) -> None:
        at = f"translate({place['x']} {place['y']}) scale({PLANE / self.shape[1]})"
        looks = {"fill": "none", "stroke": "text3", "stroke_width": 0.4}
        for outline in self.drawn["outlines"][:2]:
            sheet.add("path", d=outline, transform=at, **looks)
        sheet.rect(**place, fill="none", stroke="border")

    def __repr__(self) -> str:
        said = "{batch}: loss {loss}, {nan} nan, {learn} ignored pixels learn"
        rows = [("{batch}: {error}" if "error" in row else said).format(**row) for row in self.rows]
        total = max(self.sent)
        words = self._told(total, self.sent[total])
        return f"{self.title}, line by line. {words} {'; '.join(rows)}"


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip())


def _may_move(text: str) -> bool:
    return bool(text.strip()) and not text.strip().startswith(("def ", "return ", "if ", "else"))


def _wrong(numbers: list[float]) -> bool:
    return bool(np.isnan(numbers).any())


def _numbers(numbers: list[float]) -> str:
    if len(numbers) > 2:
        return f"{len(numbers)} numbers"
    return " and ".join(f"{x:.3g}".replace("-", "−") for x in numbers)


def _counted(n: int) -> str:
    return f"{n} pixel" if n == 1 else f"{n} pixels"


def _summary(plane: np.ndarray) -> str:
    wrong, count = int(np.isnan(plane).sum()), int(((plane != 0) & np.isfinite(plane)).sum())
    return f"{_counted(count)}{f', {wrong} nan' if wrong else ''}"


def _outline(mask: np.ndarray) -> str:
    """The border of a mask as the path of an SVG, a unit for each pixel."""
    edges = np.pad(mask, 1).astype(int)
    down = np.argwhere(np.diff(edges, axis=1)[1:-1])
    across = np.argwhere(np.diff(edges, axis=0)[:, 1:-1])
    return "".join([*(f"M{x} {y}v1" for y, x in down), *(f"M{x} {y}h1" for y, x in across)])


def _covered(mask: np.ndarray) -> str:
    """The pixels of a mask as the path of an SVG, a bar for each run in a row."""
    edges = np.diff(np.pad(mask, ((0, 0), (1, 1))).astype(int), axis=1)
    runs = zip(np.argwhere(edges == 1), np.argwhere(edges == -1))
    return "".join(f"M{left} {y}h{right - left}v1H{left}z" for (y, left), (_, right) in runs)
