"""Print the table of docs/wrappers.md: subset searches on wine, with published numbers in brackets.

Run it after a search or a criterion changed: ``python docs/make_wrapper_tables.py 200``, where
the number is that of the runs. That many take a quarter of an hour on two cores, most of it for
support vector machines.
"""

import sys
from itertools import product

import numpy as np
from joblib import Parallel, delayed
from sklearn.datasets import load_wine

import holdfast as hf

X, Y = load_wine(return_X_y=True)
CLASSIFIERS = {
    "Gaussian": "gaussian",
    "3-NN": "knn3",
    "linear SVM": "linear_svm:C=1",
    "RBF SVM": "rbf_svm",
}
SEARCHES = {
    "random": None,
    "SFS": hf.ForwardSelection,
    "SFFS": hf.FloatingSelection,
    "DOS": hf.OscillatingSearch,
}
MEASURES = {
    "C": "consistency",
    "CW": "weighted_consistency",
    "CW_rel": "relative_weighted_consistency",
    "GK": "jaccard",
}
COLUMNS = ["accuracy", "sd", "size", "sd", *MEASURES]
PUBLISHED = {  # Somol and Novovičová (2008), 1,000 runs; which kernel the SVM has is not said
    "Gaussian": {
        "random": ".430 .058 6.57 3.45 .505 .516 .025 .320",
        "SFS": ".590 .023 3.73 1.70 .310 .519 .353 .379",
        "SFFS": ".625 .023 3.58 1.23 .298 .514 .365 .389",
        "DOS": ".636 .020 3.41 0.94 .309 .564 .453 .445",
    },
    "3-NN": {
        "random": ".863 .117 6.66 3.47 .511 .523 .026 .326",
        "SFS": ".982 .004 7.12 1.47 .547 .752 .467 .615",
        "SFFS": ".987 .003 6.91 1.60 .531 .763 .508 .637",
        "DOS": ".989 .003 6.18 1.17 .475 .797 .643 .683",
    },
    "SVM": {
        "random": ".861 .125 6.40 3.50 .492 .504 .026 .307",
        "SFS": ".980 .005 9.09 1.92 .699 .758 .203 .611",
        "SFFS": ".989 .003 8.46 1.36 .650 .816 .516 .697",
        "DOS": ".991 .003 7.89 1.11 .606 .841 .615 .735",
    },
}


def search_for(classifier, method, train, seed):
    """Return the search; one that is forced to a random subset judges that alone."""
    if SEARCHES[method]:
        return SEARCHES[method](classifier, random_state=seed)
    subset = hf.RandomSubset(random_state=seed).fit(X[train], Y[train])
    forced = subset.get_support(indices=True)
    return hf.ForwardSelection(
        classifier, forced_in=forced, n_features_to_select=len(forced), random_state=seed
    )


def found(classifier, method, train, seed):
    """Return the subset that is found on some of the samples, and its value."""
    search = search_for(classifier, method, train, seed).fit(X[train], Y[train])
    return search.support_, search.value_


def all_found(classifier, method, n_runs):
    """Return the subsets and values of all runs, each on 80% of the samples."""
    resamples = hf.Subsampling(n_runs, 0.8).draw(Y, random_state=0)
    runs = Parallel(n_jobs=2)(
        delayed(found)(classifier, method, one.train, seed) for seed, one in enumerate(resamples)
    )
    return tuple(map(np.array, zip(*runs, strict=True)))


def cells(subsets, values):
    """Return means and standard deviations of value and size, and the measures."""
    sizes = subsets.sum(axis=1)
    stability = hf.measure(list(MEASURES.values()), hf.Subsets(subsets))["value"]
    numbers = [values.mean(), values.std(ddof=1), sizes.mean(), sizes.std(ddof=1), *stability]
    return [f"{number:.{2 if at in (2, 3) else 3}f}" for at, number in enumerate(numbers)]


def lines(n_runs):
    """Return the lines of the table."""
    yield ["", "", *COLUMNS]
    yield ["---", "---", *["---:"] * len(COLUMNS)]
    for name, method in product(CLASSIFIERS, SEARCHES):
        published = PUBLISHED[name if name in PUBLISHED else "SVM"][method].split()
        own = cells(*all_found(CLASSIFIERS[name], method, n_runs))
        both = [f"{one} ({other})" for one, other in zip(own, published, strict=True)]
        yield [name if method == "random" else "", method, *both]


def main(n_runs):
    for line in lines(n_runs):
        print(f"| {' | '.join(line)} |", flush=True)  # noqa: T201


if __name__ == "__main__":
    main(int(sys.argv[1]))
