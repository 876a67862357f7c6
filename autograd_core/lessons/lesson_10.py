"""Lesson 10: a text detector on both engines, its recorded trainings, and the scores of its heads."""

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

import autograd_core

from .datasets import STREET, CurvedText, curved_text, curved_text_batch
from .lesson_08 import HEADS, KERNELS
from .lesson_09 import detector
from .widgets.dots import UNITS
from .widgets.dots import dots as Dots
from .widgets.snake import MEASURES, SCORED, snake
from .widgets.snake import photos as Photos
from .widgets.table import table as Table

STEPS, RATE = 160, 0.02  # of a training, and its first learning rate
SEEDS = 1, 2  # of two more networks, whose scores are recorded
MEASURED = [0, 5, *range(10, STEPS + 1, 10)]
"""The steps at which a recording keeps the MEASURES."""
FRAMES = [0, 10, 20, 40, 60, 80, 120, STEPS]
"""The steps of the film. A recording keeps the network at each of them but the first."""
RECORDED = Path(__file__).with_name("lesson_10.npz")
SHOWN = curved_text(seed=1_000_812, ignored=True, style=STREET)
"""The held-out crop of the film: its text climbs, and the text to be ignored descends."""


@functools.lru_cache(maxsize=200)
def photos(seed: int, count: int) -> CurvedText:
    """Photos with text, discs, strokes and checkers, and what is true of them. They are kept: each
    training uses the same ones."""
    return curved_text_batch(seed, count, style=STREET)


class Lab:
    """The training and the measures of the lesson, on the engine `T`."""

    def __init__(self, T: Any):
        self.T = T

    def tensors(self, crops: Sequence[np.ndarray]) -> CurvedText:
        return CurvedText(*map(self.T.from_numpy, crops))

    def crops(self, seed: int, count: int) -> CurvedText:
        """`photos` as tensors of this engine."""
        return self.tensors(photos(seed, count))

    def photo(self) -> CurvedText:
        """The photo of the film."""
        return self.tensors([each[None] for each in SHOWN])

    def network(self, seed: int) -> Any:
        """An untrained detector: the network of lesson 09 with PyTorch's initial values."""
        return detector(self.T, seed)

    def recorded_network(self, off: str, step: int = STEPS) -> Any:
        """The network at one of FRAMES of the recorded training without the loss `off`."""
        net = self.network(0)
        if step:
            with np.load(RECORDED) as rows:
                row = rows[f"{off} network"][FRAMES.index(step) - 1].astype(np.float64)
            for each in net.parameters():
                part, row = row[: each.numel()], row[each.numel() :]
                each.data.copy_(self.T.from_numpy(part).reshape(each.shape))
        return net

    def kernel_change(self, off: str) -> float:
        """The largest change of the last kernels of a loss's maps, in the recording without it."""
        kernels = [KERNELS.index(name) for name in HEADS[off]]
        before, after = self.network(0), self.recorded_network(off)
        return (after[7].weight - before[7].weight)[kernels].abs().max().item()

    def losses(self, maps: Any, crops: CurvedText) -> dict[str, Any]:
        """The five losses of lesson 09, fixed."""
        T, F = self.T, self.T.nn.functional
        pixels = maps.permute(0, 2, 3, 1).contiguous().view(-1, 7)
        is_text, on_line, train, sin, cos, radius = (each.reshape(-1) for each in crops[1:])
        inside, line = is_text & train, on_line & train
        pairs = pixels[line, 4:6]
        direction = pairs / pairs.norm(dim=1, keepdim=True).clamp(min=0.1)
        scaled = pixels[line, 6] / radius[line]

        def mean(loss: Callable, predicted: Any, target: Any, mask: Any) -> Any:
            return loss(predicted, target, reduction="sum") / max(int(mask.sum()), 1)

        return {
            "text": self._mined(pixels[:, :2], is_text, train),
            "line": mean(F.cross_entropy, pixels[inside, 2:4], on_line[inside].long(), inside),
            "sin": mean(F.smooth_l1_loss, direction[:, 0], sin[line], line),
            "cos": mean(F.smooth_l1_loss, direction[:, 1], cos[line], line),
            "radius": mean(F.smooth_l1_loss, scaled, T.ones_like(scaled), line),
        }

    def _mined(self, logits: Any, is_text: Any, train: Any, ratio: int = 3) -> Any:
        """Cross-entropy over the pixels of text and the hardest of the others."""
        positive, negative = is_text & train, ~is_text & train
        n_pos = int(positive.sum())
        n_neg = min(ratio * n_pos if n_pos else 100, int(negative.sum()))
        each = self.T.nn.functional.cross_entropy(logits, is_text.long(), reduction="none")
        hardest = each[negative].topk(n_neg).values
        return (each[positive].sum() + hardest.sum()) / max(n_pos + n_neg, 1)

    def flat(self, maps: Any, crops: CurvedText) -> Any:
        """Each map replaced by one number: its mean over the pixels that its loss reads."""
        train, flat = crops.train_mask, maps.clone()
        read = [train] * 2 + [crops.tr_mask & train] * 2 + [crops.tcl_mask & train] * 3
        for k, pixels in enumerate(read):
            flat[:, k] = maps[:, k][pixels].mean().item()
        return flat

    def scores(self, maps: Any, crops: CurvedText) -> dict[str, float]:
        """Text and line: the IoU. Direction: the median error in degrees on the true line. Radius:
        the mean error in pixels there."""
        text = maps[:, 1] > maps[:, 0]
        line = text & (maps[:, 3] > maps[:, 2])
        on = crops.tcl_mask & crops.train_mask
        found, true = _angle(maps[:, 4][on], maps[:, 5][on]), _angle(*_line_of(crops)[:2])
        turn = np.arctan2(np.sin(found - true), np.cos(found - true))
        return {
            "text": _iou(text, crops.tr_mask, crops.train_mask),
            "line": _iou(line, crops.tcl_mask, crops.train_mask),
            "direction": float(np.degrees(np.median(abs(turn)))),
            "radius": (maps[:, 6] - crops.radii_map)[on].abs().mean().item(),
        }

    def constant_scores(self, tuning: CurvedText, new: CurvedText) -> dict[str, float]:
        """The scores on `new` of the best constant maps, fitted on `tuning`."""
        sin, cos, radius = _line_of(tuning)
        true, degrees = _angle(sin, cos), np.radians(np.arange(-90, 90))
        angle = min(degrees, key=lambda each: np.median(abs(true - each)))
        maps = self._maps(new)
        maps[:, 1], maps[:, 3] = 1.0, 1.0
        maps[:, 4], maps[:, 5] = float(np.sin(angle)), float(np.cos(angle))
        maps[:, 6] = float(np.median(radius.numpy()))
        return self.scores(maps, new)

    def filter_maps(self, tuning: CurvedText, new: CurvedText) -> Any:
        """The seven maps that a filter for each head makes of the images of `new`. Two thresholds, for
        text and line, and a straight line from `_thickness` to the radius are fitted on `tuning`."""
        there = tuning.tcl_mask & tuning.train_mask
        thickness, radius = self._thickness(tuning.image)[there], tuning.radii_map[there]
        slope, level = np.polyfit(thickness.numpy(), radius.numpy(), 1)
        maps, angle = self._maps(new), self._structure(new.image)
        maps[:, 4], maps[:, 5] = map(self.T.from_numpy, (np.sin(angle), np.cos(angle)))
        maps[:, 6] = float(slope) * self._thickness(new.image) + float(level)
        fitted, image = self._brightness(tuning.image), self._brightness(new.image)
        for place, mask in ((1, "tr_mask"), (3, "tcl_mask")):
            wanted, best = (getattr(tuning, mask), tuning.train_mask), (0.0, 0.0)
            for threshold in np.arange(1, 3.5, 0.1).tolist():
                best = max(best, (_iou(fitted > threshold, *wanted), -threshold))
            maps[:, place] = image + best[1]
        return maps

    def _blur(self, image: Any, size: int) -> Any:
        """The mean of size × size pixels."""
        pool = self.T.nn.functional.avg_pool2d
        return pool(image, size, stride=1, padding=size // 2, count_include_pad=False)

    def _slopes(self, image: Any) -> tuple[Any, Any]:
        """Sobel filters."""
        kernel = self.T.tensor([[[[-1.0, 0, 1], [-2, 0, 2], [-1, 0, 1]]]], dtype=self.T.float64)
        conv = self.T.nn.functional.conv2d
        return conv(image, kernel, padding=1), conv(image, kernel.transpose(2, 3), padding=1)

    def _brightness(self, image: Any) -> Any:
        """High in text, and higher on its line: high values with gaps closed, plus the contrast."""
        (x, y), pool = self._slopes(image), self.T.nn.functional.max_pool2d
        wide = pool(self._blur(image, 3), 5, stride=1, padding=2)
        closed = -pool(-wide, 5, stride=1, padding=2)
        return (closed + 0.4 * self._blur(x * x + y * y, 7).sqrt())[:, 0]

    def _structure(self, image: Any) -> np.ndarray:
        """The angle in which the image changes most, from the structure tensor."""
        x, y = self._slopes(image)
        xx, xy, yy = (self._blur(each, 7)[:, 0].numpy() for each in (x * x, x * y, y * y))
        return np.arctan2(2 * xy, xx - yy) / 2

    def _thickness(self, image: Any) -> Any:
        """Thick text has a high mean."""
        return self._blur(image, 13)[:, 0]

    def _maps(self, crops: CurvedText) -> Any:
        count, _, height, width = crops.image.shape
        return self.T.zeros(count, 7, height, width, dtype=self.T.float64)

    def training(self, off: str | None = None, stop: int = STEPS, seed: int = 0) -> Iterator[Any]:
        """The network before each step and after the last, trained without the loss `off`."""
        net = self.network(seed)
        optimizer = self.T.optim.Adam(net.parameters())
        for step in range(stop):
            yield net
            optimizer.param_groups[0]["lr"] = RATE * (1 - step / STEPS)
            crops = self.crops(seed=step, count=2)
            losses = self.losses(net(crops.image), crops)
            optimizer.zero_grad()
            sum(loss for name, loss in losses.items() if name != off).backward()
            optimizer.step()
        yield net


def _iou(found: Any, true: Any, counted: Any) -> float:
    return ((found & true & counted).sum() / ((found | true) & counted).sum()).item()


def _angle(sin: Any, cos: Any) -> np.ndarray:
    return np.arctan2(sin.numpy(), cos.numpy())


def _line_of(crops: CurvedText) -> list[Any]:
    """Sine, cosine and radius on the true center line."""
    on = crops.tcl_mask & crops.train_mask
    return [each[on] for each in crops[4:]]


# ---- recorded trainings


def record(
    off: str | None, stop: int = STEPS, count: int = SCORED
) -> tuple[np.ndarray, np.ndarray]:
    """Train on PyTorch for `stop` steps. Returns the parameters at FRAMES but the first, float16, and
    the MEASURES at MEASURED on `count` held-out crops."""
    lab = Lab(torch)
    held_out, parameters, measured = lab.crops(seed=2_000_000, count=count), [], []
    for step, net in enumerate(lab.training(off, stop)):
        if step in FRAMES[1:]:
            parameters.append(torch.cat([each.detach().flatten() for each in net.parameters()]))
        if step in MEASURED:
            with torch.no_grad():
                maps = net(held_out.image)
                total = sum(lab.losses(maps, held_out).values()).item()
            measured.append([total, *lab.scores(maps, held_out).values()])
    return torch.stack(parameters).numpy().astype(np.float16), np.array(measured, np.float32)


def scores_of_seed(seed: int, stop: int = STEPS, count: int = SCORED) -> list[float]:
    """Train on PyTorch with all losses. Returns the scores on `count` held-out crops."""
    lab = Lab(torch)
    held_out = lab.crops(seed=2_000_000, count=count)
    *_, net = lab.training(stop=stop, seed=seed)
    with torch.no_grad():
        return [*lab.scores(net(held_out.image), held_out).values()]


def recorded_seeds() -> list[dict[str, float]]:
    """The scores of the networks of SEEDS, trained with all losses."""
    with np.load(RECORDED) as rows:
        return [dict(zip(UNITS, row.tolist())) for row in rows["seeds"]]


def recorded(off: str) -> dict[str, float]:
    """The MEASURES at the end of the recorded training without a loss, or with all: "none"."""
    with np.load(RECORDED) as rows:
        return dict(zip(MEASURES, rows[f"{off} measured"][-1].tolist()))


def film(**options: Any) -> snake:
    """Six recorded trainings: with all losses, and without each of them."""
    lab, rows = Lab(autograd_core), dict(np.load(RECORDED))
    crop = lab.photo()

    def run(off: str) -> dict[str, Any]:
        frames = [_maps_and_gradients(lab, crop, off, step) for step in FRAMES]
        measured = zip(MEASURES, rows[f"{off} measured"].T.tolist())
        outputs, gradients = zip(*frames)
        return {
            "at": FRAMES,
            "output": outputs,
            "gradient": gradients,
            "curves": {name: dict(zip(MEASURED, row)) for name, row in measured},
        }

    return snake(
        run,
        crop=SHOWN,
        channels=KERNELS,
        heads=HEADS,
        constant=dict(zip(MEASURES[1:], rows["constant"].tolist())),
        off=["none", *HEADS],
        **options,
    )


def _maps_and_gradients(
    lab: Lab, crop: CurvedText, off: str, step: int
) -> tuple[np.ndarray, np.ndarray]:
    """The seven maps of a recorded network, and their gradients of the losses that are on."""
    net, T = lab.recorded_network(off, step), lab.T
    maps = net(crop.image)
    loss = sum(each for name, each in lab.losses(maps, crop).items() if name != off)
    (gradient,) = T.autograd.grad(loss, maps)
    return maps[0].detach().numpy(), gradient[0].numpy()


# ---- tables and pictures of scores


def side_by_side(outputs: Mapping[str, Any]) -> Photos:
    """The photo of the film, with the text that the output of each network for it contains."""
    return Photos(SHOWN, {name: maps[0].detach().numpy() for name, maps in outputs.items()})


def table(methods: Mapping[str, Mapping[str, float]]) -> Table:
    """The scores of several methods, a row for each head."""
    scores = {head: [f"{each[head]:.2f}" for each in methods.values()] for head in UNITS}
    return Table({head: [*scores[head], UNITS[head]] for head in UNITS}, ["head", *methods, "unit"])


def one_loss_off(all_losses: Mapping[str, float], constant: Mapping[str, float]) -> Table:
    """For each loss, the recorded training without it: how far the last kernels of its maps moved, and
    the score of its head next to `all_losses` and to the best constant."""
    lab, rows = Lab(autograd_core), {}
    for off in HEADS:
        head = "direction" if off in ("sin", "cos") else off
        scores = (each[head] for each in (recorded(off), all_losses, constant))
        cells = [f"{score:.2f}" for score in scores]
        rows[f"`{off}`"] = [f"{lab.kernel_change(off):.2f}", head, *cells, UNITS[head]]
    head = "loss off", "its last kernels moved by", "head", "score without it", "with all losses"
    return Table(rows, [*head, "constant", "unit"])


def dots(baseline: Mapping, constant: Mapping, networks: Sequence[Mapping]) -> Dots:
    """Each head's scores of several networks next to its baseline and the best constant."""
    return Dots(networks, baseline=baseline, constant=constant)


def record_all() -> None:
    """Write RECORDED: `python -m autograd_core.lessons.lesson_10`."""
    lab = Lab(torch)
    tuning, held_out = (lab.crops(seed=seed, count=64) for seed in (3_000_000, 2_000_000))
    kept = {"constant": np.array([*lab.constant_scores(tuning, held_out).values()])}
    for each in ("none", *HEADS):
        kept[f"{each} network"], kept[f"{each} measured"] = record(each)
    kept["seeds"] = np.array([scores_of_seed(seed) for seed in SEEDS])
    np.savez_compressed(RECORDED, **kept)


if __name__ == "__main__":
    record_all()
