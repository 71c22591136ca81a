"""The CodebookExplorer: its page computes as torch does, a hand drags the point, and a click lays it on a code."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import torch
from sklearn.cluster import KMeans
from sklearn.svm import SVC

from regattn.transformer import Autoencoder
from regattn.widgets import CodebookExplorer
from tests.explorers.codebook import example, expected
from tests.node import in_node
from tests.ui_actions import assert_same
from tests.widgets.harness import FIGURE, SET, STATE, opened

MESSAGE = "[data-output=message]"
AT = f"() => ['across', 'upwards'].map((name) => {FIGURE}.model.get(name))"


def made(**options) -> CodebookExplorer:
    """Return an explorer of a network of torch, with 23 images of 4 × 3 pixels."""
    images = np.random.default_rng(1).uniform(size=(23, 4, 3))
    model = Autoencoder(12, 2, hidden=5, rng=2).double()
    z = model.encoder(torch.tensor(images.reshape(23, 12))).detach().numpy()
    decoder = [part.detach().numpy() for part in model.decoder.parameters()]
    return CodebookExplorer(z, images, decoder, [z[:2], z[:7]], **options)


# ---- in Python ------------------------------------------------------------------------------------------------------


def test_the_point_itself_is_drawn_as_the_network_draws_it():
    model = Autoencoder(12, 2, hidden=5, rng=2).double()
    explorer = made(assignment="none")
    point = 0.7 * explorer.low + 0.3 * explorer.high
    explorer.across, explorer.upwards = map(float, point)
    wanted = model.decoder(torch.tensor(point)).detach()
    np.testing.assert_allclose(explorer.result()["drawn"], wanted, atol=1e-12)
    images = torch.tensor(explorer.images.reshape(23, 12))
    assert explorer.result()["error"] == pytest.approx(float((model(images) - images).square().mean().detach()))


def test_a_cold_average_is_the_nearest_code_and_a_hot_one_the_mean():
    hard = example(assignment="hard").result()
    cold, hot = (example(assignment="soft", temperature=T).result() for T in (1e-4, 1e6))
    np.testing.assert_allclose(cold["drawn"], hard["drawn"], atol=1e-9)
    assert cold["error"] == pytest.approx(hard["error"])
    np.testing.assert_allclose(hot["told"], example().codebooks[1].mean(axis=0), atol=1e-4)


def test_rounds_of_k_means_go_as_scikit_learn_goes_and_never_raise_the_distance():
    explorer = example(assignment="hard", book=2)
    before = np.inf
    for explorer.rounds in range(11):
        found, codes = explorer.result(), explorer._codes()
        assert found["spread"] <= before + 1e-12
        before = found["spread"]
        if explorer.rounds:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # that it has not converged
                fitted = KMeans(
                    16, init=explorer.latents[:16], n_init=1, max_iter=explorer.rounds, tol=0, algorithm="lloyd"
                ).fit(explorer.latents)
            np.testing.assert_allclose(codes, fitted.cluster_centers_, atol=1e-9)
    explorer.rounds = 11
    assert explorer._codes() is explorer.codebooks[2]


def test_the_image_nearest_to_the_point_is_the_one_that_is_sent():
    explorer = example(assignment="hard")
    images = explorer.images.reshape(31, -1)
    for i in (0, 7, 30):
        explorer.across, explorer.upwards = map(float, explorer.latents[i])
        found = explorer.result()
        assert found["sent"] == i + 1
        assert found["apart"] == pytest.approx(np.square(found["drawn"] - images[i]).mean())
        assert found["plain"] == pytest.approx(images.var(axis=0).mean())


def test_members_and_live_codes_are_counted_by_the_nearest():
    explorer = example(assignment="none")
    codes = explorer.codebooks[1]
    away = ((explorer.latents[:, None] - codes) ** 2).sum(axis=2).argmin(axis=1)
    assert explorer.result()["live"] == len(set(away))
    for k in range(5):
        explorer.across, explorer.upwards = map(float, codes[k])
        found = explorer.result()
        assert (found["code"], found["members"]) == (k + 1, int((away == k).sum()))


def test_the_judge_reads_as_the_support_vector_machine_that_was_given():
    explorer = example()
    images, (support, coefficients, intercepts, counts, gamma) = explorer.images.reshape(31, -1), explorer.judge
    given = SVC(C=10, gamma=0.3).fit(images, explorer.labels)
    assert [part.shape for part in (support, coefficients, intercepts)] == [
        part.shape for part in (given.support_vectors_, given.dual_coef_, given.intercept_)
    ]
    assert (counts.tolist(), float(gamma)) == (given.n_support_.tolist(), 0.3)
    for settings in ({"assignment": "none"}, {"assignment": "hard", "book": 2}, {"temperature": 3.0}):
        seen = example(**settings)
        arrived = seen._drawn(seen._sent(seen.latents)[0])
        found = seen.result()
        assert found["reads"] == given.predict([found["drawn"]])[0]
        assert found["right"] == int((given.predict(arrived) == seen.labels).sum())
    assert made().result()["reads"] is made().result()["right"] is None


JUDGE = [np.ones((4, 20)), np.ones((2, 4)), np.ones(3), np.array([2, 1, 1]), 0.1]
GOOD = {"latents": np.zeros((3, 2)), "images": np.zeros((3, 4, 5)), "codebooks": [np.eye(2)]}
DECODER = [np.ones((6, 2)), np.ones(6), np.ones((20, 6)), np.ones(20)]


@pytest.mark.parametrize(("change", "message"), [
    ({"latents": np.zeros((3, 3))}, "latents must have 2 columns, got 3"),
    ({"latents": np.full((3, 2), 1e7)}, r"numbers of latents must be at most 1e\+06, got 1e\+07"),
    ({"latents": np.full((3, 2), np.nan)}, "latents must be finite, got nan"),
    ({"images": np.zeros((2, 4, 5))}, r"images must have shape \(3, height, width\) .* got \(2, 4, 5\)"),
    ({"images": np.zeros((3, 1, 20))}, r"sides from 2 to 28 .* got \(3, 1, 20\)"),
    ({"decoder": DECODER[:3]}, "4 arrays, got 3"),
    ({"decoder": [np.ones((6, 3)), *DECODER[1:]]}, r"decoder must have shapes .*, got \[\(6, 3\)"),
    ({"codebooks": []}, "at least one codebook, got none"),
    ({"codebooks": [np.zeros((1, 2))]}, "2 to 64 codes, got 1"),
    ({"codebooks": [np.zeros((65, 2))]}, "2 to 64 codes, got 65"),
    ({"labels": ["a"]}, "labels has 1 entries but there are 3 images"),
    ({"judge": JUDGE[:4], "labels": ["a", "b", "c"]}, "judge must hold 5 arrays, got 4"),
    ({"judge": JUDGE, "labels": ["a", "b", "a"]}, "a judge needs at least 3 different labels, got 2"),
    ({"judge": [*JUDGE[:3], np.array([2, 2, 1]), 0.1], "labels": ["a", "b", "c"]}, "judge must have shapes"),
    ({"book": 1}, r"book must be ≤ 0 \(the last codebook\), got 1"),
    ({"temperature": 0.0}, "temperature must be ≥ 0.0001, got 0.0"),
    ({"assignment": "firm"}, "assignment must be one of hard, soft, none, got 'firm'"),
    ({"across": 50.0}, "across must be ≤ "),
])  # fmt: skip
def test_what_cannot_be_shown_is_refused_by_name(change, message):
    with pytest.raises(ValueError, match=message):
        CodebookExplorer(**({"decoder": DECODER} | GOOD | change))


# ---- in JavaScript --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("judged", [True, False])
def test_numbers_equal_the_packages_for_many_settings(tmp_path, judged):
    rng, explorer = np.random.default_rng(1), example() if judged else example(judge=None)
    settings = [
        {
            "across": float(rng.uniform(explorer.low[0], explorer.high[0])),
            "upwards": float(rng.uniform(explorer.low[1], explorer.high[1])),
            "book": int(rng.integers(3)),
            "assignment": str(rng.choice(["hard", "soft", "none"])),
            "temperature": float(10 ** rng.uniform(-4, 6)),
            "rounds": int(rng.integers(12)),
        }
        for _ in range(120)
    ]
    code = "const problem = codebookProblem(given.data); say(given.settings.map((s) => codebookState(problem, s)).map("
    code += "(s) => ({...s, weights: [...s.weights], drawn: [...s.drawn], code: s.code + 1, sent: s.sent + 1, "
    code += "members: s.members.length})));"
    state = explorer.state()
    if not judged:  # images of many shades travel as numbers
        many = explorer.images.reshape(31, -1) + np.arange(31)[:, None] / 99
        state["data"] = {**state["data"], "images": many.tolist()}
    given = {"data": dict(state["data"]), "settings": settings}
    for values, shown in zip(settings, in_node(tmp_path, "codebook/numbers.js", code, given), strict=True):
        wanted = expected({**state, **values})
        assert_same({name: shown[name] for name in wanted}, wanted, str(values))


# ---- in the browser -------------------------------------------------------------------------------------------------


@pytest.mark.browser
def test_a_drag_moves_the_point_and_stays_inside_the_plane(browser, tmp_path):
    with opened(browser, tmp_path, example(assignment="none")) as page:
        box = page.locator(".ra-handle").bounding_box()
        start = page.evaluate(AT)
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.mouse.down()
        page.mouse.move(box["x"] + 60, box["y"] - 30, steps=5)
        moved = page.evaluate(AT)
        assert moved[0] > start[0]
        assert moved[1] > start[1]
        assert_same(page.evaluate(f"{FIGURE}.model.result()"), expected(page.evaluate(STATE)))
        page.mouse.move(5000, 5000)
        page.mouse.up()
        explorer = example()
        np.testing.assert_allclose(page.evaluate(AT), [explorer.high[0], explorer.low[1]])


@pytest.mark.browser
@pytest.mark.parametrize("width", [390, 1280])
def test_the_plane_has_the_same_scale_both_ways(browser, tmp_path, width):
    """The nearest code is that at the least distance, which can be seen only so."""
    with opened(browser, tmp_path, example(assignment="none"), width=width) as page:
        places = []
        for part in (0.25, 0.75):
            low, high = example().low, example().high
            point = (low + part * (high - low)).tolist()
            page.evaluate(SET, [dict(zip(("across", "upwards"), point, strict=True)), 0])
            box = page.locator(".ra-handle").bounding_box()
            places.append([*point, box["x"], -box["y"]])
        across, upwards, right, up = np.subtract(*places[::-1])
        assert right / across == pytest.approx(up / upwards, rel=0.02)


@pytest.mark.browser
def test_a_click_on_a_code_lays_the_point_on_it_and_shows_its_images(browser, tmp_path):
    with opened(browser, tmp_path, example(assignment="hard")) as page:
        svg = page.locator("[data-panel=plane] svg")
        svg.focus()
        page.keyboard.press("Home")
        page.keyboard.press("Enter")
        np.testing.assert_allclose(page.evaluate(AT), example().codebooks[1][0])
        found = page.evaluate(f"{FIGURE}.model.result()")
        assert found["code"] == 1
        assert page.inner_text(MESSAGE).startswith(f"The nearest code stands for {found['members']} of 31 images")
        shown = page.locator("[data-panel=members] svg:visible").count()
        assert shown == min(8, found["members"])


@pytest.mark.browser
def test_what_is_sent_stands_beside_what_arrives_on_one_screen_with_the_plane(browser, tmp_path):
    explorer = example(assignment="hard", book=2)
    explorer.across, explorer.upwards = map(float, explorer.latents[4])
    for width in (390, 1280):
        with opened(browser, tmp_path, explorer, width=width, more=False) as page:
            drawn, plane = (page.locator(f"[data-panel={name}]").bounding_box() for name in ("drawn", "plane"))
            assert plane["y"] + plane["height"] - drawn["y"] < 620
            assert "sent: \u20681\u2069" in page.inner_text("[data-panel=drawn]")
            assert page.locator(".ra-codes .ra-rim").count() == 16
            numbers = page.locator(".ra-error-number").all_inner_texts()
            found = explorer.result()
            assert [float(text) for text in numbers] == pytest.approx(
                [found[name] for name in ("apart", "error", "plain")], rel=5e-3
            )


@pytest.mark.browser
def test_what_the_judge_reads_stands_under_what_arrives(browser, tmp_path):
    with opened(browser, tmp_path, example(assignment="hard"), more=False) as page:
        for book in (0, 2):
            found = page.evaluate(SET, [{"book": book}, 0])
            assert f"arrives, read as \u2068{found['reads']}\u2069" in page.inner_text("[data-panel=drawn]")
            assert page.inner_text(".ra-read-number") == str(found["right"])
            bar, track = (page.locator(f".ra-whole{part}").bounding_box()["width"] for part in (" .ra-error", ""))
            assert bar / track == pytest.approx(found["right"] / 31, abs=0.02)
    with opened(browser, tmp_path, made()) as page:
        assert "read" not in page.inner_text("[data-panel=drawn]")


@pytest.mark.browser
def test_images_are_ringed_only_where_they_are_sent_as_a_code(browser, tmp_path):
    with opened(browser, tmp_path, example(assignment="hard"), more=False) as page:
        places = {}
        legend = page.locator("[data-panel=plane] .ra-legend")
        rings = page.locator("[data-panel=plane] svg path.ra-hollow.ra-key")
        for assignment in ("hard", "soft", "none"):
            page.evaluate(SET, [{"assignment": assignment}, 0])
            top = page.locator("[data-panel=plane] svg").bounding_box()["y"]
            assert top == places.setdefault("top", top)  # the plane stands still
            assert ("sent as the same code" in legend.inner_text()) == (assignment == "hard")
            assert bool(rings.get_attribute("d")) == (assignment == "hard")


@pytest.mark.browser
def test_an_average_draws_a_line_to_each_code_as_wide_as_its_weight(browser, tmp_path):
    widths = "(lines) => lines.map((line) => parseFloat(line.style.strokeWidth))"
    with opened(browser, tmp_path, made(book=1, assignment="soft", temperature=1.0)) as page:
        weights = page.evaluate(f"{FIGURE}.model.result().weights")
        shown = [weight for weight in weights if weight > 0.005]
        drawn = page.eval_on_selector_all(".ra-pulls line", widths)
        np.testing.assert_allclose(np.array(drawn) / drawn[0], np.array(shown) / shown[0], atol=0.02)
        page.evaluate(SET, [{"assignment": "hard"}, 0])
        assert page.locator(".ra-pulls line").count() == 0


@pytest.mark.browser
def test_k_means_is_watched_round_by_round_and_leaves_its_trace(browser, tmp_path):
    explorer = example(assignment="hard", book=2)
    with opened(browser, tmp_path, explorer, more=False) as page:
        page.locator("[data-play=start]").click()
        assert page.inner_text(MESSAGE).startswith("The codes begin on the first 16 images")
        spread = page.evaluate(f"{FIGURE}.model.result().spread")
        page.locator("[data-play=step]").click()
        found = page.evaluate(f"{FIGURE}.model.result()")
        assert found["spread"] < spread
        assert page.inner_text(MESSAGE).startswith("Round 1: ")
        assert f"{found['right']} read right" in page.inner_text(MESSAGE)
        tried = page.locator(".ra-trace path.ra-dot.ra-neutral").first
        assert tried.get_attribute("d").count("M") == 3  # the list as given, the start, and one round
        assert_same(found, expected(page.evaluate(STATE)))
        page.locator(".ra-trace:visible svg").press("End")
        tip = f"16 codes, round 1\nerror {found['error']:.3f}".replace(" 0.", " .")
        assert page.inner_text(".ra-trace:visible .ra-tip").startswith(tip)
        ended = page.evaluate(SET, [{"rounds": 10}, 0])
        more = ended["right"] - example(assignment="hard", book=2).result()["right"]
        assert "Another start, another list: " in page.inner_text(MESSAGE)
        read = f"{abs(more)} {'more' if more > 0 else 'fewer'}" if more else "as many"
        assert page.inner_text(MESSAGE).endswith(f", {read} read right.")


@pytest.mark.browser
def test_an_average_shows_the_error_over_the_temperature_with_its_least(browser, tmp_path):
    explorer = example(book=2, temperature=1.0)
    errors = {}
    for power in np.arange(-24, 25) / 8:
        explorer.temperature = float(10**power)
        errors[power] = explorer.result()["error"]
    explorer.temperature = 1.0
    with opened(browser, tmp_path, explorer, more=False) as page:
        shown = page.locator(".ra-trace:visible")
        assert shown.count() == 1
        least = f"{min(errors.values()):.3f}".lstrip("0")
        assert f"least {least}" in shown.inner_text()
        assert f"least {least}, near T" in page.inner_text(MESSAGE)


@pytest.mark.browser
def test_the_point_itself_says_whether_less_error_reads_better(browser, tmp_path):
    with opened(browser, tmp_path, example(assignment="none"), more=False) as page:
        found = page.evaluate(f"{FIGURE}.model.result()")
        choices = [example(assignment="hard", book=book).result() for book in range(3)]
        words = page.inner_text(MESSAGE)
        assert (", the least" in words) == all(each["error"] > found["error"] for each in choices)
        most = max(each["right"] for each in choices)
        assert (f"({most})" in words) == (found["right"] < most)
        assert "drawn at your point" in page.inner_text("[data-panel=drawn]")


@pytest.mark.browser
def test_a_dead_code_says_so(browser, tmp_path):
    far = [*example().codebooks, np.array([[0.0, 0.0], [99.0, 99.0]])]
    data = example()
    explorer = CodebookExplorer(data.latents, data.images, data.decoder, far, book=3, across=99.0, upwards=99.0)
    with opened(browser, tmp_path, explorer) as page:
        assert "no image" in page.inner_text(MESSAGE)
        assert "it is dead" in page.inner_text("[data-panel=members]")
        assert page.inner_text("[data-output=live]") == "1 of 2"


@pytest.mark.browser
def test_hostile_labels_stay_text(browser, tmp_path):
    data, words = example(), ['<img src=x onerror="document.title=1">', "שלום", "&amp;"]
    labels = [words[k % 3] for k in range(31)]
    explorer = CodebookExplorer(data.latents, data.images, data.decoder, data.codebooks, labels)
    with opened(browser, tmp_path, explorer, width=390) as page:
        assert page.title() == "An explorer"
        assert page.locator("figure.regattn img").count() == 0
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert_same(page.evaluate(SET, [{"book": 2}, 0]), expected(page.evaluate(STATE)))
