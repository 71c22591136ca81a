r"""Attention in several heads, with a cache of what has been read.

Letters: B sequences in a batch, T tokens, D model width, H heads, d = D / H.
"""

from __future__ import annotations

from functools import lru_cache

import torch
from torch import Tensor, nn

from regattn._types import MaskLike
from regattn._validation import check_count, check_real, is_abstract
from regattn.attention import attend, attention_weights
from regattn.kernels import KernelLike
from regattn.transformer._checks import check_heads, check_tokens
from regattn.transformer._linear import Linear, linear
from regattn.transformer._rotation import rotate_pairs, rotation_angles
from regattn.transformer.position import alibi_columns, alibi_slopes

__all__ = ["KeyValueCache", "MultiHeadAttention"]


class KeyValueCache:
    """The keys and values of the tokens read so far, so that a new token costs one row instead of all of them.

    Parameters
    ----------
    capacity : int
        Tokens it can hold.

    Examples
    --------
    >>> cache = KeyValueCache(capacity=3)
    >>> for _ in range(2):
    ...     keys, values = cache.append(torch.ones(1, 2, 1, 5), torch.ones(1, 2, 1, 5))
    >>> keys.shape, cache.length
    (torch.Size([1, 2, 2, 5]), 2)
    """

    def __init__(self, capacity: int) -> None:
        self.capacity = check_count(capacity, "capacity")
        self.length = 0
        self._keys = self._values = None

    def append(self, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        """Store keys and values of shape (B, H, T, d) after those already held, and return all of them."""
        end = self.length + keys.shape[-2]
        if end > self.capacity:
            raise ValueError(f"the cache holds {self.capacity} tokens, got {end}")
        if self._keys is None:
            shape = (*keys.shape[:-2], self.capacity)
            self._keys = keys.new_empty((*shape, keys.shape[-1]))
            self._values = values.new_empty((*shape, values.shape[-1]))
        self._keys.narrow(-2, self.length, keys.shape[-2]).copy_(keys)
        self._values.narrow(-2, self.length, values.shape[-2]).copy_(values)
        self.length = end
        return self._keys.narrow(-2, 0, end), self._values.narrow(-2, 0, end)


@lru_cache(maxsize=32)
def _rotary_tables(n: int, width: int, base: float, dtype: torch.dtype, device: torch.device) -> tuple[Tensor, Tensor]:
    with torch.inference_mode(False):  # kept for training, whoever asked first
        angles = torch.from_numpy(rotation_angles(range(n), width, base=base))
        return angles.cos().to(device, dtype), angles.sin().to(device, dtype)


class MultiHeadAttention(nn.Module):
    r"""Attention in H heads, each with its own queries, keys and values of width d = D / H.

    .. math:: \text{head}_h = \text{attend}(x W_Q^h,\ x W_K^h,\ x W_V^h), \qquad
              \text{output} = [\text{head}_1, \dots, \text{head}_H]\, W_O

    Source: eqs. (9)-(11) of [RK]_ and (9)-(13) of [BR]_, with the mask in the normaliser too. Our W_Q, W_K, W_V are
    Breeden's :math:`W^A, W^B, W^C`; a head is one of his relations.

    Parameters
    ----------
    width : int
        D.
    n_heads : int
        H, a divisor of ``width``.
    kernel : str or Kernel, default "softmax"
        As in :func:`regattn.attend`.
    positions : str, default "none"
        "rotary" or "alibi" act on the scores here; every other scheme leaves them alone.
    bias : bool, default True
        Whether the four maps have intercepts.
    base : float, default 10000
        b of rotary positions.

    Examples
    --------
    >>> attention = MultiHeadAttention(6, 2)
    >>> attention(torch.randn(3, 5, 6)).shape
    torch.Size([3, 5, 6])
    >>> attention.weights(torch.randn(3, 5, 6), mask="causal").sum(-1).allclose(torch.ones(3, 2, 5))
    True
    """

    def __init__(
        self,
        width: int,
        n_heads: int,
        *,
        kernel: KernelLike = "softmax",
        positions: str = "none",
        bias: bool = True,
        base: float = 10_000.0,
    ) -> None:
        super().__init__()
        self.kernel = check_heads(width, n_heads, kernel=kernel, positions=positions)
        self.width, self.n_heads, self.positions = width, n_heads, positions
        self.base = check_real(base, "base", least=0.0, strictly=True)
        self.scale = self.kernel.default_scale(width // n_heads)
        self.projection = Linear(width, 3 * width, bias=bias)  # W_Q, W_K, W_V in one product
        self.output = Linear(width, width, bias=bias)  # W_O

    def forward(
        self, x: Tensor, *, memory: Tensor | None = None, mask: MaskLike = None, cache: KeyValueCache | None = None
    ) -> Tensor:
        """Return what each token of ``x``, shape (B, T, D), gathers from ``memory`` (by default from ``x`` itself).

        ``mask`` is as in :func:`regattn.attend`. With a ``cache`` the tokens of ``x`` follow those already in it.
        """
        queries, keys, values = self._queries_keys_values(x, memory, cache)
        if queries.shape[-2] == 1 and isinstance(mask, str):
            mask = None  # the last token of a causal sequence may see everything there is
        heads = attend(queries, keys, values, kernel=self.kernel, scale=self.scale, mask=mask)
        return self.output(heads.transpose(1, 2).flatten(2))  # (B, H, T, d) -> (B, T, D)

    def weights(self, x: Tensor, *, memory: Tensor | None = None, mask: MaskLike = None) -> Tensor:
        """Return the attention weights of every head, shape (B, H, T, T)."""
        queries, keys, _ = self._queries_keys_values(x, memory, None)
        return attention_weights(queries, keys, kernel=self.kernel, scale=self.scale, mask=mask)

    def query_key_matrices(self) -> Tensor:
        r"""Return :math:`W_{QK}^h = W_Q^h W_K^{h\top}` of every head, shape (H, D, D): its rank is at most d."""
        w_q, w_k, _ = self.projection.weight.unflatten(0, (3, self.n_heads, -1))  # each (H, d, D)
        return w_q.mT @ w_k

    def _queries_keys_values(
        self, x: Tensor, memory: Tensor | None, cache: KeyValueCache | None
    ) -> tuple[Tensor, Tensor, Tensor]:
        check_tokens(x, "x", self.projection.weight)
        if memory is None:
            queries, keys, values = self._split(self.projection(x))
        else:
            check_tokens(memory, "memory", self.projection.weight)
            sizes = (self.width, 2 * self.width)
            w_q, w_kv = self.projection.weight.split(sizes)
            b_q, b_kv = (None, None) if self.projection.bias is None else self.projection.bias.split(sizes)
            (queries,) = self._split(linear(x, w_q, b_q))
            keys, values = self._split(linear(memory, w_kv, b_kv))
        queries, keys = self._place(queries, keys, 0 if cache is None else cache.length)
        if cache is not None:
            keys, values = cache.append(keys, values)
        return queries, keys, values

    def _split(self, x: Tensor) -> tuple[Tensor, ...]:
        """Return the parts of x, shape (B, T, parts of D), each cut into heads: (B, H, T, d)."""
        batch, tokens, width = x.shape
        parts = x.view(batch, tokens, width // self.width, self.n_heads, self.width // self.n_heads)
        return tuple(part.transpose(1, 2) for part in parts.unbind(2))

    def _place(self, queries: Tensor, keys: Tensor, start: int) -> tuple[Tensor, Tensor]:
        """Tell queries and keys where they stand; the first is token ``start`` of its sequence."""
        m, n = queries.shape[-2], keys.shape[-2]
        if self.positions == "rotary":
            longest = 1 << (start + max(m, n) - 1).bit_length()  # few sizes of table, each made once
            tables = _rotary_tables.__wrapped__ if is_abstract(queries) else _rotary_tables  # not torch's stand-ins
            cosines, sines = tables(longest, queries.shape[-1], self.base, queries.dtype, queries.device)
            queries = rotate_pairs(queries, cosines[start : start + m], sines[start : start + m])
            keys = rotate_pairs(keys, cosines[start : start + n], sines[start : start + n])
        elif self.positions == "alibi":
            columns = alibi_columns(alibi_slopes(self.n_heads), range(start, start + m), range(start, start + n))
            of_queries, of_keys = (torch.from_numpy(c).to(queries.device, queries.dtype) for c in columns)
            shape = (queries.shape[0], -1, -1, -1)
            queries = torch.cat((queries, of_queries.expand(shape) / self.scale), dim=-1)
            keys = torch.cat((keys, of_keys.expand(shape)), dim=-1)
        return queries, keys
