"""Run ensfs beside other libraries on the same tables and print who is how much faster.

    python bench/compare/run.py                     times, one and two threads, all tables
    python bench/compare/run.py --cases filters     FCBF, CMIM, JMI and all pairs only (or: mrmr)
    python bench/compare/run.py --cases decompositions    ITD beside one MRMR
    python bench/compare/run.py --cases causal      Markov blankets of known networks, and graphs
    python bench/compare/run.py --cases ace         relevant columns and their twins, beside Boruta
    python bench/compare/run.py --memory --growth --blocks 4      the other measurements as well
    python bench/compare/run.py --quick             small tables, to see that everything runs

Every thread count runs in a process of its own with all thread pools limited, and the
contestants of a table take turns, so that a busy moment of the machine meets all of them. Reported
is the least time of each. Tables are made before the clock starts and are given to each library in
the form it likes best; ensfs and the textbook get the numpy table. Libraries that need minutes
select fewer columns, from fewer columns, and are run once: the table says so, and their ratio is
against ensfs with the same settings. What is not installed is skipped, with the reason.

Results go to ``results/`` beside this file, as JSON and as a markdown table.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import machine
import numpy as np
from cases import CASES, GROUPS, QUOTED_20_RUNS_S, QUOTED_CAUSAL, QUOTED_MS, NetworkCase, TwinCase
from causal import FINDERS, time_blankets, time_wide
from contrasts import time_contrasts
from decompositions import time_decomposition
from filters import PARTS, time_filters
from race import race

HERE = Path(__file__).resolve().parent
POOLS = (
    "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS",
    "POLARS_MAX_THREADS",
)  # fmt: skip


# ---------------------------------------------------------------------------------------------
# Timing (in a worker process with a fixed number of threads)


def agreement(ours, theirs):
    """Say how many columns two selections share."""
    if theirs is None or ours is None:
        return None
    shared = len(set(map(int, ours)) & set(map(int, theirs)))
    return f"{shared} of {len(ours)}"


def mrmr(case, k, scheme, n_threads, n_columns=None):
    from ensfs import MRMR

    discrete = np.full(n_columns or case.p, case.discrete)
    return MRMR(k, scheme=scheme, correction=None, discrete_features=discrete, n_jobs=n_threads)


def time_mrmr(case, X, y, n_threads, options):
    """One selection: ensfs, the textbook and every library that has the scheme."""
    import textbook
    from rivals import CONTINUOUS, DISCRETE

    k = options.k
    contestants = {}
    for scheme in ("quotient", "difference"):
        contestants["ensfs", scheme] = lambda s=scheme: (
            mrmr(case, k, s, n_threads).fit(X, y).indices_
        )
        contestants["textbook", scheme] = lambda s=scheme: textbook.mrmr(X, y, k, s)
    times, answers = race(contestants, options.repeats, options.budget)
    for scheme in ("quotient", "difference"):
        yield {
            "what": "MRMR", "rival": "textbook on BLAS", "scheme": scheme, "k": k,
            "ours_s": times["ensfs", scheme], "theirs_s": times["textbook", scheme],
            "agree": agreement(answers["ensfs", scheme], answers["textbook", scheme]),
            "same_definition": True, "note": "",
        }  # fmt: skip
        if n_threads == 1 and not options.quick:
            for name, milliseconds in QUOTED_MS.get(case.name, {}).items():
                yield {
                    "what": "MRMR", "rival": f"{name} (quoted)", "scheme": scheme, "k": k,
                    "ours_s": times["ensfs", scheme], "theirs_s": milliseconds / 1e3,
                    "agree": None, "same_definition": True, "note": "time quoted, not measured",
                }  # fmt: skip
    for rival in DISCRETE if case.discrete else CONTINUOUS:
        if n_threads > 1 and not rival.threaded:
            continue
        yield against(rival, case, X, y, n_threads, options)


def against(rival, case, X, y, n_threads, options):
    """One library beside ensfs, with settings that it can finish."""
    import textbook

    k = min(rival.k or options.k, options.k)
    Z = rival.cut(X)
    note = rival.note
    if Z.shape[1] < X.shape[1]:
        note = "; ".join(filter(None, (note, f"first {Z.shape[1]:,} columns only")))
    row = {"what": "MRMR", "rival": rival.name, "scheme": rival.scheme, "k": k, "note": note,
           "same_definition": rival.same_definition}  # fmt: skip
    print(f"    {rival.name} ...", file=sys.stderr, flush=True)
    try:
        select = rival.prepare(Z, y, n_threads)
        ours = mrmr(case, k, rival.scheme, n_threads, Z.shape[1])
        times, answers = race(
            {"ours": lambda: ours.fit(Z, y).indices_, "theirs": lambda: select(k)},
            options.repeats,
            0.0 if rival.k else options.budget,
        )
    except ImportError as error:
        return row | {"skipped": f"not installed ({error.name})"}
    except Exception as error:
        return row | {"skipped": f"{type(error).__name__}: {error}"[:100]}
    reference = answers["ours"]
    if rival.floor or rival.offset:
        reference = textbook.mrmr(Z, y, k, rival.scheme, rival.floor, rival.offset)
    return row | {
        "ours_s": times["ours"],
        "theirs_s": times["theirs"],
        "agree": agreement(reference, answers["theirs"]),
    }


def time_measures(case, X, y, n_threads, options):
    """Relevance of all columns: scikit-learn's mutual information."""
    from rivals import MEASURES

    from ensfs.measures import mutual_information

    for rival in MEASURES if case.discrete else ():
        Z = rival.cut(X)
        note = f"{rival.note}; first {Z.shape[1]:,} columns"
        row = {"what": "relevance", "rival": rival.name, "scheme": "-", "k": 0, "note": note,
               "same_definition": True}  # fmt: skip
        select = rival.prepare(Z, y, n_threads)
        times, answers = race(
            {"ours": lambda Z=Z: mutual_information(Z, y), "theirs": lambda s=select: s(1)},
            options.repeats,
            0.0,
        )
        nats = answers["ours"] * np.log(2)
        same = np.allclose(nats, answers["theirs"], rtol=1e-9, atol=1e-12)
        yield row | {"ours_s": times["ours"], "theirs_s": times["theirs"],
                     "agree": "all equal" if same else "DIFFERENT"}  # fmt: skip


def time_ensemble(case, X, y, n_threads, options):
    """Twenty parts at once, beside one textbook run and twenty runs of our own MRMR."""
    import textbook

    from ensfs import FastEnsemble

    k, e = min(20, options.k), 20
    fold = np.arange(len(y)) % e
    rows = [np.flatnonzero(fold != j) for j in range(e)]
    fast = FastEnsemble(mrmr(case, k, "quotient", n_threads), n_parts=e, n_jobs=n_threads)

    alone = []

    def separate():
        """Time the fits alone; taking the rows out of the table is not counted."""
        seconds, picks = 0.0, []
        for part in rows:
            table, target = X[part], y[part]
            start = time.perf_counter()
            picks.append(mrmr(case, k, "quotient", n_threads).fit(table, target).indices_)
            seconds += time.perf_counter() - start
        alone.append(seconds)
        return np.array(picks)

    textbook_is_slow = case.discrete and X.size > 2e7
    contestants = {"fast": lambda: fast.fit(X, y), "separate": separate}
    if not textbook_is_slow:
        contestants["textbook"] = lambda: textbook.mrmr(X, y, k)
    times, answers = race(contestants, max(2, options.repeats // 2), options.budget)
    if textbook_is_slow:
        times["textbook"] = race({"textbook": lambda: textbook.mrmr(X, y, k)}, 1, 0)[0]["textbook"]
    times["separate"] = min(alone)
    same = np.array_equal(fast.part_selections_, answers["separate"])
    base = {"what": "FastEnsemble", "scheme": "quotient", "k": k, "ours_s": times["fast"],
            "same_definition": True, "agree": None, "note": ""}  # fmt: skip
    yield base | {"rival": "ONE textbook run", "theirs_s": times["textbook"]}
    yield base | {
        "rival": "20 runs of ensfs MRMR",
        "theirs_s": times["separate"],
        "agree": "all parts equal" if same else "PARTS DIFFER",
        "note": f"{fast.n_pairs_needed_:,} pairs, {fast.n_pairs_read_:,} read",
    }
    if n_threads == 1 and not options.quick and case.name in QUOTED_20_RUNS_S:
        yield base | {
            "rival": "20 runs of praznik (quoted)",
            "theirs_s": QUOTED_20_RUNS_S[case.name],
            "note": "time quoted, not measured",
        }


def worker(options):
    """Measure with one number of threads; rows of JSON on standard output."""
    for name in options.cases:
        case = scaled(CASES[name], options.quick)
        print(f"  {case.title}", file=sys.stderr, flush=True)
        try:
            X, y = case.load()
        except FileNotFoundError as error:
            print(f"  skipped: {error}; set ENSFS_DATA", file=sys.stderr, flush=True)
            continue
        for part in parts_of(case):
            for row in part(case, X, y, options.worker, options):
                place = {"case": name, "threads": options.worker, "quick": options.quick}
                print(json.dumps(place | row), flush=True)


def parts_of(case):
    """Return what is measured on a case."""
    if "MRMR" in case.methods:
        return time_mrmr, time_ensemble, time_measures
    if isinstance(case, NetworkCase):
        return (time_blankets,)
    if isinstance(case, TwinCase):
        return (time_contrasts,) if case.methods else ()
    if "IAMB" in case.methods:
        return (time_wide,)
    if "ITD" in case.methods:
        return (time_decomposition,)
    return (time_filters,) if "pairwise MI" in case.methods else (time_filters, time_measures)


def scaled(case, quick):
    return case.small() if quick else case


# ---------------------------------------------------------------------------------------------
# Memory, growth and row blocks (each fit in a process of its own)


def child(*arguments, n_threads=1):
    """Run a script beside this one and parse its JSON lines."""
    environment = os.environ | dict.fromkeys(POOLS, str(n_threads))
    process = subprocess.run(
        [sys.executable, *map(str, arguments)],
        env=environment, stdout=subprocess.PIPE, text=True, check=True,
    )  # fmt: skip
    return [json.loads(line) for line in process.stdout.splitlines() if line.startswith("{")]


# the most memory above the input, as a multiple of it; None: reported, nothing was promised
MRMR_LIMITS = {"MRMR": 1.5, "5": 3.0, "20": 3.0, "50": 3.0}
LIMITS = {
    "f-500x10000": MRMR_LIMITS,
    "mi-800x100000": MRMR_LIMITS,
    "fcbf-1000x20000": dict.fromkeys(("FCBF", "FCBF 20", "CMIM", "JMI")),
    "fcbf-800x100000": dict.fromkeys(("FCBF", "FCBF 20")),
    "pairs-2000x1000": {"pairwise": None},
    "itd-100x50000": {"ITD": 2.0, "MRMR": None},
    "noise-100x50000": {"ITD": 2.0, "MRMR": None},
    "blanket-12000x5000": {"IAMB": 2.0, "H-PC": 2.0},
    "ace-1000x500": {"ACE": None},
    "ace-1000x5000": {"ACE": 4.0},
}


def measure_memory(quick, names):
    """Peak memory above the input, as a multiple of the input."""
    for name in (name for name in LIMITS if name in names):
        case = scaled(CASES[name], quick)
        X, y = case.load()
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/table"
            np.save(path + ".X.npy", X)
            np.save(path + ".y.npy", y)
            del X
            for selector, limit in LIMITS[name].items():
                k = 20 if "MRMR" in case.methods else 30 if "ITD" in case.methods else 50
                row = child(HERE / "memory.py", "table", path, selector, k)[0]
                base, _, parts = selector.rpartition(" ")
                what = (
                    f"FastEnsemble({base or 'MRMR'}), {parts} parts"
                    if parts.isdigit()
                    else selector
                )
                yield {"case": name, "what": what, "limit": limit} | row


def measure_growth(quick):
    """Seconds for growing n, p and k on continuous and coded tables; slope on double log paper."""
    from cases import Case

    from ensfs import FastEnsemble

    base = {"n": 400, "p": 4_000, "k": 20} if not quick else {"n": 100, "p": 200, "k": 5}
    for n_levels in (None, 3):
        for axis in ("n", "p", "k"):
            for what in ("MRMR", "FastEnsemble"):
                sizes, seconds = [], []
                for factor in (1, 2, 4, 8):
                    size = dict(base)
                    size[axis] *= factor
                    case = Case("growth", size["n"], size["p"], n_levels=n_levels)
                    X, y = case.load()
                    selector = mrmr(case, size["k"], "quotient", 1)
                    if what == "FastEnsemble":
                        selector = FastEnsemble(selector, n_parts=10)
                    best, _ = race({"fit": lambda s=selector, X=X, y=y: s.fit(X, y)}, 3, 10)
                    sizes.append(size[axis])
                    seconds.append(best["fit"])
                slope = np.polyfit(np.log(sizes), np.log(seconds), 1)[0]
                yield {
                    "what": what, "table": f"{n_levels} levels" if n_levels else "continuous",
                    "axis": axis, "sizes": sizes, "ms": [round(1e3 * s, 2) for s in seconds],
                    "slope": round(float(slope), 2),
                }  # fmt: skip


def measure_blocks(gigabytes, folder=None):
    """Select from a file of rows that is read in blocks; resident size of the process."""
    p, rows_per_block = 1_000, 10_000
    n_blocks = max(2, round(gigabytes * 1e9 / (8 * (p + 1) * rows_per_block)))
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory(dir=folder) as temporary:
        path = Path(temporary) / "rows.bin"
        with path.open("wb") as file:
            for i in range(n_blocks):
                block = rng.standard_normal((rows_per_block, p + 1))
                block[:, -1] = rng.integers(2, size=rows_per_block)
                block[:, :20] += np.outer(block[:, -1], np.linspace(1.0, 0.1, 20))
                block.tofile(file)
                print(f"\r  writing block {i + 1} of {n_blocks}", end="", file=sys.stderr)
        print(file=sys.stderr)
        size = path.stat().st_size
        row = child(HERE / "memory.py", "blocks", path, p, rows_per_block, 10)[0]
    return row | {"file_bytes": size, "rows": n_blocks * rows_per_block, "columns": p}


# ---------------------------------------------------------------------------------------------
# The promises, and the report

# (case, what, rival, scheme, threads or None for any, least ratio theirs / ours)
PROMISES = (
    ("f-500x10000", "MRMR", "textbook on BLAS", "quotient", None, 2),
    ("f-500x10000", "MRMR", "textbook on BLAS", "difference", None, 10),
    ("f-500x10000", "MRMR", "mrmrs", "quotient", None, 5),
    *((name, "MRMR", f"{rival} (quoted)", scheme, 1, 10)
      for name in QUOTED_MS for rival in ("praznik", "fast-mRMR")
      for scheme in ("quotient", "difference")),
    ("f-500x10000", "FastEnsemble", "ONE textbook run", "quotient", None, 1 / 3),
    ("f-500x10000", "FastEnsemble", "20 runs of ensfs MRMR", "quotient", None, 3),
    *((name, "FastEnsemble", "20 runs of ensfs MRMR", "quotient", None, 2) for name in QUOTED_MS),
    *((name, "FastEnsemble", "20 runs of praznik (quoted)", "quotient", 1, 20)
      for name in QUOTED_MS),
    ("fcbf-1000x20000", "CMIM", "praznik (quoted)", "-", 1, 1),
    ("fcbf-1000x20000", "JMI", "praznik (quoted)", "-", 1, 5),
    ("pairs-2000x1000", "pairwise MI", "praznik (quoted)", "-", 1, 5),
    *((name, method, rival, "-", 1, 20)
      for name in GROUPS["filters"] for method in ("FCBF", "CMIM", "JMI")
      for rival in ("skfeature-chappers", "fcbf", "ITMO_FS")),
    *((name, f"FastEnsemble(FCBF), {PARTS} parts", "ONE ensfs FCBF", "-", None, 1 / 5)
      for name in GROUPS["filters"]),
    *((name, "ITD", "ONE ensfs MRMR", "-", None, 1 / 20) for name in GROUPS["decompositions"]),
    *((name, finder.method, finder.name, scheme, 1, 20)
      for name in GROUPS["causal"] for finder in FINDERS for scheme in ("blankets", "neighbours")),
    *((name, method, "bnlearn in R (quoted)", scheme, 1, 1)
      for name, method, scheme in QUOTED_CAUSAL),
    *((name, "ACE", "boruta", "-", None, 5) for name in GROUPS["ace"]),
)  # fmt: skip


def promise_for(row):
    """Return the least ratio that was promised for this row; None if nothing was."""
    if row.get("quick"):
        return None
    for case, what, rival, scheme, threads, least in PROMISES:
        wanted = (row["case"], row["what"], row["rival"], row["scheme"])
        if wanted == (case, what, rival, scheme) and threads in (None, row["threads"]):
            return least
    return None


def seconds(value):
    return f"{value * 1e3:.1f} ms" if value < 1 else f"{value:.2f} s"


def time_table(rows):
    """Markdown of all timings, one section per table and number of threads."""
    lines = []
    for threads in sorted({row["threads"] for row in rows}):
        for name in dict.fromkeys(row["case"] for row in rows):
            lines += [
                f"\n### {name}, {threads} thread{'s' if threads > 1 else ''}\n",
                "| what | scheme | k | against | ensfs | other | ratio | promised | sets agree "
                "| note |",
                "| --- " * 10 + "|",
            ]
            for row in rows:
                if (row["case"], row["threads"]) != (name, threads):
                    continue
                start = f"| {row['what']} | {row['scheme']} | {row['k']} | {row['rival']} |"
                if "skipped" in row:
                    lines.append(f"{start} - | - | - | - | - | skipped: {row['skipped']} |")
                    continue
                if row["theirs_s"] is None:
                    lines.append(
                        f"{start} {seconds(row['ours_s'])} | - | - | - | - | {row['note']} |"
                    )
                    continue
                ratio, least = row["theirs_s"] / row["ours_s"], promise_for(row)
                kept = (
                    "" if least is None else f"{least:.2g}: {'yes' if ratio >= least else '**no**'}"
                )
                agree = row["agree"] or ""
                if agree and not row["same_definition"]:
                    agree += " (other definition)"
                lines.append(
                    f"{start} {seconds(row['ours_s'])} | {seconds(row['theirs_s'])} | {ratio:.2f} "
                    f"| {kept} | {agree} | {row['note'].replace('|', chr(92) + '|')} |"
                )
    return lines


def markdown(results):
    info = results["machine"]
    versions = ", ".join(f"{k} {v}" for k, v in info["versions"].items() if v)
    missing = ", ".join(k for k, v in info["versions"].items() if not v)
    lines = [
        "# ensfs beside other libraries\n",
        f"{info['date']}; {info['processor']}, {info['cores']} cores, {info['system']}, "
        f"load at the start {info['load']}; Python {info['python']}; {versions}."
        + (f" Not installed: {missing}." if missing else ""),
        "\nLeast of several turns; ratio = time of the other / time of ensfs.",
    ]
    lines += [f"\n- {name}: {CASES[name].title}" for name in results["cases"]]
    lines += time_table(results["times"])
    if results.get("memory"):
        lines += [
            "\n## Peak memory above the input\n",
            "| table | selector | input | extra | multiple | limit |",
            "| --- " * 6 + "|",
        ]
        for row in results["memory"]:
            limit = row["limit"]
            kept = "" if limit is None or row["multiple"] <= limit else " **exceeded**"
            lines.append(
                f"| {row['case']} | {row['what']} | {row['input_bytes'] / 1e6:.0f} MB "
                f"| {row['extra_bytes'] / 1e6:.0f} MB | {row['multiple']} | {limit or '-'}{kept} |"
            )
    if results.get("growth"):
        lines += [
            "\n## Growth (slope 1 is linear)\n",
            "| selector | table | axis | sizes | milliseconds | slope |",
            "| --- " * 6 + "|",
        ]
        for row in results["growth"]:
            cells = (row[key] for key in ("what", "table", "axis", "sizes", "ms", "slope"))
            lines.append(f"| {' | '.join(map(str, cells))} |")
    if results.get("blocks"):
        row = results["blocks"]
        lines.append(
            f"\n## Row blocks\n\nFastEnsemble, 20 parts, k=10, from a file of "
            f"{row['file_bytes'] / 1e9:.2f} GB ({row['rows']:,} x {row['columns']:,}, float64): "
            f"{row['seconds']} s, {row['resident_bytes'] / 1e6:.0f} MB resident at most "
            f"({row['before_bytes'] / 1e6:.0f} MB before the fit)."
        )
    return "\n".join(lines) + "\n"


def broken(results):
    """List the promises that this run did not keep."""
    out = []
    for row in results["times"]:
        least = promise_for(row)
        if least is not None and "skipped" not in row and row["theirs_s"] / row["ours_s"] < least:
            out.append(
                f"{row['case']} {row['what']} {row['scheme']} against {row['rival']}, "
                f"{row['threads']} threads: {row['theirs_s'] / row['ours_s']:.2f} < {least:.2g}"
            )
        if not row["quick"] and row.get("f1", 0) < row.get("theirs_f1", 0) - 1e-12:
            out.append(f"{row['case']} {row['what']} {row['scheme']}: {row['agree']}")
        out += [f"{row['case']} {row['what']}: {each}" for each in row.get("short", ())]
    for row in results.get("memory", ()):
        if row["limit"] is not None and row["multiple"] > row["limit"]:
            out.append(f"{row['case']} {row['what']}: memory {row['multiple']} > {row['limit']}")
    if "blocks" in results and results["blocks"]["resident_bytes"] >= 1e9:
        out.append("row blocks: 1 GB resident or more")
    for row in results["times"]:
        agree = row.get("agree") or ""
        parts = agree.split(" of ")
        if row["same_definition"] and (
            agree.isupper() or (len(parts) == 2 and parts[0] != parts[1])
        ):
            out.append(f"{row['case']} {row['what']} {row['scheme']} {row['rival']}: sets {agree}")
    return out


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--cases", nargs="+", default=list(CASES), choices=[*CASES, *GROUPS],
        help="tables, or one of the groups mrmr, filters, decompositions, causal and ace (all)",
    )  # fmt: skip
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--k", type=int, default=50, help="columns to select (50)")
    parser.add_argument("--repeats", type=int, default=7, help="turns of each contestant")
    parser.add_argument("--budget", type=float, default=20.0, help="seconds for each contestant")
    parser.add_argument("--no-times", action="store_true", help="only the other measurements")
    parser.add_argument("--memory", action="store_true", help="peak memory")
    parser.add_argument("--growth", action="store_true", help="time against n, p and k")
    parser.add_argument(
        "--blocks", type=float, metavar="GB", help="select from a file of this size"
    )
    parser.add_argument("--quick", action="store_true", help="small tables, two turns")
    parser.add_argument("--output", type=Path, default=HERE / "results")
    parser.add_argument("--worker", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    named = [name for entry in options.cases for name in GROUPS.get(entry, [entry])]
    options.cases = list(dict.fromkeys(named))
    if options.quick:
        options.repeats, options.k = 2, min(options.k, 10)
    return options


def main():
    options = parse()
    if options.worker:
        return worker(options)
    results = {"machine": machine.describe(), "cases": options.cases, "times": []}
    for n_threads in [] if options.no_times else options.threads:
        print(f"{n_threads} thread(s)", file=sys.stderr)
        results["times"] += child(
            HERE / "run.py", "--worker", n_threads, "--cases", *options.cases, "--k", options.k,
            "--repeats", options.repeats, "--budget", options.budget,
            *(["--quick"] if options.quick else []), n_threads=n_threads,
        )  # fmt: skip
    if options.memory:
        results["memory"] = list(measure_memory(options.quick, options.cases))
    if options.growth:
        results["growth"] = list(measure_growth(options.quick))
    if options.blocks:
        results["blocks"] = measure_blocks(options.blocks)
    options.output.mkdir(parents=True, exist_ok=True)
    (options.output / "compare.json").write_text(json.dumps(results, indent=1) + "\n")
    text = markdown(results)
    (options.output / "compare.md").write_text(text)
    print(text)
    if options.quick:
        print("A quick run, on small tables: its ratios say nothing.")
    elif failures := broken(results):
        print("\n".join(["Not as promised:", *failures]))
    else:
        print("All as promised.")
    print(f"Written to {options.output}")
    return None


if __name__ == "__main__":
    main()
