"""The tokens of the Interchange Format of Bayesian networks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple, NoReturn

_TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*|/\*.*?\*/)
    |   "(?P<quoted>[^"\n]*)"
    |   (?P<mark>[{}()\[\]|,;])
    |   (?P<word>[^\s{}()\[\]|,;"]+)""",
    re.VERBOSE | re.DOTALL,
)


class Token(NamedTuple):
    """A piece of the text; `kind` is "mark", "word", "quoted" or "end"."""

    kind: str
    text: str
    position: int

    def __str__(self) -> str:
        return "the end of the text" if self.kind == "end" else repr(short(self.text))


class TokenReader:
    """Takes the tokens of a text one after the other; errors name the line."""

    def __init__(self, text: str):
        self._text = text
        self._tokens = self._split()
        self._next = next(self._tokens)

    def _split(self) -> Iterator[Token]:
        text, position = self._text, 0
        while position < len(text):
            match = _TOKEN.match(text, position)
            if match is None:
                self._fail(Token("word", '"', position), "a quote is not closed.")
            kind = match.lastgroup or ""
            if kind == "word" and match[0].startswith("/*"):
                self._fail(Token("word", "/*", position), "a comment is not closed.")
            if kind != "space":
                yield Token(kind, match[kind], position)
            position = match.end()
        yield Token("end", "", len(text))

    def _advance(self) -> Token:
        token = self._next
        if token.kind != "end":
            self._next = next(self._tokens)
        return token

    def _found(self, mark: str) -> bool:
        """Step over this mark if it comes next."""
        if self._next.kind == "mark" and self._next.text == mark:
            self._advance()
            return True
        return False

    def _take(self, kind: str, expected: str) -> Token:
        if self._next.kind != kind:
            self._fail(self._next, f"expected {expected}, found {self._next}.")
        return self._advance()

    def _name(self, expected: str) -> Token:
        if self._next.kind not in ("word", "quoted") or not self._next.text:
            self._fail(self._next, f"expected {expected}, found {self._next}.")
        return self._advance()

    def _mark(self, mark: str) -> Token:
        if self._next.kind != "mark" or self._next.text != mark:
            self._fail(self._next, f"expected {mark!r}, found {self._next}.")
        return self._advance()

    def _fail(self, token: Token, cause: str) -> NoReturn:
        line = self._text.count("\n", 0, token.position) + 1
        raise ValueError(f"line {line}: {cause}")


def short(text: str, most: int = 40) -> str:
    """The text, cut off if it is long."""
    return text if len(text) <= most else f"{text[:most]}..."
