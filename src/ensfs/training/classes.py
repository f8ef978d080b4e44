"""The target as one fit needs it: classes, numbers, classes made of numbers, several outputs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ensfs._utils.warn import warn_user
from ensfs.data.outputs import split_outputs
from ensfs.data.target import Target, make_target, warn_constant_target
from ensfs.data.variables import Variables
from ensfs.discretize.targets import TARGET_BINS, read_classes
from ensfs.statistics.groups import GroupedSource
from ensfs.statistics.outputs import CombinedSource

#: The most classes that a target may have.
MAX_COMBINATIONS = 2**16


@dataclass(frozen=True)
class TargetReading:
    """How an estimator reads its target.

    Attributes
    ----------
    n_bins : int or None, default=3
        Classes that numbers are cut into where counts are needed; None: they are an error.
    multi_output : {"mean", "max", "joint"} or None
        What is made of several outputs; None: they are an error.
    """

    n_bins: int | None = TARGET_BINS
    multi_output: str | None = None


#: One target, numbers cut in three where they are counted.
PLAIN_READING = TargetReading()


@dataclass(frozen=True)
class Outputs:
    """Several targets, whose statistics are combined.

    Attributes
    ----------
    outputs : tuple of Target
        The targets.
    combine : {"mean", "max"}
        How.
    """

    outputs: tuple[Target, ...]
    combine: str

    @property
    def kind(self) -> Literal["classes", "numeric", "mixed"]:
        """What all outputs hold."""
        kinds = {each.kind for each in self.outputs}
        return kinds.pop() if len(kinds) == 1 else "mixed"

    @property
    def constant(self) -> bool:
        """Whether all outputs are constant."""
        return all(each.constant for each in self.outputs)

    @property
    def cut_points(self) -> list[np.ndarray | None] | None:
        """Where numeric outputs were cut, if any was."""
        cuts = [each.cut_points for each in self.outputs]
        return None if all(each is None for each in cuts) else cuts


def outputs_of(target: Target | Outputs) -> tuple[Target, ...]:
    """The outputs of a target, mostly one."""
    return target.outputs if isinstance(target, Outputs) else (target,)


def with_outputs(
    target: Target | Outputs, make: Callable[[Target], Any], uses_target: bool = False
) -> Any:
    """A source for a target; of several outputs one for each, seen as one.

    Parameters
    ----------
    target : Target or Outputs
        The target.
    make : callable
        Gives the source of one output.
    uses_target : bool, default=False
        Whether the association of two columns is one with the target too.
    """
    if not isinstance(target, Outputs):
        return make(target)
    return CombinedSource([make(each) for each in target.outputs], target.combine, uses_target)


def grouped(source: Any, variables: Variables) -> Any:
    """A source of the columns that are kept, with groups of them seen as one."""
    if variables.members is None:
        return source
    return GroupedSource(source, variables.kept_members)


def read_target_as(
    y: Any, n_rows: int, kind: str, reading: TargetReading = PLAIN_READING,
    weight: np.ndarray | None = None, **advice: Any,
) -> Target | Outputs:  # fmt: skip
    """Read a target.

    Parameters
    ----------
    y : array-like, series, data frame or sparse matrix of shape (n_rows,) or (n_rows, n_outputs)
        The target.
    n_rows : int
        Number of rows of the table.
    kind : {"auto", "classes", "numeric", "counted"}
        As in `make_target`; "counted" is "auto" with numbers cut into classes.
    reading : TargetReading, optional
        How numbers are cut, and what is made of several outputs.
    weight : ndarray of shape (n_rows,), optional
        How often each row is there, for the cuts.
    **advice
        Wordings of errors, as `make_target` takes them.

    Returns
    -------
    Target or Outputs
    """
    columns = split_outputs(y)
    if columns is None:
        return _read_one(y, n_rows, kind, reading, weight, **advice)
    if reading.multi_output is None:
        raise ValueError(
            f"y has {len(columns)} outputs, and one is needed: y should be a 1d array. Run the "
            "method once for each output."
        )
    joint = reading.multi_output == "joint" and kind != "numeric"
    outputs = tuple(
        _read_one(each, n_rows, "counted" if joint else kind, reading, weight, warn_constant=False)
        for each in columns
    )
    _warn_constant_outputs(outputs)
    return join(outputs) if joint else Outputs(outputs, reading.multi_output)


def _read_one(
    y: Any, n_rows: int, kind: str, reading: TargetReading, weight: np.ndarray | None, **advice: Any
) -> Target:
    if kind != "counted":
        return make_target(y, n_rows, kind=kind, **advice)
    return read_classes(y, n_rows, reading.n_bins, weight, **advice)


def _warn_constant_outputs(outputs: tuple[Target, ...]) -> None:
    constant = [j for j, each in enumerate(outputs) if each.constant]
    if len(constant) == len(outputs):
        warn_constant_target()
    elif constant:
        warn_user(
            f"Output(s) {constant} of y are constant: every column has relevance 0 for them. Check "
            "the target."
        )


def join(outputs: tuple[Target, ...]) -> Target:
    """Several targets of classes as one, with a class for each combination that occurs."""
    codes = outputs[0].codes.astype(np.int64)
    for each in outputs[1:]:
        codes = np.unique(codes * len(each.classes) + each.codes, return_inverse=True)[1]
    labels, codes = np.unique(codes, return_inverse=True)
    if labels.size > MAX_COMBINATIONS:
        raise ValueError(
            f"multi_output='joint' makes {labels.size} classes of {len(outputs)} outputs; at most "
            f"{MAX_COMBINATIONS} can be counted. Use 'mean' or 'max'."
        )
    cuts = Outputs(outputs, "mean").cut_points
    return Target("classes", labels.size == 1, codes.astype(np.int32), labels, cut_points=cuts)
