"""ACE beside Boruta, which looks for all relevant columns too: rows for ``run.py``.

Both see the same table of classes: relevant columns, a twin of each, and noise. Precision is the
share of the selected columns that are relevant or a twin, recall the share of the relevant ones of
which the column or its twin is selected. Boruta runs once, with the settings that its authors
recommend: a forest of depth 5 with balanced classes, of a size that it chooses itself.
"""

import sys

import numpy as np
from race import race

LEAST = {"precision": 0.95, "recall": 0.9}


def ace(n_threads):
    from ensfs import ACE

    return ACE(task="classification", random_state=0, n_jobs=n_threads)


def quality(case, selected):
    """Precision and recall, and of how many pairs both twins are selected."""
    k = case.n_relevant
    kept = np.zeros(case.p, dtype=int)
    kept[np.asarray(selected, dtype=np.int64)] = 1
    pairs = kept[:k] + kept[k : 2 * k]
    return {
        "precision": float(kept[: 2 * k].sum() / max(1, kept.sum())),
        "recall": float(np.mean(pairs > 0)),
        "both": int(np.sum(pairs == 2)),
    }


def in_words(found):
    return (
        f"precision {found['precision']:.2f}, recall {found['recall']:.2f}, "
        f"{found['both']} pairs twice"
    )


def names_the_twin(case, selector):
    """Of how many pairs one is kept, and the other said to be masked by it."""
    k = case.n_relevant
    return sum(
        selector.masked_by_[a] == b and selector.support_[b]
        for j in range(k)
        for a, b in ((j, j + k), (j + k, j))
    )


def time_contrasts(case, X, y, n_threads, options):
    """Both on the whole table: time, precision and recall."""
    from rivals import RELEVANT

    ours = ace(n_threads)
    times, _ = race({"ours": lambda: ours.fit(X, y)}, options.repeats, options.budget)
    found = quality(case, ours.indices_)
    base = {
        "what": "ACE", "scheme": "-", "k": len(ours.indices_), "ours_s": times["ours"],
        "same_definition": False,
    }  # fmt: skip
    short = [f"{name} {found[name]:.3f} < {least}" for name, least in LEAST.items()
             if found[name] < least]  # fmt: skip
    note = f"{in_words(found)}; {names_the_twin(case, ours)} twins named"
    yield base | {
        "rival": "-", "theirs_s": None, "agree": None, "note": note,
        "short": [] if options.quick else short,
    }  # fmt: skip
    for rival in RELEVANT:
        yield base | against(rival, case, X, y, n_threads)


def against(rival, case, X, y, n_threads):
    row = {"rival": rival.name, "agree": None, "note": rival.note}
    print(f"    {rival.name} ...", file=sys.stderr, flush=True)
    try:
        select = rival.prepare(X, y, n_threads)
        times, answers = race({"theirs": lambda: select(0)}, 1, 0.0)
    except ImportError as error:
        return row | {"skipped": f"not installed ({error.name})"}
    except Exception as error:
        return row | {"skipped": f"{type(error).__name__}: {error}"[:100]}
    notes = (in_words(quality(case, answers["theirs"])), rival.note)
    return row | {"theirs_s": times["theirs"], "note": "; ".join(filter(None, notes))}
