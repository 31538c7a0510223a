import html.parser
import json
import pathlib
import re
import types

import chromium
import made_up_runs
import numpy as np
import pytest
from absl import flags

pytest.importorskip("matplotlib")
from trainers import report
from trainers.grid import Grid
from trainers.kept_rows import KeptRows
from trainers.reports import figures, gathered, markdown
from trainers.reports import html as pages
from trainers.studies import STUDIES, page
from trainers.studies.scales import SCALES

SEEDS = (0, 1)
VOID = {"meta", "img", "br", "hr", "link", "input"}
PICTURE = b"\x89PNG made up"
FIGURE = figures.Figure("figure1", "Figure <1>", "table2", "A & caption.", 'It is "seen".', None)


class Parsed(html.parser.HTMLParser):
    """What a page of HTML holds; refuses tags that are not closed in their order."""

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.links, self.tags, self.rows = [], [], [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags.append((tag, attributes))
        self.ids += [attributes["id"]] if "id" in attributes else []
        self.links += [attributes[name] for name in ("href", "src") if name in attributes]
        if tag not in VOID:
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th") and self.rows:
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, text):
        if {"td", "th"} & set(self.open):
            self.rows[-1][-1] += text


@pytest.fixture(scope="module")
def scale():
    return made_up_runs.scale()


@pytest.fixture(scope="module")
def runs(scale, tmp_path_factory):
    """Returns a folder of made-up runs with tables 2, of which a method is not finished, and 12 on digits."""
    folder = tmp_path_factory.mktemp("runs")
    for name, lacking in (("table2", ("byol",)), ("table12_digits", ())):
        made_up_runs.page(Grid(folder), name, scale, SEEDS, folder / "results" / "smoke", lacking)
    return folder


@pytest.fixture(scope="module")
def tables(scale, runs):
    return gathered.read_tables(runs / "results" / "smoke", scale)


@pytest.fixture
def made(scale, tables):
    """Returns a report with a figure that nobody has drawn."""
    absent = figures.Drawn(figures.FIGURES[1], None, {"runs/x holds no finished run": ""})
    drawn = [figures.Drawn(FIGURE, PICTURE, {}), absent]
    missing = gathered.lacking(tables, drawn, scale)
    return gathered.Report(scale, "python -m trainers.report", tables, drawn, {"Python": "3 <beta>"}, missing)


@pytest.fixture
def config(scale, runs, tmp_path, monkeypatch):
    """Returns flags of `trainers.report`; its figures are pictures of nothing."""
    monkeypatch.setitem(SCALES, "smoke", scale)
    monkeypatch.setattr(figures, "drawn", lambda figure, *_: figures.Drawn(figure, PICTURE, {}))
    out = str(tmp_path / "out" / "report.html")
    found = types.SimpleNamespace(runs=str(runs), scale="smoke", rows=None, results=None, out=out)
    monkeypatch.setattr(flags, "FLAGS", found)
    return found


def test_figures_of_errors_are_drawn_from_kept_rows_where_no_run_is_left(scale, runs, config, tmp_path, monkeypatch):
    grid, kept = Grid(runs), KeptRows(tmp_path / "rows.jsonl")
    wanted = STUDIES["table12_digits"][0](scale).runs()
    Grid(runs, kept=kept).keep(run.seeded(seed) for seed in SEEDS for run in wanted)
    grids = []
    monkeypatch.setattr(
        figures, "drawn", lambda figure, _, grid, __: grids.append(grid) or figures.Drawn(figure, None, {})
    )
    config.runs, config.results = str(tmp_path / "none"), str(runs / "results" / "smoke")
    with pytest.raises(ValueError, match="is no folder"):
        report.main()
    config.rows = str(tmp_path / "rows.jsonl")
    report.main()
    for run in wanted:
        assert grids[0].rows_of(run.seeded(1)) == grid.rows_of(run.seeded(1)) != []
    config.rows = str(tmp_path / "other.jsonl")
    with pytest.raises(FileNotFoundError, match=r"other\.jsonl"):
        report.main()


def test_the_page_is_whole_and_needs_nothing_from_elsewhere(made):
    text = pages.render(made, "A <title>")
    found = Parsed(text)
    assert len(set(found.ids)) == len(found.ids)
    assert all(link.startswith(("#", "data:")) for link in found.links)
    assert {link[1:] for link in found.links if link.startswith("#")} <= set(found.ids)
    assert not re.search(r"https?:|//[a-z]|url\(|@import", re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE))
    assert "A &lt;title&gt;" in text
    assert "3 &lt;beta&gt;" in text


def test_the_numbers_of_the_page_are_those_of_the_rows(made, tables, runs, scale):
    found = Parsed(pages.render(made, "Title"))
    cells = [attributes["data-value"] for tag, attributes in found.tags if tag == "td" and "data-value" in attributes]
    shown = [word for row in found.rows for word in row]
    grid = Grid(runs)
    for table in tables:
        named = {grid.folder_of(run.seeded(0)).name: run for run in STUDIES[table["name"]][0](scale).runs()}
        for cell in gathered.cells_of(table):
            for each in cell["values"]:
                folder = grid.folder_of(named[cell["run"]].seeded(each["seed"]))
                rows = map(json.loads, (folder / "results.jsonl").read_text().splitlines())
                (row,) = [r for r in rows if (r["protocol"], r["metric"]) == (cell["protocol"], cell["metric"])]
                assert each["value"] == row["value"]
            assert page.text_of(cell) in shown
            if cell["values"]:
                assert repr(float(np.mean([each["value"] for each in cell["values"]]))) in cells
            if cell["paper"] is not None:
                assert f"{cell['paper']:g}" in shown


def test_the_best_of_a_column_is_bold_and_headers_say_what_they_head(made):
    text = pages.render(made, "Title")
    (line,) = re.findall(r'<th scope="row">SimPer</th>.*', text)[:1]
    assert '<strong><a href="#table2-simper_' in line
    (line,) = re.findall(r'<th scope="row">SimCLR</th>.*', text)[:1]
    assert "<strong>" not in line
    headers = [attributes for tag, attributes in Parsed(text).tags if tag == "th"]
    assert {attributes["scope"] for attributes in headers} == {"col", "row"}
    assert 'aria-label="paper, FFT in the band: MAE (Hz)"' in text
    assert all(attributes["alt"] for tag, attributes in Parsed(text).tags if tag == "img")


def test_every_number_leads_to_the_commands_of_its_run_and_to_its_values_in_full(made, tables):
    text = pages.render(made, "Title")
    for table in tables:
        for run, numbers in gathered.numbers_of(table).items():
            (item,) = re.findall(rf'<li id="{table["name"]}-{run}">(.*?)</ul></li>', text, re.DOTALL)
            assert "\n".join(table["runs"][run]["commands"]) in item
            for name, values in numbers:
                assert f"<li>{name}: {values}</li>" in item
    cell = gathered.cells_of(tables[1])[0]
    value = cell["values"][1]["value"]
    assert any(f"{value:.6g} (seed 1)" in values for _, values in gathered.numbers_of(tables[1])[cell["run"]])


def test_what_is_missing_is_said_and_how_to_make_it(made):
    text = pages.render(made, "Title")
    for sentence in (
        "table3 is not made: python -m trainers.reproduce --table=table3 --scale=smoke",
        "table2: 2 of 12 runs are not finished: python -m trainers.reproduce --table=table2 --scale=smoke",
        "Figure 4 (a): representations with fewer clips is not drawn: runs/x holds no finished run. python -m "
        "trainers.reproduce --table=table12_digits --scale=smoke",
    ):
        assert f"<li>{sentence}</li>" in text
        assert f"\n* {sentence}\n" in markdown.render(made, "Title", "pictures")
    assert not any(sentence.startswith("table12_digits") for sentence in made.missing)


def test_markdown_has_the_same_tables_and_figures_and_links_within_itself(made, tables):
    text = markdown.render(made, "Title", "pictures")
    for table in tables:
        for block in table["blocks"]:
            assert page.table(block) in text
    assert '![It is "seen".](pictures/figure1.png)' in text
    links, anchors = re.findall(r"\]\(#([^)]*)\)", text), re.findall(r'<a id="([^"]*)">', text)
    assert links == anchors == ["table2", "table12_digits", "figure1"]


def test_the_command_writes_pages_and_pictures_and_none_of_older_runs(config, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["report", "--scale=smoke"])
    report.main()
    out = tmp_path / "out"
    assert {path.name for path in out.iterdir()} == {"report.html", "report.md", "report_figures"}
    assert {path.stem for path in (out / "report_figures").iterdir()} == {figure.name for figure in figures.FIGURES}
    assert f"2 tables, 7 figures: {out}/report.html." in capsys.readouterr().out
    text = (out / "report.html").read_text()
    assert "<code>python -m trainers.report --scale=smoke</code>" in text
    Parsed(text)
    monkeypatch.setattr(figures, "drawn", lambda figure, *_: figures.Drawn(figure, None, {"runs/x is gone": ""}))
    report.main()
    assert list((out / "report_figures").iterdir()) == []


def damaged(runs, folder, change):
    """Returns a new folder with a table that is changed by a function of its JSON."""
    table = json.loads((runs / "results" / "smoke" / "table2.json").read_text())
    text = change(table)
    folder.mkdir()
    (folder / "table2.json").write_text(text if isinstance(text, str) else json.dumps(table))
    return folder


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (lambda table: "{", "Expecting property name"),
        (lambda table: "[]", "it lacks about, blocks"),
        (lambda table: table.pop("runs") and None, "it lacks runs"),
        (lambda table: table.update(seeds=[]), "it has no seed"),
        (lambda table: table.update(name="table1"), "there is no table 'table1'"),
        (lambda table: table["blocks"][0]["columns"].pop() and None, "not as many cells as there are columns"),
        (lambda table: table["blocks"][0]["lines"][0]["cells"][0].update(run="x"), "a cell has no run"),
        (lambda table: table["blocks"][0]["lines"][0]["cells"][0].update(values=[{}]), "'value'"),
        (lambda table: table.update(blocks=None), "NoneType"),
    ],
)
def test_a_damaged_table_is_refused_by_name(runs, tmp_path, config, change, found):
    config.results = str(damaged(runs, tmp_path / "out", change))
    with pytest.raises(ValueError, match=rf"table2\.json is no table, or damaged \(.*{found}.*\)\. Make it again"):
        report.main()
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"table2.json"}


def test_a_folder_without_runs_or_tables_another_scale_and_another_kind_of_page_are_refused(config, runs, tmp_path):
    for changes, message in (
        ({"runs": str(tmp_path / "none")}, r"--runs=.*none is no folder\. Name that of the runs of: python -m"),
        ({"results": str(tmp_path)}, r"holds no table\. Make some: python -m trainers\.reproduce --table=table2"),
        ({"scale": "small", "results": f"{runs}/results/smoke"}, r"is of --scale=smoke and not of --scale=small"),
        ({"out": "report.md"}, r"--out=report\.md is where the page goes: end it in \.html"),
    ):
        before = dict(vars(config))
        vars(config).update(changes)
        with pytest.raises(ValueError, match=message):
            report.main()
        vars(config).update(before)
    assert not pathlib.Path(config.out).exists()


@pytest.fixture
def site(made, tmp_path):
    """Returns the path of a page with a picture that can be seen."""
    picture = pathlib.Path(__file__).parents[2] / "docs" / "features_over_angle.png"
    made.figures[0] = figures.Drawn(figures.FIGURES[-1], picture.read_bytes(), {})
    path = tmp_path / "report.html"
    path.write_text(pages.render(made, "Title"))
    return path


def column(browser, number):
    return browser.ask(
        f"Array.from(document.querySelectorAll('#table2 tbody tr')).map(row => row.cells[{number}].textContent)"
    )


@pytest.mark.slow
@pytest.mark.skipif(not chromium.PROGRAM, reason=chromium.NO_PROGRAM)
@pytest.mark.parametrize("width", [400, 1200])
def test_in_a_browser_it_loads_without_a_word_or_a_request_and_only_tables_scroll_sideways(site, width):
    with chromium.Page(site, width) as browser:
        assert browser.ask("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
        assert browser.ask("Array.from(document.images).every(image => image.complete && image.naturalWidth > 0)")
        scrolled = "Array.from(document.querySelectorAll('.scroll')).some(each => each.scrollWidth > each.clientWidth)"
        assert browser.ask(scrolled)
        assert browser.said == []
        assert browser.remote == []


@pytest.mark.slow
@pytest.mark.skipif(not chromium.PROGRAM, reason=chromium.NO_PROGRAM)
def test_in_a_browser_a_header_sorts_by_mouse_and_by_keyboard_and_a_number_opens_its_run(site):
    with chromium.Page(site, 1200) as browser:
        lines, button = column(browser, 0), "#table2 thead th:nth-child(2) button"
        known = [text for text in column(browser, 1) if text]
        browser.click(button)
        rising = sorted(known, key=lambda text: float(text.split()[0]))
        assert column(browser, 1) == [*rising, "", ""]  # What is not there or not finished stays at the end.
        state = "document.querySelector('#table2 thead th:nth-child(2)').getAttribute('aria-sort')"
        assert browser.ask(state) == "ascending"
        browser.ask(f"document.querySelector('{button}').focus()")
        browser.press("Enter")
        assert column(browser, 1) == [*rising[::-1], "", ""]
        assert browser.ask(state) == "descending"
        browser.press("Enter")
        assert column(browser, 0) == lines
        assert browser.ask(state) is None
        browser.click("#table2 thead th:nth-child(1) button")
        controls = ["control: encoder untrained", "control: strongest line of the pixels"]
        assert column(browser, 0) == ["BYOL", *controls, "CVRL", "MoCo v2", "SimCLR", "SimPer"]
        assert not browser.ask("document.querySelector('#table2 li[id]').closest('details').open")
        browser.click("#table2 tbody a")
        assert browser.ask("document.querySelector(':target').closest('details').open")
        command = browser.ask("document.querySelector(':target code').textContent")
        assert command.startswith("python -m trainers.pretrain --flagfile=")
        assert browser.said == []
