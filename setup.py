"""What pyproject.toml cannot say: the packages, and a file among SCons's own tools, so that `Tool('hlsl')` finds it."""

from setuptools import find_packages, setup

setup(
    packages=[*find_packages(include=["hlsl_tool*"]), "SCons.Tool"],
    package_dir={"SCons.Tool": "site_scons/site_tools"},
)
