"""What the blackboard shows is what runs."""

import inspect

import numpy as np
import pytest

from regattn import from_scratch
from regattn.figures import blackboard


def test_the_lines_shown_define_the_function_again():
    shown = blackboard(from_scratch.softmax, from_scratch.attend).data
    code = shown.removeprefix("```python\n").removesuffix("\n```")
    space = {"np": np}
    exec(code, space)  # - the code is our own
    scores = np.array([[0.3, -1.2, 4.0]])
    np.testing.assert_array_equal(space["softmax"](scores), from_scratch.softmax(scores))
    assert inspect.getsource(from_scratch.attend).rstrip() in shown


@pytest.mark.parametrize(("functions", "message"), [((), "got none"), ((3.0,), "got 3.0"), ((np.dot,), "got <")])
def test_what_has_no_lines_is_refused(functions, message):
    with pytest.raises(ValueError, match=message):
        blackboard(*functions)
