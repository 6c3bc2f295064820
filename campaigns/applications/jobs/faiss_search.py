"""faiss: an inverted index is trained and filled, then queried one by one, as in a service; then all at once by the
exact index, which shows how many of the neighbours were found."""

from __future__ import annotations

import faiss
import numpy
from outcome import Stopwatch, report

DIMENSIONS = 32
NEIGHBOURS = 10


def main() -> None:
    random = numpy.random.default_rng(6)
    centres = random.standard_normal((200, DIMENSIONS))
    stored = centres[random.integers(200, size=100_000)] + 0.4 * random.standard_normal((100_000, DIMENSIONS))
    asked = centres[random.integers(200, size=8_000)] + 0.4 * random.standard_normal((8_000, DIMENSIONS))
    stored, asked = stored.astype(numpy.float32), asked.astype(numpy.float32)
    watch = Stopwatch()
    index = faiss.IndexIVFFlat(faiss.IndexFlatL2(DIMENSIONS), DIMENSIONS, 256)
    index.train(stored)
    index.add(stored)
    index.nprobe = 8
    found = [index.search(query[None, :], NEIGHBOURS) for query in asked]
    exact = faiss.IndexFlatL2(DIMENSIONS)
    exact.add(stored)
    distances, neighbours = exact.search(asked, NEIGHBOURS)
    seconds = watch.seconds()
    near = numpy.concatenate([labels for _, labels in found])
    recall = numpy.mean([len(set(a) & set(b)) / NEIGHBOURS for a, b in zip(near, neighbours, strict=True)])
    report(seconds, [near, *(lengths for lengths, _ in found), distances, neighbours], recall=recall)


main()
