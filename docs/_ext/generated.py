"""Pages that are written from the code: the table of measures, their docstrings, help texts."""

import inspect
import math
from pathlib import Path

import click
import reproduction

import holdfast as hf
from holdfast.cli import main
from holdfast.measures import REFERENCES, get_measure
from holdfast.resample import get_protocol
from holdfast.select import get_selector
from holdfast.study import CLASSIFIERS

FOLDER = Path(__file__).parents[1] / "_generated"
_FORMS = {
    "subset": "Subsets",
    "ranking": "Rankings (weights are ranked for you)",
    "weights": "Weights",
    "groups": "Groups",
}
_SIZE_BIAS = {True: "yes", False: "no", None: ""}


def records():
    return [get_measure(name) for name in hf.list_measures().index]


def _bound(value):
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    return f"{value:g}".replace("-", "−")


def _range(record):
    return f"{_bound(record.minimum)} to {_bound(record.maximum)}"


def _corrected(record):
    if record.corrected:
        return "yes"
    return "on request" if "corrected" in record.options else "no"


def _options(record):
    return sorted(record.options)


def _code(names):
    return ", ".join(f"`{name}`" for name in names)


def _cited(record):
    return "; ".join(f"[{REFERENCES[key].short}](#ref-{key})" for key in record.references)


def _table(header, rows):
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def measure_table():
    """One row a measure; every name leads to its section in the reference."""
    header = [
        "Measure",
        "Form",
        "Range",
        "Corrected",
        "Distance",
        "Focus",
        "Registers",
        "Size-biased",
        "Needs",
        "From",
    ]
    rows = [
        [
            f"[`{record.name}`](#measure-{record.name})<br>{record.title}",
            record.form,
            _range(record),
            _corrected(record),
            "yes" if record.distance else "",
            record.focus or "",
            record.registers or "",
            _SIZE_BIAS[record.size_biased],
            _code(sorted(record.needs)),
            _cited(record),
        ]
        for record in records()
    ]
    return _table(header, rows)


def _facts(record):
    direction = "lower is more stable" if record.distance else "higher is more stable"
    facts = {
        "Takes": _FORMS[record.form],
        "Range": f"{_range(record)}; {direction}",
        "Corrected for chance": _corrected(record),
        "Focus": record.focus or "",
        "Registers": record.registers or "",
        "Size-biased": _SIZE_BIAS[record.size_biased],
        "Needs": _code(sorted(record.needs)),
        "Options": _code(_options(record)),
        "Other names": _code(record.aliases),
        "Identical preferences": record.identical,
        "From": "  \n".join(f"[{REFERENCES[k].full}](#ref-{k})" for k in record.references),
    }
    return "\n\n".join(f"{term}\n: {text}" for term, text in facts.items() if text)


def measure_section(record):
    """What the record says, then the docstring."""
    from numpydoc.docscrape_sphinx import SphinxDocString

    text = str(SphinxDocString(inspect.getdoc(record.function), config={}))
    return (
        f"(measure-{record.name})=\n## {record.name}\n\n**{_capital(record.title)}**\n\n"
        f"````{{eval-rst}}\n{text}\n````\n\n{_facts(record)}\n"
    )


def _capital(text):
    return text[:1].upper() + text[1:]


def measure_sections():
    return "\n".join(measure_section(record) for record in records())


def selector_records():
    return [get_selector(name) for name in hf.list_selectors().index]


def _also(record):
    return f"<br>also {_code(record.aliases)}" if record.aliases else ""


def selector_table():
    """One row a selector; every class leads to its section in the reference."""
    header = ["Name", "Class", "Gives", "Missing values", "Sparse", "From"]
    rows = [
        [
            f"`{record.name}`<br>{record.title}{_also(record)}",
            f"{{py:class}}`{record.kind.__name__} <holdfast.{record.kind.__name__}>`",
            record.gives,
            "yes" if record.missing else "",
            "yes" if record.sparse else "",
            _cited(record),
        ]
        for record in selector_records()
    ]
    return _table(header, rows)


def selector_sections():
    """The documentation of every selector class, and of the methods that are holdfast's own."""
    return "\n".join(
        f"```{{eval-rst}}\n.. currentmodule:: holdfast\n\n.. autoclass:: {record.kind.__name__}\n"
        "```\n"
        for record in selector_records()
    )


def protocol_records():
    return [get_protocol(name) for name in hf.list_protocols().index]


def protocol_table():
    """One row a protocol; every class leads to its documentation."""
    header = ["Name", "Class", "Estimates", "A sample is tested", "Overlap", "Used by"]
    rows = [
        [
            f"`{record.name}`<br>{record.title}",
            f"{{py:class}}`{record.kind.__name__} <holdfast.{record.kind.__name__}>`",
            record.estimates,
            record.tested,
            record.overlap,
            _cited(record),
        ]
        for record in protocol_records()
    ]
    return _table(header, rows)


def protocol_sections():
    """The documentation of every protocol class."""
    return "\n".join(
        f"```{{eval-rst}}\n.. currentmodule:: holdfast\n\n.. autoclass:: {record.kind.__name__}\n"
        "   :members: description, estimates, training_overlap\n```\n"
        for record in protocol_records()
    )


def classifier_table():
    """One row a classifier that goes by name."""
    header = ["Name", "What it is", "Class"]
    rows = [
        [f"`{record.name}`", record.title, f"`{_home(record.kind)}`"]
        for record in CLASSIFIERS.values()
    ]
    return _table(header, rows)


def _home(kind):
    """Return where scikit-learn's users import a class from."""
    return ".".join([*kind.__module__.split(".")[:2], kind.__name__])


def bibliography():
    """All references, by author."""
    ordered = sorted(REFERENCES.items(), key=lambda item: item[1].short.casefold())
    return "\n".join(
        f"(ref-{key})=\n## {reference.short}\n\n{reference.full}\n\n{_used_by(key)}\n"
        for key, reference in ordered
    )


def _used_by(key):
    users = [record.name for record in records() if key in record.references]
    links = [f"[`{name}`](#measure-{name})" for name in users]
    links += [
        f"{{py:class}}`holdfast.{record.kind.__name__}`"
        for record in [*selector_records(), *protocol_records()]
        if key in record.references
    ]
    return f"Behind: {', '.join(links)}." if links else ""


def _commands(command, path):
    """Yield all commands with the words that call them."""
    context = click.Context(command, info_name=path)
    yield path, command.get_help(context)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            yield from _commands(command.get_command(context, name), f"{path} {name}")


def command_help():
    return "\n".join(
        f"### `{path}`\n\n```text\n{text}\n```\n" for path, text in _commands(main, "holdfast")
    )


def write(*_):
    FOLDER.mkdir(exist_ok=True)
    pages = {
        "measure_table.md": measure_table,
        "measure_sections.md": measure_sections,
        "selector_table.md": selector_table,
        "selector_sections.md": selector_sections,
        "protocol_table.md": protocol_table,
        "protocol_sections.md": protocol_sections,
        "classifier_table.md": classifier_table,
        "bibliography.md": bibliography,
        "command_help.md": command_help,
        "reproduction.md": reproduction.results,
    }
    for name, make in pages.items():
        path, text = FOLDER / name, make()
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def setup(app):
    app.connect("builder-inited", write)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
