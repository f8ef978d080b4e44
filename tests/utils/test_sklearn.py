"""One module uses the private names of scikit-learn; all others go through it."""

import ast
from pathlib import Path

import pytest
from sklearn import base
from sklearn.feature_selection import SelectorMixin

import ensfs
from ensfs._utils.sklearn import CallbackSupportMixin

PACKAGE = Path(ensfs.__file__).parent
DOOR = PACKAGE / "_utils" / "sklearn.py"

#: What subclasses are asked to define, what NumPy and IPython define for everyone, and the methods
#: of our own that only share a name.
HOOKS = {"_get_support_mask", "_parameter_constraints", "_repr_html_", "_abc_impl"}

#: Set on instances, so no class lists them.
ON_INSTANCES = {"_skl_callbacks", "_parent_callback_ctx", "_sklearn_output_config"}


def private_names():
    """Private methods and attributes of the base classes of scikit-learn."""
    classes = [each for each in vars(base).values() if isinstance(each, type)]
    names = {name for each in (*classes, SelectorMixin, CallbackSupportMixin) for name in dir(each)}
    private = {name for name in names if name.startswith("_") and not name.startswith("__")}
    return (private | ON_INSTANCES) - HOOKS


def uses(source, private):
    """Line and name of every private import, attribute, method and text that names one."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            modules = [alias.name for alias in node.names]
            if isinstance(node, ast.ImportFrom):
                modules = [f"{node.module}.{name}" for name in modules]
            for module in modules:
                root, *rest = module.split(".")
                if root == "sklearn" and ("externals" in rest or any(n[0] == "_" for n in rest)):
                    yield node.lineno, module
        found = {
            ast.Attribute: lambda n: n.attr,
            ast.FunctionDef: lambda n: n.name,
            ast.Constant: lambda n: n.value,
        }.get(type(node), lambda n: None)(node)
        if isinstance(found, str) and found in private:
            yield node.lineno, found


def test_private_names_of_scikit_learn_are_used_in_one_module():
    private = private_names()
    assert {"_validate_params", "_repr_html_inner", "_repr_mimebundle_", "_transform"} <= private
    found = {
        f"{path.relative_to(PACKAGE)}:{line} {name}"
        for path in PACKAGE.rglob("*.py")
        if path != DOOR
        for line, name in uses(path.read_text(encoding="utf-8"), private)
    }
    assert found == set()
    assert list(uses(DOOR.read_text(encoding="utf-8"), private))


@pytest.mark.parametrize(
    "source",
    [
        "from sklearn.utils._param_validation import Interval",
        "from sklearn.base import _fit_context",
        "import sklearn.externals",
        "self._validate_params()",
        "getattr(self, '_skl_callbacks')",
        "class A:\n    def _repr_html_inner(self): ...",
    ],
)
def test_every_kind_of_use_is_seen(source):
    assert len(list(uses(source, private_names()))) == 1


def test_public_names_are_not_seen():
    source = "from sklearn.base import clone\nfrom sklearn.utils.validation import validate_data"
    assert list(uses(source + "\nself.fit(X)\nself._get_support_mask()", private_names())) == []
