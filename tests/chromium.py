"""A Chromium without a window, told what to do through pipes, by its DevTools protocol."""

import base64
import itertools
import json
import os
import shutil
import subprocess
import tempfile

PROGRAM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
NO_PROGRAM = "needs Chromium, of which none is on the path"
SCHEMES = ("data:", "file:", "about:")


class Page:
    """One page of a browser of its own, a file or an address, of a width in CSS pixels, in a block.

    Attributes:
        said: What it has written to its console, errors among them.
        requested: Addresses that it has asked for.
    """

    def __init__(self, path, width, dark=False):
        self.said, self.requested, self._numbers, self._rest = [], [], itertools.count(1), b""
        self._path, self._width, self._dark = path, width, dark

    def __enter__(self):
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        (inner_in, self._to), (self._from, inner_out) = os.pipe(), os.pipe()

        def take():  # The browser reads 3 and writes 4.
            os.dup2(inner_in, 103)
            os.dup2(inner_out, 104)
            os.dup2(103, 3)
            os.dup2(104, 4)

        words = [PROGRAM, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                 "--remote-debugging-pipe", "--use-fake-device-for-media-stream",
                 "--use-fake-ui-for-media-stream", f"--user-data-dir={self._folder.name}", "about:blank"]  # fmt: skip
        self._process = subprocess.Popen(
            words, preexec_fn=take, pass_fds=(3, 4), stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(inner_in)
        os.close(inner_out)
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        scheme = {"name": "prefers-color-scheme", "value": "dark" if self._dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.call(
            "Emulation.setDeviceMetricsOverride", width=self._width, height=900, deviceScaleFactor=1, mobile=False
        )
        path = str(self._path)
        self.call("Page.navigate", url=path if path.startswith("http:") else f"file://{path}")
        self.wait_until_loaded()
        return self

    def __exit__(self, *_):
        try:
            self._call("Browser.close")  # So that its other processes end too.
            self._process.wait(timeout=20)
        finally:
            self._process.kill()
        os.close(self._to)
        os.close(self._from)
        self._folder.cleanup()

    def wait_until_loaded(self):
        """Waits for the next page, such as what a form that was sent is answered with."""
        self._until(lambda message: message.get("method") == "Page.loadEventFired")

    def choose(self, selector, path):
        """Chooses a file in an input of a CSS selector."""
        root = self.call("DOM.getDocument")["root"]["nodeId"]
        node = self.call("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        self.call("DOM.setFileInputFiles", nodeId=node, files=[str(path)])

    def ask(self, expression):
        """Returns the value of an expression of JavaScript in the page."""
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def click(self, selector):
        """Clicks with the mouse into the middle of the first element of a CSS selector."""
        self.ask(f"var found = document.querySelector({json.dumps(selector)})")
        self.ask("found.scrollIntoView({block: 'center', inline: 'center'}); var box = found.getBoundingClientRect()")
        x, y = self.ask("[box.x + box.width / 2, box.y + box.height / 2]")
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def press(self, key):
        """Presses a key, such as `Enter`, in what has the focus."""
        text = {"text": "\r"} if key == "Enter" else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, code=key, windowsVirtualKeyCode=13, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, code=key, windowsVirtualKeyCode=13)

    def picture(self, whole=True):
        """Returns a PNG of the page."""
        found = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        return base64.b64decode(found["data"])

    def call(self, method, **given):
        """Returns the answer to a command of the protocol to the page."""
        return self._call(method, self._session, **given)

    def _call(self, method, session=None, **given):
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": given, **({"sessionId": session} if session else {})}
        os.write(self._to, json.dumps(message).encode() + b"\0")
        answer = self._until(lambda message: message.get("id") == number)
        assert "error" not in answer, answer["error"]
        return answer["result"]

    def _until(self, is_wanted):
        """Returns the first message that is wanted; notes what others say."""
        while True:
            message = self._next()
            self._note(message.get("method"), message.get("params", {}))
            if is_wanted(message):
                return message

    def _next(self):
        while b"\0" not in self._rest:
            found = os.read(self._from, 2**16)
            assert found, "Chromium has ended"
            self._rest += found
        text, _, self._rest = self._rest.partition(b"\0")
        return json.loads(text)

    def _note(self, method, given):
        if method == "Runtime.consoleAPICalled":
            self.said.append([each.get("value") for each in given["args"]])
        elif method == "Runtime.exceptionThrown":
            self.said.append(given["exceptionDetails"]["text"])
        elif method == "Log.entryAdded":
            self.said.append(given["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requested.append(given["request"]["url"])

    @property
    def remote(self):
        """Addresses asked for that lie outside the page."""
        return [url for url in self.requested if not url.startswith(SCHEMES)]
