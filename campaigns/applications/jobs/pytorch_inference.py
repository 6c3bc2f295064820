"""PyTorch on the CPU: a small convolutional network and a transformer's encoder with weights of a seed, inference of
one image and one sequence at a time."""

from __future__ import annotations

import torch
from outcome import Stopwatch, report
from torch import nn

IMAGES = 250
SEQUENCES = 250


def block(inputs: int, outputs: int, stride: int) -> nn.Sequential:
    convolution = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
    return nn.Sequential(convolution, nn.BatchNorm2d(outputs), nn.ReLU())


def network() -> nn.Sequential:
    blocks = [block(3, 24, 2)]
    for inputs, outputs, stride in ((24, 24, 1), (24, 48, 2), (48, 48, 1), (48, 96, 2), (96, 96, 1), (96, 192, 2)):
        blocks.append(block(inputs, outputs, stride))
    return nn.Sequential(*blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(192, 100), nn.Softmax(1))


def main() -> None:
    torch.manual_seed(6)
    images = network().eval()
    layer = nn.TransformerEncoderLayer(128, 4, 256, batch_first=True)
    text = nn.TransformerEncoder(layer, 4).eval()
    pictures = torch.randn(IMAGES, 1, 3, 128, 128)
    sequences = torch.randn(SEQUENCES, 1, 64, 128)
    watch = Stopwatch()
    with torch.no_grad():
        classes = torch.cat([images(picture) for picture in pictures])
        encoded = torch.cat([text(sequence) for sequence in sequences])
    seconds = watch.seconds()
    arrays = [classes.numpy(), encoded.numpy()]
    # Softmax sums to one; normalised layers have a mean of zero and a variance of one.
    total, variance = classes.sum(dim=1).mean().item(), encoded.var(dim=2, unbiased=False).mean().item()
    report(seconds, arrays, threads=torch.get_num_threads(), total=total, variance=variance, first=classes[0, 0].item())


main()
