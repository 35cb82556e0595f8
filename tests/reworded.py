"""A plugin of pytest that rewords every sentence of the gate, the drives and their common ground.

`safety`, `drives` and `hil_common` are reworded as they are imported.

    pytest -p reworded tests/operated

A sentence is a text with a space in it, outside docstrings. Its words are turned round, and others
come before them; numbers, names in capitals and what is filled in stay. Whoever decides by a word
of theirs decides otherwise.
"""

import ast
import importlib.abc
import importlib.machinery
import re
import sys

PACKAGES = ("safety", "drives", "hil_common")
BEGUN = "~ "
"""What all begin with."""


class Reword(ast.NodeTransformer):
    """Turns the words of sentences round."""

    def visit_Expr(self, node):
        return node if isinstance(node.value, ast.Constant) else self.generic_visit(node)

    def visit_Constant(self, node):
        if isinstance(node.value, str) and " " in node.value:
            node.value = BEGUN + reworded(node.value)
        return node

    def visit_JoinedStr(self, node):
        texts = [one for one in node.values if isinstance(one, ast.Constant)]
        if any(" " in one.value for one in texts):
            for one in texts:
                one.value = reworded(one.value)
            node.values.insert(0, ast.Constant(BEGUN))
        for one in node.values:
            if isinstance(one, ast.FormattedValue):
                self.visit(one.value)
        return node


def reworded(text):
    """Return a sentence in other words."""
    return re.sub(r"[a-z]{2,}", lambda word: f"{word[0][::-1]}q", text)


class Loader(importlib.machinery.SourceFileLoader):
    """Loads a module with its sentences reworded; what is kept compiled is not used."""

    def get_code(self, fullname):
        path = self.get_filename(fullname)
        tree = Reword().visit(ast.parse(self.get_data(path)))
        return compile(ast.fix_missing_locations(tree), path, "exec", dont_inherit=True)


class Finder(importlib.abc.MetaPathFinder):
    """Finds the modules of the packages."""

    def find_spec(self, fullname, path, target=None):
        if fullname.partition(".")[0] not in PACKAGES:
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path)
        if spec is not None and spec.origin is not None and spec.origin.endswith(".py"):
            spec.loader = Loader(fullname, spec.origin)
        return spec


sys.meta_path.insert(0, Finder())
