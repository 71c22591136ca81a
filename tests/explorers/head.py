"""The HeadExplorer's numbers from the weights and where its controls stand, by plain loops."""


def expected(traits: dict) -> dict:
    """Read the chosen head, row and pair off the nested lists."""
    weights, words = traits["data"]["weights"], traits["data"]["words"]
    query, key = traits["query"], traits["key"]
    row = [weights[traits["layer"]][traits["head"]][query][k] for k in range(len(words))]
    strongest = 0
    for k, weight in enumerate(row):
        if weight > row[strongest]:
            strongest = k
    return {
        "weights": weights[traits["layer"]][traits["head"]],
        "row": row,
        "strongest": words[strongest],
        "heads": [[head[query][key] for head in layer] for layer in weights],
    }
