"""The SVG of a picture: one element, equal bytes, own identifiers, words for readers."""

import base64
import hashlib
import re
import subprocess
import sys
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import holdfast as hf
from holdfast import plot
from holdfast.errors import InvalidInputError
from holdfast.plot._picture import clean_svg
from tests.plot.tables import SVG, all_pictures, frequency_table, nasty

ID = re.compile(r'\bid="([^"]*)"')


@pytest.mark.slow
def test_equal_numbers_give_equal_bytes():
    first, second = (all_pictures(nasty(6)) for _ in range(2))
    for kind, picture in first.items():
        assert picture.svg() == picture.svg() == second[kind].svg(), kind


@pytest.mark.integration
def test_equal_numbers_give_equal_bytes_in_another_process():
    code = (
        "import hashlib; from tests.plot.tables import all_pictures; print(hashlib.sha256("
        "''.join(p.svg() for p in all_pictures(['a', 'b']).values()).encode()).hexdigest())"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    here = "".join(picture.svg() for picture in all_pictures(["a", "b"]).values())
    assert run.stdout.strip() == hashlib.sha256(here.encode()).hexdigest()


@pytest.mark.slow
def test_identifiers_are_unique_on_a_page_with_all_pictures():
    page = [picture.svg() for picture in all_pictures([f"s{i}" for i in range(6)]).values()]
    names = [name for svg in page for name in ID.findall(svg)]
    assert len(set(names)) == len(names) > len(page)
    assert all(re.fullmatch(r"hf[0-9a-f]{10}-[\w.-]+", name) for name in names)


@pytest.mark.slow
def test_references_lead_to_elements_of_the_same_picture():
    for kind, picture in all_pictures(["a", "b", "c"]).items():
        root = ET.fromstring(picture.svg())
        ids = {element.get("id") for element in root.iter()} - {None}
        used = set()
        for element in root.iter():
            used |= set(re.findall(r"url\(#([^)]*)\)", str(element.attrib)))
            used |= {element.get("href", "")[1:]} if element.tag == f"{SVG}use" else set()
        used |= set(root.get("aria-labelledby").split())
        assert used == ids, kind


def test_title_and_description_are_for_screen_readers_and_escaped():
    picture = plot.upset({"<script>": ["x"], "a & b": ["x", "y"]})
    svg = picture.svg()
    root = ET.fromstring(svg)
    assert root.get("role") == "img"
    assert root.find(f"{SVG}title").text == picture.title
    assert root.find(f"{SVG}desc").text == picture.description
    assert "<script>" in picture.description
    assert "&lt;script&gt;" in svg
    assert "<script>" not in svg


def test_it_is_one_element_that_scales_and_names_no_program():
    svg = plot.frequencies(frequency_table(["a", "b"])).svg()
    root = ET.fromstring(svg)
    assert root.tag == f"{SVG}svg"
    assert root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}"
    assert not re.search("matplotlib|metadata|<style|<!DOCTYPE|<\\?xml|Date", svg, re.IGNORECASE)


def test_text_is_text_in_fonts_of_the_reader():
    svg = plot.frequencies(frequency_table(["a", "b"])).svg()
    root = ET.fromstring(svg)
    assert root.get("font-family").endswith("sans-serif")
    assert svg.count("font-family") == 1
    words = ["".join(element.itertext()) for element in root.iter(f"{SVG}text")]
    assert "share of resamples that select it, %" in words


def test_names_that_look_like_markup_stay_as_they_are():
    name = ' id="m1" href="#m1" url(#m1)'
    root = ET.fromstring(plot.frequencies(frequency_table([name])).svg())
    words = ["".join(element.itertext()) for element in root.iter(f"{SVG}text")]
    assert name.strip() in words


def test_the_page_shows_through_unless_asked_otherwise():
    picture = plot.upset({"a": ["x"]}, style="dark")
    paper = plot.DARK["paper"]
    assert f"fill:{paper}" not in picture.svg()
    assert f"fill:{paper}" in picture.svg(background=True)
    assert picture._repr_svg_() == picture.svg(background=True)


def test_rounding_keeps_coordinates_to_a_hundredth():
    text = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="10pt" height="5pt" viewBox="0 0 10 5">'
        '<g id="a"><path d="M 1.23456 -0.001 L 7 8.999" style="stroke-width: 0.25"/></g></svg>'
    )
    svg = clean_svg(text, "t", "d")
    assert 'd="M 1.23 0 L 7 9"' in svg
    assert 'style="stroke-width:0.25"' in svg
    assert "<g" not in svg


def test_rectangles_are_written_by_their_edges():
    text = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="10pt" height="5pt" viewBox="0 0 10 5">'
        '<path d="M 1.001 2 L 3 2 L 3 4.5 L 1 4.5 z M 5 2 L 7 2 L 7 4 L 5 4 z"/>'
        '<path d="M 1 2 L 3 2 L 4 4 L 1 4 z"/></svg>'
    )
    svg = clean_svg(text, "t", "d")
    assert 'd="M1 2H3V4.5H1zM5 2H7V4H5z"' in svg
    assert 'd="M 1 2 L 3 2 L 4 4 L 1 4 z"' in svg


@pytest.mark.slow
def test_pictures_are_saved_by_their_ending(tmp_path):
    picture = plot.upset({"a": ["x"]})
    for ending, start in (("svg", b"<svg"), ("png", b"\x89PNG"), ("pdf", b"%PDF")):
        path = picture.save(tmp_path / f"picture.{ending}")
        assert path.read_bytes().startswith(start)
        before = path.read_bytes()
        assert picture.save(path).read_bytes() == before
    with pytest.raises(InvalidInputError, match=r"saved as \.svg, \.png, \.pdf"):
        picture.save(tmp_path / "picture.doc")


def test_many_marks_are_one_image_and_few_are_shapes():
    random = np.random.default_rng(0)
    many = hf.Subsets([random.choice(5000, 60, replace=False) for _ in range(60)], n_features=5000)
    root = ET.fromstring(plot.stripes(many).svg())
    (image,) = root.iter(f"{SVG}image")
    kind, _, data = image.get("href").partition(",")
    assert kind == "data:image/png;base64"
    assert base64.b64decode(data).startswith(b"\x89PNG")
    few = plot.stripes(many[:3]).svg()
    assert "<image" not in few
