"""Tests, and what they share; imported before anything of Jupyter's."""

import sys

sys.modules.setdefault("rfc3987_syntax", None)  # two seconds for jsonschema, in every process, for what is not asked
