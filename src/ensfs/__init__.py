"""Feature selection with ensembles, fast."""

from importlib.metadata import version

from ensfs._config import show_config, show_versions

__version__ = version("ensfs")

__all__ = ["show_config", "show_versions"]
