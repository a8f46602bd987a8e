"""Draw the pictures of the guide, docs/_static/picture-*.svg.

Run it after a change to a picture: ``python docs/scripts/make_guide_pictures.py``.
"""

from pathlib import Path

from sklearn.datasets import load_breast_cancer

import holdfast as hf

FOLDER = Path(__file__).parents[1] / "_static"
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
        "ensemble-sizes": _run_ensembles().plot_ensemble_sizes("nogueira", 10),
        "stability-path": hf.plot.stability_path(_fit_stability_selection().stability_path_),
    }
    bounds = hf.measures.weighted_consistency_bounds(n_subsets=10, n_features=13)
    pictures["consistency-bounds"] = hf.plot.consistency_bounds(bounds)
    for name, picture in pictures.items():
        picture.save(FOLDER / f"picture-{name}.svg")


def _run_ensembles():
    """Run selectors, and ensembles of them, on simulated data."""
    bases = {"relieff": hf.ReliefF(n_probes=0.5), "svm_rfe": hf.SVMRFE(), "t_score": hf.TScore()}
    selectors = dict(bases)
    for name, base in bases.items():
        selectors |= {f"{name}, {n}": hf.Ensemble(base, n_bags=n) for n in (5, 10, 20, 40)}
    study = hf.Study(selectors, protocol=hf.Subsampling(30, 0.9), sizes=[10], classifiers=())
    return study.run(hf.io.read_data("@simulated"))


def _fit_stability_selection():
    return hf.StabilitySelection().fit(*load_breast_cancer(return_X_y=True, as_frame=True))


if __name__ == "__main__":
    main()
