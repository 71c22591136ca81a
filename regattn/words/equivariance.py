r"""Which linear maps of tables treat all words alike: the proof behind the projection of counts into a sentence."""

from __future__ import annotations

import numpy as np

from regattn._validation import check_count

__all__ = ["equivariant_maps"]


def equivariant_maps(n: int, *, local: bool = False) -> np.ndarray:
    r"""Return a basis of the linear maps from n × n tables to n × n tables that treat all words alike.

    .. math:: T(P S P^\top) = P\, T(S)\, P^\top \quad \text{for every permutation } P

    Computed as a null space. What a linear projection of counts into a sentence can be, if renaming the words may not
    matter: 15 dimensions for n ≥ 4. With ``local``, also :math:`T(S)_{rs} = 0` whenever :math:`S_{rs} = 0`: two
    dimensions are left, a factor on the diagonal and a factor off it. Implements :eq:`equivariance`; it is what makes
    Proposition 1 of [MH]_ a theorem.

    Parameters
    ----------
    n : int
        Number of words, from 2 to 5 (the null space has n⁴ unknowns).
    local : bool, default False
        Also ask that a pair that never meets gets no score.

    Returns
    -------
    ndarray of shape (dimension, n, n, n, n)
        Orthonormal maps; ``basis[k, r, s, a, b]`` is what S_ab adds to T(S)_rs.

    Raises
    ------
    ValueError
        If ``n`` is out of range.

    Examples
    --------
    >>> [len(equivariant_maps(n)) for n in (2, 3, 4)], len(equivariant_maps(4, local=True))
    ([8, 14, 15], 2)
    """
    n = check_count(n, "n", least=2, most=5, bound="the null space has n⁴ unknowns")
    pairs = np.eye(n * n)
    swap, turn = np.eye(n)[[1, 0, *range(2, n)]], np.roll(np.eye(n), 1, axis=0)  # together they generate every order
    renamings = [np.kron(P, P) for P in (swap, turn)]  # how P acts on the n² cells of a table
    conditions = [np.kron(A, pairs) - np.kron(pairs, A.T) for A in renamings]  # A T − T A = 0, row by row of T
    if local:
        conditions.append(np.diag(1.0 - pairs.ravel()))  # T_rs may use S_rs and nothing else
    values, vectors = np.linalg.eigh(sum(C.T @ C for C in conditions))  # C x = 0 for all C: eigenvalue 0 of the sum
    return vectors[:, values < 1e-9].T.reshape(-1, n, n, n, n)  # entries of the C are 0 and ±1, so 0 stands clear
