"""How many columns: the rules that stop a selection, on 15 sets: the table of the guide.

Five folds; each rule selects on the training rows, a logistic regression is trained on them and
scored on the others. ``ENSFS_DATA=... python bench/quality/sizes.py``
"""

from sklearn.feature_selection import RFECV
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from stability import SETS, load, run

from ensfs import MRMR, SelectorCV
from ensfs.evaluation import compare_selectors


def rules(p):
    """The rules, for a table with `p` columns; columns are numbers throughout."""
    numbers, model = {"discrete_features": False}, LogisticRegression(max_iter=200)
    return {
        '`MRMR("auto")`': MRMR("auto", **numbers),
        '`MRMR("auto", expected_false=0.05)`': MRMR("auto", expected_false=0.05, **numbers),
        "`MRMR(10)`": MRMR(min(10, p), **numbers),
        '`SelectorCV`, `rule="best"`': SelectorCV(MRMR(**numbers), model, rule="best"),
        "`SelectorCV`, one standard error": SelectorCV(MRMR(**numbers), model),
        "`RFECV`, logistic regression": RFECV(model, step=0.3),
    }


def compare(name):
    """The comparison on one set."""
    X, y = load(name)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    return compare_selectors(rules(X.shape[1]), X, y, estimator=model, cv=folds)


if __name__ == "__main__":
    run((*SETS, "all-aml", "satimage", "movement_libras"), compare)
