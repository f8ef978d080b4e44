"""The instruction set that the kernels use on this machine."""

cdef extern from "dispatch.h":
    int best_level() noexcept nogil

LEVELS = ("generic", "avx2", "avx512")


def best():
    """Name of the best instruction set that this machine and this build can use."""
    return LEVELS[best_level()]
