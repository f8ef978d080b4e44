"""Tables 1 and 2 of the paper on FitSelect: forests, forward selection and FitSelect.

Run ``python bench/papers/fitselect.py``; ``--seeds 5`` repeats the halves, ``--trees`` and
``--step`` change the forest. Data: see ``tables.py``. Of the nine sets of the paper five are at
hand (Clean is ``musk1``, Leukemia ``all-aml``); ionosphere, sonar and bupa are added, so that
there are eight.

H. Elghazel, A. Aussem and F. Perraud (2011), Trading-off diversity and accuracy for optimal
ensemble tree selection in random forests. One stratified half trains, the other tests; here the
mean over several halves. The paper prints multiples of ten trees: ``--step 10`` searches these.
"""

import argparse
import warnings

import numpy as np
from scipy.stats import wilcoxon
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.model_selection import train_test_split
from tables import load, progress

from ensfs import FitSelectClassifier, ForwardSelectionClassifier

#: Accuracy of the forest, of forward selection and of FitSelect, its weight and its trees.
PRINTED = {
    "musk1": (0.7322, 0.7029, 0.7657, 0.6, 80),
    "haberman": (0.6883, 0.7078, 0.7208, 0.7, 60),
    "all-aml": (0.8919, 0.9189, 0.9459, 1.0, 30),
    "pima": (0.7786, 0.7682, 0.7865, 0.6, 100),
    "wdbc": (0.9544, 0.9544, 0.9719, 0.8, 40),
    "ionosphere": None,
    "sonar": None,
    "bupa": None,
}


def run(name, seed, trees, step):
    """Accuracies of the three, weight and number of trees of FitSelect, trees of the other."""
    X, y = load(name)
    X = SimpleImputer(strategy="median").fit_transform(X)
    parts = train_test_split(X, y, test_size=0.5, stratify=y, random_state=seed)
    train, test, y_train, y_test = parts
    models = [
        RandomForestClassifier(trees, random_state=seed),
        ForwardSelectionClassifier(n_estimators=trees, random_state=seed),
        FitSelectClassifier(n_estimators=trees, step=step, random_state=seed),
    ]
    scores = [model.fit(train, y_train).score(test, y_test) for model in models]
    return [*scores, models[2].alpha_, len(models[2].estimators_), len(models[1].estimators_)]


def main():
    """Print the table and the tests."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--trees", type=int, default=500)
    parser.add_argument("--step", type=int, default=1)
    options = parser.parse_args()
    warnings.filterwarnings("ignore", message="The least populated class")
    print("| data | forest | forward (members) | FitSelect (weight, trees) | printed |")
    print("| --- | --- | --- | --- | --- |")
    means = []
    for name, printed in PRINTED.items():
        runs = []
        for seed in range(options.seeds):
            progress(f"{name}, half {seed + 1}")
            runs.append(run(name, seed, options.trees, options.step))
        progress("")
        mean = np.mean(runs, axis=0)
        means.append(mean)
        shown = "not in the paper"
        if printed:
            forest, forward, ours, weight, trees = printed
            shown = f"{forest:.3f}, {forward:.3f}, {ours:.3f} ({weight}, {trees})"
        print(
            f"| {name} | {mean[0]:.3f} | {mean[1]:.3f} ({mean[5]:.0f}) | {mean[2]:.3f} "
            f"({mean[3]:.2f}, {mean[4]:.0f}) | {shown} |"
        )
    forest, forward, ours = np.array(means)[:, :3].T
    for name, other in (("the forest", forest), ("forward selection", forward)):
        difference = ours - other
        p = wilcoxon(difference).pvalue if difference.any() else 1.0
        print(
            f"FitSelect is above {name} on {(difference > 0).sum()} of {len(means)} sets, mean "
            f"difference {difference.mean():+.4f}, Wilcoxon p = {p:.3f}"
        )


if __name__ == "__main__":
    main()
