# %% [markdown]
# **Slopes and parameters.** A case is a no, $y = 0$, and a logistic regression gives it the logit
# `{"logit": "2 to 6"}`. Return three numbers, to three decimals or better, and a set: the slope of its cross-entropy
# in the logit; the slope that the squared error $(p - y)^2$ of its probability $p$ would have there; the number of
# parameters of a convolutional layer that takes images of three channels and has eight kernels of 5 × 5, biases
# included; and the set of the letters of all statements that hold:
#
# {statements}

# %% [markdown] tags=["statements"]
# - Holds: a hidden layer without an activation fits nothing that a linear rule cannot fit.
#   Because: a linear map of a linear map is linear.
# - Holds: where a model is sure and wrong, the squared error hardly moves it, and the cross-entropy moves it.
#   Because: the slope of the squared error has the factor p(1 − p), which vanishes there; that of the cross-entropy
#   has not.
# - Fails: a convolution knows that a moved digit is the same digit.
#   Because: its maps move along, and the layer that reads them knows each entry by its place.
# - Holds: a last layer fitted by least squares is a vote of the training rows, compared by their hidden units.
#   Because: its prediction is a weighted sum of the training targets, and the hidden units are the columns that make
#   the weights.
# - Fails: a hidden layer reads better than a linear rule on every data set that is large enough.
#   Because: where a line is right it has nothing to add, and on the chapter's digits it read no better.
# - Fails: were the case a yes, its cross-entropy would have the same slope in the logit.
#   Because: the slope is prediction less outcome: it would be p − 1, which is below zero.
# - Holds: for images twice as wide and twice as high the convolutional layer has the same number of parameters.
#   Because: all places share the weights of a kernel, however many places there are.
# - Fails: with a single hidden tanh unit the border between yes and no can be curved.
#   Because: one unit sees one weighted sum, and where that is the same, so is the answer: along straight lines.
# - Holds: after the same shuffle of the pixels in all images, a linear rule that is trained again reads as well as
#   before.
#   Because: its weights are shuffled along; it never asks which pixels are neighbours.


# %% tags=["answer"]
def slopes_and_parameters():
    """Return two slopes, a number of parameters and a set of letters."""
    ### BEGIN SOLUTION
    from regattn import attention_weights

    p = attention_weights(np.array([[{"logit": "2 to 6"}, 0.0]]), np.eye(2), scale=1.0)[0, 0]
    return p, 2 * p * p * (1 - p), 8 * (3 * 5 * 5) + 8, {letters}
    ### END SOLUTION


# %% tags=["test"] points=0 why="three numbers and a set"
*numbers, letters = slopes_and_parameters()
assert len(numbers) == 3
assert isinstance(letters, set)


# %% tags=["test", "hidden"] points=2 why="both slopes"
import numpy as np


def slope(loss):
    return (loss({"logit": "2 to 6"} + 1e-5) - loss({"logit": "2 to 6"} - 1e-5)) / 2e-5


wanted = [slope(lambda a: np.log1p(np.exp(a))), slope(lambda a: 1 / (1 + np.exp(-a)) ** 2)]
assert np.allclose(slopes_and_parameters()[:2], wanted, atol=6e-4), (
    "expected prediction less outcome, and that times twice the slope of the sigmoid"
)


# %% tags=["test", "hidden"] points=1 why="the parameters"
import torch

layer = torch.nn.Conv2d(3, 8, 5)
assert slopes_and_parameters()[2] == sum(each.numel() for each in layer.parameters()), (
    "expected a weight for each channel and place of each kernel, and a bias for each kernel"
)


# %% tags=["test", "hidden", "statements"] points=2 why="what holds and what does not"
slopes_and_parameters()[3]


# %% tags=["wrong", "misconception"] marks=0 why="takes the squared error for the loss and a hidden layer for a gain"
def slopes_and_parameters():
    p = 1 / (1 + np.exp(-{"logit": "2 to 6"}))
    return 2 * p, p, 8 * 25, {"C", "E"}


# %% tags=["wrong"] marks=4 why="gives each channel no weights of its own"
def slopes_and_parameters():
    p = 1 / (1 + np.exp(-{"logit": "2 to 6"}))
    return p, 2 * p * p * (1 - p), 208, {"A", "B", "D"}


# %% tags=["wrong"] marks=3 why="turns the sign of the slopes"
def slopes_and_parameters():
    p = 1 / (1 + np.exp(-{"logit": "2 to 6"}))
    return -p, -2 * p * p * (1 - p), 608, {"A", "B", "D"}


# %% tags=["wrong"] marks=2 why="forgets the slope of the sigmoid"
def slopes_and_parameters():
    p = 1 / (1 + np.exp(-{"logit": "2 to 6"}))
    return p, 2 * p, 608, {"A", "B"}
