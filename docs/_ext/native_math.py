"""Math as MathML, which browsers draw themselves: no script, no font and no network needed."""

import re

from docutils import nodes
from latex2mathml.converter import convert

# what the converter takes for letters although they are signs, and bars without the gaps of a sign
_SIGNS = {
    "<mi>&#x029F5;</mi>": "<mo>&#x2216;</mo>",
    "<mi>&#x02032;</mi>": "<mo>&#x2032;</mo>",
    "<mi>&#x02308;</mi>": '<mo stretchy="false">&#x2308;</mo>',
    "<mi>&#x02309;</mi>": '<mo stretchy="false">&#x2309;</mo>',
    '<mo stretchy="false">&#x0007C;</mo>': (
        '<mo stretchy="false" lspace="0" rspace="0">&#x0007C;</mo>'
    ),
}
_UPRIGHT = re.compile(r"\\mathrm\{([^{}]*)\}")


def to_mathml(latex, display):
    text = _UPRIGHT.sub(r"\\text{\1}", " ".join(latex.split()))
    mathml = convert(text, display=display)
    for wrong, right in _SIGNS.items():
        mathml = mathml.replace(wrong, right)
    return mathml


def visit_inline(translator, node):
    translator.body.append(to_mathml(node.astext(), "inline"))
    raise nodes.SkipNode


def visit_block(translator, node):
    translator.body.append(translator.starttag(node, "div", CLASS="math-block"))
    translator.body.append(to_mathml(node.astext(), "block"))
    translator.body.append("</div>\n")
    raise nodes.SkipNode


def setup(app):
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
