"""Node, for the modules that a page computes with: the one that Playwright brings along, or the machine's."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

from playwright._impl._driver import compute_driver_executable

from regattn.widgets._kit.page import assemble


def node() -> str:
    """Return where Node is."""
    return shutil.which("node") or str(compute_driver_executable()[0])


def in_node(folder: Path, module: str, code: str, given: Any) -> Any:
    """Return what JavaScript ``code``, with the names of ``module`` and of ``given``, answers: it calls say(value)."""
    (folder / "given.json").write_text(json.dumps(given), encoding="utf-8")
    start = 'import { readFileSync, writeFileSync } from "node:fs";\n'
    start += 'const given = JSON.parse(readFileSync("given.json", "utf8"));\n'
    start += 'const say = (value) => writeFileSync("said.json", JSON.stringify(value));\n'
    (folder / "run.mjs").write_text(f"{start}{assemble(module)}\n{code}", encoding="utf-8")
    done = subprocess.run([node(), "run.mjs"], cwd=folder, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "said.json").read_text(encoding="utf-8"))
