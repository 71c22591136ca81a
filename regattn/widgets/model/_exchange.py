"""Parts of a language model that write, at one place, what they write at the end of another text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

FEED_FORWARD = "ff"


@contextmanager
def exchanged(model: Any, donor: Any, parts: Sequence[str], *, place: int) -> Iterator[None]:
    """Let some parts of ``model`` write, at one place, what they write at the last place of ``donor``, (1, T)."""
    import torch

    written = {}
    with torch.no_grad(), ExitStack() as hooks:
        for part in parts:
            hooks.enter_context(_each(model, part, lambda x, part=part: written.update({part: x[:, -1].clone()})))
        model(donor)

    def put(x: Any, part: str) -> None:
        x[:, place] = written[part]

    with ExitStack() as hooks:
        for part in parts:
            hooks.enter_context(_each(model, part, lambda x, part=part: put(x, part)))
        yield


def _each(model: Any, part: str, do: Callable[[Any], None]) -> Any:
    """Return the handle of a hook that gives what a part has gathered, or has written, to a function."""
    layer, which = part.split(".")
    block = model.blocks[int(layer) - 1]
    if which == FEED_FORWARD:

        def after(_module: Any, _inputs: Any, output: Any) -> Any:
            output = output.clone()
            do(output)
            return output

        return block.feed_forward.values.register_forward_hook(after)
    size = block.attention.width // block.attention.n_heads
    own = slice((int(which) - 1) * size, int(which) * size)

    def before(_module: Any, inputs: Any) -> Any:
        gathered = inputs[0].clone()
        do(gathered[..., own])
        return (gathered,)

    return block.attention.output.register_forward_pre_hook(before)
