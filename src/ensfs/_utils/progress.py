"""Progress of a fit, and fits that are done as a whole or not at all.

A fit that may take longer than a few seconds names its tasks::

    with task("selecting", k) as advance:
        for _ in range(k):
            ...
            advance()

Who is told is decided elsewhere: callbacks that were set on the estimator, where scikit-learn has
them (1.9 and later), and with ``verbose=1`` a bar on standard error. Otherwise nobody is, and it
costs nothing.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, Protocol, TypeVar

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # before 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands in where scikit-learn has no callbacks."""

    def with_callbacks(method: Callable) -> Callable:
        """The method as it is."""
        return method


__all__ = ["CallbackSupportMixin", "counted", "listening_fit", "task", "whole_fit"]

Item = TypeVar("Item")

_here = threading.local()

#: Without a terminal: seconds before the first line and between lines.
FIRST_LINE, NEXT_LINE = 3.0, 10.0


class Listener(Protocol):
    """Who is told of the tasks of a fit."""

    def begin(self, name: str, total: int | None) -> Any:
        """A task of so many steps begins; gives a handle."""

    def advance(self, handle: Any) -> None:
        """A step of it is done."""

    def end(self, handle: Any) -> None:
        """The task is done."""

    def close(self, done: bool) -> None:
        """The fit is over; `done` unless it failed."""


@contextmanager
def task(name: str, total: int | None = None) -> Iterator[Callable[[], None]]:
    """Tell the fit of this thread that a task begins; gives what to call after each step.

    The steps may be done by other threads.
    """
    listeners: list[Listener] = getattr(_here, "listeners", [])
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
    except GeneratorExit:  # a loop over `counted` that needed no more
        pass
    for listener, handle in handles:
        listener.end(handle)


def _ignore() -> None:
    pass


def counted(name: str, total: int | None, items: Iterable[Item]) -> Iterator[Item]:
    """The items, as the steps of a task."""
    with task(name, total) as advance:
        for item in items:
            yield item
            del item  # it may be large
            advance()


def whole_fit(fit: Callable) -> Callable:
    """A method `fit` that reports its progress, and leaves the estimator unfitted if it fails.

    That includes Ctrl-C: there is never a mixture of an earlier fit and half of a new one.
    """
    fit = with_callbacks(fit)

    @wraps(fit)
    def wrapper(self: Any, *args: Any, **kwargs: Any) -> Any:
        outer = getattr(_here, "listeners", [])
        mine: list[Listener] = []
        done = False
        try:
            if getattr(self, "verbose", 0):
                mine.append(Bar(self))
            _here.listeners = mine or outer
            fitted = fit(self, *args, **kwargs)
            done = True
            return fitted
        except BaseException:
            forget(self)
            raise
        finally:
            _here.listeners = outer
            for listener in mine:
                listener.close(done)

    return wrapper


def listening_fit(fit: Callable) -> Callable:
    """The innermost layer of a fit: sets the callbacks up inside of `with_callbacks`."""

    @wraps(fit)
    def wrapper(self: Any, *args: Any, **kwargs: Any) -> Any:
        set_here = any(hasattr(self, name) for name in ("_skl_callbacks", "_parent_callback_ctx"))
        if not (set_here and isinstance(self, CallbackSupportMixin)):
            return fit(self, *args, **kwargs)
        callbacks = Callbacks(self)
        _here.listeners = [*_here.listeners, callbacks]
        fitted = fit(self, *args, **kwargs)
        callbacks.close(True)
        return fitted

    return wrapper


def forget(estimator: Any) -> None:
    """Take back what a fit has learned."""
    parameters = estimator.get_params(deep=False)
    for name in list(vars(estimator)):
        learned = name.endswith("_") or name.startswith("_")
        # what users set by methods: output, callbacks and metadata routing
        kept = name.startswith(("__", "_sk", "_metadata", "_callback", "_parent_callback"))
        if learned and not kept and name not in parameters:
            delattr(estimator, name)


class Callbacks:
    """Tells the callbacks of an estimator, as scikit-learn defines them."""

    def __init__(self, estimator: Any):
        self.estimator = estimator
        self.root = estimator._init_callback_context(task_name="fit", max_subtasks=None)
        self.root.call_on_fit_task_begin(estimator=estimator)

    def begin(self, name: str, total: int | None) -> Any:
        context = self.root.subcontext(task_name=name, max_subtasks=total)
        return context.call_on_fit_task_begin(estimator=self.estimator)

    def advance(self, handle: Any) -> None:
        step = handle.subcontext(task_name="step")
        step.call_on_fit_task_begin(estimator=self.estimator)
        step.call_on_fit_task_end(estimator=self.estimator)

    def end(self, handle: Any) -> None:
        handle.call_on_fit_task_end(estimator=self.estimator)

    def close(self, done: bool) -> None:
        self.root.call_on_fit_task_end(estimator=self.estimator)


class Bar:
    """A bar on standard error: by rich if it is installed, otherwise a plain line."""

    def __init__(self, estimator: Any):
        self.estimator = estimator
        self.name = type(estimator).__name__
        self.began = time.monotonic()
        self._tasks: Any = _RichTasks() if sys.stderr.isatty() and _has_rich() else _PlainTasks()

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
    """Bars of rich, which refreshes them in a thread of its own; they vanish at the end."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import Progress

        self._progress = Progress(console=Console(stderr=True), transient=True)
        self._progress.start()

    def begin(self, name: str, total: int | None) -> Any:
        return self._progress.add_task(name, total=total)

    def advance(self, handle: Any) -> None:
        self._progress.advance(handle)

    def end(self, handle: Any) -> None:
        self._progress.remove_task(handle)

    def close(self) -> None:
        self._progress.stop()


class _PlainTasks:
    """Lines of text: one that is written over on a terminal, a few new ones in a file."""

    def __init__(self) -> None:
        self._overwrite = sys.stderr.isatty()
        self._next = time.monotonic() + (0.2 if self._overwrite else FIRST_LINE)
        self._width = 0

    def begin(self, name: str, total: int | None) -> Any:
        handle = [name, total, 0]
        self._show(handle)
        return handle

    def advance(self, handle: Any) -> None:
        handle[2] += 1
        self._show(handle)

    def _show(self, handle: Any) -> None:
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + (0.2 if self._overwrite else NEXT_LINE)
        name, total, done = handle
        text = f"{name} {done}" + (f" of {total}" if total is not None else "")
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
