"""Networks of the size that people train, in PyTorch: ResNet-18, a GPT, stacks of layers. And a small one that `follow` follows."""

import torch
from torch import nn

from autograd_core.trace import follow


class BasicBlock(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = None
        if stride != 1 or inputs != outputs:
            self.downsample = nn.Sequential(
                nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs)
            )

    def forward(self, x):
        shortcut = x if self.downsample is None else self.downsample(x)
        x = self.relu(self.bn1(self.conv1(x)))
        return self.relu(self.bn2(self.conv2(x)) + shortcut)


class ResNet18(nn.Module):
    """As torchvision makes it, 64 channels wide. `plant` changes what the stem hands to the first
    stage.
    """

    def __init__(self, plant=None):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64)
        self.relu, self.maxpool = nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1)
        widths = [64, 64, 128, 256, 512]
        for stage, (inputs, outputs) in enumerate(zip(widths, widths[1:]), 1):
            stride = 1 if stage == 1 else 2
            self.add_module(
                f"layer{stage}",
                nn.Sequential(BasicBlock(inputs, outputs, stride), BasicBlock(outputs, outputs, 1)),
            )
        self.avgpool, self.fc = nn.AdaptiveAvgPool2d(1), nn.Linear(512, 1000)
        self.plant = plant

    def forward(self, x):
        x = self.bn1(self.conv1(x))
        if self.plant:
            x = self.plant(x)
        x = self.maxpool(self.relu(x))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(self.avgpool(x).flatten(1))


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv, self.proj = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = (
            part.view(batch, length, self.heads, -1).transpose(1, 2)
            for part in self.qkv(x).chunk(3, -1)
        )
        scores = q @ k.transpose(-2, -1) / (width // self.heads) ** 0.5
        mask = torch.ones(length, length, dtype=torch.bool).tril()
        scores = scores.masked_fill(~mask, float("-inf")).softmax(-1)
        return self.proj((scores @ v).transpose(1, 2).reshape(batch, length, width))


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attn = Attention(width, heads)
        self.mlp = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )

    def forward(self, x):
        x = x + self.attn(self.ln1(x))
        return x + self.mlp(self.ln2(x))


class GPT(nn.Module):
    """`layers` blocks of attention and feed-forward, learned positions."""

    def __init__(self, layers=24, width=64, heads=4, vocabulary=65, length=64):
        super().__init__()
        self.tok, self.pos = nn.Embedding(vocabulary, width), nn.Embedding(length, width)
        self.h = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.ln, self.head = nn.LayerNorm(width), nn.Linear(width, vocabulary, bias=False)

    def forward(self, ids):
        x = self.tok(ids) + self.pos(torch.arange(ids.shape[1]))
        for block in self.h:
            x = block(x)
        return self.head(self.ln(x))


def resnet_loss(size=32, batch=2, plant=None):
    """(the network, its loss on random images and classes)"""
    torch.manual_seed(0)
    net = ResNet18(plant)
    images, target = torch.randn(batch, 3, size, size), torch.randint(1000, (batch,))
    return net, lambda: nn.functional.cross_entropy(net(images), target)


def gpt_loss(layers=24, batch=4, length=64):
    """(the network, its loss on random tokens)"""
    torch.manual_seed(0)
    net = GPT(layers, length=length)
    ids, target = torch.randint(65, (batch, length)), torch.randint(65, (batch, length))
    return net, lambda: nn.functional.cross_entropy(net(ids).flatten(0, 1), target.flatten())


def stack(layers, activation=nn.Sigmoid, width=32):
    """Linear layers with an activation between: many of them let a gradient vanish."""
    torch.manual_seed(0)
    parts = [part for _ in range(layers) for part in (nn.Linear(width, width), activation())]
    return nn.Sequential(*parts, nn.Linear(width, 1))


# ---- a small network, which is followed ----------------------------------------------------------


def loss_of(net, x):
    return (net(x) - 1).square().mean()


def setting(T, lr=0.1, **options):
    """(a network, its SGD, its input)"""
    T.manual_seed(0)
    net = T.nn.Sequential(T.nn.Linear(3, 4), T.nn.Tanh(), T.nn.Linear(4, 1))
    optimizer = T.optim.SGD(net.parameters(), lr=lr, **options)
    return net, optimizer, T.linspace(-1, 1, 15).reshape(5, 3)


def followed(T, steps, one_step, **options):
    """The history of `steps` calls of `one_step(net, optimizer, x, history)`."""
    net, optimizer, x = setting(T, **options)
    with follow(net, optimizer) as history:
        for _ in range(steps):
            one_step(net, optimizer, x, history)
    return history


def trained(T, steps, plant=lambda step, net, optimizer: None, loss_of=loss_of, **options):
    """The history of an ordinary loop. `plant` changes something before each step."""

    def one_step(net, optimizer, x, history):
        optimizer.zero_grad()
        loss_of(net, x).backward()
        plant(len(history), net, optimizer)
        optimizer.step()

    return followed(T, steps, one_step, **options)
