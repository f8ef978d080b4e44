"""Zor et al. (2010): bias and variance of output codes beside single models and bagging.

Run ``python bench/papers/ecoc_bias_variance.py``. Printed, in words: ensembles lower both the
variance effect and the systematic effect, the variance effect more; codes of 50 random columns do
so as bagging does.

* Members are networks of one hidden layer with ``--nodes`` nodes and at most 15 epochs, as in the
  paper, or trees with ``--trees``. Codes are dense with 50 columns, repeated where there are fewer,
  and decoded by the Hamming distance.
* James' decomposition with the true class as the response, so that noise is 0 and the systematic
  effect is the bias. Sub-sampled cross-validation: each row is predicted by ``--models`` models,
  50 in the paper.
"""

import argparse
import warnings

from sklearn.ensemble import BaggingClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from tables import load

from ensfs import ECOCClassifier
from ensfs.evaluation import SubsampledCV, bias_variance, repeated_predictions

SETS = ("glass", "ecoli", "balance-scale")


def models(nodes):
    """One member, as many bagged, and a random code of as many; trees where nodes is None."""
    member = DecisionTreeClassifier(random_state=0)
    if nodes is not None:
        network = MLPClassifier((nodes,), solver="lbfgs", max_iter=15, random_state=0)
        member = make_pipeline(StandardScaler(), network)
    return {
        "single": member,
        "bagging": BaggingClassifier(member, 50, random_state=0),
        "code": ECOCClassifier(member, n_columns=50, duplicates=True, n_draws=20, random_state=0),
    }


def main():
    """Print error, systematic effect and variance effect in per cent."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", type=int, default=50)
    parser.add_argument("--nodes", type=int, nargs="+", default=(2, 8))
    parser.add_argument("--trees", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    print("| data | nodes | model | error | systematic effect | variance effect | variance |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name in SETS:
        X, y = load(name)
        rare = [c for c in set(y) if (y == c).sum() < 10]
        rows = [i for i, c in enumerate(y) if c not in rare]
        for nodes in (None,) if options.trees else options.nodes:
            for kind, model in models(nodes).items():
                cv = SubsampledCV(n_repeats=options.models, random_state=0)
                found = bias_variance(repeated_predictions(model, X[rows], y[rows], cv=cv), y[rows])
                numbers = [
                    found.error, found.systematic_effect, found.variance_effect, found.variance
                ]  # fmt: skip
                text = " | ".join(f"{100 * each:.1f}" for each in numbers)
                print(f"| {name} | {nodes or 'tree'} | {kind} | {text} |", flush=True)


if __name__ == "__main__":
    main()
