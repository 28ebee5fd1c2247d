"""Replace the compiler by a fake one, in every Python process that has this folder on PYTHONPATH.

The tests check what a build rebuilds and when, with thousands of compilations, which must therefore be fast.  The
preprocessor is the real one.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FAKES = {
    "hlsl_tool.compiler.compile": "fake_compile.py",
    "hlsl_tool.compiler.loading": "fake_loading.py",
    "hlsl_tool.compiler.result": "fake_result.py",
    "hlsl_tool.reflection.emit_json": "fake_reflect.py",
    "hlsl_tool.reflection.linking.stage_interfaces": "fake_stages.py",
    "hlsl_tool.project.build.currency.toolchain": "fake_toolchain.py",
}


class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, fullname, path=None, target=None):
        name = FAKES.get(fullname)
        if name is None:
            return None
        return importlib.util.spec_from_file_location(fullname, os.path.join(HERE, name))


sys.meta_path.insert(0, Finder())
