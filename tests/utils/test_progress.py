"""Progress that is seen, callbacks that are called, and fits that Ctrl-C stops cleanly."""

import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time
import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import load_wine
from sklearn.exceptions import NotFittedError

from ensfs import (
    ACE,
    CFS,
    FCBF,
    IAMB,
    JMI,
    MRMR,
    DecompositionClassifier,
    FastEnsemble,
    InnerEnsemble,
    InputDecimation,
    InputDecimationClassifier,
    ITDecomposition,
    IteratedFCBFDecomposition,
    RandomClusterEnsemble,
    RowBlocks,
)
from ensfs._utils import progress, threads
from ensfs._utils.sklearn import fit_context
from ensfs._utils.threads import WorkCancelled, for_blocks, ranges_of
from ensfs.selection._base import BaseSelector

callback = pytest.importorskip("sklearn.callback", reason="scikit-learn before 1.9")

SELECTORS = [
    MRMR(4),
    MRMR(4, scheme="MIQ"),
    JMI(4),
    FCBF(),
    CFS(),
    IAMB(),
    FastEnsemble(MRMR(4), n_parts=3),
    FastEnsemble(FCBF(), n_parts=3, n_jobs=2),
    InnerEnsemble(MRMR(4), n_parts=3),
]
by_name = {"ids": lambda s: repr(s).replace("\n", "")}


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True, as_frame=True)


# ---------------------------------------- verbose


@pytest.mark.parametrize("selector", SELECTORS, **by_name)
def test_verbose_says_what_was_done_on_standard_error(selector, wine, capfd):
    X, y = wine
    quiet = clone(selector).fit(X, y)
    assert capfd.readouterr() == ("", "")
    loud = clone(selector).set_params(verbose=1).fit(X, y)
    out, err = capfd.readouterr()
    assert out == ""
    name = type(selector).__name__
    assert err.startswith(f"{name}: {quiet.indices_.size} of 13 columns in ")
    assert err.count("\n") == 1
    np.testing.assert_array_equal(loud.indices_, quiet.indices_)


@pytest.mark.parametrize("terminal", [False, True])
@pytest.mark.parametrize("rich", [False, True])
def test_tasks_are_shown(terminal, rich, wine, monkeypatch, capsys):
    if rich:
        pytest.importorskip("rich")
    monkeypatch.setattr(progress, "FIRST_LINE", 0.0)
    monkeypatch.setattr(progress, "NEXT_LINE", 0.0)
    monkeypatch.setattr(progress, "_has_rich", lambda: rich)
    monkeypatch.setattr("sys.stderr.isatty", lambda: terminal)
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich asks the stream, which is none here
    monkeypatch.setattr(time, "monotonic", iter(range(10**6)).__next__)
    FastEnsemble(MRMR(4), n_parts=3, verbose=1).fit(*wine)
    err = capsys.readouterr().err
    assert "FastEnsemble: selecting" in err
    if not rich:
        assert "selecting 12 of 12" in err  # four columns in three parts
        assert ("\r" in err) == terminal
    assert "FastEnsemble: 4 of 13 columns in" in err


def test_blocks_of_rows_show_their_readings(wine, monkeypatch, capsys):
    X, y = (np.asarray(each) for each in wine)
    monkeypatch.setattr(progress, "FIRST_LINE", 0.0)
    monkeypatch.setattr(progress, "NEXT_LINE", 0.0)
    blocks = RowBlocks([(X[i : i + 50], y[i : i + 50]) for i in range(0, 178, 50)])
    MRMR(3, verbose=1).fit(blocks)
    err = capsys.readouterr().err
    for line in ("reading blocks 4\n", "measuring relevance 4 of 4\n", "selecting 3 of 3\n"):
        assert f"MRMR: {line}" in err


# ---------------------------------------- callbacks


class Recorder:
    """A callback that remembers the tasks."""

    def __init__(self):
        self.events = []
        self.lock = threading.Lock()

    def setup(self, estimator, context):
        self.events.append("setup")

    def teardown(self, estimator, context):
        self.events.append("teardown")

    def on_fit_task_begin(self, estimator, context):
        with self.lock:
            self.events.append(("begin", context.task_name, context.max_subtasks))

    def on_fit_task_end(self, estimator, context):
        with self.lock:
            self.events.append(("end", context.task_name, context.max_subtasks))


@pytest.mark.parametrize("selector", SELECTORS, **by_name)
def test_callbacks_are_told_of_every_step(selector, wine):
    recorder = Recorder()
    fitted = clone(selector).set_callbacks(recorder).fit(*wine)
    events = recorder.events
    assert (events[0], events[-1]) == ("setup", "teardown")
    assert events[1] == ("begin", "fit", None)
    assert events[-2] == ("end", "fit", None)
    begun = sorted(e[1] for e in events if e[0] == "begin")
    ended = sorted(e[1] for e in events if e[0] == "end")
    assert begun == ended
    assert begun.count("step") >= fitted.indices_.size
    totals = [e[2] for e in events if e[:2] == ("begin", "selecting")]
    assert all(total % 4 == 0 for total in totals)


@pytest.mark.parametrize(
    ("selector", "name"),
    [
        (
            ACE(n_replicates=5, n_estimators=10, max_iter=1, random_state=0),
            "round 1 of at most 1: contrasts",
        ),
        (RandomClusterEnsemble(n_estimators=30, random_state=0), "clustering"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_the_tasks_of_the_slow_selectors(selector, name, wine):
    recorder = Recorder()
    selector.set_callbacks(recorder).fit(*wine)
    assert ("begin", name, None) not in recorder.events
    begun = [e[1] for e in recorder.events if e[0] == "begin"]
    assert name in begun
    assert sorted(begun) == sorted(e[1] for e in recorder.events if e[0] == "end")


@pytest.mark.parametrize(
    ("estimator", "tasks"),
    [
        (ITDecomposition(2), ["selecting", "allocating"]),
        (IteratedFCBFDecomposition(2), ["making subsets"]),
        (InputDecimation("cv", random_state=0), ["validating sizes"]),
        (DecompositionClassifier(random_state=0), ["allocating", "fitting members"]),
        (
            InputDecimationClassifier(n_features_per_class="cv", random_state=0),
            ["validating sizes", "fitting members"],
        ),
    ],
    ids=lambda value: "" if isinstance(value, list) else type(value).__name__,
)
def test_decompositions_and_their_ensembles_show_their_tasks(estimator, tasks, monkeypatch, capsys):
    monkeypatch.setattr(progress, "FIRST_LINE", 0.0)
    monkeypatch.setattr(progress, "NEXT_LINE", 0.0)
    rng = np.random.default_rng(0)
    X, y = rng.integers(3, size=(60, 700)).astype(float), rng.integers(3, size=60)
    X = X[:, :20] if "validating sizes" in tasks else X
    clone(estimator).set_params(verbose=1).fit(X, y)
    said = capsys.readouterr().err
    for name in tasks:
        assert f": {name} " in said
    assert f"{type(estimator).__name__}: done in" in said
    clone(estimator).fit(X, y)
    assert capsys.readouterr().err == ""


def test_callbacks_are_torn_down_after_an_error(wine):
    recorder = Recorder()
    X = wine[0].assign(hue=np.nan)
    with pytest.raises(ValueError, match="NaN"):
        MRMR(4, missing="error").set_callbacks(recorder).fit(X, wine[1])
    assert (recorder.events[0], recorder.events[-1]) == ("setup", "teardown")


def test_the_progress_bar_of_scikit_learn(wine, capfd):
    pytest.importorskip("rich")
    FastEnsemble(MRMR(4), n_parts=3).set_callbacks(callback.ProgressBar()).fit(*wine)
    assert "FastEnsemble - selecting" in capfd.readouterr().out


# ---------------------------------------- all or nothing


def learned(estimator):
    return {name for name in vars(estimator) if name.endswith("_")}


@pytest.mark.parametrize("selector", SELECTORS, **by_name)
@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_a_fit_that_ends_early_leaves_nothing(selector, error, wine, monkeypatch):
    X, y = wine
    fitted = clone(selector).set_output(transform="pandas").fit(X, y)
    before = learned(fitted)

    def interrupt(self, *args):
        self.indices_ = "half of it"
        raise error

    for cls in (type(fitted), BaseSelector):  # an ensemble may let its selector store the columns
        monkeypatch.setattr(cls, "_set_selected", interrupt)
    with pytest.raises(error):
        fitted.fit(X.iloc[:, :7], y)
    assert learned(fitted) == set()
    with pytest.raises(NotFittedError):
        fitted.get_support()
    monkeypatch.undo()
    assert learned(fitted.fit(X, y)) == before
    assert fitted.transform(X).columns.tolist() == fitted.get_feature_names_out().tolist()


def test_bad_input_does_not_leave_a_mixture(wine):
    X, y = wine
    fitted = MRMR(4, missing="error").fit(X, y)
    with pytest.raises(ValueError, match="NaN"):
        fitted.fit(X.assign(hue=np.nan).iloc[:, 5:], y)
    assert learned(fitted) == set()
    pickle.loads(pickle.dumps(fitted)).fit(X, y)


def test_an_interrupt_leaves_warnings_and_errors_of_numpy_as_they_were():
    """It may come while somebody's context manager ends, before that has restored them."""

    class Interrupted(BaseEstimator):
        _parameter_constraints = {}

        @fit_context(prefer_skip_nested_validation=True)
        def fit(self, X, y=None):
            warnings.catch_warnings().__enter__()
            warnings.simplefilter("ignore")
            np.seterr(all="raise")
            raise KeyboardInterrupt

    before, errors = list(warnings.filters), np.geterr()
    with pytest.raises(KeyboardInterrupt):
        Interrupted().fit([[1]])
    assert list(warnings.filters) == before
    assert np.geterr() == errors
    with pytest.raises(UserWarning, match="still an error"):
        warnings.warn("still an error", stacklevel=1)


# ---------------------------------------- threads that are no longer needed


@pytest.mark.parametrize("where", ["working", "waiting"])
def test_work_that_nobody_waits_for_ends(where, monkeypatch):
    """An interrupt of the caller ends the other threads at their next checkpoint."""
    here, started = threading.current_thread(), threading.Event()
    seen, ended = [], []

    def work(start, stop):
        if threading.current_thread() is here:
            assert started.wait(10)
            if where == "working":
                raise KeyboardInterrupt
            return
        seen.append(start)
        started.set()
        try:
            for _ in ranges_of(0, 10_000, threads.CALL_CELLS):
                time.sleep(0.01)
        except WorkCancelled:
            ended.append(start)
            raise

    def interrupt(helper):
        raise KeyboardInterrupt

    wait = threads._Helper.wait
    calls = iter([interrupt, wait] if where == "waiting" else [wait, wait, wait, wait])
    monkeypatch.setattr(threads._Helper, "wait", lambda helper: next(calls)(helper))
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        for_blocks(work, 50, 2, 1)
    assert time.monotonic() - began < 5
    assert len(seen) == 1
    assert ended == seen
    monkeypatch.undo()
    total = []
    for_blocks(lambda a, b: total.append(b - a), 50, 2, 1)  # the pool is as good as new
    assert sum(total) == 50


@pytest.mark.parametrize("n_threads", [1, 2, 3])
def test_an_error_in_any_thread_is_that_of_the_caller(n_threads):
    def work(start, stop):
        if start == 7:
            raise MemoryError("block 7")

    for _ in range(20):
        with pytest.raises(MemoryError, match="block 7"):
            for_blocks(work, 50, n_threads, 1)


def test_little_work_is_not_shared():
    threads = set()
    for_blocks(lambda a, b: threads.add(threading.current_thread()), 10, 2, 1, cells=100)
    assert threads == {threading.current_thread()}


def test_costly_work_is_cut_into_short_calls():
    calls = []
    for_blocks(lambda a, b: calls.append((a, b)), 10, 1, cells=threads.CALL_CELLS // 3)
    assert calls == [(0, 3), (3, 6), (6, 9), (9, 10)]
    calls.clear()
    for_blocks(lambda a, b: calls.append((a, b)), 10, 1, cells=10**18)
    assert len(calls) == 10


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_short_calls_give_the_same_result(n_jobs, monkeypatch):
    """Cut after every few pairs: lazy steps go on where they stopped."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 90)
    X = rng.normal(size=(90, 200)) + y[:, None] * rng.random(200)
    selectors = [
        MRMR(12),
        MRMR(12, scheme="difference"),
        FastEnsemble(MRMR(8), n_parts=4),
        *(
            clone(s).set_params(n_jobs=n_jobs)
            for s in (FCBF(), CFS(), JMI(10), MRMR(10, scheme="MIQ"))
        ),
        FastEnsemble(FCBF(), n_parts=4),
        FastEnsemble(MRMR(6, scheme="MID"), n_parts=4),
        InnerEnsemble(JMI(5), n_parts=4),
    ]
    expected = [clone(s).fit(X, y) for s in selectors]
    for cells in (1, 90 * 3, 90 * 50):
        monkeypatch.setattr(threads, "CALL_CELLS", cells)
        for selector, whole in zip(selectors, expected, strict=True):
            found = clone(selector).fit(X, y)
            np.testing.assert_array_equal(found.indices_, whole.indices_)
            np.testing.assert_array_equal(found.scores_, whole.scores_)
            np.testing.assert_array_equal(found.relevance_, whole.relevance_)


# ---------------------------------------- Ctrl-C

PROGRAM = """
import os, signal, sys, threading, time
import numpy as np
from ensfs import {imports}
rng = np.random.default_rng(0)
X = {table}
y = rng.integers(0, 2, len(X))
selector = {selector}
sent = []
def interrupt():
    time.sleep(1.0)
    sent.extend([time.process_time(), time.monotonic()])
    os.kill(os.getpid(), signal.SIGINT)
small = selector.fit(X[:200, :150], y[:200])
indices = small.indices_.copy()
threading.Thread(target=interrupt).start()
try:
    selector.fit(X, y)
    print("finished")
except KeyboardInterrupt:
    print("stopped", time.process_time() - sent[0], time.monotonic() - sent[1])
print("learned", [name for name in vars(selector) if name.endswith("_")])
print("again", (selector.fit(X[:200, :150], y[:200]).indices_ == indices).all())
"""


@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
@pytest.mark.parametrize(
    ("selector", "table"),
    [
        # one lazy search that reads for long; one thread, and two
        ("MRMR(400, scheme='FCQ', n_jobs=1)", "rng.normal(size=(20_000, 1500)).astype(np.float32)"),
        (
            "FastEnsemble(MRMR(80, scheme='FCQ'), n_parts=8, n_jobs=2)",
            "rng.normal(size=(20_000, 1500))",
        ),
        # codes with many levels, counted in hash tables
        ("JMI(90, discrete_features=np.arange(150))", "rng.integers(0, 3000, (100_000, 150))"),
    ],
)
def test_ctrl_c_stops_a_fit(selector, table):
    program = PROGRAM.format(selector=selector, table=table, imports="JMI, MRMR, FastEnsemble")
    out = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert out.returncode == 0, out.stderr
    stopped, learned, again = out.stdout.splitlines()
    assert stopped.startswith("stopped "), "the fit was over before it was interrupted"
    seconds_of_work, seconds = map(float, stopped.split()[1:])
    assert seconds_of_work < 1.0  # of all threads; what a clock says depends on the machine's load
    assert seconds < 10.0
    assert learned == "learned []"
    assert again == "again True"


@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
def test_ctrl_c_ends_the_command_with_130(tmp_path):
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(3000, 1500)).astype(np.float32))
    frame.columns = [f"c{j}" for j in range(1500)]
    frame.assign(y=rng.integers(0, 2, 3000)).to_parquet(tmp_path / "t.parquet")
    arguments = ["select", "t.parquet", "--target", "y", "-k", "1400", "--parts", "200"]
    call = [sys.executable, "-m", "ensfs", *arguments, "-v", "--json", "out.json"]
    with subprocess.Popen(
        call, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path
    ) as process:
        assert "selecting" in process.stderr.readline()  # progress: it is in the middle of its work
        process.send_signal(signal.SIGINT)
        began = time.monotonic()
        out, err = process.communicate(timeout=60)
        seconds = time.monotonic() - began
    assert process.returncode == 130
    assert seconds < 2.0
    assert out == ""
    assert "interrupted" in err
    assert "Traceback" not in err
    assert [path.name for path in tmp_path.iterdir()] == ["t.parquet"]
