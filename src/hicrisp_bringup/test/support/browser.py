"""The dashboard in a real browser: Debian's chromium, driven by playwright; screenshots are kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Callable, Dict, List

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import ConsoleMessage, Locator, Page, expect, sync_playwright
from waiting import PATIENCE

CHROMIUM = "/usr/bin/chromium"
KEPT = Path(__file__).resolve().parents[4] / "logs" / "test" / "dashboard"
"""The folder of the screenshots."""
RUN = "#live-run .run"
"""The head of the live run."""
_SEVERE = ("serious", "critical")
_DESK, _PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}


class Browser:
    """One browser with as many pages as a test wants; nothing of it reaches beyond this machine."""

    def __init__(self, address: str) -> None:
        self.address = address
        expect.set_options(timeout=1000.0 * PATIENCE)
        self._playwright = sync_playwright().start()
        self._browser = self._playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
        self._problems: List[str] = []
        KEPT.mkdir(parents=True, exist_ok=True)

    def page(self, token: bool = True, **settings: Any) -> "Board":
        """A new page as another user's browser would show it, with or without the token in its address."""
        context = self._browser.new_context(**{"viewport": _DESK, "locale": "en", **settings})
        context.set_default_timeout(1000.0 * PATIENCE)
        page = context.new_page()
        page.on("pageerror", lambda error: self._problems.append(str(error)))
        page.on("console", self._hear)
        page.goto(self.address if token else self.address.partition("#")[0])
        return Board(page)

    def _hear(self, said: ConsoleMessage) -> None:
        if "Content Security" in said.text:
            self._problems.append(said.text)

    def problems(self) -> List[str]:
        """Errors of scripts, and what the page's own policy forbade it."""
        return self._problems

    def close(self) -> None:
        """End it."""
        self._browser.close()
        self._playwright.stop()


class Board:
    """The page as a user sees it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        expect(page.locator("#link")).not_to_have_text("Connecting …")

    def find(self, what: str, **besides: Any) -> Locator:
        """An element by its selector."""
        return self.page.locator(what, **besides)

    def sees(self, what: str, text: Any) -> None:
        """Wait until an element says something."""
        expect(self.find(what)).to_contain_text(text)

    def press(self, name: str, exact: bool = True) -> None:
        """Press the button of a name, which must be the only one."""
        self.page.get_by_role("button", name=name, exact=exact).click()

    def press_link(self, name: str) -> None:
        """Follow the link of a name."""
        self.page.get_by_role("link", name=name).click()

    def box(self, what: str) -> Dict[str, float]:
        """Where an element is on the page that is not scrolled, pixels."""
        self.page.evaluate("scrollTo(0, 0)")
        found: Any = self.find(what).bounding_box()
        return dict(found)

    @property
    def height(self) -> int:
        """Pixels of the page above the fold."""
        return int(self.page.evaluate("innerHeight"))

    def ground(self) -> List[float]:
        """What part of the ground is shown: left, top, width, height."""
        box = self.find("#live .above svg").get_attribute("viewBox")
        return [float(value) for value in str(box).split()]

    def submit(self, task: str) -> None:
        """Hand in a task by the keyboard alone."""
        self.find("#task").focus()
        self.page.keyboard.type(task)
        self.page.keyboard.press("Enter")
        self.sees("#submit-said", "Taken")

    def ends(self, verdict: str, task: str = "") -> None:
        """Wait until the run that is shown has ended so."""
        if task:
            self.sees(f"{RUN} h2", task)
        expect(self.find(f"{RUN} .badge.{verdict}")).to_be_visible()

    def keep(self, name: str) -> None:
        """Keep a screenshot of the whole page."""
        self.page.screenshot(path=str(KEPT / f"{name}.png"), full_page=True)

    def at_phone_width(self, look: Callable[[], None]) -> None:
        """Look at the page as a phone shows it."""
        self.page.set_viewport_size(_PHONE)
        try:
            look()
        finally:
            self.page.set_viewport_size(_DESK)

    def faults(self) -> List[str]:
        """What axe-core finds that keeps somebody from using the page."""
        found: Dict[str, Any] = Axe().run(self.page).response
        return [f"{each['id']}: {json.dumps([node['html'][:160] for node in each['nodes']])}"
                for each in found["violations"] if each["impact"] in _SEVERE]

    def overhang(self) -> int:
        """Pixels by which the page is wider than its window."""
        width: int = self.page.evaluate("document.scrollingElement.scrollWidth - window.innerWidth")
        return width
