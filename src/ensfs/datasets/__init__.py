"""Synthetic tables of the papers."""

from ensfs.datasets._waveform import make_waveform

__all__ = ["make_waveform"]
