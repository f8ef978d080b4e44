"""The tables of docs/quality.md, from the kept summary."""

import json
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"

#: What stands above this line of the page is written by hand.
MARK = "<!-- Everything below is written by bench/quality/run.py --summary. -->"


def rank_table(title, ranks, costs):
    lines = [
        f"### {title}",
        "",
        f"{len(ranks['sets'])} sets: {', '.join(ranks['sets'])}.",
        f"Friedman's test: p = {ranks['friedman']:.2g}.",
        "",
        "| method | mean rank | mean score | p (Holm) | stability, k = 10 | k = 20 | seconds |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for row in ranks["rows"]:
        cost = costs[row["method"]]
        p = "" if row["holm"] is None else f"{row['holm']:.3f}"
        stability = cost["stability"]
        lines.append(
            f"| {row['method']} | {row['mean rank']:.1f} | {row['mean score']:.3f} | {p} | "
            f"{stability['10']:.2f} | {stability['20']:.2f} | {cost['seconds']:.3f} |"
        )
    return [*lines, ""]


def sizes_table(title, ranks):
    lines = [
        f"### {title}",
        "",
        f"{len(ranks['sets'])} sets. Friedman's test: p = {ranks['friedman']:.2g}.",
        "",
        "| method | mean rank | mean score | p (Holm) |",
        "| --- | --- | --- | --- |",
    ]
    for row in ranks["rows"]:
        p = "" if row["holm"] is None else f"{row['holm']:.3f}"
        lines.append(
            f"| {row['method']} | {row['mean rank']:.1f} | {row['mean score']:.3f} | {p} |"
        )
    return [*lines, ""]


def own_table(title, rows):
    lines = [
        f"### {title}",
        "",
        "Methods that decide how many columns they take: the mean number, the mean score on them,",
        "and how many of them (of the first 50) are permuted copies.",
        "",
        "| method | sets | columns | mean score | permuted |",
        "| --- | --- | --- | --- | --- |",
    ]
    for row in sorted(rows, key=lambda row: -row["score"]):
        lines.append(
            f"| {row['method']} | {row['sets']} | {row['size']:.1f} | {row['score']:.3f} | "
            f"{row['junk']:.2f} |"
        )
    return [*lines, ""]


def truth_table(title, truth, methods):
    lines = [
        f"### {title}",
        "",
        "Causes found / columns of noise taken, among the first columns: as many as there are",
        "causes, and 20 for pure noise. Means over two seeds and two halves.",
        "",
        "| generator | causes | " + " | ".join(methods) + " |",
        "| --- | --- |" + " --- |" * len(methods),
    ]
    for generator, of in truth.items():
        cells = [f"{of[m]['found']:.1f} / {of[m]['junk']:.1f}" if m in of else "" for m in methods]
        k = next(iter(of.values()))["k"]
        causes = 0 if generator == "pure_noise" else k
        lines.append(f"| {generator.replace('_', ' ')} | {causes} | " + " | ".join(cells) + " |")
    return [*lines, ""]


#: Methods in the tables of known truth.
SHOWN = (
    "FastEnsemble halves", "RankEnsemble", "ForestImportance", "ForwardSelection", "L1Path", "MRMR",
    "MRMR FCQ", "F", "forest", "LightGBM gain", "L1 stability", "fastcan", "RFE",
)  # fmt: skip

#: Listing methods that are run on some sets only, on request.
SLOW = ("featureranker", "mrmr-selection")

SCOPES = {
    "all": "Small and tall tables",
    "small": "Small tables",
    "tall": "Tall tables",
    "classes": "Classes",
    "numbers": "Numbers",
}

ROLES = {"confirm": "Confirming sets", "choose": "Choosing sets"}


def write(summary):
    path = DOCS / "quality.md"
    head = path.read_text(encoding="utf-8").partition(MARK)[0]
    lines = [MARK, "", f"Results of {summary['date']}."]
    for role, title in ROLES.items():
        lines += ["", f"## {title}", ""]
        for scope, name in SCOPES.items():
            ranks = summary["ranks"].get(f"{role}, {scope}, k = 10, 20")
            if ranks:
                costs = summary["costs"][f"{role}, {scope}"]
                lines += rank_table(f"{name}, k = 10 and 20", ranks, costs)
        if summary["ranks"][f"{role}, some"]:
            some, costs = (summary[kind][f"{role}, some"] for kind in ("ranks", "costs"))
            lines += rank_table(
                "Some of these sets, with slow packages, k = 10 and 20", some, costs
            )
        every = summary["ranks"].get(f"{role}, small, k = 5, 10, 20, 50")
        if every:
            lines += sizes_table("Small tables, k = 5, 10, 20 and 50", every)
        if summary["own"][f"{role}, all"]:
            lines += own_table("Their own size", summary["own"][f"{role}, all"])
        if summary["truth"][role]:
            lines += truth_table("Known truth", summary["truth"][role], SHOWN)
        while lines[-1] == "":
            lines.pop()
    path.write_text(head + "\n".join(lines).rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    write(json.loads((DOCS / "quality.json").read_text(encoding="utf-8")))
