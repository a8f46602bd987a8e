"""Draw the pictures of docs/pictures.md, docs/_static/picture-*.svg.

Run it after a picture changed: ``python docs/make_guide_pictures.py``.
"""

from pathlib import Path

import holdfast as hf

FOLDER = Path(__file__).parent / "_static"
SELECTORS = ["f_score", "relieff", "svm_rfe", "information_gain", "random_score"]


def main():
    study = hf.Study(SELECTORS, protocol=hf.Subsampling(50, 0.9), sizes=[5, 10, 20])
    result = study.run(hf.io.read_data("@simulated"))
    pictures = {
        "frequencies": result.plot_frequencies(most=20),
        "ranks": result.plot_ranks(most=20),
        "stripes": result.plot_stripes(),
        "profiles": result.plot_profiles(),
        "plane": result.plot_plane(),
        "similarity": result.plot_similarity(),
        "upset": result.plot_upset(),
        "truth": result.plot_truth(),
    }
    for name, picture in pictures.items():
        picture.save(FOLDER / f"picture-{name}.svg")


if __name__ == "__main__":
    main()
