"""`attend` under what torch does to functions, and kernels in files: the same numbers as called plainly."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import torch

from regattn import KERNELS, attend, elu, nearest, others_mask
from regattn.transformer import (
    Architecture,
    Block,
    BlockDesign,
    LanguageModel,
    MultiHeadAttention,
    alibi_columns,
    alibi_slopes,
    rotate,
    sinusoidal_positions,
)
from regattn.transformer._checks import SCHEMES

B, T, d, d_v = 3, 7, 5, 2
OTHERS = others_mask(T)
MASKS = {
    "no-mask": None,
    "causal": "causal",
    "NumPy": OTHERS,
    "flipped": OTHERS[::-1, ::-1],
    "broadcast": np.broadcast_to(OTHERS[:1], (T, T)),
    "list": OTHERS.tolist(),
    "torch": torch.from_numpy(OTHERS),
}
masks = pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
ENTER = {name: mask for name, mask in MASKS.items() if name != "flipped"}  # torch.compile takes no negative stride
compiled_masks = pytest.mark.parametrize("mask", ENTER.values(), ids=ENTER)
kernels = pytest.mark.parametrize("kernel", list(KERNELS))

# torch.compile takes a second a time; everything that it compiles is here
compiling = pytest.mark.weekly  # and whenever what this file imports differs from main


def inputs() -> tuple[torch.Tensor, ...]:
    """Return queries, keys and values; no score is negative, so that every kernel has an answer under every mask."""
    generator = torch.Generator().manual_seed(1)
    return tuple(torch.rand(B, T, width, generator=generator, dtype=torch.float64) for width in (d, d, d_v))


@masks
@kernels
def test_mapping_over_a_batch_gives_what_the_batch_gives(kernel, mask):
    mapped = torch.func.vmap(lambda q, k, v: attend(q, k, v, kernel=kernel, mask=mask))(*inputs())
    torch.testing.assert_close(mapped, attend(*inputs(), kernel=kernel, mask=mask))


@masks
@kernels
def test_gradients_of_each_example_are_those_of_the_batch(kernel, mask):
    def loss(q, k, v):
        return attend(q, k, v, kernel=kernel, mask=mask).square().sum()

    q, k, v = inputs()
    each = torch.func.vmap(torch.func.grad(loss, argnums=2))(q, k, v)
    v.requires_grad_()
    loss(q, k, v).backward()
    torch.testing.assert_close(each, v.grad)


@compiling
@pytest.mark.filterwarnings("ignore")  # torch.compile warns of its own age and of caches in libraries
@compiled_masks
@kernels
def test_compiling_leaves_one_graph_and_the_same_numbers(kernel, mask):
    torch.compiler.reset()

    def call(q, k, v):
        return attend(q, k, v, kernel=kernel, mask=mask)

    compiled = torch.compile(call, backend="eager", fullgraph=True)  # one graph: nothing falls back to Python
    torch.testing.assert_close(compiled(*inputs()), call(*inputs()))


@compiling
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dynamic", [None, True])
@pytest.mark.parametrize("mask", [None, "causal"])
@pytest.mark.parametrize("kernel", ["softmax", "gaussian"])
def test_compiled_attention_takes_the_next_length_too(kernel, mask, dynamic):
    torch.compiler.reset()

    def call(x, y):
        return attend(x, y, y, kernel=kernel, mask=mask)

    compiled = torch.compile(call, backend="eager", fullgraph=True, dynamic=dynamic)
    for length, more in ((5, 0), (4, 0), (7, 2)):  # as many queries as keys, and fewer
        x, y = torch.rand(2, 3, length, 4), torch.rand(2, 3, length + more, 4)
        torch.testing.assert_close(compiled(x, y), call(x, y))


@compiling
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dynamic", [None, True])
@pytest.mark.parametrize("positions", SCHEMES)
def test_a_language_model_compiles_whole_and_is_exported(positions, dynamic):
    torch.compiler.reset()
    sizes = {"vocabulary": 11, "layers": 1, "context": 9, "width": 6, "n_heads": 3}
    model = LanguageModel(Architecture(**sizes, positions=positions)).eval()
    compiled = torch.compile(model, backend="eager", fullgraph=True, dynamic=dynamic)
    for length in (5, 4, 9):
        tokens = torch.arange(2 * length).reshape(2, length) % 11
        torch.testing.assert_close(compiled(tokens), model(tokens))
    exported = torch.export.export(model, (tokens,))
    torch.testing.assert_close(exported.module()(tokens), model(tokens))


@compiling
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("positions", ["none", "learned"])
def test_an_exported_model_takes_the_next_length_too(positions):
    sizes = {"vocabulary": 11, "layers": 1, "context": 9, "width": 6, "n_heads": 3}
    model = LanguageModel(Architecture(**sizes, positions=positions)).eval()
    tokens = torch.arange(14).reshape(2, 7) % 11
    lengths = ({1: torch.export.Dim("T", min=2, max=9)},)
    exported = torch.export.export(model, (tokens,), dynamic_shapes=lengths)
    torch.testing.assert_close(exported.module()(tokens[:, :4]), model(tokens[:, :4]))


CODES = {
    "rotated by a range": lambda x: rotate(x, range(T)),
    "rotated by an array": lambda x: rotate(x, np.arange(T)),
    "rotated by a tensor": lambda x: rotate(x, torch.arange(x.shape[-2])),
    "sinusoidal": lambda x: x + torch.as_tensor(sinusoidal_positions(range(T), x.shape[-1])),
    "ALiBi": lambda x: x[:, None, :, :2] + torch.as_tensor(alibi_columns(alibi_slopes(5), range(T), np.arange(T))[0]),
}


@compiling
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("code", CODES)
def test_codes_of_positions_compile_into_one_graph(code):
    torch.compiler.reset()
    x = torch.rand(B, T, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(2))
    compiled = torch.compile(CODES[code], backend="aot_eager", fullgraph=True)
    torch.testing.assert_close(compiled(x), CODES[code](x))


@compiling
@pytest.mark.filterwarnings("ignore")
def test_an_export_leaves_nothing_behind_in_the_tables_of_angles():
    model, x = MultiHeadAttention(4, 2, positions="rotary", base=77.0), torch.rand(1, T, 4)  # a base of its own
    torch.export.export(model, (x,))
    assert model(x).isfinite().all()


def test_shapes_are_checked_where_numbers_cannot_be():
    q, k, v = inputs()
    with pytest.raises(ValueError, match="queries has 4 columns but keys has 5"):
        torch.func.vmap(attend)(q[..., :4], k, v)


@pytest.mark.parametrize("kernel", [*KERNELS.values(), elu(0.5), nearest(3)], ids=lambda kernel: kernel.name)
def test_a_kernel_comes_out_of_a_file_as_it_went_in(kernel):
    again = pickle.loads(pickle.dumps(kernel))
    q, k, v = inputs()
    assert torch.equal(attend(q, k, v, kernel=again), attend(q, k, v, kernel=kernel))
    assert (again.name, again.formula) == (kernel.name, kernel.formula)


def test_a_block_can_be_saved_whole(tmp_path):
    block = Block(BlockDesign(width=6, n_heads=2, kernel=elu(0.5)))
    torch.save(block, tmp_path / "block.pt")
    again = torch.load(tmp_path / "block.pt", weights_only=False)
    x = torch.rand(B, T, 6)
    assert torch.equal(again(x), block(x))
