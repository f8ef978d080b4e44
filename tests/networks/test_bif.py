"""Networks as text: back and forth, public files, and everything that can be wrong."""

import gzip
import io
import json
import string

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensfs.datasets import BayesianNetwork, read_bif, write_bif

TEXT = """\
network weather {
  property author someone, "with a ; in quotes";
}
// the variables
variable rain {
  type discrete [ 2 ] { no, yes };
}
variable sprinkler {
  type discrete [ 2 ] { off, on };
  property position = (73, 165) ;
}
variable grass {
  type discrete [ 3 ] { dry, damp, wet };
}
/* and
   their tables */
probability ( rain ) {
  table 0.8, 0.2;
}
probability ( sprinkler ) {
  table 0.6 0.4;
}
probability ( grass | rain, sprinkler ) {
  (no, off) 1.0, 0.0, 0.0;
  (yes, off) 0.1, 2e-1, .7;
  (no, on) 0.2, 0.2, 0.6;
  (yes, on) 0.0, 0.0, 1.;
}
"""


def assert_same(a, b):
    assert a.states == b.states
    assert a.edges == b.edges
    for name in a.names:
        np.testing.assert_array_equal(a.probabilities[name], b.probabilities[name])


def test_what_is_read():
    network = read_bif(TEXT)
    assert dict(network.states) == {
        "rain": ("no", "yes"),
        "sprinkler": ("off", "on"),
        "grass": ("dry", "damp", "wet"),
    }
    assert network.parents("grass") == ("rain", "sprinkler")
    np.testing.assert_array_equal(network.probabilities["sprinkler"], [0.6, 0.4])
    np.testing.assert_array_equal(
        network.probabilities["grass"],
        [[[1, 0, 0], [0.2, 0.2, 0.6]], [[0.1, 0.2, 0.7], [0, 0, 1]]],
    )


def test_table_default_and_no_bar():
    """In a table the variable's own states change slowest; a default fills the other rows."""
    start = TEXT[: TEXT.index("probability ( grass")]
    whole = start + (
        "probability ( grass rain sprinkler ) "
        "{ table 1, 0.2, 0.1, 0,  0, 0.2, 0.2, 0,  0, 0.6, 0.7, 1; }"
    )
    assert_same(read_bif(whole), read_bif(TEXT))
    default = start + (
        "probability ( grass | rain, sprinkler ) "
        "{ default 0 0 1; (no, off) 1 0 0; (no, on) 0.2 0.2 0.6; (yes, off) 0.1 0.2 0.7; }"
    )
    assert_same(read_bif(default), read_bif(TEXT))


def test_sources(tmp_path):
    plain, packed = tmp_path / "a.bif", tmp_path / "a.bif.gz"
    plain.write_text(TEXT)
    packed.write_bytes(gzip.compress(TEXT.encode()))
    marked = io.BytesIO(b"\xef\xbb\xbf" + TEXT.encode())
    windows = TEXT.replace("\n", "\r\n")
    for source in (plain, str(plain), packed, io.StringIO(TEXT), marked, windows):
        assert_same(read_bif(source), read_bif(TEXT))


NAMES = st.text(string.ascii_letters + string.digits + "_-+<>=/.:' ,;(){}|[]äß", min_size=1)


@given(st.data(), st.integers(0, 2**32 - 1))
def test_there_and_back(data, seed):
    n = data.draw(st.integers(1, 5))
    names = data.draw(st.lists(NAMES, min_size=n, max_size=n, unique=True))
    states = {
        name: data.draw(st.lists(NAMES, min_size=1, max_size=3, unique=True)) for name in names
    }
    parents = {
        name: data.draw(st.lists(st.sampled_from(names[:i]), unique=True, max_size=3)) if i else []
        for i, name in enumerate(names)
    }
    rng = np.random.default_rng(seed)
    tables = {
        name: rng.dirichlet(
            np.full(len(states[name]), 0.3), [len(states[p]) for p in parents[name]]
        )
        for name in names
    }
    order = data.draw(st.permutations(names))
    network = BayesianNetwork({name: states[name] for name in order}, parents, tables)
    assert_same(read_bif(write_bif(network)), network)


def test_names_that_cannot_be_written():
    for name in ('a"b', "a\nb"):
        with pytest.raises(ValueError, match="no quotes and line breaks"):
            write_bif(BayesianNetwork({name: ["x"]}, {}, {name: [1.0]}))


@pytest.mark.parametrize(
    ("old", "new", "line", "cause"),
    [
        ("network weather", "netwerk weather", 1, "expected 'network', 'variable' or 'probab"),
        ("{ no, yes };", "{ no, yes }", 7, "expected ';', found '}'"),
        ("[ 2 ] { no, yes }", "[ 3 ] { no, yes }", 6, "'rain' should have 3 states, 2 are"),
        ("[ 2 ] { no, yes }", "[ 0 ] { }", 6, "'rain' has no states"),
        ("[ 2 ] { no, yes }", "[ two ] { no, yes }", 6, "'rain' should have two states, 2 are"),
        ("[ 2 ] { no, yes }", f"[ {'9' * 5000} ] {{ no, yes }}", 6, "should have 9{40}... states"),
        ("{ no, yes }", "{ no, no }", 6, "state 'no' of 'rain' is listed twice"),
        ("discrete [ 2 ] { no", "continuous [ 2 ] { no", 6, "only 'discrete' can be read"),
        ("variable sprinkler", "variable rain", 8, "variable 'rain' is declared twice"),
        ("  type discrete [ 3 ] { dry, damp, wet };\n", "", 12, "'grass' has no type"),
        ("{ dry, damp, wet };", "{ dry, damp, wet }; type discrete [1] {a};", 13, "two types"),
        ("( rain ) {", "( snow ) {", 17, "variable 'snow' was not declared"),
        ("rain, sprinkler )", "rain, snow )", 23, "variable 'snow' was not declared"),
        ("rain, sprinkler )", "rain, rain )", 23, "variable 'rain' is named twice"),
        ("rain, sprinkler )", "grass )", 23, "variable 'grass' is named twice"),
        ("grass | rain", "grass, rain |", 23, "one variable comes before '|', found 2"),
        ("( rain )", "( )", 17, "probabilities of no variable"),
        ("( sprinkler )", "( rain )", 20, "probabilities of 'rain' are given twice"),
        ("(yes, on) ", "(yes, off) ", 27, "probabilities of 'grass' were given before"),
        ("  (yes, on) 0.0, 0.0, 1.;\n", "", 23, "1 of 4 rows of 'grass' are missing, the "
         "first for rain=yes, sprinkler=on"),
        ("(yes, on)", "(yes, up)", 27, "'up' is not a state of 'sprinkler'"),
        ("(yes, on)", "(yes)", 27, "'grass' has 2 parents, this row has 1 states"),
        ("0.2, 0.2, 0.6", "0.2, 0.8", 26, "2 probabilities of 'grass', expected 3"),
        ("0.2, 0.2, 0.6", "0.2, 0.2, 0.5, 0.1", 26, "more than 3 probabilities of 'grass'"),
        ("0.2, 0.2, 0.6", "0.2, 0.2, 0.7", 26, "probabilities of 'grass' sum to 1.1, not to 1"),
        ("0.2, 0.2, 0.6", "0.2, -0.2, 1", 26, "probability -0.2 is not between 0 and 1"),
        ("0.2, 0.2, 0.6", "0.2, 1e999, 1", 26, "probability 1e999 is not between 0 and 1"),
        ("0.2, 0.2, 0.6", f"0.2, {'1' * 9999}, 1", 26, "probability 1{40}... is not between"),
        ("0.2, 0.2, 0.6", "0.2, nan, 0.6", 26, "expected a probability of 'grass', found 'nan'"),
        ("0.2, 0.2, 0.6", "0.2, 0_2, 0.6", 26, "expected a probability of 'grass', found '0_2'"),
        ("0.2, 0.2, 0.6", "0.2, (0.2), 0.6", 26, "expected a probability of 'grass', found '('"),
        ("table 0.8, 0.2;", "table 0.8, 0.3;", 18, "probabilities of 'rain' sum to 1.1"),
        ("table 0.8, 0.2;", "", 17, "there are no probabilities for 'rain'"),
        ("table 0.8, 0.2;", "tables 0.8, 0.2;", 18, "expected a row of probabilities of 'rain'"),
        ("probability ( rain ) {\n  table 0.8, 0.2;\n}\n", "", 5, "no probabilities for the "
         "variable 'rain'"),
        ("probability ( rain ) {\n  table 0.8, 0.2;", "probability ( rain | sprinkler ) "
         "{ default 0.8, 0.2; default 1 0;", 17, "'rain' has two defaults"),
        ("/* and", "/ * and", 15, "expected 'network', 'variable' or 'probability', found '/'"),
        ("tables */", "tables", 15, "a comment is not closed"),
        ("{ no, yes }", '{ no, "yes }', 6, "a quote is not closed"),
        ("{ no, yes }", '{ no, "" }', 6, "expected a state of 'rain', found ''"),
    ],
)  # fmt: skip
def test_bad_text(old, new, line, cause):
    assert TEXT.count(old) >= 1
    pattern = cause.replace("(", r"\(").replace("|", r"\|")
    with pytest.raises(ValueError, match=rf"^line {line}: .*{pattern}"):
        read_bif(TEXT.replace(old, new, 1))


def test_cycles():
    text = """network loop { }
variable a { type discrete [ 2 ] { x, y }; }
variable b { type discrete [ 2 ] { x, y }; }
variable c { type discrete [ 2 ] { x, y }; }
probability ( a | b ) { default 0.5, 0.5; }
probability ( b | a ) { default 0.5, 0.5; }
probability ( c ) { table 0.5, 0.5; }
"""
    with pytest.raises(ValueError, match="line 5: the graph has a cycle: a -> b -> a"):
        read_bif(text)


def test_huge_tables_are_refused_before_they_are_made():
    names = [f"v{i}" for i in range(60)]
    text = "".join(f"variable {name} {{ type discrete [2] {{x, y}}; }}\n" for name in names)
    text += f"probability ( {' '.join(names)} ) {{ default 0.5 0.5; }}"
    with pytest.raises(ValueError, match=r"line 61: the table of 'v0' would have 1.15e\+18 cells"):
        read_bif(text)


def test_truncated_text():
    for end in range(1, len(TEXT) - 1):
        text = TEXT[:end] + "\n"
        with pytest.raises(ValueError, match=r"line \d+: ") as error:
            read_bif(text)
        assert int(str(error.value).split(":")[0].removeprefix("line ")) <= text.count("\n") + 1


@given(st.integers(0, len(TEXT) - 1), st.integers(0, 3), st.text(max_size=3))
def test_damaged_text_is_a_network_or_a_clear_error(start, length, inserted):
    message = ""
    try:
        network = read_bif(TEXT[:start] + inserted + TEXT[start + length :])
        assert set(network.names) <= set(network.probabilities)
    except ValueError as error:
        message = str(error)
    assert not message or message.startswith("line ")


def test_what_is_not_text(tmp_path):
    path = tmp_path / "noise.bif"
    path.write_bytes(b"network x {\n}\n\xff\xfe\x00")
    with pytest.raises(ValueError, match=r"noise.bif: line 3: this is not text"):
        read_bif(path)
    with pytest.raises(ValueError, match="line 2: this is not text, it holds a zero byte"):
        read_bif("network\n\0")
    path.write_bytes(gzip.compress(TEXT.encode())[:-20])
    with pytest.raises(ValueError, match=r"noise.bif: The compressed file is damaged"):
        read_bif(path)
    path.write_text("variable a {")
    with pytest.raises(ValueError, match=r"noise.bif: line 1: expected 'property'"):
        read_bif(path)


def test_what_is_not_a_source(tmp_path):
    for source in ("", "  \n"):
        with pytest.raises(ValueError, match=r"line \d: there is no variable in this text"):
            read_bif(source)
    with pytest.raises(TypeError, match="source must be text, a path or an open file; got int"):
        read_bif(3)
    with pytest.raises(FileNotFoundError):
        read_bif(tmp_path / "missing.bif")


# barley and mildew have millions of numbers and are left out
PUBLIC = ("alarm", "andes", "asia", "child", "hailfinder", "insurance", "pigs", "win95pts")


@pytest.mark.requires_data("manifest.json", "networks")
@pytest.mark.parametrize("name", PUBLIC)
def test_public_networks(name, data_dir):
    items = json.loads((data_dir / "manifest.json").read_text())["networks"]["items"]
    facts = next(item for item in items if item["name"] == name)
    network = read_bif(data_dir / facts["file"])
    assert (len(network.names), len(network.edges)) == (facts["nodes"], facts["arcs"])
    assert_same(read_bif(write_bif(network)), network)
