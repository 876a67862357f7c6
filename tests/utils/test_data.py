"""Datasets and loaders against PyTorch: the same batches, the same shuffles, the same draws from
the generator.
"""

import importlib

import pytest

import autograd_core
from tests.engines import ENGINES, assert_same, on_both


def data_of(T):
    return importlib.import_module(f"{T.__name__}.utils.data")


def tensors(T, n):
    return T.arange(2 * n).view(n, 2).float(), T.arange(n)


LOADERS = [
    {},
    {"batch_size": 3},
    {"batch_size": 3, "drop_last": True},
    {"batch_size": 5, "shuffle": True},
    {"batch_size": 3, "shuffle": True, "drop_last": True},
    {"batch_size": 20, "shuffle": True},
]


@pytest.mark.parametrize("own", [False, True], ids=["default generator", "own generator"])
@pytest.mark.parametrize("options", LOADERS, ids=str)
def test_batches_of_three_passes(options, own):
    """The second pass ends early; what is drawn beside the loader shows that as many numbers were
    used.
    """
    runs = []
    for T in ENGINES:
        T.manual_seed(3)
        generator = T.Generator().manual_seed(5) if own else None
        loader = data_of(T).DataLoader(
            data_of(T).TensorDataset(*tensors(T, 10)), generator=generator, **options
        )
        seen = [list(loader)]
        second = iter(loader)
        seen += [
            T.rand(2),
            next(second),
            list(loader),
            T.rand(3),
            T.rand(3, generator=generator),
            len(loader),
        ]
        runs.append(seen)
    assert_same(*runs)


def test_shuffles_differ_from_pass_to_pass():
    loader = data_of(autograd_core).DataLoader(range(50), batch_size=50, shuffle=True)
    first, second = (next(iter(loader)).tolist() for _ in range(2))
    assert sorted(first) == sorted(second) == list(range(50)) and first != second


@on_both
def test_items_become_batches(T):
    class Mine(data_of(T).Dataset):
        def __len__(self):
            return 3

        def __getitem__(self, i):
            return T.ones(2) * i, i, i / 2, i > 0, [i, (T.tensor(i), 1.0)]

    return list(data_of(T).DataLoader(Mine(), 2))


@on_both
def test_a_dataset_may_be_a_list_or_a_tensor(T):
    return [list(data_of(T).DataLoader(d, batch_size=2)) for d in ([1, 2, 3], T.eye(3), range(3))]


def test_what_is_not_supported_is_refused():
    data, pairs = data_of(autograd_core), [1, 2]
    for option in ("sampler", "num_workers", "collate_fn"):
        with pytest.raises(TypeError, match=option):
            data.DataLoader(pairs, **{option: 2})
    with pytest.raises(TypeError, match="can't batch set: return tensors"):
        list(data.DataLoader([{1}, {2}]))
    with pytest.raises(AttributeError, match="no utils.data.random_split"):
        data.random_split


@pytest.mark.parametrize("planted", [{"batch_size": 4}, {"drop_last": True}, {"shuffle": False}])
def test_a_planted_difference_is_found(planted):
    runs = []
    for T, more in zip(ENGINES, (planted, {})):
        T.manual_seed(0)
        runs.append(
            list(data_of(T).DataLoader(T.arange(10), **{"batch_size": 3, "shuffle": True, **more}))
        )
    with pytest.raises(AssertionError):
        assert_same(*runs)
