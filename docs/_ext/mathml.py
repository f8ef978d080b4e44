"""Maths as MathML, which browsers draw themselves: pages need no script from elsewhere."""

from docutils import nodes
from latex2mathml.converter import convert


def inline(self, node):
    self.body.append(mathml(node, "inline"))
    raise nodes.SkipNode


def display(self, node):
    # not of class "math", which the theme lays out for MathJax; wide formulas scroll
    style = "overflow-x: auto; padding: 0.4em 0; text-align: center"
    self.body.append(f'<div class="formula" style="{style}">{mathml(node, "block")}</div>\n')
    raise nodes.SkipNode


def mathml(node, how):
    """The formula of a node; a command that has no translation is an error of the build."""
    made = convert(node.astext(), display=how).replace("\\_", "_")
    if "\\" in made:
        raise ValueError(f"no MathML for {node.astext()!r}")
    return made


def setup(app):
    app.add_html_math_renderer(
        "mathml", inline_renderers=(inline, None), block_renderers=(display, None)
    )
    app.config.html_math_renderer = "mathml"
    return {"parallel_read_safe": True, "parallel_write_safe": True}
