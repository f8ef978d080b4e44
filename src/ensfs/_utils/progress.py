"""Progress of a fit, and fits that either finish or leave the estimator unfitted.

A fit that may take longer than a few seconds names its tasks::

    with task("selecting", k) as advance:
        for _ in range(k):
            ...
            advance()

Listeners of the current thread receive these events: the callbacks set on the estimator
(`ensfs._utils.sklearn`), and a bar on standard error with ``verbose=1``. Without listeners a task
costs nothing.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from typing import Any, Protocol, TypeVar

from ensfs._utils.interrupts import GlobalState

__all__ = ["Listener", "atomic_fit", "clear_fitted_state", "counted", "listening", "task"]

Item = TypeVar("Item")

_here = threading.local()

#: Without a terminal: seconds before the first line and between lines.
FIRST_LINE, NEXT_LINE = 3.0, 10.0


class Listener(Protocol):
    """Receives the events of a fit: tasks that begin, advance and end."""

    def open(self) -> None:
        """The fit begins."""

    def begin(self, name: str, total: int | None) -> Any:
        """A task of `total` steps begins; return a handle for it."""

    def advance(self, handle: Any) -> None:
        """One step of the task is done."""

    def end(self, handle: Any) -> None:
        """The task is done."""

    def close(self, done: bool) -> None:
        """The fit is over; `done` is False if it raised."""


@contextmanager
def task(name: str, total: int | None = None) -> Iterator[Callable[[], None]]:
    """Report a task of the current fit; yields a function to call after each step.

    The steps may be done by other threads.
    """
    listeners = _listeners()
    if not listeners:
        yield _ignore
        return
    lock = threading.Lock()
    handles = [(each, each.begin(name, total)) for each in listeners]

    def advance() -> None:
        with lock:
            for listener, handle in handles:
                listener.advance(handle)

    try:
        yield advance
    except GeneratorExit:  # the consumer of `counted` stopped early
        pass
    for listener, handle in handles:
        listener.end(handle)


def _ignore() -> None:
    pass


def _listeners() -> Sequence[Listener]:
    return getattr(_here, "listeners", ())


def counted(name: str, total: int | None, items: Iterable[Item]) -> Iterator[Item]:
    """Yield the items and report each as a step of a task."""
    with task(name, total) as advance:
        for item in items:
            yield item
            del item  # it may be large
            advance()


@contextmanager
def listening(own: Sequence[Listener], *, keep_outer: bool) -> Iterator[None]:
    """Send the events of this thread to the listeners of one fit.

    Parameters
    ----------
    own : sequence of Listener
        Opened here, and closed at the end.
    keep_outer : bool
        Whether the listeners of an enclosing fit go on receiving events.
    """
    outer = _listeners()
    done = False
    try:
        for listener in own:
            listener.open()
        _here.listeners = (*outer, *own) if keep_outer or not own else tuple(own)
        yield
        done = True
    finally:
        _here.listeners = outer
        for listener in own:
            listener.close(done)


def atomic_fit(fit: Callable) -> Callable:
    """Decorate `fit`: a bar for ``verbose=1``, and an unfitted estimator if anything is raised.

    That includes Ctrl-C: the estimator never holds a mixture of an earlier fit and half of a new
    one. The bar of an outer fit gives way to that of an inner one.
    """

    @wraps(fit)
    def wrapper(self: Any, *args: Any, **kwargs: Any) -> Any:
        bars = [Bar(self)] if getattr(self, "verbose", 0) else []
        before = GlobalState.now()
        try:
            with listening(bars, keep_outer=False):
                return fit(self, *args, **kwargs)
        except BaseException as error:
            clear_fitted_state(self)
            if isinstance(error, KeyboardInterrupt):
                before.restore()
            raise

    return wrapper


def clear_fitted_state(estimator: Any) -> None:
    """Delete the learned attributes of an estimator."""
    parameters = estimator.get_params(deep=False)
    for name in list(vars(estimator)):
        learned = name.endswith("_") or name.startswith("_")
        # set by methods other than fit: output, callbacks and metadata routing
        kept = name.startswith(("__", "_sk", "_metadata", "_callback", "_parent_callback"))
        if learned and not kept and name not in parameters:
            delattr(estimator, name)


class Bar:
    """A bar on standard error: drawn by rich if it is installed, otherwise a plain line."""

    def __init__(self, estimator: Any):
        self.estimator = estimator
        self.name = type(estimator).__name__
        self.began = time.monotonic()
        self._tasks: Any = _RichTasks() if sys.stderr.isatty() and _has_rich() else _PlainTasks()

    def open(self) -> None:
        self._tasks.open()

    def begin(self, name: str, total: int | None) -> Any:
        return self._tasks.begin(f"{self.name}: {name}", total)

    def advance(self, handle: Any) -> None:
        self._tasks.advance(handle)

    def end(self, handle: Any) -> None:
        self._tasks.end(handle)

    def close(self, done: bool) -> None:
        self._tasks.close()
        seconds = time.monotonic() - self.began
        if not done:
            _write(f"{self.name}: stopped after {seconds:.1f} s\n")
            return
        indices = getattr(self.estimator, "indices_", None)
        columns = getattr(self.estimator, "n_features_in_", None)
        what = "done" if indices is None else f"{len(indices)} of {columns} columns"
        _write(f"{self.name}: {what} in {seconds:.1f} s\n")


def _has_rich() -> bool:
    try:
        import rich.progress  # noqa: F401
    except ImportError:
        return False
    return True


def _write(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()


class _RichTasks:
    """Bars of rich, which refreshes them in its own thread; they disappear at the end."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import Progress

        self._progress = Progress(console=Console(stderr=True), transient=True)

    def open(self) -> None:
        self._progress.start()

    def begin(self, name: str, total: int | None) -> Any:
        return self._progress.add_task(name, total=total)

    def advance(self, handle: Any) -> None:
        self._progress.advance(handle)

    def end(self, handle: Any) -> None:
        self._progress.remove_task(handle)

    def close(self) -> None:
        self._progress.stop()


@dataclass
class _PlainTask:
    """A task and its steps so far."""

    name: str
    total: int | None
    began: float
    done: int = 0

    def text(self, now: float) -> str:
        """Steps, their share, and the time left if the other steps take as long as these."""
        if self.total is None:
            return f"{self.name} {self.done}"
        text = f"{self.name} {self.done} of {self.total}"
        if not 0 < self.done < self.total:
            return text
        left = (now - self.began) * (self.total - self.done) / self.done
        return f"{text} ({self.done / self.total:.0%}, about {_duration(left)} left)"


def _duration(seconds: float) -> str:
    """Some seconds for people."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


class _PlainTasks:
    """Text: one line that is overwritten on a terminal, occasional lines in a file."""

    def __init__(self) -> None:
        self._overwrite = sys.stderr.isatty()
        self._next = time.monotonic() + (0.2 if self._overwrite else FIRST_LINE)
        self._width = 0

    def open(self) -> None:
        pass

    def begin(self, name: str, total: int | None) -> _PlainTask:
        handle = _PlainTask(name, total, time.monotonic())
        self._show(handle)
        return handle

    def advance(self, handle: _PlainTask) -> None:
        handle.done += 1
        self._show(handle)

    def _show(self, handle: _PlainTask) -> None:
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + (0.2 if self._overwrite else NEXT_LINE)
        text = handle.text(now)
        if self._overwrite:
            _write("\r" + text.ljust(self._width))
            self._width = len(text)
        else:
            _write(text + "\n")

    def end(self, handle: Any) -> None:
        pass

    def close(self) -> None:
        if self._width:
            _write("\r" + " " * self._width + "\r")
