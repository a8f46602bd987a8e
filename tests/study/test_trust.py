"""Plans that others wrote: what they name is neither imported nor called, unless it is trusted."""

import json
import site
import sqlite3
import sys
from contextlib import closing

import pytest
from sklearn.preprocessing import OneHotEncoder

import holdfast as hf
from holdfast.errors import FileFormatError, StoreError, UntrustedCodeError
from holdfast.judge import Pair
from holdfast.report import write_report
from holdfast.study._storage._checksums import store_plan_checksum
from holdfast.study._storage._plan_objects import PlanPart, build_objects
from holdfast.study._storage._serialization import serialize_object
from holdfast.study._storage._store import FILE
from holdfast.study._storage._trusted_objects import CodeReference, is_class, why_not_imported
from tests.study.crafted_plans import X, Y, attempts, copy_with, named, wrapped, write_study

PAIR = Pair("f_score", "knn3", 2)
OS_SYSTEM = named("os:system", command="touch canary")


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole") / "run"
    write_study(folder)
    return folder


@pytest.fixture(scope="module")
def growing(tmp_path_factory):
    """Write a sequential study that has not stopped, so that it draws more resamples."""
    folder = tmp_path_factory.mktemp("growing") / "run"
    write_study(folder, protocol=hf.Subsampling(60, 0.8), until_width=0.5)
    with closing(sqlite3.connect(folder / FILE)) as store, store:
        fact = store.execute("SELECT value FROM facts WHERE name = 'until'").fetchone()[0]
        fact = json.dumps({**json.loads(fact), "stopped": False})
        store.execute("UPDATE facts SET value = ? WHERE name = 'until'", (fact,))
        store_plan_checksum(store)
    return folder


LOCAL_MODULE = """
from pathlib import Path
from holdfast.select import Scorer
Path(CANARY).touch()

class Mine(Scorer):
    def __init__(self, n_features_to_select=None):
        self.n_features_to_select = n_features_to_select

    def _score(self, X, y, *_):
        return X.mean(axis=0)

def score(X, y):
    return X.mean(axis=0)
"""


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Return a working directory that Python imports from, with modules that leave a canary."""
    text = LOCAL_MODULE.replace("CANARY", repr(str(tmp_path / "canary")))
    for path in ("crafted_local.py", "crafted_package/__init__.py", "crafted_space/inner.py",
                 "sklearn.py", "antigravity.py"):  # fmt: skip
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    for name in [name for name in sys.modules if name.startswith("crafted_")]:
        del sys.modules[name]


def check_refused(use, path, here, imported=()):
    """Check that a use raises the error that names a path, and that nothing of it was run."""
    with attempts() as seen, pytest.raises(UntrustedCodeError) as error:
        use()
    module = "" if path in imported else path.partition(":")[0]
    assert path in str(error.value)
    assert "--trust" in str(error.value)
    assert not [one for one in seen if one[0] != "import" or one[1] == module]
    assert not (here / "canary").exists()


STANDARD_LIBRARY = [
    "os:system", "posix:system", "subprocess:Popen", "builtins:eval", "builtins:exec",
    "builtins:open", "builtins:__import__", "functools:partial", "operator:methodcaller",
    "runpy:run_path", "importlib:import_module", "pickle:loads", "shutil:rmtree", "ctypes:CDLL",
    "webbrowser:open", "types:FunctionType", "antigravity:fly", "this:s", "idlelib.idle:main",
    "test.support:run_unittest", "lib2to3.main:main", "__main__:main", "__mp_main__:Selector",
]  # fmt: skip
OTHERS = [
    "holdfast.__main__:main", "sklearn.datasets:load_files", "sklearn.datasets:fetch_openml",
    "sklearn.utils:Bunch", "sklearn.feature_extraction.text:TfidfVectorizer",
    "sklearn.externals._arff:load", "sklearn.utils._mocking:CheckingClassifier",
    "sklearn.experimental.enable_halving_search_cv:HalvingGridSearchCV",
    "sklearn.svm.tests.test_svm:SVC", "sklearn.conftest:SVC", "sklearn:utils.os.system",
    "sklearn.svm:SVC.fit", "sklearn.svm._classes:np.ctypeslib.os", "pip.__main__:main",
    "joblib:externals.cloudpickle", "no_such_package_anywhere:Selector",
]  # fmt: skip
LOCAL = ["crafted_local:Mine", "crafted_package:Mine", "crafted_space.inner:Mine",
         "tests.study.selectors:Slow"]  # fmt: skip


@pytest.mark.parametrize("path", [*STANDARD_LIBRARY, *OTHERS, *LOCAL])
def test_a_class_is_refused_by_its_name_before_it_is_imported(path, whole, here):
    folder = copy_with(whole, here / "run", selector=named(path, command="touch canary"))
    check_refused(lambda: hf.resume(folder, n_jobs=1), path, here)


IMPORTED = [
    "holdfast:merge", "holdfast:Study", "holdfast.cli:main", "holdfast.io:read_data",
    "holdfast.study:Result", "holdfast.report:write_report", "holdfast.errors:StoreError",
    "numpy:load", "numpy:memmap", "joblib:load", "joblib:Memory", "pandas:read_pickle",
    "pandas:DataFrame", "cloudpickle:loads", "sklearn.svm:l1_min_c", "sklearn.svm._classes:np",
    "sklearn.model_selection:KFold", "scipy.io:loadmat", "click:edit",
]  # fmt: skip
"""Of installed packages, so they may be imported, but they are no estimators."""


@pytest.mark.parametrize("path", IMPORTED)
def test_what_is_no_estimator_is_not_called(path, whole, here):
    folder = copy_with(whole, here / "run", selector=named(path, file="canary"))
    check_refused(lambda: hf.resume(folder, n_jobs=1), path, here, IMPORTED)


FUNCTIONS = [
    "os:system", "builtins:eval", "builtins:open", "builtins:object", "functools:partial",
    "crafted_local:score", "holdfast:export", "holdfast:merge", "holdfast.report:write_report",
    "holdfast.io:read_data", "sklearn.datasets:load_files", "sklearn.utils:resample",
    "numpy:load", "numpy:save", "numpy:fromfile", "numpy:ndarray", "numpy.testing:rundocs",
    "joblib:load", "pandas:read_pickle", "sklearn.metrics:no.os.system",
    "sklearn.metrics._ranking:np",
    "sklearn.feature_selection:SelectKBest", "holdfast.select:Ensemble",
]  # fmt: skip


@pytest.mark.parametrize("path", FUNCTIONS)
def test_a_function_needs_trust_unless_it_computes_scores(path, whole, here):
    folder = copy_with(whole, here / "run", selector=wrapped({"function": path}))
    check_refused(lambda: hf.resume(folder, n_jobs=1), path, here, FUNCTIONS)


def nested(document):
    """Return a document at all places in which a plan may hold one."""
    svm = named("sklearn.svm:SVC", class_weight={"dict": [["a", document]]})
    step = {"tuple": ["classify", document]}
    return {
        "selector": {"selector": document},
        "classifier": {"classifier": document},
        "parameter": {"selector": wrapped(document)},
        "function": {"selector": wrapped({"function": document["class"]})},
        "value of a dictionary": {"classifier": svm},
        "key of a dictionary": {
            "classifier": named("sklearn.svm:SVC", class_weight={"dict": [[document, 1]]})
        },
        "step": {"classifier": named("sklearn.pipeline:Pipeline", steps=[step])},
        "list of lists": {"classifier": named("sklearn.svm:SVC", C=[[1, [document]]])},
        "estimator of an estimator": {
            "selector": wrapped(
                named(
                    "sklearn.feature_selection:RFE", estimator=named("sklearn.svm:SVC", C=document)
                )
            )
        },
    }


@pytest.mark.parametrize("place", nested(OS_SYSTEM))
@pytest.mark.parametrize("use", ["resume", "pipeline"])
def test_nothing_is_run_wherever_a_plan_names_it(place, use, whole, here):
    folder = copy_with(whole, here / "run", **nested(OS_SYSTEM)[place])
    uses = {
        "resume": lambda: hf.resume(folder, n_jobs=1),
        "pipeline": lambda: hf.load(folder).pipeline(X, Y, chosen=PAIR),
    }
    check_refused(uses[use], "os:system", here)


@pytest.mark.parametrize("path", ["os:system", "crafted_local:Mine", "holdfast.study:Study"])
def test_the_protocol_of_a_study_that_grows_is_checked(path, growing, here):
    folder = copy_with(growing, here / "run", protocol=named(path, command="touch canary"))
    check_refused(lambda: hf.resume(folder, n_jobs=1), path, here, ["holdfast.study:Study"])


def test_two_selectors_of_one_name_are_damage(whole, here):
    plan = hf.load(whole).plan
    twin = {**plan["selectors"][0], "object": OS_SYSTEM}
    plan["selectors"] = [twin, *plan["selectors"]]
    folder = copy_with(whole, here / "run", text=json.dumps(plan))
    with pytest.raises(FileFormatError, match="the entry 'selectors' of its plan"):
        hf.resume(folder, n_jobs=1)


MEMORY = [
    named("sklearn.pipeline:Pipeline", steps=[], memory="cache"),
    named("sklearn.cluster:FeatureAgglomeration", memory="cache"),
    named("sklearn.model_selection:GridSearchCV", param_grid={"dict": [["memory", ["cache"]]]}),
    named("sklearn.model_selection:GridSearchCV",
          param_grid=[{"dict": [["estimator__steps__memory", {"tuple": ["cache"]}]]}]),
]  # fmt: skip


@pytest.mark.parametrize("document", MEMORY)
def test_a_folder_of_cached_pickles_needs_trust(document, whole, here):
    folder = copy_with(whole, here / "run", classifier=document)
    check_refused(lambda: hf.resume(folder, n_jobs=1), "memory", here)
    assert not (here / "cache").exists()


LETTERS = ["\u0455klearn.svm:SVC", "\uff53klearn.svm:SVC", "sklearn\u02d0.svm:SVC"]


@pytest.mark.parametrize("path", LETTERS)
def test_letters_that_look_like_others_are_escaped(path, whole, here):
    folder = copy_with(whole, here / "run", selector=named(path))
    with pytest.raises(UntrustedCodeError) as error:
        hf.resume(folder, n_jobs=1)
    assert ascii(path) in str(error.value)


MALFORMED = {
    "relative": named(".svm:SVC"),
    "parent": named("..os:system"),
    "path": named("../evil:x"),
    "call": named("os:system('x')"),
    "space": named("os :system"),
    "zero": named("os\0:system"),
    "newline": named("os\n:system"),
    "no name": named("os"),
    "no module": named(":system"),
    "empty": named(""),
    "long": named(f"{'a' * 600}:b"),
    "class as list": {"class": ["os:system"], "parameters": {}},
    "class as number": {"class": 5, "parameters": {}},
    "no parameters": {"class": "sklearn.svm:SVC"},
    "parameters as list": {"class": "sklearn.svm:SVC", "parameters": []},
    "further key": {"class": "sklearn.svm:SVC", "parameters": {}, "args": [1]},
    "two kinds": {"function": "os:system", "float": "nan"},
    "function as number": {"function": 5},
    "float as code": {"float": "__import__('os')"},
    "tuple of text": {"tuple": "os:system"},
    "pair of one": {"dict": [[1]]},
    "pair of three": {"dict": [[1, 2, 3]]},
    "dictionary of text": {"dict": "ab"},
    "list as key": {"dict": [[[1, 2], 3]]},
    "unknown kind": {"pickle": "gASVBwAAAAAAAAB9lC4="},
    "nothing": {},
}


@pytest.mark.parametrize("kind", MALFORMED)
@pytest.mark.parametrize("trust", [False, True])
def test_a_malformed_object_is_an_error_of_the_store(kind, trust, whole, here):
    document = named("sklearn.svm:SVC", class_weight=MALFORMED[kind])
    folder = copy_with(whole, here / "run", classifier=document)
    with pytest.raises(StoreError, match=r"classifier 'knn3' (of the plan is damaged|cannot be)"):
        hf.resume(folder, n_jobs=1, trust=trust)
    with pytest.raises(StoreError, match="classifier 'knn3'"):
        hf.load(folder, trust=trust).pipeline(X, Y, chosen=PAIR)


UNFIT = {
    "unknown parameter": {"classifier": named("sklearn.svm:SVC", bogus=1)},
    "missing parameter": {"selector": named("holdfast.select:AnySelector", bogus=1)},
    "required parameter": {"classifier": named("sklearn.pipeline:Pipeline")},
    "parameter self": {"classifier": named("sklearn.svm:SVC", self=1)},
    "no selector": {"selector": named("sklearn.svm:SVC")},
    "no classifier": {"classifier": named("sklearn.preprocessing:StandardScaler")},
    "an abstract class": {"selector": named("holdfast.resample:Protocol")},
}


@pytest.mark.parametrize("kind", UNFIT)
def test_an_object_that_cannot_be_built_names_its_part(kind, whole, here):
    part = next(iter(UNFIT[kind]))
    folder = copy_with(whole, here / "run", **UNFIT[kind])
    with pytest.raises(StoreError, match=rf"^{part} '(f_score|knn3)' (cannot|of the plan is no)"):
        hf.resume(folder, n_jobs=1)


@pytest.mark.parametrize("document", [5, "os:system", None])
@pytest.mark.parametrize("part", ["selector", "classifier"])
def test_a_part_that_is_no_object_is_damage(document, part, whole, here):
    folder = copy_with(whole, here / "run", **{part: document})
    with pytest.raises(FileFormatError, match=f"the entry '{part}s' of its plan"):
        hf.resume(folder, n_jobs=1)


def test_a_protocol_that_cannot_be_built_is_named(growing, here):
    document = named("holdfast.resample:Subsampling", n_resamples=-1, train_size=0.8)
    folder = copy_with(growing, here / "run", protocol=document)
    with pytest.raises(StoreError, match=r"^the protocol cannot be built .*InvalidInputError"):
        hf.resume(folder, n_jobs=1)


HUGE = {
    "nested lists": "[" * 100_000 + "]" * 100_000,
    "nested dictionaries": '{"tuple":[' * 5_000 + "]}" * 5_000,
    "nested a little too deep": "[" * 300 + "]" * 300,
    "digits": "9" * 5_000,
}


@pytest.mark.parametrize("kind", HUGE)
def test_a_huge_plan_is_damage(kind, whole, here):
    plan = json.dumps(hf.load(whole).plan)
    text = plan.replace('{"class": "holdfast.select:FScore"', f'{{"x": {HUGE[kind]}, "class": ""')
    assert text != plan
    folder = copy_with(whole, here / "run", text=text)
    for use in (lambda: hf.resume(folder, n_jobs=1), lambda: hf.load(folder)):
        with pytest.raises(FileFormatError, match=r"its fact 'plan' is (not JSON|nested)"):
            use()


# Installed packages.


@pytest.fixture
def installed(here, monkeypatch):
    """Return a folder of installed packages; the working directory comes before it."""
    folder = here / "lib" / "site-packages"
    (folder / "crafted_installed").mkdir(parents=True)
    text = LOCAL_MODULE.replace("CANARY", repr(str(here / "imported")))
    (folder / "crafted_installed" / "__init__.py").write_text(text)
    pretenders = PRETENDERS.replace("CANARY", repr(str(here / "canary")))
    (folder / "crafted_module.py").write_text(text + pretenders)
    monkeypatch.setattr(site, "getsitepackages", lambda: [str(folder)])
    monkeypatch.setattr(sys, "path", [*sys.path, str(folder)])
    return folder


PRETENDERS = """
class Meta(type):
    def __call__(cls, *args, **kwargs):
        Path(CANARY).touch()
    def __subclasscheck__(cls, other):
        return True
    def __instancecheck__(cls, other):
        return True

class Strange(metaclass=Meta):
    pass

class _Pretender:
    __name__ = __qualname__ = "pretender"
    __class__ = property(lambda self: type)
    __bases__ = __mro__ = (Mine, object)
    def __call__(self, **kwargs):
        Path(CANARY).touch()

pretender = _Pretender()
Renamed = Mine
"""


def build(path, **parameters):
    """Build one selector of a plan without trust."""
    part = PlanPart("selector", "a", named(path, **parameters))
    return build_objects([part], trust=False, folder=None)[0]


def test_an_estimator_of_an_installed_package_needs_no_trust(installed, here):
    assert type(build("crafted_installed:Mine")).__name__ == "Mine"
    assert type(build("crafted_module:Mine", n_features_to_select=3)).__name__ == "Mine"
    assert (here / "imported").exists()  # so the other tests would notice an import


@pytest.mark.parametrize("name", ["Strange", "pretender", "Renamed", "Meta", "score", "Path"])
def test_what_pretends_to_be_an_estimator_is_not_called(name, installed, here):
    with pytest.raises(UntrustedCodeError, match=f"crafted_module:{name}"):
        build(f"crafted_module:{name}")
    assert not (here / "canary").exists()


def test_a_file_here_that_hides_an_installed_package_is_refused(installed, here):
    (here / "crafted_module.py").write_text((here / "crafted_local.py").read_text())
    with pytest.raises(UntrustedCodeError, match="not in an installed package"):
        build("crafted_module:Mine")
    assert not (here / "canary").exists()


def test_a_module_that_was_loaded_from_here_is_refused_although_it_is_installed_too(
    installed, here
):
    (here / "crafted_module.py").write_text("")
    __import__("crafted_module")
    (here / "crafted_module.py").unlink()
    with pytest.raises(UntrustedCodeError, match="not in an installed package"):
        build("crafted_module:Mine")


def test_a_file_here_that_hides_scikit_learn_is_not_imported(here):
    assert type(build("holdfast.select:TScore")).__name__ == "TScore"
    part = PlanPart("classifier", "a", named("sklearn.svm:SVC"))
    assert build_objects([part], trust=False, folder=None)
    assert not (here / "canary").exists()


def test_a_path_file_makes_no_package_installed(installed, here, monkeypatch):
    elsewhere = here / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "crafted_linked.py").write_text((here / "crafted_local.py").read_text())
    (installed / "crafted.pth").write_text(f"{elsewhere}\n")
    site.addsitedir(str(installed))
    assert str(elsewhere) in sys.path
    with pytest.raises(UntrustedCodeError, match="not in an installed package"):
        build("crafted_linked:Mine")
    assert not (here / "canary").exists()


@pytest.mark.parametrize("name", ["tests", "conftest", "__main__", "missing"])
def test_modules_that_are_not_meant_to_be_imported_are_not(name, installed, here):
    (installed / "crafted_installed" / f"{name}.py").touch()
    if name == "missing":
        (installed / "crafted_installed" / "missing.py").unlink()
    with pytest.raises(UntrustedCodeError):
        build(f"crafted_installed.{name}:Mine")
    assert not (here / "imported").exists()


def test_a_class_is_one_by_its_type():
    class Pretender:
        __class__ = property(lambda self: type)

    assert isinstance(Pretender(), type)
    assert not is_class(Pretender())
    assert is_class(Pretender)


HARMLESS = [
    OneHotEncoder(dtype=float), OneHotEncoder(), hf.SVMRFE(step=hf.select.halve_then_one),
]  # fmt: skip


@pytest.mark.parametrize("thing", HARMLESS, ids=lambda one: type(one).__name__)
def test_types_of_numbers_and_own_functions_are_harmless(thing):
    part = PlanPart("selector", "a", wrapped(serialize_object(thing)))
    built = build_objects([part], trust=False, folder=None)[0]
    assert serialize_object(built.estimator) == serialize_object(thing)


def test_kernels_of_gaussian_processes_are_built():
    document = named(
        "sklearn.gaussian_process:GaussianProcessClassifier",
        kernel=named("sklearn.gaussian_process.kernels:RBF", length_scale=2.0),
    )
    part = PlanPart("classifier", "a", document)
    assert build_objects([part], trust=False, folder=None)[0].kernel.length_scale == 2.0


# Trust.


def test_with_trust_any_class_is_built(whole, here):
    folder = copy_with(whole, here / "run", selector=named("crafted_local:Mine"))
    assert hf.resume(folder, n_jobs=1, trust=True).complete
    assert (here / "canary").exists()


def test_with_trust_a_result_fits_any_class(whole, here):
    document = wrapped({"function": "crafted_local:score"})
    folder = copy_with(whole, here / "run", selector=document)
    with pytest.raises(UntrustedCodeError, match=r"trust=True in hf.resume and hf.load"):
        hf.load(folder).pipeline(X, Y, chosen=PAIR)
    assert not (here / "canary").exists()
    fitted = hf.load(folder, trust=True).pipeline(X, Y, chosen=PAIR)
    assert len(fitted) == 3
    assert (here / "canary").exists()


def test_with_trust_a_function_is_still_no_class(whole, here):
    folder = copy_with(whole, here / "run", selector=OS_SYSTEM)
    with attempts() as seen, pytest.raises(StoreError, match="os:system is not a class"):
        hf.resume(folder, n_jobs=1, trust=True)
    assert not [event for event, _ in seen if event == "os.system"]


def mean_score(X, y):
    return X.mean(axis=0)


def test_own_objects_need_no_trust(tmp_path):
    study = hf.Study(
        {"mine": mean_score}, protocol=hf.Subsampling(4, 0.8), sizes=[2], classifiers=["knn3"],
        replication=0,
    )  # fmt: skip
    folder = tmp_path / "run"
    part = study.run(X, Y, out=folder, n_jobs=1, part="1/2")
    assert repr(part).endswith("result.recommend()>")
    assert part.resume_command(folder) == f"holdfast resume {folder} --trust"
    assert hf.load(folder).resume_command(folder) == f"holdfast resume {folder}"
    whole = study.run(X, Y, out=folder, n_jobs=1)
    assert whole.complete
    assert whole.pipeline(X, Y, chosen=Pair("mine", "knn3", 2))
    with pytest.raises(UntrustedCodeError, match=r"tests\.study\.test_trust:mean_score"):
        hf.resume(folder, n_jobs=1)


def test_own_objects_named_by_installed_packages_need_no_trust_to_resume(whole, tmp_path):
    folder = copy_with(whole, tmp_path / "run")
    with closing(hf.load(folder, trust=True).store) as store:
        assert hf.study.Result(store, trust=True).resume_command(folder).endswith("run")


# Reading.

NAMES = ["crafted_local:Mine", "sklearn.crafted_part:SVC", "holdfast.crafted_part:FScore",
         "holdfast.__main__:main", "antigravity:fly"]  # fmt: skip


def copy_with_name(path, whole, folder):
    """Copy a study; its selector, classifier and protocol get another import path."""
    text = json.dumps(hf.load(whole).plan).replace("holdfast.select:FScore", path)
    text = text.replace("sklearn.neighbors:KNeighborsClassifier", path)
    text = text.replace("holdfast.resample:Subsampling", path)
    assert text.count(path) == 3
    return copy_with(whole, folder, text=text)


def check_not_imported(path, seen, here):
    assert ("import", path.partition(":")[0]) not in seen
    assert not (here / "canary").exists()


@pytest.mark.parametrize("path", NAMES)
def test_tables_import_nothing_that_a_store_names(path, whole, here):
    folder = copy_with_name(path, whole, here / "run")
    with attempts() as seen:
        result = hf.load(folder)
        for table in ("stability", "running", "replication", "features", "cohorts", "errors"):
            assert getattr(result, table) is not None
        for table in ("frequencies", "predictions", "values", "resamples", "timings", "versions"):
            assert getattr(result, table) is not None
        assert len(result.running)
        assert len(result.summary())
        assert len(result.preferences["f_score", 2])
        assert repr(result)
    check_not_imported(path, seen, here)


@pytest.mark.slow
@pytest.mark.parametrize("path", NAMES)
def test_reports_merges_and_exports_import_nothing_that_a_store_names(path, whole, here):
    folder = copy_with_name(path, whole, here / "run")
    with attempts() as seen:
        result = hf.load(folder)
        assert result.recommend().pair.selector == "f_score"
        assert write_report(result, here / "report")
        assert hf.export(result, here / "tables", "csv")
        assert hf.merge([folder], here / "merged").complete
    check_not_imported(path, seen, here)


def test_the_steps_of_a_study_are_read_from_its_plan(growing, whole, here):
    assert hf.load(growing).running["resamples"].min() == 24
    for number, count in enumerate([0, -1, 10**9, "many", None, 2.5, [1]]):
        document = named("holdfast.resample:Subsampling", n_resamples=count)
        folder = copy_with(whole, here / str(number), protocol=document)
        assert hf.load(folder).running["resamples"].unique().tolist() == [4]


def test_a_message_names_only_the_first_of_many_names(whole, here):
    steps = [named(f"os:name{number}") for number in range(40)]
    folder = copy_with(whole, here / "run", classifier=named("sklearn.svm:SVC", C=steps))
    with pytest.raises(UntrustedCodeError, match="and 35 more") as error:
        hf.resume(folder, n_jobs=1)
    assert len(str(error.value)) < 1200


def test_an_import_is_never_needed_to_refuse_a_name(here):
    with attempts() as seen:
        for path in [*STANDARD_LIBRARY, *OTHERS, *LOCAL]:
            assert why_not_imported(CodeReference("class", path))
    assert not [name for event, name in seen if event == "import"]
