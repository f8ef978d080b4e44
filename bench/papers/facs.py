"""Smith and Windeatt (2010): labels from output codes, and what Platt's scaling does to them.

Run ``python bench/papers/facs.py``. The Cohn-Kanade images are not public: the images are
scikit-learn's digits, the labels are strokes that digits share, made up here. Printed: Platt's
scaling halves the error of labels (16.6 to 8.5 with patterns) and leaves the area under the curve;
bootstrap and weights by separability lower the error a little (9.0, 8.8, 9.0, both 8.5).

* Columns are ``LocalBinaryPatterns`` behind ``FCBF``; members are networks of one hidden layer, as
  in the paper, or trees with ``--trees``. Every digit is a group of its own, as the twelve
  expressions of the paper are; ten groups have 126 balanced columns (the paper has 200 of 462),
  ``--columns`` draws fewer. ``--runs`` of 90 to 10, stratified, ten as in the paper.
"""

import argparse
import warnings

import numpy as np
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from ensfs import FCBF, ECOCClassifier, LabelGroupClassifier, LocalBinaryPatterns

#: Which digits have a stroke: top bar, loop, vertical line, tail, open on the left, crossing.
STROKES = np.array(
    [
        [0, 1, 0, 0, 0, 0],
        [0, 0, 1, 0, 0, 0],
        [1, 0, 0, 1, 1, 0],
        [1, 0, 0, 0, 1, 0],
        [0, 0, 1, 0, 0, 1],
        [1, 0, 0, 0, 0, 0],
        [0, 1, 0, 1, 0, 0],
        [1, 0, 1, 0, 1, 0],
        [0, 1, 0, 0, 0, 1],
        [0, 1, 1, 0, 1, 0],
    ]
)


def member(trees):
    """What is fitted for each column."""
    if trees:
        return DecisionTreeClassifier(max_depth=6)
    return make_pipeline(StandardScaler(), MLPClassifier((8,), solver="lbfgs", max_iter=30))


def run(X, labels, digits, arguments, options, seed):
    """Error of labels without and with scaling, and the area under the curve of both."""
    split = StratifiedShuffleSplit(1, test_size=0.1, random_state=seed)
    train, test = next(split.split(X, digits))
    code = ECOCClassifier(
        member(arguments.trees),
        "balanced",
        n_columns=arguments.columns,
        n_draws=1,
        decoding="l1",
        **options,
    )
    columns = make_pipeline(
        LocalBinaryPatterns(image_shape=(8, 8), grids=((2, 2), (1, 1)), radii=(1, 2)), FCBF()
    ).fit(X[train], digits[train])
    seen, new = columns.transform(X[train]), columns.transform(X[test])
    model = LabelGroupClassifier(code, random_state=seed).fit(seen, labels[train])
    scores, p = model.label_scores(new), model.predict_proba(new)
    truth = labels[test]
    error = [100 * np.mean((each > 0.5) != truth) for each in (scores, p)]
    return [*error, 100 * roc_auc_score(truth, scores), 100 * roc_auc_score(truth, p)]


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trees", action="store_true")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--columns", type=int, default=126)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    X, digits = load_digits(return_X_y=True)
    settings = {
        "neither": {},
        "bootstrap": {"bootstrap": True},
        "separability": {"weights": "separability"},
        "both": {"bootstrap": True, "weights": "separability"},
    }
    print("| | error of labels, % | with Platt's scaling | area under the curve | scaled |")
    print("| --- | --- | --- | --- | --- |")
    for name, options in settings.items():
        runs = [
            run(X, STROKES[digits], digits, arguments, options, seed)
            for seed in range(arguments.runs)
        ]
        print(
            f"| {name} | " + " | ".join(f"{each:.1f}" for each in np.mean(runs, axis=0)) + " |",
            flush=True,
        )


if __name__ == "__main__":
    main()
