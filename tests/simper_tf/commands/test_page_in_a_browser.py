"""`simper app` as a real process, and in a browser where there is one."""

import re
import signal
import time

import chromium
import pytest
from processes import Command, done


@pytest.fixture
def address():
    """Yields the address of the command at work, which is told to stop afterwards and does."""
    with Command(["simper_tf", "app", "--port=0"]) as process:
        yield re.match(r"(http://127\.0\.0\.1:\d+) shows the page", process.stdout.readline())[1]
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate()
        assert (process.returncode, out) == (0, "Ended; nothing that was uploaded is kept.\n")
        assert "Traceback" not in err


@pytest.mark.slow
def test_the_command_refuses_a_port_that_is_taken(address):
    port = address.rpartition(":")[2]
    code, _, err = done(["simper_tf", "app", f"--port={port}"])
    assert code == 1
    assert f"app: error: --port={port} on 127.0.0.1 cannot be used" in err.splitlines()[-1]


@pytest.mark.slow
@pytest.mark.skipif(not chromium.PROGRAM, reason=chromium.NO_PROGRAM)
@pytest.mark.parametrize("width", [400, 1200])
def test_a_browser_reads_a_video_and_downloads_its_answers(address, swing, width):
    fits = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    with chromium.Page(f"{address}/", width) as browser:
        assert browser.ask(fits)
        drop(browser, swing)
        browser.click("button")
        wait_for(browser, "document.querySelector('.player:not([hidden])')")
        assert browser.ask("document.querySelector('h2').textContent") == swing.name
        assert re.search(r"1[01] repetitions from", browser.ask("document.querySelector('section').textContent"))
        assert browser.ask("Array.from(document.images).every(image => image.naturalWidth > 0)")
        assert browser.ask(fits)
        assert browser.ask("document.querySelector('a[download$=\".csv\"]').download") == "swing é.csv"
        browser.ask("document.querySelector('details').open = true")
        held = "Array.from(document.querySelectorAll('.scroll')).every(box => box.scrollWidth <= box.clientWidth)"
        assert browser.ask(held)
        browser.ask("document.querySelector('.player video').currentTime = 5")
        wait_for(browser, "/^[56] of 1[01]$/.test(document.querySelector('output').textContent)")
        assert browser.said == []
        assert [url for url in browser.remote if not url.startswith((address, "blob:"))] == []


def drop(browser, path):
    """Drops a file into the zone, as from a window of files."""
    browser.ask("var zone = document.querySelector('.drop').getBoundingClientRect()")
    x, y = browser.ask("[zone.x + 20, zone.y + 20]")
    data = {"items": [], "files": [str(path)], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        browser.call("Input.dispatchDragEvent", type=kind, x=x, y=y, data=data)


def wait_for(browser, expression):
    """Waits for something in the page, and fails with its text where it does not come."""
    for _ in range(3000):
        if browser.ask(f"Boolean({expression})"):
            return
        time.sleep(0.1)
    pytest.fail(browser.ask("document.body.innerText"))


@pytest.mark.slow
@pytest.mark.skipif(not chromium.PROGRAM, reason=chromium.NO_PROGRAM)
def test_a_browser_draws_a_part_saves_a_copy_and_has_a_camera(address, swing):
    with chromium.Page(f"{address}/", 400, dark=True) as browser:
        browser.choose("input[type=file]", swing)
        wait_for(browser, "!document.querySelector('.crop-of').hidden")
        browser.ask("plate.scrollIntoView({block: 'center'}); var seen = plate.getBoundingClientRect()")
        x, y, width, height = browser.ask("[seen.x, seen.y, seen.width, seen.height]")
        for kind, at in (("mousePressed", 0.25), ("mouseMoved", 0.5), ("mouseMoved", 0.9), ("mouseReleased", 0.9)):
            place = {"x": x + at * width, "y": y + at * height, "button": "left", "buttons": 1, "clickCount": 1}
            browser.call("Input.dispatchMouseEvent", type=kind, **place)
        assert browser.ask("form.crop.value.split(',').map(Number)") == pytest.approx([20, 15, 52, 39], abs=1)
        browser.click("[formaction='/copy']")
        wait_for(browser, "document.querySelector('.answer a[download$=\"_counted.mp4\"]')")
        browser.click(".camera button")
        wait_for(browser, "/so far. .*(Hz|repet|still)/.test(says.textContent)")
        browser.click(".camera button")
        assert browser.ask("stream === null && shown.srcObject === null")
        unnamed = "[...document.querySelectorAll('input, select')].filter(one => !one.labels.length).length"
        assert browser.ask(unnamed) == 0
        assert browser.said == []


@pytest.mark.slow
@pytest.mark.skipif(not chromium.PROGRAM, reason=chromium.NO_PROGRAM)
def test_a_page_whose_question_fails_says_whether_simper_runs(swing):
    with Command(["simper_tf", "app", "--port=0"]) as process:
        address = re.match(r"(http://127\.0\.0\.1:\d+) shows the page", process.stdout.readline())[1]
        with chromium.Page(f"{address}/", 400) as browser:
            browser.ask("var asked = window.fetch")
            browser.ask("window.fetch = (url, set) => set ? Promise.reject(new TypeError('gone')) : asked(url)")
            browser.choose("input[type=file]", swing)
            alert = "document.querySelector('[role=alert]')?.textContent"
            browser.click("button")
            wait_for(browser, f"/could not be sent/.test({alert})")
            browser.click(".camera button")
            wait_for(browser, "/pictures could not be read/.test(says.textContent)")
            process.send_signal(signal.SIGTERM)
            process.communicate()
            browser.click("button")
            wait_for(browser, f"/simper app does not run any more/.test({alert})")
