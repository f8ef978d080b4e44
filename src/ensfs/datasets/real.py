"""The papers' real data sets, by name: from a folder, or from OpenML."""

from __future__ import annotations

import difflib
import json
import os
from pathlib import Path
from typing import Any

from ensfs.datasets._openml import OPENML, download
from ensfs.datasets._tables import as_bunch, read_file

__all__ = ["dataset_names", "fetch_dataset"]


def fetch_dataset(
    name: str,
    *,
    data_home: str | os.PathLike | None = None,
    download_if_missing: bool = True,
    return_X_y: bool = False,
    as_frame: bool = False,
) -> Any:
    """Load a real data set by its name.

    The set comes from the folder `data_home`, or that of the environment variable ``ENSFS_DATA``.
    What is not there is fetched from OpenML through scikit-learn, which keeps a copy.

    Parameters
    ----------
    name : str
        One of :func:`dataset_names`, for example "colon" or "satimage".
    data_home : path-like, optional
        Folder with ``manifest.json`` and the files that it lists. The default is the folder that
        the environment variable ``ENSFS_DATA`` names.
    download_if_missing : bool, default=True
        False: an error instead of a download.
    return_X_y : bool, default=False
        Return ``(data, target)`` only.
    as_frame : bool, default=False
        Give pandas objects, with nominal columns as categories.

    Returns
    -------
    Bunch or tuple
        With ``data`` (float64, NaN where a cell is missing; a CSR matrix for a sparse set; a
        DataFrame with ``as_frame=True``), ``target`` (class numbers 0, 1, ... in the order of
        ``target_names``, or the values of a regression), ``frame`` (both, or None),
        ``feature_names``, ``target_names`` (None for a regression), ``discrete_features`` (a mask
        of the nominal columns, as the selectors take it), ``categories`` (their values by name),
        ``details`` (where it comes from) and ``DESCR``. In an array, nominal values that are
        numbers stay as they are and words become their positions in ``categories``.

    Raises
    ------
    ValueError
        For a name that is not known, or a file that is not what the manifest says.
    FileNotFoundError
        When the folder or its manifest is not there, or the set is neither in the folder nor to be
        had from OpenML.

    See Also
    --------
    dataset_names : The names.

    Examples
    --------
    >>> from ensfs.datasets import fetch_dataset
    >>> X, y = fetch_dataset("colon", return_X_y=True)  # doctest: +SKIP
    >>> X.shape  # doctest: +SKIP
    (62, 2000)
    """
    folder = _folder(data_home)
    listed = _manifest(folder)
    if name not in listed and name not in OPENML:
        raise ValueError(_unknown(name, sorted({*listed, *OPENML})))
    path = folder / listed[name]["file"] if folder is not None and name in listed else None
    if path is not None and path.is_file():
        table = read_file(path, listed[name])
    elif name in OPENML and download_if_missing:
        table = download(name)
    else:
        raise FileNotFoundError(_absent(name, folder, download_if_missing))
    bunch = as_bunch(table, as_frame=as_frame)
    return (bunch.data, bunch.target) if return_X_y else bunch


def dataset_names(*, data_home: str | os.PathLike | None = None) -> list[str]:
    """Names that :func:`fetch_dataset` knows.

    Parameters
    ----------
    data_home : path-like, optional
        Folder of data sets, as for :func:`fetch_dataset`.

    Returns
    -------
    list of str
        Those of the folder and those that OpenML has, sorted.

    Examples
    --------
    >>> from ensfs.datasets import dataset_names
    >>> "satimage" in dataset_names()
    True
    """
    return sorted({*_manifest(_folder(data_home)), *OPENML})


def _folder(data_home: str | os.PathLike | None) -> Path | None:
    given = data_home if data_home is not None else os.environ.get("ENSFS_DATA") or None
    if given is None:
        return None
    folder = Path(given).expanduser()
    if not (folder / "manifest.json").is_file():
        origin = "data_home" if data_home is not None else "ENSFS_DATA"
        raise FileNotFoundError(
            f"{origin} must name a folder with a manifest.json; got {str(folder)!r}."
        )
    return folder


def _manifest(folder: Path | None) -> dict[str, dict[str, Any]]:
    """Entries of the manifest by name; empty without a folder."""
    if folder is None:
        return {}
    path = folder / "manifest.json"
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))["datasets"]
        if not all("file" in entry for entry in entries):
            raise KeyError("file")
        return {entry["name"]: entry for entry in entries}
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(
            f"{path} must be JSON with a list 'datasets' of entries that have 'name' and 'file'."
        ) from error


def _unknown(name: object, known: list[str]) -> str:
    near = difflib.get_close_matches(str(name), known, n=3)
    hint = f"did you mean {' or '.join(map(repr, near))}? " if near else ""
    return f"There is no data set {name!r}; {hint}ensfs.datasets.dataset_names() lists all."


def _absent(name: str, folder: Path | None, download_if_missing: bool) -> str:
    where = "ENSFS_DATA is not set" if folder is None else f"it is not in {str(folder)!r}"
    if name in OPENML and not download_if_missing:
        return f"The data set {name!r} is not here: {where}, and download_if_missing is False."
    return f"The data set {name!r} is not here: {where}, and OpenML does not have it in this form."
