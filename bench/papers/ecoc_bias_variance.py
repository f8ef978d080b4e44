"""Zor et al. (2010): bias and variance of output codes beside single models and bagging.

Run ``python bench/papers/ecoc_bias_variance.py``. Printed, in words: ensembles lower both the
variance effect and the systematic effect, the variance effect more; codes of 50 random columns do
so as bagging does.

* Members are decision trees (the paper has multilayer perceptrons of 2 to 16 nodes). Codes are
  dense with 50 columns, repeated where there are fewer, and decoded by the Hamming distance.
* James' decomposition with the true class as the response, so that noise is 0 and the systematic
  effect is the bias. Sub-sampled cross-validation: each row is predicted by ten models.
"""

from sklearn.ensemble import BaggingClassifier
from sklearn.tree import DecisionTreeClassifier
from tables import load

from ensfs import ECOCClassifier
from ensfs.evaluation import SubsampledCV, bias_variance, repeated_predictions

SETS = ("glass", "ecoli", "balance-scale")


def models():
    """A single tree, bagged trees, and a random code of as many trees."""
    return {
        "single": DecisionTreeClassifier(random_state=0),
        "bagging": BaggingClassifier(n_estimators=50, random_state=0),
        "code": ECOCClassifier(
            n_columns=50, duplicates=True, n_draws=20, bootstrap=True, random_state=0
        ),
    }


def main():
    """Print error, systematic effect and variance effect in per cent."""
    print("| data | model | error | systematic effect | variance effect | variance |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name in SETS:
        X, y = load(name)
        rare = [c for c in set(y) if (y == c).sum() < 10]
        rows = [i for i, c in enumerate(y) if c not in rare]
        for kind, model in models().items():
            cv = SubsampledCV(n_repeats=10, random_state=0)
            found = bias_variance(repeated_predictions(model, X[rows], y[rows], cv=cv), y[rows])
            numbers = [
                found.error,
                found.systematic_effect,
                found.variance_effect,
                found.variance,
            ]
            text = " | ".join(f"{100 * each:.1f}" for each in numbers)
            print(f"| {name} | {kind} | {text} |", flush=True)


if __name__ == "__main__":
    main()
