"""The rows of the measures against their definitions, and against what the kernels make of them."""

from dataclasses import replace

import numpy as np
import pytest
import twins
from hypothesis import given, settings
from hypothesis import strategies as st

from ensfs._core import discrete
from ensfs.data.target import Target
from ensfs.statistics import CodedSource, Resampling, log_table
from ensfs.statistics.formulas import (
    MEASURES,
    SUMS,
    Measure,
    Row,
    entropy,
    get_measure,
    information,
    rounding,
)


def table(seed, n, levels):
    """Three columns of codes, each level there at least once."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, k, n) for k in levels]
    return dict(zip("fgy", (np.unique(x, return_inverse=True)[1] for x in columns), strict=True))


def cells_of(columns, name):
    """Counts of the cells of some columns; of none, all rows."""
    rows = (
        np.stack([columns[c] for c in name], axis=1) if name else np.zeros((len(columns["f"]), 1))
    )
    return np.unique(rows, axis=0, return_counts=True)[1]


def sums_of(columns):
    T, _ = log_table(len(columns["f"]))
    return {name: int(T[cells_of(columns, name)].sum()) for name in SUMS}


tables = st.builds(
    table,
    st.integers(0, 2**32 - 1),
    st.integers(1, 120),
    st.tuples(st.integers(1, 9), st.integers(1, 9), st.integers(1, 9)),
)


@given(columns=tables)
def test_rows_are_entropies_and_informations(columns):
    n, unit = len(columns["f"]), log_table(len(columns["f"]))[1]
    sums = sums_of(columns)
    f, g, y = (columns[c].tolist() for c in "fgy")

    def bits(row):
        return row.of(sums) * unit / n

    near = {"rel": 1e-9, "abs": 1e-12}
    for name in SUMS[1:]:
        expected = twins.entropy(*(columns[c] for c in name))
        assert bits(entropy(name)) == pytest.approx(expected, **near)
    assert bits(information("f", "g")) == pytest.approx(twins.information(f, g), **near)
    assert bits(information("fg", "y")) == pytest.approx(twins.joint(f, g, y), **near)
    assert bits(information("f", "y", given="g")) == pytest.approx(
        twins.conditional(f, y, g), **near
    )


def test_the_order_of_columns_does_not_matter():
    assert entropy("yf") == entropy("fy")
    assert information("f", "y", given="g") == information("y", "f", given="g")
    assert entropy("f") + entropy("g") == entropy("g") + entropy("f")
    assert entropy("f") - entropy("f") == Row((0,) * len(SUMS))


def test_names_and_measures():
    assert get_measure("joint") is MEASURES["joint"]
    assert get_measure(MEASURES["joint"]) is MEASURES["joint"]
    assert {name for name, m in MEASURES.items() if not m.uses_target} == {
        "mutual_information", "symmetrical_uncertainty",
    }  # fmt: skip
    assert MEASURES["symmetrical_uncertainty"].of_relevance.divisor is not None
    assert MEASURES["joint"].of_relevance is MEASURES["mutual_information"]


#: Other measures that rows can express: without negative values, with weights, with a second row.
OTHERS = {
    "positive part": replace(MEASURES["shared"], signed=False),
    "two rows": Measure((information("f", "g"), information("f", "g", given="y")), (0.3, -1.7)),
    "weighted": Measure((information("f", "g"),), (0.25,)),
}


@settings(max_examples=60)
@given(columns=tables)
@pytest.mark.parametrize("name", [*MEASURES, *OTHERS])
def test_kernels_and_numpy_agree_to_the_last_bit(name, columns):
    measure = MEASURES.get(name) or OTHERS[name]
    n, (_, unit) = len(columns["f"]), log_table(len(columns["f"]))
    codes = np.asfortranarray(np.stack([columns["f"], columns["g"]], axis=1).astype(np.uint8))
    levels = [int(columns[c].max()) + 1 for c in "fgy"]
    target = Target("classes", False, columns["y"].astype(np.int32), np.arange(levels[2]))
    source = CodedSource(
        codes, np.array(levels[:2], dtype=np.int32), target, Resampling.all_rows(n), measure=measure
    )
    out = np.empty((1, 2))
    source.association([(1, np.array([0]))], out)
    (f, g, y), sums = levels, sums_of(columns)
    if measure.uses_target:
        others = f * g + g * y + (f * y if measure.uses("fy") else 0)
        rounded = rounding(n, f * g * y, others)
    else:
        rounded = rounding(n, f * g, f + g)
    assert out[0, 0] == measure.of(sums, np.array([rounded]), unit / n)[0]


@settings(max_examples=40)
@given(columns=tables)
def test_negative_values_and_weights(columns):
    f, g, y = (columns[c].tolist() for c in "fgy")
    n, (_, unit) = len(f), log_table(len(f))
    near = {"rel": 1e-9, "abs": 1e-12}
    redundancy, given_y = twins.information(f, g), twins.conditional(f, g, y)
    rounded = rounding(n, n, 3 * n)
    expected = {
        "shared": redundancy - given_y,
        "positive part": max(0.0, redundancy - given_y),
        "two rows": 0.3 * redundancy - 1.7 * given_y,
        "weighted": 0.25 * redundancy,
    }
    for name, measure in {"shared": MEASURES["shared"], **OTHERS}.items():
        found = measure.of(sums_of(columns), np.array([rounded]), unit / n)[0]
        assert found == pytest.approx(expected[name], **near)
    assert [m.nonnegative for m in OTHERS.values()] == [True, False, True]
    assert [name for name, m in MEASURES.items() if not m.nonnegative] == ["shared"]


def test_rows_are_checked():
    row, weight = np.zeros((2, len(SUMS)), dtype=np.int64), np.ones(1)
    discrete.MeasureRows(row, weight, False)
    for rows, weights in (
        (row[:1], weight),
        (row[:, :-1].copy(), weight),
        (np.zeros((4, len(SUMS)), dtype=np.int64), np.ones(3)),
        (np.ones((3, len(SUMS)), dtype=np.int64), np.ones(2)),  # two rows and a divisor
    ):
        with pytest.raises(ValueError, match=r"must have|divisor"):
            discrete.MeasureRows(rows, weights, False)
