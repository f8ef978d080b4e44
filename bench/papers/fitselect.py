"""Tables 1 and 2 of the paper on FitSelect: forests, forward selection and FitSelect.

Run ``python bench/papers/fitselect.py``; ``--seeds 10`` repeats the halves, ``--trees`` and
``--step`` change the forest. Data: see ``tables.py``. Of the nine sets of the paper five are at
hand (Clean is ``musk1``, Leukemia ``all-aml``); ionosphere, sonar and bupa are added, so that
there are eight.

H. Elghazel, A. Aussem and F. Perraud (2011), Trading-off diversity and accuracy for optimal
ensemble tree selection in random forests. One stratified half trains, the other tests; here the
mean over several halves. The paper prints multiples of ten trees: ``--step 10`` searches these.
Recall and F are those of the rarer class, the area under the curve is that of the shares of votes.
"""

import argparse
import warnings

import numpy as np
from scipy.stats import wilcoxon
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.metrics import f1_score, recall_score, roc_auc_score
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


#: What the paper measures, and its levels of significance against forward selection and forest.
MEASURES = {"accuracy": 0.01, "recall": 0.04, "F": 0.01, "AUC": 0.02}


def measured(model, X, y):
    """The four measures of a fitted model, with the rarer class as the positive one."""
    rare = int(np.bincount(y).argmin())
    predicted, truth = model.predict(X) == rare, y == rare
    return [
        (predicted == truth).mean(),
        recall_score(truth, predicted),
        f1_score(truth, predicted),
        roc_auc_score(truth, model.predict_proba(X)[:, rare]),
    ]


def run(name, seed, trees, step):
    """Measures of the three, weight and number of trees of FitSelect, trees of the other."""
    X, y = load(name)
    X = SimpleImputer(strategy="median").fit_transform(X)
    parts = train_test_split(X, y, test_size=0.5, stratify=y, random_state=seed)
    train, test, y_train, y_test = parts
    models = [
        RandomForestClassifier(trees, random_state=seed),
        ForwardSelectionClassifier(n_estimators=trees, random_state=seed),
        FitSelectClassifier(n_estimators=trees, step=step, random_state=seed),
    ]
    scores = [measured(model.fit(train, y_train), test, y_test) for model in models]
    sizes = models[2].alpha_, len(models[2].estimators_), len(models[1].estimators_)
    return np.array(scores), sizes


def main():
    """Print the table and the tests."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=10)
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
        mean = np.mean([scores for scores, _ in runs], axis=0)
        weight, kept, forward = np.mean([sizes for _, sizes in runs], axis=0)
        means.append(mean)
        shown = "not in the paper"
        if printed:
            shown = "{:.3f}, {:.3f}, {:.3f} ({}, {})".format(*printed)
        print(
            f"| {name} | {mean[0, 0]:.3f} | {mean[1, 0]:.3f} ({forward:.0f}) | {mean[2, 0]:.3f} "
            f"({weight:.2f}, {kept:.0f}) | {shown} |",
            flush=True,
        )
    means = np.array(means)
    print("\n| measure | against | above on | mean difference | Wilcoxon p | printed p |")
    print("| --- | --- | --- | --- | --- | --- |")
    for j, (measure, level) in enumerate(MEASURES.items()):
        for i, other in enumerate(("the forest", "forward selection")):
            difference = means[:, 2, j] - means[:, i, j]
            p = wilcoxon(difference).pvalue if difference.any() else 1.0
            print(
                f"| {measure} | {other} | {(difference > 0).sum()} of {len(means)} | "
                f"{difference.mean():+.4f} | {p:.3f} | {level} |"
            )


if __name__ == "__main__":
    main()
