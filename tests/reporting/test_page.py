"""The report: one page with all of it, safe whatever the names are, in a real browser."""

import html
import json
import re
import shutil
import subprocess

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectKBest

import ensfs
from ensfs import (
    ACE,
    CFS,
    FCBF,
    MRMR,
    FastEnsemble,
    InnerEnsemble,
    RandomClusterEnsemble,
    RowBlocks,
    SelectorCV,
    StabilitySelector,
)
from ensfs.reporting.template import SCRIPT

EVIL = [
    "<script>document.title='hacked'</script>",
    '"><img src=x onerror="document.title=\'hacked\'">',
    "</style></svg></pre><script>document.title='hacked'</script>",
    "' onmouseover='document.title=1",
    "javascript:alert(1)",
]
SECTIONS = ("Data", "Selected columns", "Frequency", "Redundancy", "Accuracy")

BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
needs_browser = pytest.mark.skipif(BROWSER is None, reason="no chromium here")


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True, as_frame=True)


def text_of(page):
    return re.sub(r"<[^>]*>", " ", page)


@pytest.mark.parametrize(
    "selector",
    [
        MRMR(4),
        FCBF(n_features_to_select=4),
        CFS(n_features_to_select=3),
        FastEnsemble(MRMR(3), n_parts=6),
        InnerEnsemble(MRMR(3), n_parts=4),
    ],
    ids=lambda s: type(s).__name__,
)
def test_all_sections(selector, wine, tmp_path, capfd):
    X, y = wine
    fitted = selector.fit(X, y)
    page = ensfs.report(fitted, X, y, tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page
    headings = re.findall(r"<h2>(.*?)</h2>", page)
    assert [h.split(" ")[0] for h in headings] == [s.split(" ")[0] for s in SECTIONS]
    for name in X.columns[fitted.indices_]:
        assert name in page
    text = text_of(page)
    assert "178" in text
    assert "stability (Nogueira" in text
    assert "5-fold cross-validation" in text
    assert page.count("<polyline") == 1
    assert page.count("<title>") > fitted.indices_.size**2  # cells of the map have their values
    assert capfd.readouterr() == ("", "")


def test_pages_tell_what_the_stability_is_of(wine):
    X, y = wine
    shared = "higher than that of selections from new data"
    halves = "about that of selections from new data with half as many rows"
    for selector, words, others in (
        (MRMR(3), shared, halves),
        (FastEnsemble(MRMR(3), n_parts=4), shared, halves),
        (FastEnsemble(MRMR(3), n_parts=4, parts="halves"), halves, shared),
        (StabilitySelector(MRMR(3), n_pairs=4), halves, shared),
    ):
        page = ensfs.report(selector.fit(X, y), X, y)
        assert words in page
        assert others not in page


def test_threshold_and_bound_of_a_stability_selection(wine):
    X, y = wine
    selector = StabilitySelector(MRMR(3), n_pairs=10).fit(X, y)
    text = text_of(ensfs.report(selector, X, y))
    assert "expected number of columns selected by mistake, at most" in text
    assert f"{selector.error_bound_:.4g}" in text


def test_the_curve_of_a_search(wine):
    X, y = wine
    search = SelectorCV(MRMR(), cv=3).fit(X, y)
    page = ensfs.report(search, X, y)
    assert f"{search.n_features_} columns were chosen" in page
    assert page.count("<polyline") == 1


def test_the_same_input_gives_the_same_page(wine):
    X, y = wine
    fitted = FastEnsemble(MRMR(2), n_parts=3).fit(X, y)
    assert ensfs.report(fitted, X, y) == ensfs.report(fitted, X, y)


def test_every_value_is_that_of_explain(wine):
    X, y = wine
    fitted = MRMR(3).fit(X, y)
    page = ensfs.report(fitted, X, y)
    for row in fitted.explain():
        assert row["feature"] in page
        assert f"{row['relevance']:.4g}" in page


@pytest.mark.parametrize(
    "frame",
    [np.asarray, pl.DataFrame, lambda X: pa.Table.from_pandas(X, preserve_index=False)],
    ids=["numpy", "polars", "pyarrow"],
)
def test_tables_of_every_kind(frame, wine):
    X, y = wine
    page = ensfs.report(MRMR(3).fit(frame(X), y), frame(X), y.to_numpy())
    assert page.count("<polyline") == 1
    assert ("flavanoids" in page) == (frame is not np.asarray)


def test_text_columns_and_classes(wine):
    X, y = wine
    X = X.assign(colour=np.where(X["hue"] > 1, "red <1>", "blue"))
    kinds = np.array(["<i>barbera</i>", "barolo", "grignolino"])[y]
    page = ensfs.report(MRMR(5).fit(X, kinds), X, kinds)
    assert "Symmetrical uncertainty" in page
    assert "&lt;i&gt;barbera&lt;/i&gt;" in page
    assert page.count("<polyline") == 1


def test_a_numeric_target():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    page = ensfs.report(MRMR(4).fit(X, y), X, y)
    assert "ridge regression" in page
    assert "target: mean value" in page


def test_blocks(wine):
    X, y = np.asarray(wine[0]), np.asarray(wine[1])
    blocks = RowBlocks([(X[:90], y[:90]), (X[90:], y[90:])])
    page = ensfs.report(MRMR(3).fit(blocks), blocks)
    assert page.count("Not shown for a table in blocks") == 2
    assert "stability (Nogueira" in page


@pytest.mark.parametrize(("n", "k"), [(6, 1), (6, 3), (4, 2)])
def test_small_tables(n, k):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(n, 3)), np.arange(n) % 2
    assert "</html>" in ensfs.report(MRMR(k).fit(X, y), X, y)


def test_nothing_selected():
    X, y = np.array([[0, 1] * 20, [1, 1] * 20]).T, np.repeat([0, 1], 20)
    fitted = FCBF().fit(X, y)
    assert fitted.indices_.size == 0
    assert "Nothing was selected" in ensfs.report(fitted, X, y)


def test_a_rare_class_has_no_cross_validation(wine):
    X, y = wine
    y = y.to_numpy().copy()
    y[0] = 9
    page = ensfs.report(MRMR(3).fit(X, y), X, y)
    assert "too few rows of some class" in page


def test_without_a_target(wine):
    X, y = wine[0].iloc[::3], wine[1].iloc[::3]
    selector = RandomClusterEnsemble(KMeans(3), n_estimators=20, random_state=0).fit(X)
    page = ensfs.report(selector, X)
    assert [title in page for title in SECTIONS] == [True] * len(SECTIONS)
    assert "There is no target to predict" in page
    assert "stability (Nogueira" in page
    assert "classes of the target" not in page
    assert "classes of the target" in ensfs.report(selector, X, y)


def test_bad_arguments(wine):
    X, y = wine
    fitted = MRMR(3).fit(X, y)
    with pytest.raises(NotFittedError):
        ensfs.report(MRMR(3), X, y)
    with pytest.raises(TypeError, match="needs a fitted ensfs selector; got SelectKBest"):
        ensfs.report(SelectKBest(k=3).fit(X, y), X, y)
    with pytest.raises(ValueError, match="X has 12 columns"):
        ensfs.report(fitted, X.iloc[:, 1:], y)
    with pytest.raises(ValueError, match="y is None"):
        ensfs.report(fitted, X)
    with pytest.raises(ValueError, match="inconsistent numbers"):
        ensfs.report(fitted, X, y[:-1])


# ---------------------------------------- names from elsewhere


@pytest.fixture(scope="module")
def evil_page(tmp_path_factory):
    """A page about 20,000 columns, all with names that want to be more than names."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    X = pd.DataFrame(
        rng.normal(size=(60, 20_000)) + y[:, None] * (np.arange(20_000) % 100 == 0),
        columns=[f"{EVIL[j % len(EVIL)]}{j}" for j in range(20_000)],
    )
    kinds = np.array(EVIL[:2])[y]
    selector = FastEnsemble(MRMR(30), n_parts=3).fit(X, kinds)
    path = tmp_path_factory.mktemp("report") / "page.html"
    ensfs.report(selector, X, kinds, path)
    notebook = path.with_name("notebook.html")
    notebook.write_text(
        f"<title>ours</title><body>{selector._repr_html_()}</body>", encoding="utf-8"
    )
    return path


def test_the_page_is_small_and_alone(evil_page):
    page = evil_page.read_text(encoding="utf-8")
    assert len(page.encode()) < 5_000_000
    inside = re.findall(r"<(\w+)", page)
    assert set(inside) <= {
        "html", "head", "meta", "title", "style", "body", "h1", "h2", "h3", "pre", "section", "p",
        "table", "thead", "tbody", "tr", "th", "td", "svg", "rect", "text", "tspan", "line",
        "polygon", "polyline", "circle", "div", "label", "input", "span", "button", "footer",
        "script", "details", "summary",
    }  # fmt: skip
    assert page.count("<script") == 1  # ours
    attributes = {name for tag in re.findall(r"<\w+([^>]*)>", page)
                  for name in re.findall(r'([\w-]+)="', tag)}  # fmt: skip
    assert not attributes & {"src", "href", "style", "xlink", "action"}
    assert not any(name.startswith("on") for name in attributes)
    assert "url(" not in page
    assert "@import" not in page


def browse(*arguments, tmp_path):
    """What the browser prints."""
    call = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
            f"--user-data-dir={tmp_path / 'profile'}", *map(str, arguments)]  # fmt: skip
    run = subprocess.run(call, capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout


@needs_browser
def test_the_browser_runs_no_script_of_the_data(evil_page, tmp_path):
    page = evil_page.read_text(encoding="utf-8")
    # also without the policy that forbids other scripts: names are text in the first place
    bare = tmp_path / "bare.html"
    bare.write_text(re.sub(r"<meta http-equiv[^>]*>", "", page), encoding="utf-8")
    assert "Content-Security-Policy" not in bare.read_text(encoding="utf-8")
    for path in (evil_page, bare):
        dom = browse("--dump-dom", path.as_uri(), tmp_path=tmp_path)
        assert "<title>FastEnsemble: feature selection</title>" in dom
        assert re.findall(r"<script>(.*?)</script>", dom, re.DOTALL) == [SCRIPT]
        assert not re.search(r"<img\b", dom)
        assert dom.count("<h2>") == len(SECTIONS)
        assert dom.rstrip().endswith("</body></html>")
    dom = browse("--dump-dom", evil_page.with_name("notebook.html").as_uri(), tmp_path=tmp_path)
    assert "<title>ours</title>" in dom
    assert not re.search(r"<img\b", dom)


def test_selected_columns_stand_for_others():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    page = ensfs.report(MRMR(3, scheme="FCQ").fit(X, y), X, y)
    assert re.search(r"<td[^>]*>worst perimeter</td>.*?<td>[^<]*worst radius, [^<]*</td>", page)


#: Clicks on a heading twice and types into the search box, then writes what is shown as the title.
DRIVE = """
const names = () => [...document.querySelectorAll("table.sortable")[0].tBodies[0].rows]
  .filter((row) => !row.hidden).map((row) => row.querySelector("td.name").textContent);
const button = [...document.querySelectorAll("th button")].find((b) => b.textContent === "column");
const shown = [names()];
button.click(); shown.push(names());
button.click(); shown.push(names());
const box = document.getElementById("search");
box.value = "PRO"; box.dispatchEvent(new Event("input")); shown.push(names());
document.title = JSON.stringify(shown);
"""


@needs_browser
def test_the_browser_sorts_and_searches(wine, tmp_path):
    X, y = wine
    selector = MRMR(6).fit(X, y)
    page = ensfs.report(selector, X, y)
    page = re.sub(r"<meta http-equiv[^>]*>", "", page)  # it forbids the script of this test
    path = tmp_path / "driven.html"
    path.write_text(page.replace("</body>", f"<script>{DRIVE}</script></body>"), encoding="utf-8")
    dom = browse("--dump-dom", path.as_uri(), tmp_path=tmp_path)
    shown = json.loads(html.unescape(re.search(r"<title>(.*?)</title>", dom).group(1)))
    names = X.columns[selector.indices_].tolist()
    assert shown == [names, sorted(names), sorted(names)[::-1], ["proline"]]


#: Sorts both tables by relevance, searches in them, and writes what is shown as the title.
DRIVE_WIDE = """{
const tables = [...document.querySelectorAll("table.sortable")];
const cells = (table, at) => [...table.tBodies[0].rows].filter((row) => !row.hidden)
  .map((row) => row.cells[at]);
const shown = {};
shown.order = tables.map((table) => {
  const heads = [...table.tHead.rows[0].cells];
  const at = heads.findIndex((head) => head.textContent === "relevance");
  heads[at].querySelector("button").click();
  return cells(table, at).map((cell) => Number(cell.dataset.value));
});
const box = document.getElementById("search");
const type = (text) => {
  box.value = text; box.dispatchEvent(new Event("input"));
  return [tables.flatMap((table) => cells(table, 0)).length,
    document.getElementById("found").textContent];
};
shown.none = type("no such column");
shown.some = type("GENE 00007");
shown.all = type("");
document.title = JSON.stringify(shown);
}"""


@needs_browser
@pytest.mark.parametrize("p", [20, 20_000])
def test_the_browser_sorts_and_searches_narrow_and_wide_tables(p, tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, p)), np.arange(60) % 2
    X[:, 7] += 3 * y
    names = [f"gene {j:05d}" for j in range(p)]
    names[3] = "<script>document.title = 'theirs'</script>"
    table = pd.DataFrame(X, columns=names)
    selector = FastEnsemble(MRMR(5), n_parts=6).fit(table, y)
    page = ensfs.report(selector, table, y)
    assert len(page) < 1_000_000
    assert re.findall(r"<script>(.*?)</script>", page, re.DOTALL) == [SCRIPT]

    n_shown = min(p, 5 + 500)  # selected, and at most so many others
    page = re.sub(r"<meta http-equiv[^>]*>", "", page)  # it forbids the script of this test
    path = tmp_path / "driven.html"
    path.write_text(
        page.replace("</body>", f"<script>{DRIVE_WIDE}</script></body>"), encoding="utf-8"
    )
    dom = browse("--dump-dom", path.as_uri(), tmp_path=tmp_path)
    shown = json.loads(html.unescape(re.search(r"<title>(.*?)</title>", dom).group(1)))
    for order, length in zip(shown["order"], (5, n_shown - 5), strict=True):
        assert len(order) == length
        assert order == sorted(order, reverse=True)
        assert len(set(order)) > 1
    assert shown["none"] == [0, f"0 of the {n_shown} columns on this page"]
    assert shown["some"] == [1, f"1 of the {n_shown} columns on this page"]
    assert shown["all"] == [n_shown, ""]


@needs_browser
def test_the_browser_shows_the_page(wine, tmp_path):
    from matplotlib.image import imread

    X, y = wine
    ensfs.report(FastEnsemble(MRMR(6), n_parts=6).fit(X, y), X, y, tmp_path / "page.html")
    shot = tmp_path / "page.png"
    where = (tmp_path / "page.html").as_uri()
    browse(f"--screenshot={shot}", "--window-size=1000,2400", where, tmp_path=tmp_path)
    picture = (255 * imread(shot)[..., :3]).round().astype(int)
    assert picture.shape[:2] == (2400, 1000)
    blue = (picture == [0, 114, 178]).all(axis=2)
    assert blue.sum() > 5000  # bars
    dark = (picture == [8, 69, 148]).all(axis=2)
    assert dark.sum() > 6 * 300  # the diagonal of the map


def test_a_selector_that_is_told_the_kind_of_the_target(capsys):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    y = np.round(2 * X[:, 1]) + 5.0  # few whole numbers, which could be classes
    options = {"n_estimators": 20, "n_replicates": 3, "max_iter": 1, "random_state": 0}
    selector = ACE(task="regression", verbose=1, **options).fit(X, y)
    capsys.readouterr()
    page = str(ensfs.report(selector, X, y))
    assert "R²" in page
    assert "classes of the target" not in page
    assert not capsys.readouterr().err  # the fits of the report are quiet
