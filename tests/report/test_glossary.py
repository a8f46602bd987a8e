"""Words that need an explanation."""

from __future__ import annotations

from holdfast.report._glossary import TERM_MEANINGS, Terms
from tests.report.sample_report import HOSTILE


def test_terms_are_marked_once_in_a_section_whatever_their_case_and_number():
    terms = Terms(
        {"resample": "A part.", "selection frequency": "A share.", "frequency": "How often."}
    )
    mark = terms.section()
    text = mark("Resamples give a selection frequency; the resample, the frequency, presample.")
    assert text.count('class="term"') == 3
    assert ">Resamples</a>" in text
    assert ">selection frequency</a>" in text
    assert 'class="term"' not in mark("resample")
    assert 'class="term"' in terms.section()("resample")


def test_terms_and_their_meanings_are_escaped():
    marked = Terms({"a<b": '<i>"x"</i>'}).section()(f"a<b and {HOSTILE[0]}")
    assert ">a&lt;b</a>" in marked
    assert "&lt;i&gt;&#34;x&#34;&lt;/i&gt;" in marked
    assert "<script" not in marked


def test_names_are_explained_as_names_only():
    terms = Terms({"AUC": "A number.", "f_score": "A selector."}, names=["f_score"])
    marked = terms.section()("Trust \u2068AUC\u2069 by \u2068f_score\u2069: AUC, f_score \u202e.")
    assert marked.startswith("Trust <bdi>AUC</bdi> by <bdi><a ")
    assert marked.count('class="term"') == 2
    assert marked.endswith(", f_score ⟨U+202E⟩.")
    assert ">AUC</a>" in marked


def test_terms_need_not_be_links():
    marked = Terms({"knot": "A break."}, links=False).section()("a knot")
    assert "href" not in marked
    assert '<span class="term" tabindex="0" aria-describedby="tip-1">knot</span>' in marked


def test_without_a_glossary_text_is_only_escaped():
    assert Terms({}).section()("a <b>") == "a &lt;b&gt;"


def test_the_chance_of_a_feature_is_not_explained_as_the_chance_level():
    mark = Terms(TERM_MEANINGS).section()
    assert "at random" not in mark("the chance that it is found again, and other chances")
    assert "at random" in mark("next to its chance level")
