"""A small residual network learns to read drawn digits."""

import sys

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

SEGMENTS = ["abcdef", "bc", "abdeg", "abcdg", "bcfg", "acdfg", "acdefg", "abc", "abcdefg", "abcdfg"]
PLACES = {
    "a": (slice(1, 2), slice(2, 6)),
    "b": (slice(1, 6), slice(5, 6)),
    "c": (slice(5, 10), slice(5, 6)),
    "d": (slice(9, 10), slice(2, 6)),
    "e": (slice(5, 10), slice(2, 3)),
    "f": (slice(1, 6), slice(2, 3)),
    "g": (slice(5, 6), slice(2, 6)),
}


def draw_digits(count, generator):
    """Images (count, 1, 12, 12) of seven-segment digits, shifted and noisy, and their labels."""
    labels = torch.randint(0, 10, (count,), generator=generator)
    images = torch.zeros(count, 1, 12, 12)
    for image, label in zip(images, labels.tolist()):
        for segment in SEGMENTS[label]:
            image[(0, *PLACES[segment])] = 1.0
    shifts = torch.randint(0, 2, (count,), generator=generator)
    images = torch.stack(
        [torch.roll(image, int(shift), dims=-1) for image, shift in zip(images, shifts)]
    )
    return images + 0.1 * torch.randn(images.shape, generator=generator), labels


class BasicBlock(nn.Module):
    def __init__(self, in_channels, out_channels, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(in_channels, out_channels, 3, stride=stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(out_channels)
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(out_channels)
        self.relu = nn.ReLU(inplace=True)
        self.shortcut = nn.Identity()
        if stride != 1 or in_channels != out_channels:
            self.shortcut = nn.Sequential(
                nn.Conv2d(in_channels, out_channels, 1, stride=stride, bias=False),
                nn.BatchNorm2d(out_channels),
            )

    def forward(self, x):
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        out += self.shortcut(x)
        return self.relu(out)


class ResNet(nn.Module):
    def __init__(self, widths=(6, 8, 12), num_classes=10):
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(1, widths[0], 3, padding=1, bias=False),
            nn.BatchNorm2d(widths[0]),
            nn.ReLU(inplace=True),
        )
        blocks = [BasicBlock(widths[0], widths[0])]
        for before, after in zip(widths, widths[1:]):
            blocks.append(BasicBlock(before, after, stride=2))
        self.layers = nn.Sequential(*blocks)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(widths[-1], num_classes)
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")

    def forward(self, x):
        x = self.pool(self.layers(self.stem(x)))
        return self.fc(torch.flatten(x, 1))


def main():
    torch.set_default_dtype(torch.float64)
    torch.manual_seed(0)
    images, labels = draw_digits(80, torch.Generator().manual_seed(1))
    model = ResNet()
    optimizer = torch.optim.SGD(
        model.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4, nesterov=True
    )
    scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, milestones=[2, 4], gamma=0.5)
    for epoch in range(5):
        model.train()
        for batch in torch.randperm(len(images)).split(20):
            optimizer.zero_grad()
            loss = F.cross_entropy(model(images[batch]), labels[batch], label_smoothing=0.1)
            loss.backward()
            optimizer.step()
            print(f"loss {loss.item():.15e}")
        scheduler.step()
    model.eval()
    with torch.no_grad():
        accuracy = (model(images).argmax(dim=1) == labels).float().mean().item()
    print(f"accuracy {accuracy:.3f}")
    np.savez(sys.argv[1], **{name: value.numpy() for name, value in model.state_dict().items()})


if __name__ == "__main__":
    main()
