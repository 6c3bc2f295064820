"""The benchmark of ggml's barrier (tests/test-barrier.cpp of llama.cpp) with numbers that can be checked: a graph of
small products of matrix and vector, with a barrier after each. The ggml is that of pywhispercpp's wheel, called as C.
"""

from __future__ import annotations

import ctypes
import os
import sysconfig
from pathlib import Path

import numpy
from outcome import Stopwatch, report

LAYERS, NARROW, WIDE = 600, 64, 128  # of three nodes each; a graph has at most 2,048
ROUNDS = 60
F32 = 0
MEMORY = 64 << 20


class InitParameters(ctypes.Structure):
    _fields_ = (("mem_size", ctypes.c_size_t), ("mem_buffer", ctypes.c_void_p), ("no_alloc", ctypes.c_bool))


def functions() -> tuple[ctypes.CDLL, ctypes.CDLL]:
    folder = Path(sysconfig.get_path("platlib")) / "pywhispercpp.libs"
    base, cpu = (ctypes.CDLL(str(next(folder.glob(f"libggml-{part}-*.so*")))) for part in ("base", "cpu"))
    pointer, number = ctypes.c_void_p, ctypes.c_int64
    for name, result, *arguments in (
        ("ggml_init", pointer, InitParameters), ("ggml_new_graph", pointer, pointer),
        ("ggml_new_tensor_2d", pointer, pointer, ctypes.c_int, number, number),
        ("ggml_new_tensor_1d", pointer, pointer, ctypes.c_int, number),
        ("ggml_mul_mat", pointer, pointer, pointer, pointer), ("ggml_norm", pointer, pointer, pointer, ctypes.c_float),
        ("ggml_build_forward_expand", None, pointer, pointer), ("ggml_get_data", pointer, pointer),
    ):  # fmt: skip
        function = getattr(base, name)
        function.restype, function.argtypes = result, arguments
    cpu.ggml_graph_compute_with_ctx.argtypes = (pointer, pointer, ctypes.c_int)
    return base, cpu


def values_of(ggml: ctypes.CDLL, tensor: int, *shape: int) -> numpy.ndarray:
    """The tensor's own memory."""
    data = ctypes.cast(ggml.ggml_get_data(tensor), ctypes.POINTER(ctypes.c_float))
    return numpy.ctypeslib.as_array(data, shape)


def main() -> None:
    ggml, cpu = functions()
    random = numpy.random.default_rng(6)
    context = ggml.ggml_init(InitParameters(MEMORY, None, False))
    begin = out = ggml.ggml_new_tensor_1d(context, F32, NARROW)
    values_of(ggml, begin, NARROW)[:] = random.standard_normal(NARROW)
    expected = values_of(ggml, begin, NARROW).astype(numpy.float64)
    for layer in range(2 * LAYERS):
        inputs, outputs = (NARROW, WIDE) if layer % 2 == 0 else (WIDE, NARROW)
        tensor = ggml.ggml_new_tensor_2d(context, F32, inputs, outputs)
        matrix = values_of(ggml, tensor, outputs, inputs)
        matrix[:] = random.standard_normal((outputs, inputs)) / numpy.sqrt(inputs)
        out = ggml.ggml_mul_mat(context, tensor, out)
        expected = matrix @ expected
        if layer % 2 == 1:
            out = ggml.ggml_norm(context, out, 1e-5)
            expected = (expected - expected.mean()) / numpy.sqrt(expected.var() + 1e-5)
    graph = ggml.ggml_new_graph(context)
    ggml.ggml_build_forward_expand(graph, out)
    threads = int(os.environ["OMP_NUM_THREADS"])
    watch = Stopwatch()
    failed = sum(cpu.ggml_graph_compute_with_ctx(context, graph, threads) for _ in range(ROUNDS))
    seconds = watch.seconds()
    found = values_of(ggml, out, NARROW)
    report(seconds, [found], error=numpy.abs(found - expected).max(), failed=failed)


main()
