"""What moves in the lessons: the view of a trace, predictions, the quiz, and the widgets of single lessons."""

from .clinic import clinic
from .curves import curves
from .explore import explore
from .film import film
from .gradient_table import gradient_table
from .graph_view import GraphView
from .maps import maps
from .mining import mining
from .paint import paint
from .predict import predict, predicted, score
from .quiz import quiz
from .race import race
from .shards import shards
from .switchboard import switchboard
from .watch import watch

__all__ = [
    "clinic",
    "curves",
    "explore",
    "film",
    "gradient_table",
    "GraphView",
    "maps",
    "mining",
    "paint",
    "predict",
    "predicted",
    "quiz",
    "race",
    "score",
    "shards",
    "switchboard",
    "watch",
]
