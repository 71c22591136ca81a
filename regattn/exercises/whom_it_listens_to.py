"""Exercises on whom a fitted model listens to."""

from regattn.exercises._exercise import Exercise, Mistake


def _in_common() -> float:
    """Return the weight that ten neighbours and the chapter's forest have in common for the first quarter of 2009."""
    import numpy as np
    from sklearn.ensemble import RandomForestRegressor
    from sklearn.neighbors import KNeighborsRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from regattn.attribution import observation_weights
    from regattn.data import load_macro

    macro = load_macro()
    rise = macro["unemployment"].diff()
    known = macro[["gdp_growth", "inflation", "bill_rate"]].assign(
        last=rise, cut=macro["bill_rate"].diff(), investment=100 * np.log(macro["investment"]).diff()
    )
    known = known[["last", "gdp_growth", "inflation", "bill_rate", "cut", "investment"]].shift(1).dropna()
    past, asked = known.loc[:"2007Q4"], known.loc[["2009Q1"]]
    models = (
        RandomForestRegressor(200, min_samples_leaf=3, max_features=2, random_state=0),
        make_pipeline(StandardScaler(), KNeighborsRegressor(10)),
    )
    rows = [
        observation_weights(model.fit(past, rise[past.index]), past, asked, y_train=rise[past.index], sparse=False)
        for model in models
    ]
    return float(1 - np.abs(rows[0].to_numpy() - rows[1].to_numpy()).sum() / 2)


EXERCISES = {
    1: Exercise(
        lambda: -0.2 * (6 - 3),
        "the mean outcome is 3; how far is 6 from it, and with which weight?",
        (
            Mistake(-1.2, "that is weight times outcome; measure the outcome from the mean."),
            Mistake(0.6, "mind the sign: the weight is below zero."),
            Mistake(3.0, "that is how far the outcome lies from the mean; now weigh it."),
        ),
    ),
    2: Exercise(
        lambda: 1 / (0.49 + 0.03),
        "square the sum of the weights, and divide by the sum of their squares.",
        (
            Mistake(4, "so many they would be if all had the same weight."),
            Mistake(0.52, "that is the sum of squares; its reciprocal is asked for."),
            Mistake(1 / 0.7, "the others count as well."),
        ),
    ),
    3: Exercise(
        lambda: "ridge",
        "which of them has weights below zero, and large ones?",
        (
            Mistake("the forest", "its weights are not below zero and sum to one: it stays between what it has seen."),
            Mistake("the mean", "it lies between what was seen."),
            Mistake("both", "one of them has no weight below zero, so it stays between what it has seen."),
        ),
        options={
            "ridge": ("ridge",),
            "the forest": ("forest",),
            "the mean": ("mean",),
            "both": ("both",),
        },
    ),
    4: Exercise(
        _in_common,
        "standardise the columns, fit the ten neighbours to `past` and `y`, ask for the weights of both models, and "
        "compare the rows of the quarter.",
        (
            Mistake(1.0, "so much two models have in common that are the same."),
            Mistake(0.0, "no row would be heard by both."),
            Mistake(0.1, "that is the weight of a single neighbour."),
        ),
        share=True,
    ),
    5: Exercise(
        lambda: 0.75,
        "take the absolute differences row by row, halve their sum, and see what is left of one.",
        (
            Mistake(0.5, "that is the sum of the differences; only half of it is not in common."),
            Mistake(0.25, "that is what they do not have in common."),
            Mistake(1.0, "so much they would have in common if their weights were the same."),
        ),
        share=True,
    ),
}
