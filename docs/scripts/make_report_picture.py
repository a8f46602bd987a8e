"""Take a screenshot of the first screen of a report.

Run it after a change to the page. It needs playwright and a Chromium on the path. For the README::

    make demo
    python docs/scripts/make_report_picture.py demo-study/report.html docs/_static/report.png

The pictures found_again_signal.png and found_again_noise.png show the two studies on
docs/found_again.md.
"""

import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

SCREEN = {"width": 1300, "height": 900}


def main(page, target):
    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        screen = browser.new_page(viewport=SCREEN)
        screen.goto(Path(page).resolve().as_uri())
        screen.screenshot(path=target)
        browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
