"""Mixtures of experts: weights of prototypes, the gate, and gates that learn with their experts."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import approx_fprime
from sklearn.datasets import load_iris, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from ensfs import HierarchicalMixtureClassifier, PrototypeMixtureClassifier
from ensfs.ensemble._gate import Gate, fit_gate, log_density, posteriors
from ensfs.ensemble._joint_mixture import JointMixture, Sizes, loss_and_gradient, random_start
from ensfs.ensemble._prototype_weights import dynamic_weights, static_weights

BOTH = [PrototypeMixtureClassifier, HierarchicalMixtureClassifier]


def slow_static(distances):
    """The farthest has rank 1; of equal ones the later is farther."""
    order = sorted(range(len(distances)), key=lambda i: (-distances[i], -i))
    total = sum(range(1, len(distances) + 1))
    return [(order.index(i) + 1) / total for i in range(len(distances))]


def slow_dynamic(distances):
    n, total = len(distances), math.fsum(distances)
    if n == 1 or total == 0:
        return [1 / n] * n
    return [(1 - d / total) / (n - 1) for d in distances]


def test_weights_of_the_paper():
    distances = np.array([[1.0, 2, 5]])
    np.testing.assert_allclose(dynamic_weights(distances), [[0.4375, 0.375, 0.1875]], atol=1e-15)
    np.testing.assert_allclose(2 * dynamic_weights(distances), [[0.875, 0.75, 0.375]], atol=1e-15)
    np.testing.assert_allclose(static_weights(distances), [[1 / 2, 1 / 3, 1 / 6]], atol=1e-15)
    np.testing.assert_allclose(static_weights([[2.0, 2, 2]]), [[1 / 2, 1 / 3, 1 / 6]], atol=1e-15)
    np.testing.assert_allclose(dynamic_weights(np.zeros((1, 4))), [[0.25] * 4])
    for weights in (static_weights, dynamic_weights):
        np.testing.assert_array_equal(weights(np.array([[3.0], [0.0]])), [[1.0], [1.0]])


@given(st.lists(st.integers(0, 6).map(float), min_size=1, max_size=6))
def test_weights_by_their_definition(distances):
    row = np.array([distances])
    np.testing.assert_allclose(static_weights(row)[0], slow_static(distances), atol=1e-15)
    np.testing.assert_allclose(dynamic_weights(row)[0], slow_dynamic(distances), atol=1e-12)
    assert dynamic_weights(row).sum() == pytest.approx(1)
    assert static_weights(row).sum() == pytest.approx(1)


def slow_loss(coef, intercept, Z, log_fit, weight, alpha):
    """Mean of minus the logarithm of the likelihood, and the penalty, by loops."""
    total = 0.5 * alpha * sum(c**2 for row in coef for c in row)
    for z, fit, w in zip(Z, log_fit, weight, strict=True):
        scores = [math.exp(np.dot(c, z) + b) for c, b in zip(coef, intercept, strict=True)]
        terms = [s / sum(scores) * math.exp(f) for s, f in zip(scores, fit, strict=True)]
        total -= w * math.log(sum(terms))
    return total / sum(weight)


def random_gate(seed, n=25, p=2, k=3):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, p)), -rng.exponential(size=(n, k)), rng.integers(1, 4, size=n) * 1.0


@given(seed=st.integers(0, 10**6))
@settings(max_examples=15)
def test_the_likelihood_of_a_gate_never_falls(seed):
    Z, log_fit, weight = random_gate(seed)
    ends = []
    for method in ("lbfgs", "em"):
        gate, curve = fit_gate(Z, log_fit, weight, alpha=0.1, max_iter=100, method=method)
        assert np.diff(curve).max(initial=-1) <= 1e-12
        assert curve[-1] == pytest.approx(slow_loss(*gate, Z, log_fit, weight, 0.1), abs=1e-10)
        np.testing.assert_allclose(np.exp(gate.log_weights(Z)).sum(axis=1), 1)
        ends.append(curve)
    assert ends[0][0] == ends[1][0]  # both start at equal weights


def test_a_gate_ends_where_the_shares_are_its_weights():
    """The derivative by an intercept is the mean of g - h."""
    Z, log_fit, weight = random_gate(3, n=60)
    gate, _ = fit_gate(Z, log_fit, weight, alpha=1e-3, max_iter=500)
    log_g = gate.log_weights(Z)
    joint = np.exp(log_g + log_fit)
    shares = posteriors(log_g, log_fit)[1]
    np.testing.assert_allclose(shares, joint / joint.sum(axis=1, keepdims=True))
    np.testing.assert_allclose(weight @ (np.exp(log_g) - shares) / weight.sum(), 0, atol=1e-4)


def test_a_gate_of_certain_parts_is_a_regression():
    """Where one part alone fits each row, the gate is the logistic regression of that part."""
    rng = np.random.default_rng(0)
    Z, part = rng.normal(size=(80, 2)), rng.integers(3, size=80)
    log_fit = np.where(np.arange(3) == part[:, None], 0.0, -60.0)
    gate, _ = fit_gate(Z, log_fit, np.ones(80), alpha=0.5, max_iter=500)
    expected = LogisticRegression(C=2.0, tol=1e-8, max_iter=1000).fit(Z, part)
    np.testing.assert_allclose(gate.coef, expected.coef_, atol=1e-3)
    em, _ = fit_gate(Z, log_fit, np.ones(80), alpha=0.5, max_iter=500, method="em")
    np.testing.assert_allclose(em.coef, expected.coef_, atol=1e-3)


@given(seed=st.integers(0, 10**6), modules=st.integers(1, 3), experts=st.integers(1, 3))
@settings(max_examples=10)
def test_derivatives_of_the_joint_loss(seed, modules, experts):
    rng = np.random.default_rng(seed)
    sizes = Sizes(modules, experts, 2, 3, 3)
    start = random_start(sizes, rng)
    model = JointMixture(*(each + 0.3 * rng.normal(size=each.shape) for each in start))
    Z, weight = rng.normal(size=(6, 2)), rng.integers(1, 3, size=6) * 1.0
    targets = np.eye(3)[rng.integers(3, size=6)]
    loss, gradient = loss_and_gradient(model, Z, targets, weight, 0.2)

    def rebuilt(place):
        parts = np.split(place, np.cumsum([each.size for each in model])[:-1])
        return JointMixture(
            *(part.reshape(each.shape) for part, each in zip(parts, model, strict=True))
        )

    place = np.concatenate([each.ravel() for each in model])
    expected = approx_fprime(
        place, lambda x: loss_and_gradient(rebuilt(x), Z, targets, weight, 0.2)[0], 1e-6
    )
    found = np.concatenate([each.ravel() for each in gradient])
    np.testing.assert_allclose(found, expected, atol=2e-5)
    assert loss == pytest.approx(slow_joint_loss(model, Z, targets, weight, 0.2), abs=1e-12)


def slow_joint_loss(model, Z, targets, weight, alpha):
    """Row by row, module by module, expert by expert."""
    n_modules = len(model.coef)
    n_experts = len(model.expert_coef) // n_modules
    total = 0.5 * alpha * sum((each**2).sum() for each in model[::2])
    for z, t, w in zip(Z, targets, weight, strict=True):
        top = np.exp(model.coef @ z + model.intercept)
        likelihood = 0.0
        for i in range(n_modules):
            mine = slice(i * n_experts, (i + 1) * n_experts)
            low = np.exp(model.expert_coef[mine] @ z + model.expert_intercept[mine])
            for j in range(n_experts):
                e = i * n_experts + j
                hidden = np.tanh(z @ model.hidden_weights[e] + model.hidden_bias[e, 0])
                out = np.exp(hidden @ model.output_weights[e] + model.output_bias[e, 0])
                out /= out.sum()
                fit = math.exp(-((t - out) ** 2).sum() / 2)
                likelihood += top[i] / top.sum() * low[j] / low.sum() * fit
        total -= w * math.log(likelihood)
    return total / weight.sum()


@pytest.mark.parametrize("weights", ["static", "dynamic"])
def test_opinions_are_mixed_as_defined(weights):
    X, y = load_iris(return_X_y=True)
    model = PrototypeMixtureClassifier(
        GaussianNB(), n_modules=2, n_experts=3, weights=weights, random_state=0
    ).fit(X, y)
    assert model.prototypes_.shape == (2, 3, 4)
    scaled = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    for module in model.prototypes_:  # distinct rows of the table
        assert len(np.unique(module, axis=0)) == 3
        assert all(np.isclose(scaled, each).all(axis=1).any() for each in module)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    slow = slow_static if weights == "static" else slow_dynamic
    within, gate = model.expert_weights(X), model.gate(X)
    expected = np.zeros((150, 3))
    for row in range(0, 150, 7):
        scores = np.exp(model.gate_coef_ @ Z[row] + model.gate_intercept_)
        np.testing.assert_allclose(gate[row], scores / scores.sum(), rtol=1e-6)
        for j in range(2):
            h = slow([math.dist(scaled[row], each) for each in model.prototypes_[j]])
            np.testing.assert_allclose(within[row, j], h, atol=1e-9)
            for i in range(3):
                opinion = model.experts_[j][i].predict_proba(Z[row : row + 1])[0]
                expected[row] += gate[row, j] * h[i] * opinion
        np.testing.assert_allclose(model.predict_proba(X[row : row + 1])[0], expected[row])


def test_experts_learn_with_the_weights_of_their_prototype():
    X, y = load_iris(return_X_y=True)
    model = PrototypeMixtureClassifier(GaussianNB(), random_state=1).fit(X, y)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    within = model.expert_weights(X)
    for j in range(2):
        for i in range(2):
            alone = GaussianNB().fit(Z, y, sample_weight=within[:, j, i])
            np.testing.assert_allclose(alone.theta_, model.experts_[j][i].theta_, atol=1e-9)


def test_the_gate_learns_which_module_fits():
    """It ends no worse than it starts, at equal weights, and one module needs none."""
    X, y = load_wine(return_X_y=True)
    model = PrototypeMixtureClassifier(GaussianNB(), n_experts=4, random_state=0).fit(X, y)
    targets = np.eye(3)[y]
    gate, within, outputs = model._mix(X)
    modules = (within[..., None] * outputs).sum(axis=2)
    fit = np.exp(log_density(modules, targets[:, None]))
    np.testing.assert_allclose(model.loss_curve_[0], -np.log(fit.mean(axis=1)).mean(), atol=1e-9)
    penalty = 0.5e-4 * (model.gate_coef_**2).sum() / 178
    learned = -np.log((gate * fit).sum(axis=1)).mean() + penalty
    np.testing.assert_allclose(model.loss_curve_[-1], learned, atol=1e-9)
    assert model.loss_curve_[-1] < model.loss_curve_[0]
    assert np.diff(model.loss_curve_).max() <= 1e-12
    alone = PrototypeMixtureClassifier(GaussianNB(), n_modules=1, random_state=0).fit(X, y)
    assert (alone.gate(X) == 1).all()
    assert alone.loss_curve_ == []


def test_learned_gates_and_networks_mix_as_defined():
    X, y = load_iris(return_X_y=True)
    model = HierarchicalMixtureClassifier(4, n_modules=2, n_experts=3, random_state=0).fit(X, y)
    assert np.diff(model.loss_curve_).max() <= 1e-12
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    proba, within = model.predict_proba(X), model.expert_weights(X)
    for row in range(0, 150, 31):
        top = np.exp(model.gate_coef_ @ Z[row] + model.gate_intercept_)
        expected = np.zeros(3)
        for i in range(2):
            low = np.exp(model.expert_gate_coef_[i] @ Z[row] + model.expert_gate_intercept_[i])
            np.testing.assert_allclose(within[row, i], low / low.sum())
            for j in range(3):
                hidden = np.tanh(Z[row] @ model.coefs_[0][i, j] + model.intercepts_[0][i, j])
                out = np.exp(hidden @ model.coefs_[1][i, j] + model.intercepts_[1][i, j])
                expected += top[i] / top.sum() * low[j] / low.sum() * out / out.sum()
        np.testing.assert_allclose(proba[row], expected, rtol=1e-9)


def test_the_lowest_of_several_descents_is_kept():
    X, y = load_wine(return_X_y=True)
    ends = [
        HierarchicalMixtureClassifier(2, n_starts=n, max_iter=8, n_jobs=jobs, random_state=0)
        .fit(X, y)
        for n, jobs in ((1, None), (3, None), (3, 2))
    ]  # fmt: skip
    assert ends[1].loss_curve_[-1] <= ends[0].loss_curve_[-1]
    assert ends[1].loss_curve_ == ends[2].loss_curve_


@pytest.mark.parametrize("cls", BOTH)
def test_weights_are_repetitions(cls):
    rng = np.random.default_rng(0)
    X, y = load_wine(return_X_y=True)
    times = rng.integers(0, 3, size=len(y))
    weighted = cls(max_iter=20, random_state=0).fit(X, y, sample_weight=times)
    order = rng.permutation(np.repeat(np.arange(len(y)), times))
    repeated = cls(max_iter=20, random_state=0).fit(X[order], y[order])
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), rtol=1e-9)


@pytest.mark.parametrize("cls", BOTH)
@pytest.mark.parametrize("frame", [lambda X: X, pl.DataFrame])
def test_text_and_categories(cls, frame):
    rng = np.random.default_rng(0)
    ward = rng.choice(["a", "b", "c"], size=90)
    table = pd.DataFrame({"ward": ward, "dose": rng.normal(size=90)})
    y = np.where(ward == "b", "ill", "well")
    model = cls(random_state=0).fit(frame(table), y)
    assert model.score(frame(table), y) == 1
    assert model.gate_coef_.shape == (2, 4)
    new = frame(table.assign(ward="z"))
    np.testing.assert_allclose(model.predict_proba(new).sum(axis=1), 1)
    with pytest.raises(ValueError, match="column 'dose' has 90 missing value"):
        model.predict(frame(table.assign(dose=np.nan)))
    wide = table.assign(ward=table["ward"].astype("category"))
    np.testing.assert_array_equal(model.predict(frame(wide)), y)


@pytest.mark.parametrize("cls", BOTH)
def test_the_mixture_is_the_mean_of_its_experts(cls):
    X, y = load_iris(return_X_y=True)
    model = cls(n_modules=3, max_iter=20, random_state=0).fit(X, np.array(["x", "z", "y"])[y])
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    expected = np.zeros((150, 3))
    for j in range(3):
        for i in range(2):
            proba = model.experts_[j][i].predict_proba(Z)
            np.testing.assert_array_equal(model.experts_[j][i].predict(Z), proba.argmax(axis=1))
            share = model.gate(X)[:, j] * model.expert_weights(X)[:, j, i]
            expected += share[:, None] * proba
    np.testing.assert_allclose(model.predict_proba(X), expected, atol=1e-9)


def test_experts_of_any_kind_that_take_weights():
    X, y = load_wine(return_X_y=True)
    tree = PrototypeMixtureClassifier(DecisionTreeClassifier(max_depth=2), random_state=0)
    assert tree.fit(X, y).score(X, y) > 0.9
    with pytest.raises(ValueError, match="fit does not take it"):
        PrototypeMixtureClassifier(KNeighborsClassifier()).fit(X, y)


def test_few_rows_that_differ():
    X, y = np.array([[0.0], [1.0]] * 5), [0, 1] * 5
    model = PrototypeMixtureClassifier(n_experts=5, random_state=0).fit(X, y)
    assert model.prototypes_.shape == (2, 2, 1)
    assert model.predict(X).tolist() == y
    flat = PrototypeMixtureClassifier(random_state=0).fit(np.ones((6, 1)), [0, 1] * 3)
    np.testing.assert_allclose(flat.predict_proba([[1.0]]), [[0.5, 0.5]], atol=1e-3)


@pytest.mark.parametrize("cls", BOTH)
def test_targets_that_cannot_be_learned(cls):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="needs at least 2 classes; got 1 class"):
        cls().fit(X, np.zeros(150))
    with pytest.raises(ValueError, match="needs at least 2 classes; got 1 class"):
        cls().fit(X, y, sample_weight=(y == 1).astype(float))
    with pytest.raises(ValueError, match="requires y to be passed"):
        cls().fit(X)
    with pytest.raises(ValueError, match="n_experts"):
        cls(n_experts=0).fit(X, y)


def test_gates_are_pure_functions_of_rows():
    gate = Gate(np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([0.0, math.log(2)]))
    weights = np.exp(gate.log_weights(np.array([[0.0, 0.0], [800.0, -800.0]])))
    np.testing.assert_allclose(weights, [[1 / 3, 2 / 3], [1.0, 0.0]], atol=1e-15)


@pytest.mark.parametrize("cls", BOTH)
@pytest.mark.parametrize("scale", [2.0**1000, 2.0**-1000])
def test_the_scale_of_the_columns_does_not_matter(cls, scale):
    """Squares of such numbers overflow or vanish; a power of two changes no digit."""
    X, y = load_iris(return_X_y=True)
    model = cls(max_iter=20, random_state=0)
    expected = model.fit(X, y).predict_proba(X)
    np.testing.assert_array_equal(model.fit(scale * X, y).predict_proba(scale * X), expected)


def test_parameters_that_are_set_after_fit_change_nothing():
    X, y = load_iris(return_X_y=True)
    model = PrototypeMixtureClassifier(max_iter=20, random_state=0).fit(X, y)
    expected = model.predict_proba(X)
    model.set_params(weights="static", n_modules=1, n_experts=5)
    np.testing.assert_array_equal(model.predict_proba(X), expected)


@pytest.mark.parametrize("cls", BOTH)
def test_weights_that_are_too_large(cls):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=r"sample_weight must add up to less than 2\*\*53; got 1"):
        cls().fit(X, y, sample_weight=np.full(150, 1e300))


@pytest.mark.parametrize("cls", BOTH)
def test_rows_far_beyond_those_of_fit(cls):
    X, y = load_iris(return_X_y=True)
    proba = cls(max_iter=20, random_state=0).fit(X * 1e-200, y).predict_proba(X * 1e200)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
