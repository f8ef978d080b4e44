"""Bias and variance of single networks and of bagged ones, as Zor et al. measure them.

Run ``python bench/papers/bias_variance.py``; ``--models`` and ``--bags`` make it larger. The
normal classes are made (their Bayes classifiers are known, so that noise is told from bias);
Glass, as in the paper, and wdbc come from ``tables.py`` and use sub-sampled cross-validation.

C. Zor, T. Windeatt and B. Yanikoglu (2011), Bias-variance analysis of ECOC and bagging using
neural nets. The paper has 50 models of 50 networks each, 300 training rows and 18,000 test rows;
by default there are 15 models and 10 networks in a bag.
"""

import argparse
import warnings

import numpy as np
from sklearn.ensemble import BaggingClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tables import load, progress

from ensfs.datasets import make_norms, norms_bayes_error
from ensfs.evaluation import SubsampledCV, bias_variance, repeated_predictions


def networks(nodes, n_bags, seed):
    """A single network, and as many in a bag."""
    network = make_pipeline(
        StandardScaler(),
        MLPClassifier((nodes,), solver="lbfgs", max_iter=30, random_state=seed),
    )
    return {
        "one network": network,
        "bagging": BaggingClassifier(network, n_bags, random_state=seed),
    }


def posterior(X, kind):
    """Probabilities of the classes of `make_norms`, which has centres at a and covariances I."""
    d = X.shape[1]
    a = {"ring": 1.0}.get(kind, 2.0) / d**0.5
    log = np.empty((len(X), 2))

    def near(centre):
        return -0.5 * ((X - centre) ** 2).sum(axis=1)

    if kind == "two":
        log[:] = np.column_stack([near(a), near(-a)])
    elif kind == "three":
        log[:, 0] = np.logaddexp(near(a), near(-a)) - np.log(2)
        log[:, 1] = near(a * (-1.0) ** np.arange(d))
    else:
        log[:, 0], log[:, 1] = -(X**2).sum(axis=1) / 8 - d * np.log(2), near(a)
    weights = np.exp(log - log.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)


def made(kind, nodes, options):
    """Terms on normal classes, with the noise that is known."""
    X, _ = make_norms(options.test_rows, kind=kind, random_state=10**6)
    found = {"one network": [], "bagging": []}
    for model in range(options.models):
        progress(f"{kind}norm, {nodes} nodes, model {model + 1}")
        train = make_norms(300, kind=kind, random_state=model)
        for name, network in networks(nodes, options.bags, model).items():
            found[name].append(network.fit(*train).predict(X))
    progress("")
    response = posterior(X, kind)
    return {
        name: bias_variance(np.array(each), response=response, classes=[0, 1])
        for name, each in found.items()
    }


def real(name, nodes, options):
    """Terms on a real set by sub-sampled cross-validation; the classes are taken as certain."""
    X, y = load(name)
    cv = SubsampledCV(options.models, random_state=0)
    found = {}
    for key, network in networks(nodes, options.bags, 0).items():
        progress(f"{name}, {key}")
        found[key] = bias_variance(repeated_predictions(network, X, y, cv=cv), y)
    progress("")
    return found


def main():
    """Print the terms, and how much bagging lowers them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", type=int, default=15)
    parser.add_argument("--bags", type=int, default=10)
    parser.add_argument("--nodes", type=int, nargs="+", default=(2, 8))
    parser.add_argument("--test-rows", type=int, default=18_000, help="of the normal classes")
    options = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    print("| data | nodes | | error | noise | SE | VE | variance |\n" + "| --- " * 8 + "|")
    lowered = []
    for case in ("two", "three", "ring", "glass", "wdbc"):
        for nodes in options.nodes:
            norms = case in ("two", "three", "ring")
            found = made(case, nodes, options) if norms else real(case, nodes, options)
            one, bag = found["one network"], found["bagging"]
            lowered.append((one.systematic_effect - bag.systematic_effect,
                            one.variance_effect - bag.variance_effect))  # fmt: skip
            for name, each in found.items():
                print(
                    f"| {case}{'norm' if norms else ''} | {nodes} | {name} | {each.error:.3f} | "
                    f"{each.noise:.3f} | {each.systematic_effect:.3f} | "
                    f"{each.variance_effect:.3f} | {each.variance:.3f} |",
                    flush=True,
                )
    lowered = np.array(lowered)
    print(
        "Bayes errors:", {k: round(norms_bayes_error(kind=k), 4) for k in ("two", "three", "ring")}
    )
    print(
        f"bagging lowers SE by {lowered[:, 0].mean():.3f} and VE by {lowered[:, 1].mean():.3f} on "
        f"average; VE more in {(lowered[:, 1] > lowered[:, 0]).sum()} of {len(lowered)} rows"
    )


if __name__ == "__main__":
    main()
