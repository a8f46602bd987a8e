"""Draw the simulated figures of the guide, docs/_static/simulated-*.svg.

Run it after a change to one of them: ``python docs/scripts/make_simulation_pictures.py``. It takes
a minute.
"""

from pathlib import Path

from holdfast.plot import simulated_figure
from holdfast.simulate import figure_tables

FOLDER = Path(__file__).parents[1] / "_static"
FULL = {6: True, 7: False, 9: True}


def main():
    for number, full in FULL.items():
        picture = simulated_figure(number, figure_tables(number, full=full))
        picture.save(FOLDER / f"simulated-{number}.svg")


if __name__ == "__main__":
    main()
