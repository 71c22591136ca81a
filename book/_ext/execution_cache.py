"""Sphinx extension: a notebook is executed again when something it depends on has changed, and only then.

The cache of jupyter-cache looks at the code of a notebook. Here each notebook has a cache of its own, named by a hash
of the files of the package that its code imports, directly or through others, of the pins and of the Python version.
"""

from __future__ import annotations

import hashlib
import json
import platform
import shutil
import time
from pathlib import Path

import dependencies
from dependencies import Package, code_of, written_in

DAY = 24 * 60 * 60


def surroundings(root: Path) -> str:
    """Return a hash of what every notebook depends on: the pins and the Python version."""
    lines = (root / "requirements.txt").read_text(encoding="utf-8").splitlines()
    pins = sorted(filter(None, (line.partition("#")[0].strip() for line in lines)))
    return hashlib.sha256("\n".join([platform.python_version(), *pins]).encode()).hexdigest()[:16]


def key(package: Package, path: Path) -> str | None:
    """Return a hash of what a notebook's outputs depend on outside of the notebook; None for a page without code."""
    code = code_of(path)
    if not code:
        return None
    digest = hashlib.sha256(surroundings(package.root).encode())
    for file in sorted(package.files(code)):
        digest.update(file.relative_to(package.root).as_posix().encode() + b"\0" + package.content(file) + b"\0")
    return digest.hexdigest()[:16]


def watch(app, config) -> None:
    """Have every page read again when the pins or the Python version have changed."""
    config.regattn_surroundings = surroundings(Path(app.srcdir))


def find_keys(app) -> None:
    """Find the key of each notebook of the book, as it was where no file has been touched since."""
    root = Path(app.srcdir)
    paths = {name: Path(app.env.doc2path(name)) for name in app.project.discover(app.config.exclude_patterns)}
    read = [*paths.values(), *written_in(root / "regattn"), Path(__file__), Path(dependencies.__file__)]
    seen = [(path.as_posix(), stat.st_mtime_ns, stat.st_size) for path in sorted(read) if (stat := path.stat())]
    touched = hashlib.sha256(repr([surroundings(root), seen]).encode()).hexdigest()
    kept = caches(app) / "keys.json"
    known = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    if touched not in known:
        package = Package(root)
        found = {name: key(package, path) for name, path in paths.items()}
        known = {touched: {name: value for name, value in found.items() if value is not None}}
        kept.parent.mkdir(parents=True, exist_ok=True)
        fresh = kept.with_suffix(".new")  # whole or not at all: a half one would end every later build
        fresh.write_text(json.dumps(known), encoding="utf-8")
        fresh.replace(kept)
    app.notebook_keys = known[touched]
    app.notebook_config = app.env.mystnb_config


def outdated(app, env, added, changed, removed) -> list[str]:
    """Return the notebooks that were read under another key."""
    known = getattr(env, "notebook_keys", {})
    return [name for name, value in app.notebook_keys.items() if name in env.found_docs and known.get(name) != value]


def caches(app) -> Path:
    """Return the folder of all caches."""
    return Path(app.outdir).parent / ".jupyter_cache"


def notebook_cache(caches: Path, name: str, key: str) -> Path:
    """Return the folder of the cache of a notebook, which is named by its path without suffix."""
    return caches / name.replace("/", "-") / key


def folder_of(app, name: str) -> Path:
    """Return the folder of a notebook's cache."""
    return notebook_cache(caches(app), name, app.notebook_keys[name])


def name_cache(app, name, content) -> None:
    """Point myst-nb at the cache of the notebook that is read next."""
    if name not in app.notebook_keys:
        return
    if not hasattr(app.env, "notebook_keys"):
        app.env.notebook_keys = {}
    app.env.notebook_keys[name] = app.notebook_keys[name]
    app.env.mystnb_config = app.notebook_config.copy(execution_cache_path=str(folder_of(app, name)))


def merge(app, env, names, other) -> None:
    """Take over the keys of the notebooks that another process has read."""
    theirs = getattr(other, "notebook_keys", {})
    env.notebook_keys = getattr(env, "notebook_keys", {}) | {name: theirs[name] for name in names if name in theirs}


def remove_old(app, error) -> None:
    """Remove the caches that are of no use any more and that no build has touched for a day."""
    used = {folder_of(app, name) for name in app.notebook_keys}
    for old in caches(app).glob("*/*"):
        if old not in used and old.is_dir() and time.time() - old.stat().st_mtime > DAY:
            shutil.rmtree(old)


def setup(app) -> dict[str, bool]:
    """Register the extension."""
    app.add_config_value("regattn_surroundings", "", "env")
    app.connect("config-inited", watch)
    app.connect("builder-inited", find_keys, priority=900)  # after myst-nb has made its configuration
    app.connect("env-get-outdated", outdated)
    app.connect("source-read", name_cache)
    app.connect("env-merge-info", merge)
    app.connect("build-finished", remove_old)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
