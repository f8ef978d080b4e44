"""Shell completion, the manual page, and the schema of the output."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from sklearn.datasets import load_wine

import ensfs
from ensfs.reporting import arguments, completion
from ensfs.reporting.cli import main
from ensfs.reporting.methods import methods

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = Path(ensfs.__file__).parent / "reporting" / "output.schema.json"


def script(shell):
    return completion.completion_script(arguments.make_parser(), shell, arguments.METHODS)


def test_the_methods_of_the_help_are_those_of_the_library():
    assert list(arguments.METHODS) == list(methods())


@pytest.mark.parametrize("shell", completion.SHELLS)
def test_scripts_name_commands_options_and_methods(shell, capsys):
    assert main(["completion", shell]) == 0
    text = capsys.readouterr().out
    assert text == script(shell)
    for word in ("select", "compare", "target", "method", "mrmr", "distribute"):
        assert word in text
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=text, text=True, check=True)


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["sel"], "select"),
        (["select", "--target", "y", "--method", "jm"], "jmi jmim"),
        (["compare", "--missing", "m"], "mean"),
        (["compare", "--no"], "--no-accuracy"),
        (["completion", "z"], "zsh"),
    ],
)
def test_bash_completes(words, expected, tmp_path):
    typed = " ".join(f"'{word}'" for word in ["ensfs", *words])
    program = f"{script('bash')}\nCOMP_WORDS=({typed}); COMP_CWORD={len(words)}; _ensfs; "
    program += 'echo "${COMPREPLY[@]}"'
    run = subprocess.run(["bash", "-c", program], capture_output=True, text=True, cwd=tmp_path)
    assert run.stdout.split() == expected.split(), run.stderr


def test_the_manual_page_is_that_of_the_parser():
    page = (ROOT / "docs" / "ensfs.1").read_text(encoding="utf-8")
    version, date = re.search(r"^## ([\d.]+) \(([\d-]+)\)", changelog(), re.MULTILINE).groups()
    assert page == completion.manual_page(arguments.make_parser(), version, date)


def changelog():
    return (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


# ---------------------------------------- the schema


def problems(value, schema, root, at="$"):
    """What a value has that a schema does not allow; only the words that ours uses."""
    if "$ref" in schema:
        return problems(value, root["$defs"][schema["$ref"].rpartition("/")[2]], root, at)
    if "oneOf" in schema:
        fits = [not problems(value, each, root, at) for each in schema["oneOf"]]
        return [] if sum(fits) == 1 else [f"{at}: {sum(fits)} of oneOf"]
    kinds = schema.get("type", [])
    names = {dict: "object", list: "array", str: "string", bool: "boolean", type(None): "null"}
    kind = names.get(type(value), "integer" if isinstance(value, int) else "number")
    allowed = [kinds] if isinstance(kinds, str) else kinds
    if allowed and kind not in allowed and not (kind == "integer" and "number" in allowed):
        return [f"{at}: {kind} is not {allowed}"]
    found = []
    if kind == "object":
        found += [
            f"{at}.{name} is missing" for name in schema.get("required", []) if name not in value
        ]
        for name, each in value.items():
            inner = schema.get("properties", {}).get(name, schema.get("additionalProperties", True))
            if inner is False:
                found.append(f"{at}.{name} is not known")
            elif inner is not True:
                found += problems(each, inner, root, f"{at}.{name}")
    if kind == "array" and "items" in schema:
        for i, each in enumerate(value):
            found += problems(each, schema["items"], root, f"{at}[{i}]")
    return found


@pytest.mark.parametrize(
    "typed",
    [
        "select {data} --target cultivar -k 3",
        "select {data} --target cultivar -k 3 --parts 5",
        "select {data} --target cultivar --method fcbf --weights hue",
        "select {data} --method randomclusterensemble:n_estimators=10",
        "compare {data} --target cultivar -k 2 --method mrmr fcbf",
        "compare {data} --target cultivar -k 2 --method mrmr --method mim --no-accuracy",
    ],
)
def test_the_output_follows_the_schema(typed, tmp_path, capsys):
    frame = load_wine(as_frame=True).frame.rename(columns={"target": "cultivar"})
    frame.to_csv(tmp_path / "wine.csv", index=False)
    words = typed.format(data=tmp_path / "wine.csv").split()
    assert main([*words, "--json", str(tmp_path / "out.json")]) == 0
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    found = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert problems(found, schema, schema) == []
    assert problems(found | {"n_rows": "many"}, schema, schema)
    assert problems({k: v for k, v in found.items() if k != "ensfs"}, schema, schema)
