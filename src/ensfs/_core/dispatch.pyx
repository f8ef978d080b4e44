"""The instruction set that the kernels use."""

cdef extern from "dispatch.h":
    int best_level() noexcept nogil
    int chosen_level() noexcept nogil

LEVELS = ("generic", "avx2", "avx512")


def best():
    """Name of the best instruction set that this machine and this build can use."""
    return LEVELS[best_level()]


def level():
    """Name of the instruction set in use: the best one, unless ``ENSFS_SIMD`` asks for a lower."""
    return LEVELS[chosen_level()]
