import numpy as np
import pytest

pytest.importorskip("matplotlib")
from simper_tf import plots, side_by_side

RNG = np.random.default_rng(71)


def runs(number, num_clips=12, num_known=6, channels=2):
    """Returns so many runs of made-up features, the course of an angle known for the first clips."""
    shape = (num_clips, 40) if channels is None else (num_clips, 40, channels)
    shared = {
        "labels": np.linspace(3.0, 0.5, num_clips),
        "rates": np.full(num_clips, 20.0),
        "angle": RNG.normal(size=(num_known, 40)),
    }
    return {f"run {k}": {"series": RNG.normal(size=shape), **shared} for k in range(number)}


@pytest.mark.parametrize(
    ("number", "num_clips", "num_known", "lines"), [(10, 12, 6, 4), (1, 5, 5, 4), (2, 5, 2, 2), (3, 1, 1, 1)]
)
def test_features_stand_a_clip_a_line_and_a_run_a_column(number, num_clips, num_known, lines):
    found = runs(number, num_clips, num_known)
    figure = side_by_side.series_over_reference(found, "bpm")
    panels = np.reshape(figure.axes, (lines, number))
    assert [axes.get_title() for axes in panels[0]] == list(found)
    chosen = plots.spaced(np.linspace(3.0, 0.5, num_clips)[:num_known], 4)
    for (line, column), axes in np.ndenumerate(panels):
        truth, feature = axes.get_lines()
        run = found[f"run {column}"]
        expected = run["series"][chosen[line], :, 0]
        np.testing.assert_allclose(feature.get_ydata(), (expected - expected.mean()) / expected.std(), atol=1e-6)
        expected = run["angle"][chosen[line]]
        np.testing.assert_allclose(truth.get_ydata(), (expected - expected.mean()) / expected.std(), atol=1e-6)
        assert axes.get_ylabel() == ("" if column else f"{run['labels'][chosen[line]]:.3g} bpm")


def test_features_without_channels_are_drawn_too():
    figure = side_by_side.series_over_reference(runs(2, channels=None))
    assert len(figure.axes) == 8


def test_the_reference_is_what_the_runs_hold_beside_features():
    found = runs(2)
    assert side_by_side.reference(found) == "angle"
    for run in found.values():
        del run["angle"]
    assert side_by_side.reference(found) is None


@pytest.mark.slow
@pytest.mark.parametrize(("number", "channels"), [(1, None), (5, 2), (7, 2)])
def test_embeddings_are_a_panel_a_run_colored_by_label(number, channels):
    found = runs(number, channels=channels)
    figure = side_by_side.embeddings(found, "bpm")
    *panels, colors = figure.axes
    assert [axes.get_title() for axes in panels] == list(found)
    assert colors.get_ylabel() == "true label (bpm)"
    assert figure.get_supxlabel() == "t-SNE 1 of the features' spectra"
    for axes, run in zip(panels, found.values(), strict=True):
        points = plots.embedding_points(np.atleast_3d(run["series"]))
        np.testing.assert_allclose(axes.collections[0].get_offsets(), points)
        np.testing.assert_array_equal(axes.collections[0].get_array(), run["labels"])
