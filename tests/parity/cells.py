"""How the tables of this folder write their cells.

`<<a|b>>` is `a` on autograd_core's side and `b` on PyTorch's. `THEIRS` and `OURS` are true on one
side only. A name in braces is one of the beginnings below.
"""

import re

BEGINNINGS = {
    "{LOSS}": """
a = torch.tensor([2.0, -1.0], requires_grad=True)
b = torch.tensor([-0.5, 3.0], requires_grad=True)
u = a * b
loss = (torch.sigmoid(u) * u).sum()
""",
    "{NET}": """
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
net(torch.ones(4, 2)).sum().backward()
""",
    "{ADAM}": "opt = optim.Adam(net.parameters(), lr=0.1)\n",
    "{SGD}": "opt = optim.SGD(net.parameters(), lr=0.1, momentum=0.9)\n",
    "{MLP}": """
net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3))
x, t = torch.randn(16, 4), torch.randint(0, 3, (16,))
""",
    "{CNN}": """
net = nn.Sequential(
    nn.Conv2d(1, 4, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(64, 3)
)
x, t = torch.randn(12, 1, 8, 8), torch.randint(0, 3, (12,))
""",
    "{STEP}": "opt.zero_grad(); loss = F.cross_entropy(net(x), t); loss.backward(); opt.step()",
}


def written(text: str) -> str:
    """The cell that a row of a table stands for."""
    for name, code in BEGINNINGS.items():
        text = text.replace(name, code)
    for side, engine in (("OURS", "autograd_core"), ("THEIRS", "torch")):
        text = text.replace(side, f"torch.__name__ == '{engine}'")
    return re.sub(
        r"<<(.*?)\|(.*?)>>", r"(\1 if torch.__name__ == 'autograd_core' else \2)", text, flags=re.S
    )
