"""The process behind the command ``ensfs``: one line for what is wrong, exit codes, Ctrl-C."""

from __future__ import annotations

import argparse
import glob
import os
import sys
import threading
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from ensfs.reporting.arguments import BAD_INPUT, METHODS, make_parser
from ensfs.reporting.completion import completion_script
from ensfs.reporting.output import (
    STANDARD_OUTPUT,
    Output,
    UsageError,
    check_outputs,
    file_error,
    say,
)

#: Exit codes of Ctrl-C, and of a reader of our output that went away.
INTERRUPTED, BROKEN_PIPE = 130, 141


def run(argv: Sequence[str] | None) -> Output | int:
    """The output of a command line, or the exit code of an error."""
    parser = make_parser()
    options = parser.parse_args(argv)
    if options.command == "completion":
        script = Output()
        script.add_file(STANDARD_OUTPUT, completion_script(parser, options.shell, METHODS))
        return script
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        warnings.filterwarnings("ignore", category=DeprecationWarning)
        warnings.showwarning = lambda message, *_, **__: say(f"warning: {message}")
        try:
            _check(options)
            # late: the imports of the library take seconds, the checks above none
            from ensfs.reporting.commands import COMMANDS

            return COMMANDS[options.command](options)
        except OSError as error:
            say(f"error: {file_error(error)}")
        except (ValueError, TypeError) as error:
            say(f"error: {error}")
        except MemoryError:
            say("error: the table does not fit into the memory.")
        return BAD_INPUT


def _check(options: argparse.Namespace) -> None:
    """Raise an error for what is wrong with the arguments whatever the data hold."""
    if not (Path(options.data).exists() or glob.glob(options.data, recursive=True)):
        raise UsageError(f"{options.data}: there is no such file.")
    check_outputs(options.data, {"--json": options.json, "--report": options.report})
    targets = options.target or []
    for target in targets:
        if target in options.drop:
            raise UsageError(f"--drop names the target {target!r}, which cannot be left out.")
    if len(set(targets)) < len(targets):
        raise UsageError("--target: each column can be named once.")
    names = [name for name, _ in options.groups or []]
    if len(set(names)) < len(names):
        raise UsageError("--group: each group can be named once.")
    named = [method.text for method in getattr(options, "methods", None) or []]
    if len(set(named)) < len(named):
        raise UsageError("--method: each method can be named once.")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    The work is done in a thread, while this one waits for it or for Ctrl-C: the process ends at
    once, even inside a long call of a file reader or a kernel.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments; by default those of the process.

    Returns
    -------
    int
        The exit code.
    """
    found: list[Output | int | BaseException] = []

    def work() -> None:
        try:
            found.append(run(argv))
        except BaseException as error:  # raised again in the thread that waits
            found.append(error)

    _spell_out_what_cannot_be_encoded()
    thread = threading.Thread(target=work, name="ensfs-command", daemon=True)
    try:
        thread.start()
        while thread.is_alive():
            thread.join(0.2)
        if isinstance(found[0], BaseException):
            raise found[0]
        if isinstance(found[0], int):
            return found[0]
        found[0].write()
    except KeyboardInterrupt:
        _leave(INTERRUPTED, "interrupted")
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except OSError as error:
        say(f"error: {file_error(error)}")
        return BAD_INPUT
    return 0


def _spell_out_what_cannot_be_encoded() -> None:
    """Names may hold characters that the encoding of the output does not have."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _leave(code: int, message: str) -> NoReturn:
    """End the process without waiting for the thread that works."""
    try:
        say(message)
    except OSError:
        pass
    os._exit(code)
