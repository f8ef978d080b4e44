"""The rows of the measures against their definitions, and against what the kernels make of them."""

from dataclasses import replace

import numpy as np
import pytest
import twins
from hypothesis import given, settings
from hypothesis import strategies as st

from ensfs._core import discrete
from ensfs.data.target import Target
from ensfs.statistics import CodedSource, Resampling, chance_of, log_table
from ensfs.statistics.formulas import (
    MEASURES,
    SUMS,
    Measure,
    Row,
    Unit,
    degrees_of_freedom,
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


def unit_of(n):
    unit = log_table(n)[1]
    return Unit(unit / n, chance_of(unit))


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
#: Measures without what chance gives, and with it as the least.
CORRECTED = {
    **{f"{name} corrected": replace(m, chance="subtracted") for name, m in MEASURES.items()},
    "two rows corrected": replace(OTHERS["two rows"], signed=True, chance="subtracted"),
    "joint below chance": replace(MEASURES["joint"], signed=True, chance="subtracted"),
    "relative below chance": replace(MEASURES["relative"], signed=True, chance="subtracted"),
    "at least chance": replace(MEASURES["mutual_information"], chance="least"),
    "conditional, twice": replace(MEASURES["conditional"], chance="subtracted", chance_times=2.0),
}


@settings(max_examples=60)
@given(columns=tables)
@pytest.mark.parametrize("name", [*MEASURES, *OTHERS, *CORRECTED])
def test_kernels_and_numpy_agree_to_the_last_bit(name, columns):
    measure = (MEASURES | OTHERS | CORRECTED)[name]
    n = len(columns["f"])
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
    found = measure.of(sums, dict(zip("fgy", levels, strict=True)), rounded, unit_of(n))
    assert out[0, 0] == found


@settings(max_examples=40)
@given(columns=tables)
def test_negative_values_and_weights(columns):
    f, g, y = (columns[c].tolist() for c in "fgy")
    n, near = len(f), {"rel": 1e-9, "abs": 1e-12}
    redundancy, given_y = twins.information(f, g), twins.conditional(f, g, y)
    rounded = rounding(n, n, 3 * n)
    expected = {
        "shared": redundancy - given_y,
        "positive part": max(0.0, redundancy - given_y),
        "two rows": 0.3 * redundancy - 1.7 * given_y,
        "weighted": 0.25 * redundancy,
    }
    for name, measure in {"shared": MEASURES["shared"], **OTHERS}.items():
        found = measure.of(sums_of(columns), {}, rounded, unit_of(n))
        assert found == pytest.approx(expected[name], **near)
    assert [m.nonnegative for m in OTHERS.values()] == [True, False, True]
    assert [name for name, m in MEASURES.items() if not m.nonnegative] == ["shared"]


@given(levels=st.tuples(*[st.integers(1, 50)] * 3))
def test_degrees_of_freedom_are_those_of_the_tests(levels):
    f, g, y = levels
    of = dict(zip("fgy", levels, strict=True))
    assert degrees_of_freedom(information("f", "g"), of) == (f - 1) * (g - 1)
    assert degrees_of_freedom(information("f", "y", given="g"), of) == (f - 1) * (y - 1) * g
    assert degrees_of_freedom(information("fg", "y"), of) == (f * g - 1) * (y - 1)


@settings(max_examples=60)
@given(columns=tables)
def test_chance_is_half_a_nat_for_each_degree_of_freedom(columns):
    f, g, y = (columns[c].tolist() for c in "fgy")
    levels = {c: len(set(columns[c].tolist())) for c in "fgy"}
    n, rounded, near = len(f), rounding(len(f), len(f), 3 * len(f)), {"rel": 1e-9, "abs": 1e-11}
    chance = twins.chance(n, levels["f"], levels["g"])
    plain = twins.information(f, g)
    expected = {
        "mutual_information corrected": max(0.0, plain - chance),
        "at least chance": max(plain, chance),
        "conditional, twice": max(
            0.0,
            twins.conditional(f, y, g) - 2 * twins.chance(n, levels["f"], levels["y"], levels["g"]),
        ),
        "joint below chance": twins.joint(f, g, y)
        - twins.chance(n, levels["f"] * levels["g"], levels["y"]),
        "two rows corrected": 0.3 * (plain - chance)
        - 1.7 * (twins.conditional(f, g, y) - chance * levels["y"]),
    }
    for name, value in expected.items():
        found = CORRECTED[name].of(sums_of(columns), levels, rounded, unit_of(n))
        assert found == pytest.approx(value, **near)


def test_the_relevance_of_corrected_measures():
    relevance = replace(MEASURES["joint"], chance="subtracted").of_relevance
    assert (relevance.chance, relevance.signed) == ("subtracted", True)
    relevance = replace(MEASURES["mutual_information"], chance="least").of_relevance
    assert (relevance.chance, relevance.signed) == ("subtracted", False)  # it is divided
    uncertainty = replace(MEASURES["symmetrical_uncertainty"], chance="subtracted")
    assert uncertainty.of_relevance is uncertainty


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
