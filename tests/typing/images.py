"""A small convolutional network and its training, as a type checker sees it."""

import autograd_core as torch
from autograd_core import nn, optim

net = nn.Sequential(
    nn.Conv2d(1, 8, kernel_size=3, padding=1),
    nn.ReLU(inplace=True),
    nn.MaxPool2d(2),
    nn.Flatten(),
    nn.Dropout(0.1),
    nn.Linear(8 * 4 * 4, 2),
)
criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
optimizer = optim.SGD(net.parameters(), lr=0.1, momentum=0.9, nesterov=True)
data, classes = torch.rand(16, 1, 8, 8), torch.randint(0, 2, (16,))
for rows in torch.randperm(16).split(4):
    images, labels = data[rows], classes[rows]
    optimizer.zero_grad(set_to_none=True)
    loss = criterion(net(images), labels)
    loss.backward()
    optimizer.step()
net.eval()
torch.save(net.state_dict(), "net.npz")
net.load_state_dict(torch.load("net.npz"))
for name, parameter in net.named_parameters():
    print(name, tuple(parameter.shape), parameter.grad is None)
