"""Studies with selectors that find groups of features."""

import itertools

import numpy as np
import pandas as pd
import pytest

import holdfast as hf
from holdfast.report import make_report, to_html, to_markdown
from holdfast.select import GroupSelector, SelectedGroups
from holdfast.study._tables._frequencies import _companions


class Blocks(GroupSelector):
    """Takes features in blocks of three, judged by the mean difference of two classes."""

    def __init__(self, *, least=0.0, n_groups=None, output="representatives", random_state=0):
        self.least = least
        self.n_groups = n_groups
        self.output = output
        self.random_state = random_state

    @property
    def selects_own_size(self):
        return self.least < 0

    def _group(self, X, y, generator):
        gap = np.abs(X[y == 0].mean(axis=0) - X[y == 1].mean(axis=0))
        members = [np.arange(at, min(at + 3, X.shape[1])) for at in range(0, X.shape[1], 3)]
        scores = np.array([gap[own].mean() for own in members])
        order = [at for at in np.argsort(-scores) if scores[at] >= abs(self.least)]
        stand_ins = np.array([own[gap[own].argmax()] for own in members], dtype=np.intp)
        return SelectedGroups(tuple(members[at] for at in order), stand_ins[order], scores[order])


def data(n=60, p=30, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    X = rng.normal(size=(n, p))
    X[:, :6] += y[:, None]
    return X, y


def study(selectors, **options):
    X, y = data()
    given = {
        "protocol": hf.Subsampling(6, 0.8),
        "sizes": [2, 4],
        "measures": ["group_matching_index", "group_matching_value", "jaccard"],
        "classifiers": ["knn3"],
        **options,
    }
    return hf.Study(selectors, **given, replication=0).run(X, y, n_jobs=1)


@pytest.fixture(scope="module")
def result():
    return study({"blocks": Blocks(), "t": hf.TScore()})


def test_groups_are_kept_as_the_selector_finds_them(result):
    X, y = data()
    rows = hf.Subsampling(6, 0.8).draw(y, random_state=0)
    expected = Blocks(n_groups=4).group_resamples(X, y, [one.train for one in rows])
    found = result.preferences.groups("blocks", 4)
    assert len(found) == 6
    assert found.representatives is not None
    for mine, theirs in zip(found, expected, strict=True):
        assert [one.tolist() for one in mine] == [one.tolist() for one in theirs]
    for mine, theirs in zip(found.representatives, expected.representatives, strict=True):
        assert mine.tolist() == theirs.tolist()


def test_stability_of_groups_is_that_of_the_measure(result):
    X, _ = data()
    table = result.stability.set_index(["selector", "size", "measure"])["value"]
    for name, size in itertools.product(("blocks", "t"), (2, 4)):
        groups = result.preferences.groups(name, size)
        for measure, more in (("group_matching_index", {}), ("group_matching_value", {"data": X})):
            expected = hf.measure(measure, groups, **more)
            assert table[name, size, measure] == pytest.approx(expected)


def test_single_features_are_groups_of_one(result):
    table = result.stability.set_index(["selector", "size", "measure"])["value"]
    for size in (2, 4):  # of equal sizes, so that the matching is Dice's
        expected = hf.measure("dice", result.preferences["t", size])
        assert table["t", size, "group_matching_index"] == pytest.approx(expected)


def test_classifiers_see_the_representatives(result):
    chosen = result.preferences.groups("blocks", 2).representatives
    subsets = result.preferences["blocks", 2]
    assert [sorted(row) for row in chosen] == [sorted(row) for row in subsets]
    assert result.errors["selector"].tolist().count("blocks") == 2
    assert result.frequencies.query("selector == 'blocks' and size == 2")["count"].sum() == 12


def test_groups_are_compared_with_those_on_all_data_where_the_protocol_says_so():
    X, y = data()
    protocol = hf.CrossValidation(3, n_repeats=2, reference=True)
    result = study({"blocks": Blocks()}, protocol=protocol)
    named = pd.DataFrame(X, columns=[f"f{i}" for i in range(X.shape[1])])
    whole = Blocks(n_groups=4).fit(named, y).groups_
    expected = hf.measure(
        "group_matching_index", result.preferences.groups("blocks", 4), reference=whole
    )
    row = result.stability.query("size == 4 and measure == 'group_matching_index'").iloc[0]
    assert row["value"] == pytest.approx(expected)
    assert row["against"] == "reference"


def test_a_selector_may_choose_the_number_of_groups():
    result = study({"blocks": Blocks(least=-0.4)}, sizes=None)
    groups = result.preferences.groups("blocks", "own")
    assert set(groups.sizes) != {10}
    row = result.stability.query("measure == 'group_matching_index'").iloc[0]
    assert row["size"] == "own"
    assert row["value"] == pytest.approx(hf.measure("group_matching_index", groups))


def test_a_number_of_groups_bounds_what_a_selector_chooses():
    result = study({"blocks": Blocks(least=-0.01, n_groups=3)}, sizes=None)
    assert set(result.preferences.groups("blocks", "own").sizes) == {3}


def test_fewer_groups_than_asked_for_are_no_failure():
    result = study({"blocks": Blocks(least=0.4)}, sizes=[2, 9])
    assert result.failures.empty
    row = result.stability.query("size == 9 and measure == 'group_matching_index'").iloc[0]
    assert "2 of 9 found" in row["note"]
    assert result.profile(sizes=[1, 2]).table["value"].notna().all()
    assert set(result.recommend().table["size"]) == {2, 9}


def test_no_groups_at_all_leave_nothing_to_classify_by():
    result = study({"blocks": Blocks(least=99.0)}, measures=["group_matching_index", "jaccard"])
    assert result.failures.empty
    assert result.errors["error"].tolist() == pytest.approx([0.5, 0.5], rel=1e-15)
    assert result.stability["value"].isna().sum() + (result.stability["value"] == 1).sum() == 4


@pytest.mark.parametrize("protocol", [hf.FeatureSubsets(4, 0.5), hf.AddedNoise(4, 0.1)])
def test_groups_survive_perturbed_features(protocol):
    result = study({"blocks": Blocks()}, protocol=protocol, measures=["group_matching_index"])
    groups = result.preferences.groups("blocks", 4)
    parts = result.resamples
    assert len(groups) == 4
    assert result.failures.empty
    assert len(parts) == 4
    members = np.concatenate([one for row in groups for one in row])
    assert members.max() > 15  # numbered among all features, not among those offered


@pytest.mark.integration
def test_groups_are_the_same_however_the_work_is_cut(tmp_path):
    X, y = data()
    plan = hf.Study(
        {"blocks": Blocks(), "t": hf.TScore()}, protocol=hf.Subsampling(6, 0.8), sizes=[2, 4],
        measures=["group_matching_index"], classifiers=(),
        replication=0,
    )  # fmt: skip
    for part in "12":
        plan.run(X, y, out=tmp_path / part, n_jobs=1, part=f"{part}/2")
    merged = hf.merge([tmp_path / "1", tmp_path / "2"], tmp_path / "whole")
    whole = plan.run(X, y, n_jobs=2)
    pd.testing.assert_frame_equal(merged.stability, whole.stability)
    one, other = (r.preferences.groups("blocks", 4) for r in (merged, whole))
    assert one.to_frame().equals(other.to_frame())


def test_groups_are_exported_member_by_member(result, tmp_path):
    paths = {path.stem: path for path in hf.export(result, tmp_path)}
    table = pd.read_csv(paths["groups"])
    assert set(table["selector"]) == {"blocks"}
    expected = result.preferences.groups("blocks", 4).to_frame()
    found = table[["resample", "group", "feature"]].to_numpy().tolist()
    assert found == [
        [one, number + 1, name]
        for one, number, name, _ in expected.itertuples(index=False, name=None)
    ]
    stands = table.loc[table["feature"] == table["representative"]]
    assert len(stands) == expected["representative"].sum() == 24
    alone = hf.export(study({"t": hf.TScore()}, measures=["jaccard"]), tmp_path / "t")
    assert "groups" not in {path.stem for path in alone}


def test_the_pipeline_of_a_group_selector_selects_its_representatives(result):
    X, y = data()
    chosen = hf.judge.Pair("blocks", "knn3", 2)
    model = result.pipeline(X, y, chosen=chosen)
    assert model["select"].n_groups == 2
    assert model[:-2].transform(X).shape[1] == 2


def test_memberships_count_who_lies_in_a_group_with_whom(result):
    table = result.memberships("blocks", 4, most=30).set_index("feature")
    groups = result.preferences.groups("blocks", 4)
    names = np.array(groups.feature_names)
    for feature, row in table.iterrows():
        own = [one for result in groups for one in result if feature in names[one]]
        stands = [feature in names[one] for one in groups.representatives]
        assert row["member"] == len(own) / 6  # blocks do not overlap
        assert row["representative"] == sum(stands) / 6
        assert set(row["companions"]) == set(names[own[0]]) - {feature}  # nor change
    assert (table["n"] == 6).all()
    assert table["member"].is_monotonic_decreasing
    assert len(result.memberships("blocks", 4, most=5)) == 5
    with pytest.raises(hf.errors.InvalidInputError, match="t selects no groups"):
        result.memberships("t")


def test_companions_are_those_of_most_times():
    rows = [[[0, 1, 2], [5]], [[0, 1], [5, 6]], [[0, 2], [4]], [[0, 1, 9], [5]]]
    groups = hf.Groups(rows, n_features=10, representatives=[[0, 5]] * 2 + [[0, 4], [0, 5]])
    names = np.array([f"f{i}" for i in range(10)], dtype=object)
    features = np.array([0, 5, 4, 9])
    expected = [("f1", "f2"), (), (), ("f0", "f1")]
    assert _companions(groups, features, names) == expected


def test_the_report_of_a_group_selector_names_the_companions():
    result = study({"blocks": Blocks()}, measures=["group_matching_index"])
    report = make_report(result, figures=False)
    told = {row["feature"]: row for row in report["groups"]["rows"]}
    size = report["features"]["rows"][0]["n"]
    assert told["f0"]["member"] == 1.0
    assert told["f0"]["companions"] == "\u2068f1\u2069, \u2068f2\u2069"
    assert "selects groups of features" in report["groups"]["sentences"][0]
    assert size == 6
    for page in (to_html(report), to_markdown(report)):
        assert "Groups of features" in page
    assert report["selectors"]["measure"] == "group_matching_index"


def test_the_report_of_other_selectors_has_no_groups():
    alone = study({"t": hf.TScore()}, measures=["jaccard"])
    report = make_report(alone, figures=False)
    assert report["groups"] is None
    assert "Groups of features" not in to_html(report) + to_markdown(report)


def test_one_group_was_found_and_several_were():
    X, y = data()
    X[:, 3:6] = X[:, 6:9]  # the first block alone differs
    given = {"protocol": hf.Subsampling(6, 0.8), "sizes": [2], "measures": ["jaccard"]}
    one = hf.Study({"blocks": Blocks(least=0.6)}, classifiers=(), **given, replication=0).run(
        X, y, n_jobs=1
    )
    assert set(one.preferences.groups("blocks", 2).sizes) == {1}
    assert "1 of 2 found" in one.stability["note"].iloc[0]
    report = make_report(one, figures=False)
    assert report["selectors"]["rows"][0]["remark"] == "1 of 2 found"
    assert report["verdict"]["grade"] == "not known"  # no replication was asked for
    told = report["profile"]["sentences"][0]
    assert told.endswith("no profile from so few groups (only 1 was found).")


def test_a_study_that_finds_no_group_has_a_report():
    nothing = study({"blocks": Blocks(least=99.0)}, measures=["group_matching_index", "jaccard"])
    report = make_report(nothing, figures=False)
    remarks = {row["remark"] for row in report["selectors"]["rows"]}
    assert remarks == {"none of 2 found", "none of 4 found"}
    assert report["features"]["rows"] == []
    assert len(report["groups"]["measures"]["rows"]) == 2
    assert "in_group" not in to_html(report) + to_markdown(report)
