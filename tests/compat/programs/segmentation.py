"""A small U-Net finds discs and squares, and the way to the nearest centre, where somebody labelled
the image.
"""

import sys

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

IGNORED, SIZE = 255, 16


def draw_scenes(count, rng):
    """Images (count, 1, 16, 16); classes 0, 1, 2 or IGNORED (count, 16, 16); vectors to the centre
    (count, 2, 16, 16).
    """
    rows, columns = np.mgrid[:SIZE, :SIZE]
    images, classes, vectors = [], [], []
    for _ in range(count):
        image, target = rng.normal(0, 0.1, (SIZE, SIZE)), np.zeros((SIZE, SIZE), dtype=np.int64)
        vector = np.zeros((2, SIZE, SIZE))
        for kind in (1, 2):
            r, c = rng.integers(3, SIZE - 3, 2)
            distances = (
                np.hypot(rows - r, columns - c)
                if kind == 1
                else np.maximum(abs(rows - r), abs(columns - c))
            )
            inside = distances < 3
            image[inside] += 1.5 - 0.5 * kind
            target[inside] = kind
            vector[:, inside] = np.stack([r - rows, c - columns])[:, inside]
        target[:2] = IGNORED
        images.append(image[None])
        classes.append(target)
        vectors.append(vector)
    return (
        torch.from_numpy(np.stack(images)),
        torch.from_numpy(np.stack(classes)),
        torch.from_numpy(np.stack(vectors)),
    )


def double_conv(in_channels, out_channels):
    return nn.Sequential(
        nn.Conv2d(in_channels, out_channels, 3, padding=1, bias=False),
        nn.BatchNorm2d(out_channels),
        nn.ReLU(),
        nn.Conv2d(out_channels, out_channels, 3, padding=1),
        nn.LeakyReLU(0.1),
    )


class UNet(nn.Module):
    def __init__(self, width=6):
        super().__init__()
        self.down1 = double_conv(1, width)
        self.down2 = double_conv(width, 2 * width)
        self.bottom = double_conv(2 * width, 2 * width)
        self.up2 = nn.ConvTranspose2d(2 * width, 2 * width, 2, stride=2)
        self.merge2 = double_conv(4 * width, width)
        self.merge1 = double_conv(2 * width, width)
        self.classes = nn.Conv2d(width, 3, 1)
        self.vectors = nn.Conv2d(width, 2, 1)

    def forward(self, x):
        d1 = self.down1(x)
        d2 = self.down2(F.max_pool2d(d1, 2))
        b = self.bottom(F.avg_pool2d(d2, 2))
        u2 = self.merge2(torch.cat([self.up2(b), d2], dim=1))
        u1 = F.interpolate(u2, scale_factor=2, mode="bilinear", align_corners=False)
        u1 = self.merge1(torch.cat([u1, d1], dim=1))
        return self.classes(u1), self.vectors(u1)


def dice_loss(logits, target, valid):
    """1 - 2 |A B| / (|A| + |B|), over labelled pixels."""
    probability = torch.sigmoid(logits) * valid
    target = target * valid
    overlap = 2 * (probability * target).sum(dim=(1, 2)) + 1
    return (1 - overlap / (probability.sum(dim=(1, 2)) + target.sum(dim=(1, 2)) + 1)).mean()


def hard_negative_loss(logits, target, valid):
    """Binary cross entropy of all positives and of the three times as many worst negatives."""
    losses = F.binary_cross_entropy_with_logits(logits, target, reduction="none")
    positive = (target > 0.5) & valid
    negative = ~positive & valid
    count = min(int(3 * positive.sum()), int(negative.sum()))
    worst, _ = losses[negative].topk(count)
    return (losses[positive].sum() + worst.sum()) / (positive.sum() + count)


def main():
    torch.set_default_dtype(torch.float64)
    torch.manual_seed(7)
    images, classes, vectors = draw_scenes(16, np.random.default_rng(3))
    net = UNet()
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01, amsgrad=True)
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, patience=1)
    for step in range(20):
        batch = torch.randperm(len(images))[:8]
        target, valid = classes[batch], classes[batch] != IGNORED
        inside = ((target == 1) | (target == 2)).unsqueeze(1)
        logits, predicted = net(images[batch])
        foreground = logits[:, 1:].logsumexp(dim=1) - logits[:, 0]
        thing = inside.squeeze(1).to(foreground.dtype)
        ce = F.cross_entropy(
            logits, target, weight=torch.tensor([0.5, 1.0, 1.0]), ignore_index=IGNORED
        )
        dice = dice_loss(foreground, thing, valid)
        hard = hard_negative_loss(foreground, thing, valid)
        distance = F.smooth_l1_loss(predicted, vectors[batch], reduction="none", beta=0.5)
        masked = (distance * inside).sum() / inside.sum().clamp(min=1)
        loss = ce + dice + 0.5 * hard + 0.1 * masked
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_value_(net.parameters(), 0.5)
        optimizer.step()
        scheduler.step(loss.item())
        print(f"loss {loss.item():.15e}")
    net.eval()
    with torch.no_grad():
        found = net(images)[0].argmax(dim=1)
    print("pixels of each class", torch.stack([(found == k).sum() for k in range(3)]).tolist())
    np.savez(sys.argv[1], **{name: value.numpy() for name, value in net.state_dict().items()})


if __name__ == "__main__":
    main()
