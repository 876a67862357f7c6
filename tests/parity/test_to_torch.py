"""What ordinary cells made runs on PyTorch on PyTorch's side, however it is wrapped; or it is refused by name."""

import pytest
import torch

import autograd_core
from autograd_core.parity.both import Session
from autograd_core.parity.compare import ParityError
from autograd_core.parity.guard import WrongEngine

# An ordinary cell, and an expression that says on PyTorch's side "torch" and on ours "autograd_core". `which()` does.
WHICH = """
import collections, contextlib, dataclasses, functools, types
def which():
    return type(T.exp(T.ones(1))).__module__.partition('.')[0]
def deco(f):
    def inner(*args, **kwargs):
        return f(*args, **kwargs)
    return inner
def wrapping(f):
    @functools.wraps(f)
    def inner(*args, **kwargs):
        return f(*args, **kwargs)
    return inner
"""

WRAPPED = {
    "a function": ("", "which()"),
    "a function by another name": ("f = which", "f()"),
    "no_grad": ("@T.no_grad()\ndef f():\n    return which()", "f()"),
    "no_grad without brackets": ("@T.no_grad\ndef f():\n    return which()", "f()"),
    "enable_grad": ("@T.enable_grad()\ndef f():\n    return which(), (T.ones(1, requires_grad=True) * 2).requires_grad", "f()[0]"),
    "inference_mode": ("@T.inference_mode()\ndef f():\n    return which()", "f()"),
    "set_grad_enabled": ("@T.set_grad_enabled(False)\ndef f():\n    return which()", "f()"),
    "no_grad of a generator": ("@T.no_grad()\ndef f():\n    yield which()", "list(f())[0]"),
    "a decorator without wraps": ("f = deco(which)", "f()"),
    "a decorator with wraps": ("f = wrapping(which)", "f()"),
    "lru_cache": ("@functools.lru_cache(None)\ndef f():\n    return which()", "f()"),
    "cache, already called": ("@functools.cache\ndef f():\n    return which()\nf()", "f()"),
    "partial": ("f = functools.partial(lambda a, b: which(), 1)", "f(2)"),
    "partial of a decorated function": ("f = functools.partial(deco(which))", "f()"),
    "singledispatch": ("@functools.singledispatch\ndef f(x):\n    return which()\n@f.register\ndef _(x: int):\n    return which()",
                       "f(1)"),
    "a method": ("class C:\n    def m(self):\n        return which()", "C().m()"),
    "an instance": ("class C:\n    def m(self):\n        return which()\nc = C()", "c.m()"),
    "a bound method": ("class C:\n    def m(self):\n        return which()\nf = C().m", "f()"),
    "a static method": ("class C:\n    @staticmethod\n    def m():\n        return which()", "C.m()"),
    "a class method": ("class C:\n    @classmethod\n    def m(cls):\n        return which()", "C.m()"),
    "a property": ("class C:\n    @property\n    def m(self):\n        return which()\nc = C()", "c.m"),
    "a cached property": ("class C:\n    @functools.cached_property\n    def m(self):\n        return which()\nc = C()", "c.m"),
    "a callable": ("class C:\n    def __call__(self):\n        return which()\nf = C()", "f()"),
    "super": ("class B:\n    def m(self):\n        return which()\nclass C(B):\n    def m(self):\n        return super().m()\nc = C()",
              "c.m()"),
    "slots": ("class C:\n    __slots__ = ['f']\nc = C()\nc.f = which", "c.f()"),
    "a dataclass": ("@dataclasses.dataclass\nclass C:\n    f: object = which\n    k: list = dataclasses.field(default_factory=list)\nc = C()",
                    "c.f()"),
    "a closure": ("def make():\n    helper = which\n    def f():\n        return helper()\n    return f\nf = make()", "f()"),
    "a default argument": ("def f(g=which):\n    return g()", "f()"),
    "a keyword default": ("def f(*, g=which):\n    return g()", "f()"),
    "a function's attribute": ("def f():\n    pass\nf.g = which", "f.g()"),
    "a context manager": ("@contextlib.contextmanager\ndef f():\n    yield which()\ndef g():\n    with f() as w:\n        return w", "g()"),
    "a class as context manager": (
        "class C:\n    def __enter__(self):\n        return which()\n    def __exit__(self, *e):\n        pass\nc = C()\n"
        "def g():\n    with c as w:\n        return w", "g()"),
    "a generator function": ("def f():\n    yield which()", "next(f())"),
    "a list of functions": ("fs = [which, deco(which)]", "fs[1]()"),
    "a dict of functions": ("fs = {'a': (which,)}", "fs['a'][0]()"),
    "a namespace of functions": ("ns = types.SimpleNamespace(f=which)", "ns.f()"),
    "a deque of functions": ("q = collections.deque([which])", "q[0]()"),
    "an engine's function": ("f = T.exp", "type(f(T.ones(1))).__module__.partition('.')[0]"),
    "an engine's class": ("k = nn.ReLU", "k.__module__.partition('.')[0]"),
    "an engine's functions in a dict": ("fs = {'relu': F.relu}", "type(fs['relu'](T.ones(1))).__module__.partition('.')[0]"),
    "a module of the engine": ("import autograd_core as ac", "type(ac.ones(1)).__module__.partition('.')[0]"),
    "a layer of one's own": (
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.l = nn.Linear(2, 1)\n"
        "    def forward(self, x):\n        return self.l(x)", "type(Net()(T.ones(1, 2))).__module__.partition('.')[0]"),
    "a Function of one's own": (
        "class Twice(T.autograd.Function):\n    @staticmethod\n    def forward(ctx, x):\n        return 2 * x\n"
        "    @staticmethod\n    def backward(ctx, g):\n        return 2 * g",
        "type(Twice.apply(T.ones(1))).__module__.partition('.')[0]"),
}


@pytest.fixture
def session():
    session = Session(autograd_core, torch, {})
    session.ours.bind()
    exec(WHICH, session.ours.namespace)
    return session


@pytest.mark.parametrize("name", WRAPPED)
def test_an_ordinary_definition_runs_on_the_engine_of_the_side(session, name):
    ordinary, expression = WRAPPED[name]
    exec(ordinary, session.ours.namespace)
    for said in ("engine", "again"):                     # what an earlier cell brought over is found again
        with pytest.raises(ParityError, match=f"(c.m|{said}) differs: 'autograd_core' here, 'torch' in PyTorch"):
            session.run(f"{said} = {expression}")


REFUSED = {
    "a tensor": ("made = T.ones(2)", "autograd_core's own Tensor"),
    "a tensor in a closure": ("def make():\n    t = T.ones(2)\n    return lambda: t\nmade = make()", "autograd_core's own Tensor"),
    "a tensor as a default": ("def made(t=T.ones(2)):\n    pass", "autograd_core's own Tensor"),
    "a tensor of a class": ("class made:\n    t = T.ones(2)", "autograd_core's own Tensor"),
    "a network in a partial": ("made = functools.partial(print, nn.ReLU())", "autograd_core's own ReLU"),
    "a generator": ("def g():\n    yield T.ones(1)\nmade = g()", "a generator, of which no second one"),
    "a file": ("import tempfile\nmade = tempfile.TemporaryFile()", "a .*, of which no second one"),
    "a lock": ("import threading\nmade = threading.Lock()", "a lock, of which no second one"),
    "PyTorch's own tensor": ("import torch\nmade = torch.ones(2)", "PyTorch's own Tensor"),
    "PyTorch's own network": ("import torch\nmade = [torch.nn.ReLU()]", "PyTorch's own ReLU"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_had_on_pytorchs_side_is_refused_by_name(session, name):
    ordinary, why = REFUSED[name]
    exec(ordinary, session.ours.namespace)
    session.run("y = 1")                                 # not used: nothing wrong
    with pytest.raises(NameError, match=f"made was made outside %%both: {why}"):
        session.run("x = made")


GUARDED = {
    "our operation on PyTorch's side": "import autograd_core as ac\nx = 1\nif T.__name__ == 'torch':\n    ac.exp(ac.ones(2)).sum().item()",
    "caught": "import autograd_core as ac\nif T.__name__ == 'torch':\n    try:\n        ac.exp(ac.ones(2))\n    except Exception:\n        pass",
    "our layer": "import autograd_core as ac\nif T.__name__ == 'torch':\n    ac.nn.Linear(1, 1)(ac.ones(1, 1))",
    "our numbers alone": "import autograd_core as ac\nif T.__name__ == 'torch':\n    ac.ones(2).tolist()",
    "our numbers from NumPy": "import numpy as np, autograd_core as ac\nif T.__name__ == 'torch':\n    "
                              "ac.from_numpy(np.ones(2)).tolist()",
    "PyTorch on our side": "import torch\nx = torch.ones(2).sum().item() if T.__name__ != 'torch' else 2.0",
    "PyTorch caught": "import torch\nif T.__name__ != 'torch':\n    try:\n        torch.ones(2)\n    except Exception:\n        pass",
}


@pytest.mark.parametrize("name", GUARDED)
def test_a_side_that_calls_the_other_engine_is_noticed(session, name):
    with pytest.raises(WrongEngine, match="side the cell .line [0-9]+. called .* of (PyTorch|autograd_core): use T, F, nn and optim"):
        session.run(GUARDED[name])


def test_a_wrong_engine_is_found_behind_a_decorator(session):
    """The planted fault of the review: `autograd_core.exp` wrong by 100, which PyTorch's side must not call."""
    exec("net = None\n@T.no_grad()\ndef acc():\n    return (T.exp(T.ones(2)) + (0 if T.__name__ == 'torch' else 100)).sum().item()",
         session.ours.namespace)
    with pytest.raises(ParityError, match=r"acc\(\) differs: 205"):
        session.run("acc()")


SHARED = {
    "SimpleNamespace": ("cfg = types.SimpleNamespace(step=0)", "cfg.step += 1", "cfg.step", 1),
    "bytearray": ("b = bytearray(b'a')", "b.append(98)", "b", bytearray(b"ab")),
    "StringIO": ("import io\ns = io.StringIO()", "s.write('a')\nNone", "s.getvalue()", "a"),
    "slots": ("class C:\n    __slots__ = ('n',)\nc = C()\nc.n = 0", "c.n += 1", "c.n", 1),
    "a class attribute": ("class C:\n    n = 0", "C.n += 1", "C.n", 1),
    "a function's attribute": ("def f():\n    f.n += 1\nf.n = 0", "f()", "f.n", 1),
    "a closure": ("def make():\n    n = 0\n    def f():\n        nonlocal n\n        n += 1\n        return n\n    return f\nf = make()",
                  "f()", "f.__closure__[0].cell_contents", 1),
    "a mutable default": ("def f(seen=[]):\n    seen.append(1)", "f()", "f.__defaults__[0]", [1]),
    "a list subclass": ("class L(list):\n    n = 0\nxs = L([1])\nxs.n = 5", "xs.append(2)\nxs.n += 1", "(list(xs), xs.n)", ([1, 2], 6)),
    "deque": ("q = collections.deque([1], 2)", "q.extend([2, 3])", "list(q)", [2, 3]),
    "OrderedDict": ("d = collections.OrderedDict(a=1)", "d['b'] = 2", "list(d)", ["a", "b"]),
    "Counter": ("d = collections.Counter('ab')", "d['b'] += 2", "d['b']", 3),
    "defaultdict": ("d = collections.defaultdict(list)", "d['b'].append(1)", "d['b']", [1]),
    "an iterator": ("it = iter([1, 2, 3])", "a = next(it)", "next(it)", 2),
    "a view of an array": ("import numpy as np\na = np.zeros(3)\nv = a[1:]", "v += 1", "a.tolist()", [0, 1, 1]),
    "a key of one's own": (
        "class K:\n    def __init__(self):\n        self.n = 1\n    def __hash__(self):\n        return self.n\nk = K()\nd = {k: 0}",
        "d[k] += 1", "d[k]", 1),
}


@pytest.mark.parametrize("name", SHARED)
def test_what_both_sides_change_is_two(session, name):
    ordinary, cell, probe, wanted = SHARED[name]
    exec(ordinary, session.ours.namespace)
    session.run(cell)
    for side in (session.ours, session.theirs):
        assert eval(probe, side.namespace) == wanted, side.label


@pytest.mark.parametrize("make", [
    "own = torch.ones(2, dtype=torch.bfloat16)", "own = torch.ones(2, 2).to_sparse()", "own = torch.ones(2, device='meta')",
    "own = torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.qint8)", "own = torch.nn.Linear(2, 2)",
    "own = torch.ones(2, requires_grad=True).exp()", "own = torch.complex(torch.ones(2), torch.ones(2))",
    "own = torch.optim.SGD([torch.ones(2)], lr=0.1)", "own = [{'a': torch.ones(2)}]",
    "class Own(torch.nn.Module):\n    pass\nown = Own()", "own = torch.utils.data.DataLoader([1, 2])"])
def test_ones_own_pytorch_disturbs_nothing(session, make):
    exec("import torch\n" + make, session.ours.namespace)
    session.run("x = T.ones(2, requires_grad=True)\nloss = (x * x).sum()\nloss.backward()")
    with pytest.raises(ValueError, match="mine"):
        session.run("raise ValueError('mine')")
    assert "1 gradient" in repr(session.run("x.grad = None\n(x * 2).sum().backward()")[0])


def test_a_long_chain_of_ones_own_objects(session):
    exec("class Own:\n    def __init__(self, before=None):\n        self.before, self.back = (before,), lambda: before\n"
         "t = Own()\nfor _ in range(1200):\n    t = Own(t)", session.ours.namespace)
    session.run("u = t.before[0]")
    session.run("v = T.ones(1)")
    with pytest.raises(ValueError, match="mine"):
        session.run("t.n = 1\nraise ValueError('mine')")
