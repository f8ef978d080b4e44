"""The rules of decoding against their definitions and the worked numbers."""

from math import exp, log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensfs.codes import decode, dense_code, one_vs_one
from ensfs.codes.decoding import LOSSES, RULES, hit_shares, likeness

M = one_vs_one(3)
X = [[0.5, -0.25, 1.0]]
W = [[2 / 3, 1 / 3, 0], [1 / 2, 0, 1 / 2], [0, 1 / 3, 2 / 3]]


def sign(t):
    return (t > 0) - (t < 0)


def slow(rule, x, word, loss="exponential", weights=None, a=None, b=None):
    """One distance or likeness, from its formula."""
    pairs = list(zip(map(float, x), map(int, word), strict=True))
    losses = {"exponential": lambda t: exp(-t), "linear": lambda t: -t}
    of_margin = losses.get(loss, lambda t: max(0.0, 1 - t))
    if rule == "hamming":
        return sum((1 - sign(t * m)) / 2 for t, m in pairs)
    if rule == "euclidean":
        return sqrt(sum((t - m) ** 2 for t, m in pairs))
    if rule == "attenuated":
        return sqrt(sum(abs(m) * abs(t) * (t - m) ** 2 for t, m in pairs))
    if rule == "loss":
        return sum(of_margin(t * m) for t, m in pairs)
    if rule == "loss_weighted":
        return sum(w * of_margin(t * m) for w, (t, m) in zip(weights, pairs, strict=True))
    if rule == "laplacian":
        agree = sum(t * m > 0 for t, m in pairs)
        disagree = sum(t * m < 0 for t, m in pairs)
        return (agree + 1) / (agree + disagree + 2)
    if rule == "probabilistic":
        terms = zip(a, b, pairs, strict=True)
        return sum(log(1 + exp(m * (s * t + i))) for s, i, (t, m) in terms if m)
    assert rule == "l1"
    clipped = [(min(1.0, max(-1.0, t)), m) for t, m in pairs]
    return sum(w * abs(t - m) / 2 for w, (t, m) in zip(weights, clipped, strict=True))


@given(st.data())
def test_rules(data):
    rule = data.draw(st.sampled_from([r for r in RULES if r != "inverse_hamming"]))
    loss = data.draw(st.sampled_from(sorted(LOSSES)))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    n_classes, n_columns = rng.integers(2, 6), rng.integers(1, 7)
    code = rng.integers(-1, 2, size=(n_classes, n_columns))
    outputs = rng.normal(size=(4, n_columns)).round(1)
    weights, a, b = rng.random(code.shape), rng.normal(size=n_columns), rng.normal(size=n_columns)
    expected = [
        [
            slow(rule, x, word, loss, w, a, b)
            for word, w in zip(code, weights, strict=True)
        ]
        for x in outputs
    ]  # fmt: skip
    given_weights = weights if rule in ("l1", "loss_weighted") else None
    found = decode(outputs, code, rule, loss=loss, weights=given_weights, slopes=a, intercepts=b)
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize(
    ("rule", "options", "expected"),
    [
        ("hamming", {}, [1.5, 1.5, 1.5]),
        ("euclidean", {}, [1.677050983125, 1.520690632575, 2.193741096848]),
        ("attenuated", {}, [0.718070330817, 1.060660171780, 2.034852574512]),
        ("loss", {}, [2.890556076400, 3.016600711872, 4.497082611530]),
        ("loss", {"loss": "hinge"}, [2.75, 2.5, 3.75]),
        ("loss", {"loss": "linear"}, [-0.25, -0.5, 0.75]),
        ("loss_weighted", {"weights": W}, [0.832362245371, 1.008300355936, 2.071788146663]),
        (
            "probabilistic",
            {"slopes": [-1] * 3, "intercepts": [0] * 3},
            [1.300016404059, 1.287338671698, 1.889201107397],
        ),
        ("laplacian", {}, [0.5, 0.5, 0.5]),
    ],
)
def test_worked_numbers(rule, options, expected):
    np.testing.assert_allclose(decode(X, M, rule, **options)[0], expected, atol=1e-11)


def test_hamming_of_three_pairs():
    assert decode([[1, 1, -1]], M)[0].tolist() == [0.5, 2.5, 1.5]


def test_weights_by_hits():
    signs = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, 1], [1, -1, -1], [-1, 1, -1]])
    shares = hit_shares(signs, np.array([0, 0, 1, 2, 2]), M)
    np.testing.assert_allclose(shares, W, atol=1e-15)
    doubled = hit_shares(
        np.repeat(signs, [2, 1, 1, 3, 1], axis=0), np.array([0, 0, 0, 1, 2, 2, 2, 2]), M
    )
    weighted = hit_shares(signs, np.array([0, 0, 1, 2, 2]), M, np.array([2.0, 1, 1, 3, 1]))
    np.testing.assert_allclose(weighted, doubled, atol=1e-15)


def test_a_class_that_is_never_right_weights_its_columns_alike():
    shares = hit_shares(-M.astype(float), np.arange(3), M)
    np.testing.assert_array_equal(shares, np.abs(M) / 2)


def test_inverse_hamming():
    code = np.array([[1, 1, 1, -1], [1, -1, -1, 1], [-1, 1, -1, 1]])
    found = decode([[1, 1, -1, -1]], code, "inverse_hamming")[0]
    np.testing.assert_allclose(found, [5 / 9, 1 / 6, 1 / 6], atol=1e-12)
    assert likeness(found, "inverse_hamming").argmax() == 0
    square = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]])  # its distances are singular
    assert decode(square, square, "inverse_hamming").argmax(axis=1).tolist() == [0, 1, 2, 3]
    with pytest.raises(ValueError, match="without 0"):
        decode(X, M, "inverse_hamming")


def test_weighted_hamming_is_weighted_l1_of_signs():
    rng = np.random.default_rng(0)
    outputs, weights = rng.normal(size=(5, 3)), rng.random((3, 3))
    np.testing.assert_array_equal(
        decode(outputs, M, "hamming", weights=weights),
        decode(np.sign(outputs), M, "l1", weights=weights),
    )


@given(data=st.data())
def test_the_first_of_tied_classes_wins(data):
    """Sums of the same terms in another order differ by rounding, which must not decide."""
    rule = data.draw(st.sampled_from(["hamming", "euclidean", "loss", "inverse_hamming", "l1"]))
    n_classes = data.draw(st.integers(3, 6))
    code = dense_code(n_classes, rng=data.draw(st.integers(0, 99)), n_draws=2)
    signs = st.lists(st.sampled_from([-1, 1]), min_size=code.shape[1], max_size=code.shape[1])
    x = data.draw(signs)
    wrong = [sum(t != m for t, m in zip(x, word, strict=True)) for word in code.tolist()]
    scores = likeness(decode([x], code, rule), rule)[0]
    if rule == "inverse_hamming":
        between = [[sum(a != b for a, b in zip(u, v, strict=True)) for v in code] for u in code]
        q = np.linalg.lstsq(np.array(between, float), np.array(wrong, float), rcond=None)[0]
        assert scores.argmax() == np.argmax(q >= q.max() - 1e-9)
    else:
        assert scores.argmax() == wrong.index(min(wrong))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rule": "nearest"}, "rule must be one of"),
        ({"rule": "loss", "loss": "square"}, "loss must be one of"),
        ({"rule": "loss_weighted"}, "weights must be given for rule='loss_weighted'"),
        ({"rule": "probabilistic"}, "slopes and intercepts must be given"),
        ({"code": M[:, :2]}, "a column for each of the 2 columns"),
    ],
)
def test_bad_arguments(options, message):
    with pytest.raises(ValueError, match=message):
        decode(X, options.pop("code", M), **options)
