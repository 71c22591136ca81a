# %% [markdown]
# **A feature map with a stride.** A window of the size of `kernel` moves over `image`, `stride` pixels at a time, to
# the right and downwards, and stays inside. Return the array of the sums of products at the places where it stops.
# `image` and `kernel` need not be square. As in the chapter, the kernel is not turned over.


# %% tags=["answer"]
def feature_map(image, kernel, stride):
    """Return the sum of products with the kernel wherever the window stops."""
    ### BEGIN SOLUTION
    from regattn.regression import convolution_matrix

    rows = (image.shape[0] - kernel.shape[0]) // stride + 1
    return (convolution_matrix(kernel, image.shape, stride=stride) @ image.ravel()).reshape(rows, -1)
    ### END SOLUTION


# %% tags=["test"] points=1 why="a row of four pixels and a kernel of two"
import numpy as np

image, kernel = np.array([[1.0, 2.0, 3.0, 4.0]]), np.array([[1.0, 10.0]])
assert np.allclose(feature_map(image, kernel, 1), [[21, 32, 43]])

# %% tags=["test", "hidden"] points=1 why="images and kernels that are not square, with stride one"
import numpy as np

from regattn import from_scratch

rng = np.random.default_rng(20)
for shape, size in [((5, 7), (2, 3)), ((11, 6), (3, 1)), ((8, 13), (5, 2))]:
    image, kernel = rng.normal(size=shape), rng.normal(size=size)
    assert np.allclose(feature_map(image, kernel, 1), from_scratch.feature_map(image, kernel)), (
        f"expected the sums of products of an image of {shape} and a kernel of {size}, moved by one"
    )

# %% tags=["test", "hidden"] points=2 why="strides of two and three, also where the last pixels are not reached"
import numpy as np

from regattn import from_scratch

rng = np.random.default_rng(21)
for shape, size, stride in [((7, 11), (3, 3), 2), ((10, 9), (2, 5), 3), ((13, 8), (4, 1), 2)]:
    image, kernel = rng.normal(size=shape), rng.normal(size=size)
    wanted = from_scratch.feature_map(image, kernel)[::stride, ::stride]
    assert np.shape(feature_map(image, kernel, stride)) == wanted.shape, (
        f"expected as many places as a window of {size} has in an image of {shape}, moved by {stride}"
    )
    assert np.allclose(feature_map(image, kernel, stride), wanted), (
        f"expected the sums at the places where a window of {size} stops, moved by {stride} both ways"
    )


# %% tags=["wrong"] marks=2 why="takes no notice of the stride"
def feature_map(image, kernel, stride):
    from regattn import from_scratch

    return from_scratch.feature_map(image, kernel)


# %% tags=["wrong", "misconception"] marks=0 why="turns the kernel over, as the convolution of mathematics does"
def feature_map(image, kernel, stride):
    from regattn import from_scratch

    return from_scratch.feature_map(image, kernel[::-1, ::-1])[::stride, ::stride]


# %% tags=["wrong"] marks=2 why="moves by the stride downwards only"
def feature_map(image, kernel, stride):
    from regattn import from_scratch

    return from_scratch.feature_map(image, kernel)[::stride]
