"""Sphinx extension: launch buttons for Binder and Colab, only when the build knows the repository.

The repository (`owner/name` on GitHub) is the environment variable REGATTN_REPOSITORY (empty: none), else
GITHUB_REPOSITORY, which GitHub sets in its workflows, else the git remote `origin`. Without one there is no button
rather than a dead one.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path

BRANCH = "main"
OPTIONS = {
    "launch_buttons": {
        "binderhub_url": "https://mybinder.org",
        "colab_url": "https://colab.research.google.com",
        "notebook_interface": "jupyterlab",
    },
    "repository_branch": BRANCH,
    "path_to_docs": "",
    "use_repository_button": True,
    "use_issues_button": True,
}
NAME = re.compile(r"[\w.-]+/[\w.-]+")
REMOTE = re.compile(r"(?:https://|git@|ssh://git@)github\.com[:/](?P<name>[\w.-]+/[\w.-]+?)(?:\.git)?/?")


@cache
def git_remote(folder: Path) -> str:
    """Return the address of the remote `origin` of the repository at `folder`, or an empty string."""
    command = ["git", "-C", str(folder), "remote", "get-url", "origin"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    except FileNotFoundError:
        return ""


def repository(environment: Mapping[str, str], remote: str) -> str | None:
    """Return `owner/name` of the book's repository on GitHub, or None when nothing names it."""
    for variable in ("REGATTN_REPOSITORY", "GITHUB_REPOSITORY"):
        name = environment.get(variable)
        if name is not None:
            if name and not NAME.fullmatch(name):
                raise ValueError(f"{variable} must be owner/name, got {name!r}")
            return name or None
    found = REMOTE.fullmatch(remote)
    return found["name"] if found else None


def add_buttons(app, config) -> None:
    """Give the theme the address of the repository, from which it makes the buttons of each notebook."""
    name = repository(os.environ, git_remote(Path(app.srcdir)))
    if name is not None:
        config.html_theme_options = {
            **config.html_theme_options,
            **OPTIONS,
            "repository_url": f"https://github.com/{name}",
        }


def setup(app) -> dict[str, bool]:
    """Register the extension."""
    app.connect("config-inited", add_buttons)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
