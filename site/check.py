"""Looks at the built site in headless Chromium, 400 pixels wide: check.py SITE. Status: 0 fine, 1 not, 77 no Chromium.

Each page is opened as a file. It may not print an error on the console, may request nothing but files, may not be wider
than the window, and its links have to lead to files and anchors that are there. The search has to find a word.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

BROWSERS = ("chromium-headless-shell", "chromium", "chrome-headless-shell", "google-chrome")
SIZE = {"width": 400, "height": 800, "deviceScaleFactor": 1, "mobile": False}
SKIPPED = 77
LOOK = """JSON.stringify({
  wide: document.documentElement.scrollWidth,
  links: [...document.querySelectorAll('a[href]')].map(a => a.href),
  anchors: [...document.querySelectorAll('[id]')].map(e => e.id)})"""
HITS = "document.querySelectorAll('#search-results li').length"


class Browser:
    """Chromium, spoken to by the DevTools protocol through two pipes: messages end with a NUL."""

    def __init__(self, program: str, folder: str) -> None:
        commands, self.write_to = os.pipe()
        self.read_from, answers = os.pipe()

        def as_three_and_four() -> None:
            # Duplicates above first: one of the pipes may have one of these numbers.
            inputs, outputs = os.dup2(commands, 50), os.dup2(answers, 51)
            os.dup2(inputs, 3)
            os.dup2(outputs, 4)

        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe"]
            + [f"--user-data-dir={folder}", "--allow-file-access-from-files"],
            preexec_fn=as_three_and_four,
            close_fds=False,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(commands)
        os.close(answers)
        self.buffer, self.number = b"", 0
        self.events: list[dict[str, Any]] = []
        self.session = ""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", **SIZE)

    def message(self) -> dict[str, Any]:
        while b"\0" not in self.buffer:
            data = os.read(self.read_from, 1 << 20)
            if not data:
                raise RuntimeError("Chromium ended")
            self.buffer += data
        text, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(text)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.write_to, json.dumps(request).encode() + b"\0")
        while (answer := self.message()).get("id") != self.number:
            self.events.append(answer)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def open(self, address: str) -> list[dict[str, Any]]:
        """The events until the page is loaded."""
        self.events.clear()
        self.call("Page.navigate", url=address)
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            self.events.append(self.message())
        return self.events

    def value(self, expression: str) -> Any:
        return self.call("Runtime.evaluate", expression=expression)["result"].get("value")

    def close(self) -> None:
        self.process.kill()
        self.process.wait()


def complaints(events: list[dict[str, Any]]) -> Iterator[str]:
    """What the console shows as an error, and requests that are not for files."""
    for event in events:
        parameters = event["params"]
        if event["method"] == "Log.entryAdded" and parameters["entry"]["level"] == "error":
            yield f"console: {parameters['entry']['text']}"
        elif event["method"] == "Runtime.exceptionThrown":
            yield f"exception: {parameters['exceptionDetails']['text']}"
        elif event["method"] == "Network.requestWillBeSent":
            address = parameters["request"]["url"]
            if not address.startswith(("file:", "data:", "about:", "blob:")):
                yield f"requests {address}"


def dead_links(pages: dict[Path, dict[str, Any]]) -> Iterator[str]:
    for page, seen in pages.items():
        for link in set(seen["links"]):
            parts = urlsplit(link)
            if parts.scheme != "file":
                continue
            there, anchor = Path(unquote(parts.path)), unquote(parts.fragment)
            if not there.exists():
                yield f"{page.name}: {link} leads nowhere"
            elif anchor and there in pages and anchor not in pages[there]["anchors"]:
                yield f"{page.name}: {link} has no such anchor"


def look_at(site: Path, browser: Browser) -> list[str]:
    problems: list[str] = []
    pages: dict[Path, dict[str, Any]] = {}
    for page in sorted(site.rglob("*.html")):
        if "_static" in page.parts:
            continue
        name = page.relative_to(site)
        problems += [f"{name}: {complaint}" for complaint in complaints(browser.open(page.as_uri()))]
        pages[page] = json.loads(browser.value(LOOK))
        if pages[page]["wide"] > SIZE["width"]:
            problems.append(f"{name}: {pages[page]['wide']} pixels wide in a window of {SIZE['width']}")
    problems += dead_links(pages)
    problems += [f"search: {text}" for text in complaints(browser.open((site / "search.html").as_uri() + "?q=libgomp"))]
    wait = f"new Promise(done => setInterval(() => {HITS} > 0 && done({HITS}), 50))"
    found = browser.call("Runtime.evaluate", expression=wait, awaitPromise=True, timeout=20000)["result"].get("value", 0)
    print(f"{len(pages)} pages, {sum(len(seen['links']) for seen in pages.values())} links, {found} hits for libgomp")
    return problems if found else [*problems, "search: no hits"]


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        print("left out: no Chromium here")
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix="muster-site-", ignore_cleanup_errors=True) as folder:
        with contextlib.closing(Browser(program, folder)) as browser:
            problems = look_at(Path(sys.argv[1]).resolve(), browser)
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
