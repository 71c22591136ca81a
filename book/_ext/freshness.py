"""Sphinx extension: one cache of executed notebooks per state of the package and the pins.

The cache of jupyter-cache looks at the notebooks only. Here its folder is named by a hash of the package's files, the
pins and the Python version, so that a change in any of them executes the notebooks again and re-reads the pages.
"""

from __future__ import annotations

import hashlib
import platform
import shutil
import time
from pathlib import Path

DAY = 24 * 60 * 60


def state(root: Path) -> str:
    """Return a hash of everything outside the notebooks that their outputs depend on."""
    digest = hashlib.sha256(platform.python_version().encode())
    package = (path for path in (root / "regattn").rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    for path in sorted([*package, root / "requirements.txt"]):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def name_cache(app, config) -> None:
    """Point myst-nb at the cache of this state and remove those that no build has touched for a day."""
    caches = Path(app.outdir).parent / ".jupyter_cache"
    now = caches / state(Path(app.srcdir))
    for old in caches.iterdir() if caches.exists() else []:
        if old != now and old.is_dir() and time.time() - old.stat().st_mtime > DAY:
            shutil.rmtree(old)
    config.nb_execution_cache_path = str(now)


def setup(app) -> dict[str, bool]:
    """Register the extension."""
    app.connect("config-inited", name_cache)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
