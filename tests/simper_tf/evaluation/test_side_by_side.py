import numpy as np
import pytest

pytest.importorskip("matplotlib")
from simper_tf.evaluation import plots, side_by_side

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


def test_ids_and_marks_are_no_reference():
    found = runs(1)
    found["run 0"] |= {"ids": np.array(["a"]), "seen": np.ones(12, bool), "groups": np.ones(12, int)}
    assert side_by_side.reference(found) == "angle"


def points_of(collection):
    return np.asarray(collection.get_offsets())


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
        np.testing.assert_allclose(points_of(axes.collections[0]), points)
        np.testing.assert_array_equal(axes.collections[0].get_array(), run["labels"])


def test_a_run_that_is_not_there_leaves_its_panels_empty_and_says_so():
    found = {"gone": None, **runs(1)}
    for figure in (side_by_side.series_over_reference(found), side_by_side.embeddings(found)):
        empty = [axes for axes in figure.axes if [text.get_text() for text in axes.texts] == ["not finished"]]
        assert empty
        assert all(not axes.lines and not axes.collections for axes in empty)
        assert [axes.get_title() for axes in figure.axes if axes.get_title()] == ["gone", "run 0"]


def test_clips_with_labels_that_no_training_has_seen_are_triangles_in_the_same_colors():
    found = runs(1)
    found["run 0"]["seen"] = np.arange(12) % 3 > 0
    figure = side_by_side.embeddings(found)
    seen, unseen = figure.axes[0].collections
    np.testing.assert_array_equal(seen.get_array(), found["run 0"]["labels"][np.arange(12) % 3 > 0])
    np.testing.assert_array_equal(unseen.get_array(), found["run 0"]["labels"][::3])
    assert seen.get_clim() == unseen.get_clim() == (0.5, 3.0)
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["frequencies seen in training", "not seen"]


def test_clips_that_are_all_of_one_kind_are_drawn_too():
    found = runs(1)
    found["run 0"]["seen"] = np.ones(12, bool)
    (axes, _) = side_by_side.embeddings(found).axes
    assert len(axes.collections) == 1


def test_groups_are_numbers_where_the_same_clips_are_colored_by_label_above():
    found = runs(2)
    for run in found.values():
        run["groups"] = np.arange(12) % 10
    figure = side_by_side.grouped_embeddings(found, "digit")
    *panels, _ = figure.axes
    assert [axes.get_title() for axes in panels] == [
        "run 0, by true label", "run 1, by true label", "run 0, by digit", "run 1, by digit",
    ]  # fmt: skip
    for upper, lower in zip(panels[:2], panels[2:], strict=True):
        above, below = points_of(upper.collections[0]), [points_of(each) for each in lower.collections]
        assert [len(each) for each in below] == [2, 2] + 8 * [1]
        np.testing.assert_array_equal(below[3][0], above[3])
        np.testing.assert_array_equal(below[1], above[[1, 11]])


def errors(*means, low=0.9, high=1.2):
    means = np.array(means)
    return side_by_side.Errors(np.array([5.0, 20.0, 100.0]), means, low * means, high * means)


def test_errors_stand_at_their_sizes_with_their_intervals():
    figure = side_by_side.errors_over_size(
        {"A": {"x": errors(4, 3, 2)}, "B": {"x": errors(4, 3, 2)}}, "part (%)", "MAE (Hz)"
    )
    for axes in figure.axes:
        (container,) = axes.containers
        line, _, (bars,) = container
        np.testing.assert_allclose(line.get_xydata(), [[5, 4], [20, 3], [100, 2]])
        np.testing.assert_allclose([bar[:, 1] for bar in bars.get_segments()], [[3.6, 4.8], [2.7, 3.6], [1.8, 2.4]])
        assert [text.get_text() for text in axes.get_xticklabels()] == ["5", "20", "100"]
        assert axes.get_ylim()[0] == 0
        assert axes.get_xlabel() == "part (%)"
    assert figure.axes[0].get_ylabel() == "MAE (Hz)"
    assert len(figure.legends) == 1


def test_curves_of_a_panel_do_not_hide_one_another_and_a_curve_looks_the_same_in_every_panel():
    panels = {"A": {"x": errors(4, 3, 2), "y": errors(4, 3, 2)}, "B": {"y": errors(1, 1, 1)}}
    first, second = side_by_side.errors_over_size(panels, "", "").axes
    lines = [container[0] for container in (*first.containers, *second.containers)]
    assert np.all(lines[0].get_xdata() < lines[1].get_xdata())
    assert len({(line.get_color(), line.get_marker()) for line in lines}) == 2
    assert lines[1].get_color() == lines[2].get_color()


def test_each_way_of_a_curve_has_a_line_of_its_own_and_looks_else_like_it():
    found = {name: errors(4, 3, 2) for name in ("y, slowly", "x", "y", "y, slowly, twice", "x, slowly")}
    (axes,) = side_by_side.errors_over_size({"A": found}, "", "").axes
    lines = {name: container[0] for name, container in zip(found, axes.containers, strict=True)}
    assert {name: line.get_linestyle() for name, line in lines.items()} == {
        "x": "-", "y": "-", "y, slowly": "--", "x, slowly": "--", "y, slowly, twice": ":",
    }  # fmt: skip
    assert lines["y"].get_color() == lines["y, slowly"].get_color() == lines["y, slowly, twice"].get_color()
    assert lines["y"].get_color() != lines["x"].get_color()
    assert len({line.get_marker() for line in lines.values()}) == 2
    hollow = [name for name, line in lines.items() if line.get_markerfacecolor() == "white"]
    assert hollow == ["y, slowly, twice"]


def test_errors_that_span_a_factor_of_ten_stand_on_a_logarithmic_axis_even_with_an_interval_below_zero():
    figure = side_by_side.errors_over_size({"A": {"x": errors(0.02, 0.3, 2, low=-0.5)}}, "", "")
    (axes,) = figure.axes
    assert axes.get_yscale() == "log"
    assert axes.get_ylim()[0] == pytest.approx(0.01)
    figure.draw_without_rendering()
    assert {"0.1", "0.2", "0.5", "1", "2"} <= {text.get_text() for text in axes.get_yticklabels()}
