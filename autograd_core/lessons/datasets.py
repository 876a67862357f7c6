"""Synthetic data for the lessons, drawn with NumPy from a seed. Nothing is downloaded."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

LENGTH = 0.45, 0.65  # the length of a strip, as a fraction of the crop's side
CENTRE_LINE = 1.0  # half its width, in pixels
LETTER = 5.0  # pixels from one letter to the next
NOISE = 0.2  # standard deviation of the brightness
STEP = 0.5  # pixels between two points of a centre line
ONE_IGNORED_OF, ONE_EMPTY_OF = 4, 8  # crops of a batch
SQUARE = 3  # side of a checker's square, in pixels


class Style(NamedTuple):
    """The look of text.

    radius       half the width of a strip in pixels: the smallest and the largest value.
    taper        the largest change of the radius along a strip, as a fraction of this range.
    ink, gap     the brightness of a letter, and of the gap between two letters.
    distractors  the number of discs, strokes and checkers, which are as bright as text on average.
    """

    radius: tuple[float, float] = (2.5, 3.5)
    taper: float = 1.0
    ink: float = 0.9
    gap: float = 0.6
    distractors: int = 0


CLEAN = Style()
STREET = Style(radius=(2.0, 6.0), taper=0.25, ink=1.3, gap=0.1, distractors=2)


class CurvedText(NamedTuple):
    """Images of text along arcs and the targets of a TextSnake head; `…` is the batch size, if any.

    image             (…, 1, H, W) float64: text about 1, background about 0, with noise.
    tr_mask           (…, H, W) bool, text region: the strips, radius 2.5 to 3.5 pixels.
    tcl_mask          (…, H, W) bool, text centre line, two pixels wide.
    train_mask        (…, H, W) bool: False at pixels whose annotation is ignored.
    sin_map, cos_map  (…, H, W) float64: direction of the text, rows downwards; 0 outside of it.
    radii_map         (…, H, W) float64: radius of the strip in pixels; 0 outside of the text.
    """

    image: np.ndarray
    tr_mask: np.ndarray
    tcl_mask: np.ndarray
    train_mask: np.ndarray
    sin_map: np.ndarray
    cos_map: np.ndarray
    radii_map: np.ndarray


def curved_text(
    seed: int, size: int = 64, text: bool = True, ignored: bool = False, style: Style = CLEAN
) -> CurvedText:
    """One crop of `size` × `size` pixels: a strip to be learned (`text`) and a strip to be ignored
    (`ignored`), which lie over the distractors of the `style`.

    A strip is an arc that runs from left to right. Where two meet, a pixel belongs to the one with
    the nearer centre line. The same seed gives the same crop. Raises ValueError for a size below 32.
    """
    if size < 32:
        room = f"a crop of {size} × {size} pixels has no room for every strip"
        raise ValueError(f"{room}: size is at least 32")
    generator = np.random.default_rng(seed)
    learned = [is_learned for is_learned, wanted in ((True, text), (False, ignored)) if wanted]
    strips = [_strip(generator, size, style) for _ in learned]
    noise = generator.normal(0, NOISE, (size, size))
    brightness = _distractors(np.random.default_rng((seed, 1)), size, style)
    if not strips:
        nothing, flat = np.zeros((size, size), bool), np.zeros((size, size))
        return CurvedText((noise + brightness)[None], nothing, nothing, ~nothing, flat, flat, flat)

    row, column, along, direction, half = np.concatenate(strips, axis=1)
    to_learn = np.repeat(learned, [strip.shape[1] for strip in strips])
    pixels = np.arange(size)[:, None]
    # to each point of a centre line
    squares = ((pixels - row) ** 2)[:, None] + (pixels - column) ** 2
    nearest, distance = squares.argmin(2), np.sqrt(squares.min(2))
    tr_mask = distance <= half[nearest]
    ink = np.where(along[nearest] % LETTER < LETTER / 2, style.ink, style.gap)
    return CurvedText(
        image=(noise + np.where(tr_mask, ink, brightness))[None],
        tr_mask=tr_mask,
        tcl_mask=tr_mask & (distance <= CENTRE_LINE),
        train_mask=~tr_mask | to_learn[nearest],
        sin_map=tr_mask * np.sin(direction)[nearest],
        cos_map=tr_mask * np.cos(direction)[nearest],
        radii_map=tr_mask * half[nearest],
    )


def curved_text_batch(seed: int, count: int, size: int = 64, style: Style = CLEAN) -> CurvedText:
    """`count` crops: about one of four has a strip to be ignored besides, one of eight no text.

    Raises ValueError for a count below 1 and for a size below 32."""
    if count < 1:
        raise ValueError(f"a batch of {count} crops: count is at least 1")
    generator = np.random.default_rng(seed)
    crops = [
        curved_text(
            int(generator.integers(2**32)),
            size,
            text=generator.integers(ONE_EMPTY_OF) > 0,
            ignored=generator.integers(ONE_IGNORED_OF) == 0,
            style=style,
        )
        for _ in range(count)
    ]
    return CurvedText(*map(np.stack, zip(*crops)))


def curved_text_pixels(seed: int, every: int = 1) -> tuple[np.ndarray, CurvedText]:
    """Each `every`-th of the pixels of four crops of 32 × 32, for a convolution as a matrix product.

    Each row of the first array, (N, 81), contains the 9 × 9 pixels around one of these N pixels,
    with zeros outside of the crop. The second result has their targets, in arrays of length N."""
    crops = curved_text_batch(seed, 4, 32)
    padded = np.pad(crops.image[:, 0], ((0, 0), (4, 4), (4, 4)))
    around = np.lib.stride_tricks.sliding_window_view(padded, (9, 9), (1, 2)).reshape(-1, 81)
    return around[::every], CurvedText(*(np.ravel(each)[::every] for each in crops))


def _distractors(generator, size, style):
    """The brightness of objects that aren't text (discs, strokes, checkers); 0 elsewhere."""
    plain, contrast = (style.ink + style.gap) / 2, style.ink - style.gap
    brightness, (row, column) = np.zeros((size, size)), np.mgrid[:size, :size]
    for _ in range(style.distractors):
        kind = generator.integers(3)
        y, x = generator.uniform(0, size, 2)
        turn, half = generator.uniform(0, np.pi), generator.uniform(*style.radius)
        reach = generator.uniform(8, 18)
        along = (column - x) * np.cos(turn) + (row - y) * np.sin(turn)
        across = (row - y) * np.cos(turn) - (column - x) * np.sin(turn)
        if kind == 0:
            inside, ink = along**2 + across**2 <= (half + 2) ** 2, plain
        elif kind == 1:
            inside, ink = (abs(along) <= reach) & (abs(across) <= half), plain
        else:
            inside = np.maximum(abs(along), abs(across)) <= half + 3
            is_light = (along // SQUARE + across // SQUARE) % 2 == 0
            ink = np.where(is_light, plain + contrast / 2, plain - contrast / 2)
        brightness = np.where(inside, ink, brightness)
    return brightness


def _strip(generator, size, style):
    """An arc as points: (row, column, length so far, direction in radians, radius), 5 × points."""
    length = size * generator.uniform(*LENGTH)
    along = np.arange(0, length, STEP)
    middle, bend = generator.uniform(-0.8, 0.8), generator.uniform(-1.2, 1.2)
    direction = middle + bend * (along / length - 0.5)
    row, column = np.cumsum(STEP * np.sin(direction)), np.cumsum(STEP * np.cos(direction))
    border = style.radius[1] + 1
    # shift the arc so that it fits inside the border, or exceeds both sides equally
    for places in (row, column):
        least, most = border - places.min(), size - 1 - border - places.max()
        if least > most:
            least = most = (least + most) / 2
        places += generator.uniform(least, most)
    first, last = generator.uniform(*style.radius, 2)
    radius = np.linspace(first, first + style.taper * (last - first), len(along))
    return np.stack([row, column, along, direction, radius])


class Surface(NamedTuple):
    """A landscape for optimizers to race on.

    name, formula  its usual name, and its height as text.
    height    the height at x and y: numbers, arrays or tensors, element by element.
    start     where the race begins, (x, y).
    minima    the lowest places, each (x, y).
    """

    name: str
    formula: str
    height: Callable
    start: tuple[float, float]
    minima: tuple[tuple[float, float], ...]


BOWL = Surface("bowl", "½x² + y²", lambda x, y: x**2 / 2 + y**2, (-1.7, 1.2), ((0.0, 0.0),))
RAVINE = Surface(
    "ravine", "x²/20 + 6y²", lambda x, y: x**2 / 20 + 6 * y**2, (-1.8, 0.6), ((0.0, 0.0),)
)
ROSENBROCK = Surface(
    "Rosenbrock's valley",
    "½(1 − x)² + (y − x²)²",
    lambda x, y: (1 - x) ** 2 / 2 + (y - x**2) ** 2,
    (-1.4, 0.6),
    ((1.0, 1.0),),
)
