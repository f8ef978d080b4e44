"""Errors and warnings are sentences of one form: "X must be ...; got y."."""

import ast
import re
from pathlib import Path

import pytest

import ensfs

PACKAGE = Path(ensfs.__file__).parent

#: The words of scikit-learn and of Python, which its checks and readers of tracebacks expect.
FOREIGN = re.compile(
    "Expected 2D array|Complex data not supported|y should be a 1d array|[Ff]ound input variables "
    "with inconsistent|argument must be a string or a real number|module .* has no attribute"
)
#: Argparse puts the option before these and writes no full stop.
ARGUMENTS = "ArgumentTypeError"


def literal(node):
    """The text of a message, with braces for what is filled in; None if it is made elsewhere."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(v.value if isinstance(v, ast.Constant) else "{}" for v in node.values)
    return None


def messages(source):
    """Line and text of the errors that are raised and the warnings that are given."""
    for node in ast.walk(ast.parse(source)):
        call = node.exc if isinstance(node, ast.Raise) else node
        if not isinstance(call, ast.Call) or not call.args:
            continue
        name = ast.unparse(call.func)
        is_warning = name in ("warn_user", "warnings.warn")
        if (isinstance(node, ast.Raise) and ARGUMENTS not in name) or is_warning:
            text = literal(call.args[0])
            if text is not None and " " in text:
                yield node.lineno, text


def is_odd(text):
    """Whether a message breaks the form: ", got y", no full stop, or a small first letter."""
    if FOREIGN.search(text):
        return False
    # a small letter begins the name of a parameter or an option, which is no plain word
    starts_small = re.match(r"(the|a|an|there|all|every|no|none|it|this) ", text)
    return ", got" in text or not re.search(r"([.?]|\{\})$", text) or bool(starts_small)


def test_messages_have_one_form():
    odd = [
        f"{path.relative_to(PACKAGE)}:{line} {text}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for line, text in messages(path.read_text(encoding="utf-8"))
        if is_odd(text)
    ]
    assert odd == []


@pytest.mark.parametrize(
    "text", ["k must be 1, got {k}.", "k must be 1; got 2", "there is no k.", "the k is bad."]
)
def test_odd_messages_are_seen(text):
    source = f'raise ValueError(f"{text}")'
    assert [is_odd(found) for _, found in messages(source)] == [True]
