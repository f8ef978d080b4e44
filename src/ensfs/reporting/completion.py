"""Scripts by which shells complete the command line, and its manual page, from the parser."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator

#: The shells that there are scripts for.
SHELLS = ("bash", "zsh", "fish")


def completion_script(parser: argparse.ArgumentParser, shell: str, methods: tuple[str, ...]) -> str:
    """The script for a shell, to be evaluated when it starts.

    Parameters
    ----------
    parser : ArgumentParser
        The parser of the command.
    shell : {"bash", "zsh", "fish"}
        The shell.
    methods : tuple of str
        What ``--method`` may name.
    """
    return {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell](parser, methods)


def commands_of(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The parsers of the commands, by name."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}


def _summaries(parser: argparse.ArgumentParser) -> dict[str, str]:
    """One line for each command."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return {each.dest: each.help or "" for each in action._choices_actions}
    return {}


def _options(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    return [action for action in parser._actions if action.option_strings]


def _values(action: argparse.Action, methods: tuple[str, ...]) -> list[str]:
    """Words that may follow an option; none for files, numbers and names of columns."""
    if "--method" in action.option_strings:
        return list(methods)
    return [str(each) for each in action.choices or ()]


def _bash(parser: argparse.ArgumentParser, methods: tuple[str, ...]) -> str:
    lines = [
        "_ensfs() {",
        '  local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}"',
        "  COMPREPLY=()",
        '  case "${COMP_WORDS[1]}:$before" in',
    ]
    for name, command in commands_of(parser).items():
        for action in _options(command):
            values = _values(action, methods)
            if values:
                cases = "|".join(f"{name}:{option}" for option in action.option_strings)
                words = " ".join(values)
                lines.append(
                    f'    {cases}) COMPREPLY=($(compgen -W "{words}" -- "$word")); return;;'
                )
    lines += ["  esac", '  case "$COMP_CWORD:${COMP_WORDS[1]}" in']
    names = " ".join([*commands_of(parser), "--help", "--version"])
    lines.append(f'    1:*) COMPREPLY=($(compgen -W "{names}" -- "$word")); return;;')
    for name, command in commands_of(parser).items():
        words = " ".join(_words(command))
        lines.append(f'    *:{name}) COMPREPLY=($(compgen -W "{words}" -- "$word"));;')
    lines += [
        "  esac",
        '  [[ "$word" == -* ]] || COMPREPLY+=($(compgen -f -- "$word"))',
        "}",
        "complete -o filenames -F _ensfs ensfs",
    ]
    return "\n".join(lines) + "\n"


def _words(command: argparse.ArgumentParser) -> list[str]:
    """Options of a command, and the values of its arguments where they are known."""
    options = [option for action in _options(command) for option in action.option_strings]
    known = [str(c) for a in command._actions if not a.option_strings for c in a.choices or ()]
    return known + options


def _zsh(parser: argparse.ArgumentParser, methods: tuple[str, ...]) -> str:
    lines = ["#compdef ensfs", "_ensfs() {", "  if (( CURRENT == 2 )); then"]
    names = " ".join(f"'{name}:{_quoted(text)}'" for name, text in _summaries(parser).items())
    lines += [f"    local -a commands=({names})", "    _describe command commands", "    return"]
    lines += ["  fi", "  local command=$words[2]", "  shift words", "  (( CURRENT-- ))"]
    lines.append("  case $command in")
    for name, command in commands_of(parser).items():
        lines += [f"    {name}) _arguments \\", *_zsh_options(command, methods), "      ;;"]
    lines += ["  esac", "}", "compdef _ensfs ensfs"]
    return "\n".join(lines) + "\n"


def _zsh_options(command: argparse.ArgumentParser, methods: tuple[str, ...]) -> Iterator[str]:
    for action in _options(command):
        values = " ".join(_values(action, methods))
        takes = action.nargs != 0
        value = f":value:({values})" if values else (":value:_files" if takes else "")
        for option in action.option_strings:
            yield f"      '{option}[{_quoted(_plain(action))}]{value}' \\"
    known = [" ".join(map(str, a.choices)) for a in command._actions
             if not a.option_strings and a.choices]  # fmt: skip
    yield f"      '*:argument:({known[0]})'" if known else "      '*:file:_files'"


def _fish(parser: argparse.ArgumentParser, methods: tuple[str, ...]) -> str:
    first = "__fish_use_subcommand"
    lines = [
        f"complete -c ensfs -n {first} -f -a {name} -d '{_quoted(text)}'"
        for name, text in _summaries(parser).items()
    ]
    for name, command in commands_of(parser).items():
        seen = f"'__fish_seen_subcommand_from {name}'"
        for action in _options(command):
            values = " ".join(_values(action, methods))
            value = f" -x -a '{values}'" if values else (" -r" if action.nargs != 0 else "")
            flags = " ".join(
                f"-l {each[2:]}" if each.startswith("--") else f"-s {each[1:]}"
                for each in action.option_strings
            )
            lines.append(
                f"complete -c ensfs -n {seen} {flags}{value} -d '{_quoted(_plain(action))}'"
            )
        for action in command._actions:
            if not action.option_strings and action.choices:
                words = " ".join(map(str, action.choices))
                lines.append(f"complete -c ensfs -n {seen} -f -a '{words}'")
    return "\n".join(lines) + "\n"


def _plain(action: argparse.Action) -> str:
    """The help of an option up to its first full stop or semicolon, in one line."""
    return re.split(r"[;(]", " ".join((action.help or "").split()))[0].strip()


def _quoted(text: str) -> str:
    """Text that may stand in single quotes and, in zsh, in brackets."""
    return re.sub(r"['\[\]:\\]", "", text)


# ------------------------------------------------------------------ the manual page


def manual_page(parser: argparse.ArgumentParser, version: str, date: str) -> str:
    """The page of section 1, in the language of man."""
    lines = [
        f'.TH ENSFS 1 "{date}" "ensfs {version}" "User Commands"',
        ".SH NAME",
        f"ensfs \\- {_roff(parser.description or '').rstrip('.').lower()}",
        ".SH SYNOPSIS",
    ]
    commands = commands_of(parser)
    for name, command in commands.items():
        arguments = [str(a.metavar or a.dest) for a in command._actions if not a.option_strings]
        lines += [f".B ensfs {name}", _roff(" ".join([*arguments, "[OPTION]..."])), ".br"]
    lines += [".SH DESCRIPTION", _roff(parser.epilog or "")]
    for name, command in commands.items():
        lines += [f".SH OPTIONS OF {name.upper()}", _roff(_summaries(parser)[name]) + "."]
        for action in command._actions:
            lines += [".TP", _signature(action), _roff(_help_of(action)) + "."]
    lines += [
        ".SH EXAMPLES", ".nf", "ensfs select data.csv \\-\\-target outcome \\-k 20",
        "ensfs compare data.csv \\-\\-target outcome \\-\\-method mrmr fcbf", ".fi",
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _signature(action: argparse.Action) -> str:
    if not action.option_strings:
        return rf"\fI{_roff(str(action.metavar or action.dest))}\fR"
    names = ", ".join(rf"\fB{_roff(each)}\fR" for each in action.option_strings)
    if action.nargs == 0:
        return names
    value = action.metavar or ("{" + ",".join(map(str, action.choices or ())) + "}")
    return rf"{names} \fI{_roff(str(value))}\fR" + (" ..." if action.nargs == "+" else "")


def _help_of(action: argparse.Action) -> str:
    text = " ".join((action.help or "").split())
    return text[:1].upper() + text[1:]


def _roff(text: str) -> str:
    return text.replace("\\", r"\e").replace("-", r"\-")
