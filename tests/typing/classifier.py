"""An ordinary training script, as a type checker sees it: a classifier with its own Module."""

import autograd_core as torch
from autograd_core import nn
from autograd_core.nn import functional as F


class Net(nn.Module):
    def __init__(self, hidden: int = 16) -> None:
        super().__init__()
        self.first = nn.Linear(4, hidden)
        self.norm = nn.BatchNorm1d(hidden)
        self.last = nn.Linear(hidden, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.last(F.relu(self.norm(self.first(x))))


torch.manual_seed(0)
net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2, weight_decay=1e-4)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=5, gamma=0.5)
x, target = torch.randn(32, 4), torch.randint(0, 3, (32,))
for epoch in range(3):
    optimizer.zero_grad()
    loss = F.cross_entropy(net(x), target)
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    optimizer.step()
    scheduler.step()
    print(f"{loss.item():.3f}")
with torch.no_grad():
    right = (net(x).argmax(dim=1) == target).float().mean().item()
print(f"{right:.2f}")
