"""A character model with one block of causal attention learns a proverb."""

import math
import sys

import numpy as np
import torch
import torch.nn as nn
from torch.nn import functional as F

TEXT = (
    "the more you look the more you see and the more you see the more you know where to look " * 4
)
BATCH, CONTEXT, WIDTH, HEADS = 8, 16, 16, 4


class CausalSelfAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.proj = nn.Linear(WIDTH, WIDTH)
        self.register_buffer(
            "mask", torch.tril(torch.ones(CONTEXT, CONTEXT)).view(1, 1, CONTEXT, CONTEXT)
        )

    def forward(self, x):
        B, T, C = x.size()
        q, k, v = self.qkv(x).split(WIDTH, dim=2)
        q, k, v = (t.view(B, T, HEADS, C // HEADS).transpose(1, 2) for t in (q, k, v))
        scores = (q @ k.transpose(-2, -1)) / math.sqrt(k.size(-1))
        scores = scores.masked_fill(self.mask[:, :, :T, :T] == 0, float("-inf"))
        out = F.softmax(scores, dim=-1) @ v
        return self.proj(out.transpose(1, 2).contiguous().view(B, T, C))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.attention = CausalSelfAttention()
        self.mlp = nn.Sequential(
            nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH), nn.Dropout(0.1)
        )

    def forward(self, x):
        x = x + self.attention(self.ln1(x))
        return x + self.mlp(self.ln2(x))


class CharacterModel(nn.Module):
    def __init__(self, vocabulary):
        super().__init__()
        self.token = nn.Embedding(vocabulary, WIDTH)
        self.position = nn.Embedding(CONTEXT, WIDTH)
        self.blocks = nn.ModuleList([Block() for _ in range(2)])
        self.ln = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, vocabulary, bias=False)
        self.apply(self._init_weights)

    def _init_weights(self, module):
        if isinstance(module, (nn.Linear, nn.Embedding)):
            nn.init.normal_(module.weight, mean=0.0, std=0.2)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)

    def forward(self, idx, targets=None):
        x = self.token(idx) + self.position(torch.arange(idx.size(1), device=idx.device))
        for block in self.blocks:
            x = block(x)
        logits = self.head(self.ln(x))
        loss = (
            None
            if targets is None
            else F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1))
        )
        return logits, loss

    @torch.no_grad()
    def generate(self, idx, count):
        for _ in range(count):
            logits, _ = self(idx[:, -CONTEXT:])
            probs = F.softmax(logits[:, -1, :], dim=-1)
            idx = torch.cat((idx, torch.multinomial(probs, num_samples=1)), dim=1)
        return idx


def get_batch(data):
    starts = torch.randint(len(data) - CONTEXT, (BATCH,))
    x = torch.stack([data[i : i + CONTEXT] for i in starts])
    y = torch.stack([data[i + 1 : i + 1 + CONTEXT] for i in starts])
    return x, y


def main():
    torch.set_default_dtype(torch.float64)
    torch.manual_seed(1337)
    characters = sorted(set(TEXT))
    number = {c: i for i, c in enumerate(characters)}
    data = torch.tensor([number[c] for c in TEXT], dtype=torch.long)
    model = CharacterModel(len(characters))
    decay = [p for p in model.parameters() if p.dim() >= 2]
    no_decay = [p for p in model.parameters() if p.dim() < 2]
    optimizer = torch.optim.AdamW(
        [{"params": decay, "weight_decay": 0.1}, {"params": no_decay, "weight_decay": 0.0}],
        lr=1e-2,
        betas=(0.9, 0.95),
    )
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=20, eta_min=1e-3)
    for _ in range(20):
        x, y = get_batch(data)
        _, loss = model(x, y)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
        print(f"loss {loss.item():.15e}")
    model.eval()
    sample = model.generate(torch.zeros((1, 1), dtype=torch.long), 40)[0].tolist()
    print("sample", "".join(characters[i] for i in sample))
    np.savez(sys.argv[1], **{name: value.numpy() for name, value in model.state_dict().items()})


if __name__ == "__main__":
    main()
