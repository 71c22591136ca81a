# %% [markdown]
# **A window as a matrix.** A window with the weights `kernel` moves over an image of `shape`, a pixel at a time, and
# stays inside. Return the matrix that makes its feature map of the image, both read row by row: one row for each place
# of the window, one column for each pixel.


# %% tags=["answer"]
def window_matrix(kernel, shape):
    """Return the matrix of a window that moves over an image."""
    ### BEGIN SOLUTION
    from regattn.regression import convolution_matrix

    return convolution_matrix(kernel, shape)
    ### END SOLUTION


# %% tags=["test"] points=1 why="a row of three pixels and a window of two"
import numpy as np

assert np.allclose(window_matrix(np.array([[1.0, 10.0]]), (1, 3)), [[1, 10, 0], [0, 1, 10]])

# %% tags=["test", "hidden"] points=2 why="windows and images that are not square"
import numpy as np

from regattn.regression import convolution_matrix

rng = np.random.default_rng(15)
for k, shape in [((2, 2), (4, 4)), ((2, 3), (5, 4)), ((3, 1), (3, 6))]:
    kernel = rng.normal(size=k)
    assert np.allclose(window_matrix(kernel, shape), convolution_matrix(kernel, shape)), (
        f"expected a row for each place of a window of {k} in an image of {shape}, in the order of reading"
    )

# %% tags=["test", "hidden"] points=1 why="an image that is all one"
import numpy as np

kernel = np.arange(6.0).reshape(2, 3)
assert np.allclose(window_matrix(kernel, (5, 7)) @ np.ones(35), 15), (
    "expected the same sum at every place of an image that is all one"
)


# %% tags=["wrong"] marks=2 why="lets the window go beyond the right edge"
def window_matrix(kernel, shape):
    rows = []
    for i in range(shape[0] - kernel.shape[0] + 1):
        for j in range(shape[1] - kernel.shape[1] + 1):
            row = np.zeros(shape[0] * shape[1])
            row[i * shape[1] + j : i * shape[1] + j + kernel.size] = kernel.ravel()
            rows.append(row)
    return np.array(rows)


# %% tags=["wrong", "misconception"] marks=1 why="turns the kernel over"
def window_matrix(kernel, shape):
    from regattn.regression import convolution_matrix

    return convolution_matrix(kernel[::-1, ::-1], shape)


# %% tags=["wrong"] marks=0 why="returns the transposed matrix"
def window_matrix(kernel, shape):
    from regattn.regression import convolution_matrix

    return convolution_matrix(kernel, shape).T
