"""A browser for tests, and pages to show in it."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

from attncalc.pages import Page
from attncalc.pages.documents.html import render
from attncalc.worked.blocks import Document
from tests.helpers.bundled import worked

BROWSER, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
NEEDS_BROWSER = pytest.mark.skipif(not (BROWSER and DRIVER), reason="needs chromium and chromedriver")

FLAGS = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
KEYS = {
    "Tab": "\ue004", "Enter": "\ue007", "Escape": "\ue00c", "Backspace": "\ue003",
    "Left": "\ue012", "Up": "\ue013", "Right": "\ue014", "Down": "\ue015",
}  # fmt: skip
STATE = """
const keys = (selector) => [...new Set([...document.querySelectorAll(selector)].map((e) => e.dataset.k))].sort();
return {
  text: document.querySelector("#working").textContent.replace(/\\s+/g, ""),
  open: document.querySelector("#working").classList.contains("open"),
  on: keys("main td.on"), from: keys("main td.from"), at: keys("main td.at"),
  focus: document.activeElement.dataset?.k ?? document.activeElement.tagName,
};
"""


class Browser:
    """As much of WebDriver as is needed here."""

    def __init__(self, profile: Path) -> None:
        self.driver = subprocess.Popen([DRIVER or "", "--port=0"], stdout=subprocess.PIPE, text=True)
        assert self.driver.stdout
        started = next(line for line in self.driver.stdout if "started successfully on port" in line)
        self.base = f"http://127.0.0.1:{started.split()[-1].rstrip('.')}/session"
        options = {"binary": BROWSER, "args": [*FLAGS, f"--user-data-dir={profile}"]}
        logs = {"browser": "ALL", "performance": "ALL"}
        wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": logs}
        self.base += "/" + self.send("", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]

    def send(self, path: str, body: dict[str, Any]) -> Any:
        """What the driver answers to a command."""
        request = Request(self.base + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
        with urlopen(request, timeout=60) as answer:
            return json.load(answer)["value"]

    def close(self) -> None:
        """Ends the browser and its driver."""
        with urlopen(Request(self.base, method="DELETE"), timeout=60):
            pass
        self.driver.terminate()
        self.driver.communicate()

    def view(self, path: Path, width: int = 1280, height: int = 900, scheme: str = "light") -> None:
        """Opens a file in a window of this size, light or dark."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        wanted = {"prefers-reduced-motion": "reduce", "prefers-color-scheme": scheme}
        features = [{"name": name, "value": value} for name, value in wanted.items()]
        self.devtools("Emulation.setDeviceMetricsOverride", metrics)
        self.devtools("Emulation.setEmulatedMedia", {"features": features})
        self.send("/url", {"url": path.as_uri()})

    def devtools(self, command: str, parameters: dict[str, Any]) -> Any:
        """A command of the browser's own."""
        return self.send("/goog/cdp/execute", {"cmd": command, "params": parameters})

    def run(self, script: str) -> Any:
        """What a script returns."""
        return self.send("/execute/sync", {"script": script, "args": []})

    def wait(self, script: str) -> None:
        """Waits until a script returns what is true."""
        end = time.monotonic() + 10
        while not self.run(script):
            assert time.monotonic() < end, script
            time.sleep(0.02)

    def act(self, kind: str, actions: list[dict[str, Any]]) -> None:
        """Keys or movements."""
        mouse = {"parameters": {"pointerType": "mouse"}} if kind == "pointer" else {}
        self.send("/actions", {"actions": [{"type": kind, "id": kind, "actions": actions, **mouse}]})
        time.sleep(0.15)

    def press(self, *names: str) -> None:
        """Keys, one after the other."""
        self.act(
            "key", [{"type": kind, "value": KEYS[name]} for name in names for kind in ("keyDown", "keyUp")]
        )

    def type(self, text: str) -> None:
        """Characters, one after the other."""
        self.act("key", [{"type": kind, "value": char} for char in text for kind in ("keyDown", "keyUp")])

    def point(self, selector: str, click: bool = False) -> None:
        """Moves the mouse to the middle of an element."""
        place = f"const e = document.querySelector('{selector}'); e.scrollIntoView({{block: 'center'}});"
        x, y = self.run(
            place + "const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]"
        )
        pressed = [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}] if click else []
        self.act("pointer", [{"type": "pointerMove", "x": round(x), "y": round(y)}, *pressed])

    def state(self) -> dict[str, Any]:
        """What the panel says, which cells are lit, and where the focus is."""
        found: dict[str, Any] = self.run(STATE)
        return found

    def log(self, kind: str) -> list[dict[str, Any]]:
        """What has been logged since it was last asked for."""
        found: list[dict[str, Any]] = self.send("/se/log", {"type": kind})
        return found


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """One browser for all tests."""
    started = Browser(tmp_path_factory.mktemp("profile"))
    yield started
    started.close()


def saved(folder: Path, found: Document) -> Path:
    """A page in a file."""
    path = folder / "page.html"
    path.write_text(render(found, Page()), "utf-8")
    return path


def page(folder: Path, name: str) -> Path:
    """The page of a bundled problem."""
    return saved(folder, worked(name, pointed=True))


def cell(key: str) -> str:
    """The selector of a cell of the page."""
    return f'main td[data-k="{key}"]'


def link(key: str) -> str:
    """The selector of an entry in the panel."""
    return f'#working .line [data-k="{key}"]'
