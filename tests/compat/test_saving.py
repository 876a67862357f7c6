"""save and load: what comes back is what was saved, and a file that is not what it claims is
refused.
"""

import io
import os
import pickle
import subprocess
import sys
import tracemalloc
import zipfile

import numpy as np
import pytest
import torch

import autograd_core as T
from autograd_core import load, nn, save


@pytest.fixture
def path(tmp_path):
    return tmp_path / "file.npz"


OBJECTS = {
    "numbers and texts": [1, -2.5, True, None, "text é \0 \ud800", 2**70, float("inf")],
    "nested": {"a": [{"b": (1, (2,), [])}, {}], 3: {(1, "x"): 0.1}, None: ()},
    "an empty list": [],
    "a number": 0.1 + 0.2,
    "words of the format": {"tensor": [["tuple"], "dict"], "structure": {"list": {"tensor 0": 1}}},
}


@pytest.mark.parametrize("name", OBJECTS)
def test_without_tensors(name, path):
    save(OBJECTS[name], path)
    assert repr(load(path)) == repr(OBJECTS[name])


def some_tensors():
    types = (T.float64, T.uint8, T.int32, T.int64, T.bool)
    return [
        T.zeros(2, 3),
        T.tensor(1.5),
        T.ones(0, 4),
        T.arange(6).view(2, 3).t(),
        T.arange(8)[::2],
        T.eye(2).expand(3, 2, 2),
        T.tensor([float("nan"), -0.0]),
        T.tensor([1.0]).sum(),
        *(T.ones(3, dtype=d) for d in types),
    ]


def test_tensors(path):
    tensors = some_tensors()
    save(tensors, str(path))
    for saved, loaded in zip(tensors, load(str(path)), strict=True):
        assert (loaded.dtype, loaded.shape, loaded.requires_grad) == (
            saved.dtype,
            saved.shape,
            False,
        )
        assert loaded.numpy().tobytes() == saved.numpy().tobytes()
        loaded.zero_()  # its memory is its own, and may be written to


def test_gradients_are_wanted_of_the_same_tensors(path):
    leaf = T.ones(2, requires_grad=True)
    save([leaf, leaf * 2, nn.Parameter(T.ones(1)), leaf.detach()], path)
    loaded = load(path)
    assert [(t.requires_grad, t.is_leaf) for t in loaded] == [(True, True)] * 3 + [(False, True)]


def test_a_model_is_what_was_saved(path):
    """Also the running statistics and the count of a BatchNorm."""
    net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 1))
    net(T.linspace(-1, 1, 24).view(8, 3))
    save({"net": net.state_dict(), "steps": 1}, path)
    loaded, other = load(path), nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 1))
    other.load_state_dict(loaded["net"])
    states = [{k: v.tolist() for k, v in each.state_dict().items()} for each in (net, other)]
    assert states[0] == states[1] and loaded["steps"] == 1


def test_changing_what_was_loaded_changes_no_file(path):
    save([T.zeros(2)], path)
    load(path)[0].fill_(7)
    assert load(path)[0].tolist() == [0.0, 0.0]


# ---- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "thing",
    [nn.Linear(1, 1), np.ones(2), {1, 2}, len, T.float32, 1j, np.int64(1), b"bytes"],
    ids=repr,
)
def test_what_is_not_saved(thing, path):
    path.write_bytes(b"before")
    with pytest.raises(TypeError, match="autograd_core saves tensors"):
        save({"a": [thing]}, path)
    assert path.read_bytes() == b"before"


def archive(structure, *tensors, compression=zipfile.ZIP_STORED):
    """A function that writes a file as `save` does, of this structure, with tensors that are arrays or
    bytes: `archive(…)(path)`.
    """

    def write(path):
        with zipfile.ZipFile(path, "w", compression) as file:
            for i, tensor in enumerate(tensors):
                data = tensor if isinstance(tensor, bytes) else array_bytes(tensor)
                file.writestr(f"tensor {i}.npy", data)
            file.writestr("structure.npy", array_bytes(np.array(structure)))

    return write


def array_bytes(array):
    made = io.BytesIO()
    np.lib.format.write_array(made, array)
    return made.getvalue()


def of_bytes(change):
    def write(path):
        save({"a": T.arange(1000), "b": "text"}, path)
        path.write_bytes(change(bytearray(path.read_bytes())))

    return write


def flipped(content):
    content[len(content) // 2] ^= 1
    return content


ONE_TENSOR = '{"tensor": ["tensor 0", false]}'
STRANGE = {
    "nothing": of_bytes(lambda content: b""),
    "half of it": of_bytes(lambda content: content[: len(content) // 2]),
    "a changed byte": of_bytes(flipped),
    "a text": lambda path: path.write_text("weights"),
    "a pickle": lambda path: path.write_bytes(pickle.dumps({"a": 1})),
    "a torch file": lambda path: torch.save({"a": torch.ones(2)}, path),
    "one whole array": lambda path: np.ones(2).tofile(path),
    "another archive": lambda path: np.savez(path, a=np.ones(2)),
    "a pickled structure": archive(np.array({"a": 1}, dtype=object)),
    "no JSON": archive("{"),
    "an unknown kind": archive('{"set": [1]}'),
    "a list for a key": archive('{"dict": [[[1], 2]]}'),
    "a missing tensor": archive(ONE_TENSOR),
    "a pickled tensor": archive(ONE_TENSOR, np.array([{}], dtype=object)),
    "complex numbers": archive(ONE_TENSOR, np.array([1j])),
    "a gradient of whole numbers": archive('{"tensor": ["tensor 0", true]}', np.arange(2)),
    "a compressed bomb": archive(ONE_TENSOR, np.zeros(10**7), compression=zipfile.ZIP_DEFLATED),
    "one array a thousand times": archive(f"[{', '.join([ONE_TENSOR] * 1000)}]", np.zeros(3)),
    "numbers as objects": archive(ONE_TENSOR, array_bytes(np.zeros(3)).replace(b"<f8", b"|O ")),
}


@pytest.mark.parametrize("kind", STRANGE)
def test_strange_files_are_refused(kind, path):
    """Without taking more memory than they have bytes."""
    STRANGE[kind](path)
    tracemalloc.start()
    with pytest.raises(RuntimeError) as caught:
        load(path)
    assert tracemalloc.get_traced_memory()[1] < 10**7
    tracemalloc.stop()
    assert "was not written by autograd_core.save, or is damaged" in str(caught.value)
    assert "torch.load" in str(caught.value)


def test_the_same_archive_without_a_fault_is_read(path):
    archive(ONE_TENSOR, np.arange(3.0))(path)
    assert load(path).tolist() == [0.0, 1.0, 2.0]


def test_a_pickle_is_never_run(path):
    made = path.with_name("made")

    class Trap:
        def __reduce__(self):
            return os.mkdir, (str(made),)

    archive(ONE_TENSOR, np.array([Trap()], dtype=object))(path)
    with pytest.raises(RuntimeError):
        load(path)
    assert not made.exists()
    with np.load(path, allow_pickle=True) as file:
        assert file["tensor 0"] is not None and made.exists()


def test_the_way_from_pytorchs_file_that_the_message_names(path):
    state = torch.nn.Linear(2, 1).state_dict()
    torch.save(state, path)
    with pytest.raises(RuntimeError) as caught:
        load(path)
    recipe = str(caught.value).partition("state = ")[2]
    exec(f"state = {recipe}", {"torch": torch, "autograd_core": T, "path": path})
    net = nn.Linear(2, 1)
    net.load_state_dict(load(path))
    assert net.weight.tolist() == state["weight"].tolist()


def test_a_missing_file_and_other_devices(path):
    with pytest.raises(FileNotFoundError):
        load(path)
    save([T.ones(1)], path)
    assert load(path, map_location="cpu", weights_only=True)[0].tolist() == [1.0]
    with pytest.raises(RuntimeError, match="cpu"):
        load(path, map_location="cuda")


# ---- whole or not at all -------------------------------------------------------------------------


KILLED = """
import os, signal, sys
import numpy as np
import autograd_core as T
from autograd_core.compat import saving

def half(file, **arrays):
    file.write(b"half of it")
    file.flush()
    {end}

saving.np.savez = half
T.save([T.ones(3)], sys.argv[1])
"""


@pytest.mark.parametrize(
    "end, left",
    [
        ("raise KeyboardInterrupt", 0),
        ("raise OSError(28, 'No space left on device')", 0),
        ("os.kill(os.getpid(), signal.SIGKILL)", 1),
    ],
)
def test_what_was_saved_before_stays_until_all_is_written(end, left, path):
    """An interrupt and a full disk leave nothing behind, a kill a part beside the file; the old
    file is whole.
    """
    save([T.arange(3)], path)
    ended = subprocess.run(
        [sys.executable, "-c", KILLED.format(end=end), str(path)], capture_output=True, text=True
    )
    assert ended.returncode != 0
    assert load(path)[0].tolist() == [0, 1, 2]
    assert len(list(path.parent.iterdir())) == 1 + left


def test_a_link_stays_one(path):
    link = path.with_name("link.npz")
    link.symlink_to(path)
    save([T.ones(1)], link)
    assert link.is_symlink() and load(path)[0].tolist() == [1.0]
