"""From single results to tables: ranks with tests, stability, truth found, junk taken, time."""

import json
import platform
from collections import defaultdict
from datetime import date
from functools import cache
from pathlib import Path

import generators
import numpy as np
import page
import sets
from methods import DECIDE
from tasks import SIZES

import ensfs
from ensfs.evaluation import friedman_holm, nogueira_stability

#: Real sets, read once.
load_set = cache(sets.load)

KEPT = Path(__file__).resolve().parents[2] / "docs" / "quality.json"


def read(results):
    """All lines without an error, by set and method: a list over the halves."""
    found = defaultdict(lambda: defaultdict(list))
    for path in sorted(results.glob("*.jsonl")):
        for line in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            if "error" not in line:
                found[line["set"]][line["method"]].append(line)
    for of_set in found.values():
        for lines in of_set.values():
            lines.sort(key=lambda line: line["fold"])
    return found


def role_of(name):
    if "#" not in name:
        return sets.role(name)
    seed = int(name.split("#")[1])
    return next(role for role, seeds in generators.SEEDS.items() if seed in seeds)


def mean_score(lines, k):
    """Mean over halves and models."""
    return float(np.mean([line["scores"][str(k)] for line in lines]))


def stability(lines, p, k):
    """Nogueira's measure of the two independent halves of each repeat, mean over repeats."""
    pairs = [lines[i : i + 2] for i in range(0, len(lines) - 1, 2)]
    values = []
    for pair in pairs:
        masks = np.zeros((2, p), dtype=bool)
        for mask, line in zip(masks, pair, strict=True):
            mask[line["order"][:k]] = True
        if 0 < masks.sum() < masks.size:
            values.append(nogueira_stability(masks).stability)
    return float(np.mean(values)) if values else np.nan


def complete(found, names, methods):
    """Sets on which all of these methods have a result."""
    return [name for name in names if name in found and all(found[name].get(m) for m in methods)]


def ranks(found, names, methods, sizes):
    """Mean ranks over sets, with Friedman's test and Holm's steps against the best method.

    A row is a set: sizes of one set are not independent, so their scores are averaged first.
    """
    names = complete(found, names, methods)
    if len(names) < 2:
        return None
    rows = np.array(
        [[np.mean([mean_score(found[s][m], k) for k in sizes]) for m in methods] for s in names]
    )
    test = friedman_holm(rows, names=methods)
    order = np.argsort(test.mean_ranks, kind="stable")
    return {
        "sets": names,
        "friedman": float(test.friedman_ties.pvalue),
        "rows": [
            {
                "method": methods[i],
                "mean rank": round(float(test.mean_ranks[i]), 2),
                "mean score": round(float(rows[:, i].mean()), 4),
                "holm": None if i == test.control else round(float(test.adjusted_pvalues[i]), 4),
            }
            for i in order
        ],
    }


def own_sizes(found, names, methods):
    """How many columns methods that decide take, how models do on them, and how many are junk."""
    rows = []
    for m in methods:
        of_method = [line for s in names if s in found for line in found[s].get(m, [])]
        lines = [(load_set(line["set"]), line) for line in of_method if line["own"] is not None]
        if lines:
            junk = [np.isin(line["order"], task.junk).sum() for task, line in lines]
            rows.append({
                "method": m,
                "sets": len({task.name for task, _ in lines}),
                "size": round(float(np.mean([line["own"] for _, line in lines])), 1),
                "score": round(float(np.mean([line["scores"]["own"] for _, line in lines])), 4),
                "junk": round(float(np.mean(junk)), 2),
            })  # fmt: skip
    return rows


def costs(found, names, methods, columns):
    """Stability at k = 10 and 20, and median seconds, on the sets that all methods have."""
    names = complete(found, names, methods)
    return {
        m: {
            "stability": {
                str(k): round(float(np.nanmean(
                    [stability(found[s][m], columns[s], k) for s in names])), 3)
                for k in (10, 20)
            },
            "seconds": round(float(np.median(
                [line["seconds"] for s in names for line in found[s][m]])), 3),
        }
        for m in methods
    }  # fmt: skip


def truth(found, names, methods, tasks):
    """For each generator: causes found and junk taken among the first columns.

    As many columns count as there are causes, and 20 where there is none.
    """
    table = defaultdict(dict)
    for name in names:
        task = tasks[name]
        k = len(task.truth) or 20
        for m in methods:
            for line in found[name].get(m, []):
                first = set(line["order"][:k])
                hit = sum(bool(first & set(cause.tolist())) for cause in task.truth)
                junk = len(first & set(task.junk.tolist()))
                table[name.split("#")[0]].setdefault(m, []).append((hit, junk, k))
    return {
        generator: {
            m: {
                "found": round(float(np.mean([v[0] for v in values])), 2),
                "junk": round(float(np.mean([v[1] for v in values])), 2),
                "k": values[0][2],
            }
            for m, values in of.items()
        }
        for generator, of in table.items()
    }


#: What the tables are about: sets of both sizes, of one, with classes, with numbers.
SCOPES = {
    "all": (*sets.CLASSES, *sets.NUMBERS, *sets.TALL_CLASSES, *sets.TALL_NUMBERS),
    "small": (*sets.CLASSES, *sets.NUMBERS),
    "tall": (*sets.TALL_CLASSES, *sets.TALL_NUMBERS),
    "classes": (*sets.CLASSES, *sets.TALL_CLASSES),
    "numbers": (*sets.NUMBERS, *sets.TALL_NUMBERS),
}


def summarize(found, methods):
    columns = _columns(found)
    listing = [m for m in methods if m not in DECIDE]  # the others give no list of k columns
    result = {
        "date": str(date.today()), "machine": platform.machine(), "ensfs": ensfs.__version__,
        "ranks": {}, "costs": {}, "own": {}, "truth": {},
    }  # fmt: skip
    for role in ("choose", "confirm"):
        for scope, names in SCOPES.items():
            names = [name for name in names if role_of(name) == role]
            able = [m for m in listing if _has_most(found, names, m)]
            for sizes in ((10, 20), SIZES) if scope == "small" else ((10, 20),):
                key = f"{role}, {scope}, k = {', '.join(map(str, sizes))}"
                result["ranks"][key] = ranks(found, names, able, sizes)
            result["costs"][f"{role}, {scope}"] = costs(found, names, able, columns)
            result["own"][f"{role}, {scope}"] = own_sizes(found, names, methods)
        some = [name for name in SCOPES["all"] if role_of(name) == role]
        some = complete(found, some, page.SLOW)
        able = [m for m in listing if _has_most(found, some, m)]
        result["ranks"][f"{role}, some"] = ranks(found, some, able, (10, 20))
        result["costs"][f"{role}, some"] = costs(found, some, able, columns) if some else {}
        made = [name for name in generators.names() if role_of(name) == role and name in found]
        tasks = {name: generators.load(name) for name in made}
        result["truth"][role] = truth(found, made, methods, tasks)
    return result


def _has_most(found, names, method):
    """Whether a method has a result on nearly all sets: tools fail, or do not take numbers."""
    done = [name for name in names if name in found]
    return sum(bool(found[name].get(method)) for name in done) > 0.9 * len(done)


def _columns(found):
    """Columns of each real set; every method was given the same."""
    return {name: load_set(name).X.shape[1] for name in found if "#" not in name}


def write(results):
    """Write docs/quality.json and the page made from it."""
    found = read(results)
    methods = sorted({m for of_set in found.values() for m in of_set})
    result = summarize(found, methods)
    KEPT.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    page.write(result)
