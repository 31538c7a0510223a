import io

import numpy as np
import pytest

pytest.importorskip("matplotlib")
from simper_tf.evaluation import plots
from simper_tf.evaluation.tasks import Frequency

RNG = np.random.default_rng(47)
RATE = 30.0
RATES = np.full(3, RATE)
LABELS = np.array([1.0, 2.5, 4.0])


def sinusoids():
    return np.sin(2 * np.pi * LABELS[:, None] * np.arange(60) / RATE).astype(np.float32)


def drawable(figure):
    """Returns whether a figure comes out as a picture."""
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=30)
    return file.getvalue().startswith(b"\x89PNG")


def lines(axes):
    return {line.get_label(): line for line in axes.get_lines()}


def history(**more):
    names = ("loss", "label_entropy", "kl_divergence", "speed_correlation", "speed_slope")
    return [{"step": k, **{n: 1.0 + i + k for i, n in enumerate(names)}, **more} for k in (20, 40, 60)]


@pytest.mark.slow
def test_training_curves_draw_every_record_at_its_step():
    figure = plots.training_curves(history(prior=0.5))
    left, right = figure.axes
    for axes, names in (
        (left, ["loss", "label_entropy", "kl_divergence"]),
        (right, ["speed_correlation", "speed_slope", "prior"]),
    ):
        for name in names:
            np.testing.assert_array_equal(lines(axes)[name].get_xdata(), [20, 40, 60])
            np.testing.assert_array_equal(lines(axes)[name].get_ydata(), [r[name] for r in history(prior=0.5)])
    assert drawable(figure)


def test_training_curves_leave_out_a_prior_that_was_not_used():
    assert "prior" not in lines(plots.training_curves(history()).axes[1])


@pytest.mark.parametrize("channels", [None, 2])
def test_series_and_reference_are_drawn_standardized_in_seconds(channels):
    series = 5 * sinusoids() + 3
    given = series if channels is None else np.stack([series, RNG.normal(size=series.shape)], axis=-1)
    figure = plots.series_over_reference(given, sinusoids(), LABELS, RATES, "angle")
    assert len(figure.axes) == 3
    for k, axes in enumerate(figure.axes):
        feature, truth = lines(axes)["feature"], lines(axes)["true angle"]
        np.testing.assert_allclose(feature.get_xdata(), np.arange(60) / RATE)
        np.testing.assert_allclose(feature.get_ydata(), truth.get_ydata(), atol=1e-4)
        assert np.std(feature.get_ydata()) == pytest.approx(1, abs=1e-4)
        assert axes.get_ylabel() == f"{LABELS[k]:.3g} Hz"
    assert drawable(figure)


def test_constant_series_are_drawn_flat():
    figure = plots.series_over_reference(np.ones((1, 20)), np.zeros((1, 20)), [1.0], [RATE], "angle")
    np.testing.assert_array_equal(lines(figure.axes[0])["feature"].get_ydata(), 0)


def test_a_reference_of_another_number_of_clips_is_refused():
    with pytest.raises(ValueError, match=r"shorter|longer"):
        plots.series_over_reference(sinusoids(), sinusoids()[:2], LABELS, RATES, "angle")


@pytest.mark.parametrize("channels", [None, 1, 3])
def test_spectra_peak_at_the_marked_frequency(channels):
    series = sinusoids() if channels is None else np.repeat(sinusoids()[..., None], channels, axis=-1)
    figure = plots.spectra(series, LABELS, RATES, Frequency("Hz", band=(0.4, 5.5)))
    for label, axes in zip(LABELS, figure.axes, strict=True):
        mark, power = axes.get_lines()
        assert mark.get_xdata()[0] == label
        assert np.max(power.get_ydata()) == pytest.approx(1)
        # A clip of 2 s holds as few as two periods, where window leakage moves a peak by up to 0.03 Hz.
        assert power.get_xdata()[np.argmax(power.get_ydata())] == pytest.approx(label, abs=0.03)
        assert axes.get_xlim() == (0, 15)
    assert drawable(figure)


@pytest.mark.parametrize(("unit", "factors"), [("bpm", (60, 60, 60)), ("count", (2, 2, 1.5))])
def test_spectra_stand_over_the_unit_of_the_labels(unit, factors):
    rates = np.array([30.0, 30.0, 40.0])  # 60 frames are 2 s, 2 s and 1.5 s.
    labels = np.array(factors) * LABELS * rates / RATE
    figure = plots.spectra(sinusoids(), labels, rates, Frequency(unit, band=(0.4, 5.5)))
    for label, factor, axes in zip(labels, factors, figure.axes, strict=True):
        mark, power = axes.get_lines()
        assert mark.get_xdata()[0] == label
        assert power.get_xdata()[np.argmax(power.get_ydata())] == pytest.approx(label, abs=0.04 * factor)
        assert axes.get_ylabel() == f"{label:.3g} {unit}"
    assert figure.axes[-1].get_xlabel() == unit


def test_spectra_of_constant_features_are_flat_zero():
    figure = plots.spectra(np.ones((1, 40)), [1.0], [RATE], Frequency("Hz", band=(0.4, 5.5)))
    np.testing.assert_array_equal(figure.axes[0].get_lines()[1].get_ydata(), 0)


def test_predictions_stand_over_the_truth_with_their_error():
    labels = RNG.uniform(0.5, 5, 30)
    predictions = {"fft": labels + 0.25, "1nn": labels - 0.125}
    figure = plots.predicted_over_true(labels, predictions)
    assert [axes.get_title() for axes in figure.axes] == ["fft: MAE 0.2500 Hz", "1nn: MAE 0.1250 Hz"]
    for axes, predicted in zip(figure.axes, predictions.values(), strict=True):
        diagonal, points = axes.get_lines()
        np.testing.assert_array_equal(diagonal.get_xdata(), diagonal.get_ydata())
        np.testing.assert_array_equal(points.get_xydata(), np.stack([labels, predicted], axis=1))
    assert drawable(figure)
    assert len(plots.predicted_over_true(labels, {"fft": labels}).axes) == 1


def test_predicted_series_are_drawn_point_by_point():
    labels = RNG.normal(size=(4, 7))
    diagonal, points = plots.predicted_over_true(labels, {"probe": labels + 1}, "°C").axes[0].get_lines()
    assert diagonal.get_xdata()[1] == labels.max()
    np.testing.assert_array_equal(points.get_xdata(), labels.ravel())


def test_forecasts_stand_over_the_truth_a_panel_a_clip():
    labels = RNG.normal(size=(3, 7))
    figure = plots.forecasts(labels, {"probe": labels + 1, "mean": labels - 1}, ["a", "b", "c"], "°C")
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["a", "b", "c"]
    for k, axes in enumerate(figure.axes):
        np.testing.assert_array_equal(lines(axes)["true"].get_ydata(), labels[k])
        np.testing.assert_array_equal(lines(axes)["mean"].get_ydata(), labels[k] - 1)
        assert axes.get_ylabel() == "°C"
    assert drawable(figure)


@pytest.mark.parametrize("channels", [None, 2])
def test_embedding_is_given_spectra_of_unit_power_blind_to_phase(monkeypatch, channels):
    given = {}

    class FirstTwo:
        """Stands in for t-SNE."""

        def __init__(self, random_state, **_):
            given["seed"] = random_state

        def fit_transform(self, points):
            given["points"] = points
            return points[:, :2]

    monkeypatch.setattr(plots.manifold, "TSNE", FirstTwo)
    # Whole periods in 60 frames: a shift by half of them all is a circular one.
    series = np.concatenate([sinusoids()[:1], np.roll(sinusoids()[:1], 7, axis=1), np.ones((1, 60), np.float32)])
    series = series if channels is None else np.repeat(series[..., None], channels, axis=-1)
    figure = plots.embeddings({"SimPer": (series, LABELS)}, seed=5)
    assert given["seed"] == 5
    points = given["points"]
    np.testing.assert_allclose(np.sum(points**2, axis=1), [1, 1, 0], atol=1e-5)
    # The Hann window weighs a shifted wave a little differently.
    assert np.dot(points[0], points[1]) > 0.99
    np.testing.assert_allclose(figure.axes[0].collections[0].get_offsets(), points[:, :2])
    np.testing.assert_array_equal(figure.axes[0].collections[0].get_array(), LABELS)
    assert (figure.axes[0].get_title(), figure.get_supxlabel()) == ("SimPer", "t-SNE 1 of the features' spectra")
    assert drawable(figure)


def test_neighbors_in_frequency_are_neighbors_in_the_embedding():
    frequencies, phases = np.linspace(1, 5, 80), RNG.uniform(0, 2 * np.pi, (80, 1))
    series = np.sin(2 * np.pi * frequencies[:, None] * np.arange(60) / RATE + phases)[..., None]
    points = plots.embedding_points(series)
    distances = np.linalg.norm(points[:, None] - points, axis=2)
    np.fill_diagonal(distances, np.inf)
    assert np.median(np.abs(np.argmin(distances, axis=1) - np.arange(80))) <= 2
    np.testing.assert_array_equal(plots.embedding_points(series), points)


@pytest.mark.parametrize("number", [2, 10])
def test_constant_features_are_embedded_in_one_point(number):
    assert np.ptp(plots.embedding_points(np.ones((number, 30, 2))), axis=0).max() < 1e-3
    assert np.all(np.isfinite(plots.embedding_points(RNG.normal(size=(number, 30, 2)))))


def test_of_many_clips_some_evenly_over_all_are_embedded(monkeypatch):
    monkeypatch.setattr(plots, "EMBEDDED", 5)
    labels = np.arange(41.0)
    series = RNG.normal(size=(41, 30))
    figure = plots.embeddings({"a": (series, labels), "b": (series, labels + 9)})
    for axes, first in zip(figure.axes[:2], (0, 9), strict=True):
        (scatter,) = axes.collections
        np.testing.assert_array_equal(scatter.get_array(), first + np.arange(0, 41, 10))
        assert scatter.get_clim() == (0, 49)  # One color bar for both.


def test_errors_over_the_share_have_bars_and_one_color_a_method():
    wide = np.array([[5, 40.0, 30.0], [100, 2.0, 1.0], [20, 9.0, 2.0]])
    curves = {"SimPer": wide, "SimCLR": wide + np.array([0, 1, 0]), "SimPer, the head alone": wide}
    figure = plots.errors_over_share(curves, "share (%)")
    (axes,) = figure.axes
    first, second, third = (container.lines[0] for container in axes.containers)
    np.testing.assert_array_equal(first.get_xdata(), [5, 20, 100])
    np.testing.assert_array_equal(first.get_ydata(), [40, 9, 2])
    (bars,) = axes.containers[0].lines[2]
    np.testing.assert_allclose([segment[:, 1] for segment in bars.get_segments()], [[10, 70], [7, 11], [1, 3]])
    assert first.get_color() == third.get_color() != second.get_color()
    assert first.get_linestyle() == second.get_linestyle() != third.get_linestyle()
    assert axes.get_yscale() == "log"  # Errors span a factor of 20.
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["5", "20", "100"]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == list(curves)
    assert drawable(figure)
    (near,) = plots.errors_over_share({"SimPer": wide[1:]}, "").axes
    assert near.get_yscale() == "linear"
