"""Compiled kernels: arrays in, arrays out; no estimators, no validation, no I/O."""
