"""All undocumented names of SCons that the tool uses, and a check that the running SCons has them.

The other modules of this package, and `site_scons`, use documented names only; `tests/unit/scons/test_compat.py` checks
that.  With a SCons of another major version, or one without one of these names, the first call of the tool fails with
an error that says so.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterable
from typing import Any

import SCons
import SCons.Action
import SCons.Errors
import SCons.Node
import SCons.Node.Alias
import SCons.Node.FS
import SCons.SConsign
import SCons.Script
import SCons.Script.Main
import SCons.Taskmaster
import SCons.Tool

from hlsl_tool.base.system.atomic_write import remove_tree

Node = Any
"""SCons has no types."""

OLDEST, NEWEST = (4, 5), (5, 0)
"""Supported versions: from the first, below the second."""

_REQUIRED = (
    "Node.Alias.AliasNodeInfo",
    "Node.Alias.default_ans",
    "Node.FS.RootDir._lookup_abs",
    "Node.FS.Dir.get_all_rdirs",
    "Node.FS._my_normcase",
    "Node.Node._children_reset",
    "Node.arg2nodes_lookups",
    "Script.Main.BuildTask",
    "Script.Main.CleanTask.fs_delete",
    "Script.Main.display",
    "Script.Main.QuestionTask",
    "Taskmaster.Taskmaster.stop",
    "Tool.DefaultToolpath",
)


def check_version() -> None:
    """Raise SCons's UserError if the running SCons is not supported."""
    version = tuple(int(part) for part in SCons.__version__.split(".")[:2] if part.isdigit())
    if not OLDEST <= version < NEWEST:
        supported = f"{'.'.join(map(str, OLDEST))} or later, below {'.'.join(map(str, NEWEST))}"
        raise SCons.Errors.UserError(f"hlsl_tool needs SCons {supported}; this is SCons {SCons.__version__}")
    missing = [name for name in _REQUIRED if not _has(name)]
    if not all(hasattr(top, "_lookupDict") for top in _roots()):
        missing.append("Node.FS.RootDir._lookupDict")
    if missing:
        names = ", ".join(f"SCons.{name}" for name in missing)
        raise SCons.Errors.UserError(f"hlsl_tool does not support SCons {SCons.__version__}: it has no {names}")


def _has(name: str) -> bool:
    owner: Any = SCons
    for part in name.split("."):
        if not hasattr(owner, part):
            return False
        owner = getattr(owner, part)
    return True


# ---- the tool


def add_tool_folder(folder: str) -> None:
    """Make `Environment(tools=[…])` also search this folder for tools, like `site_scons/site_tools`."""
    if folder not in SCons.Tool.DefaultToolpath:
        SCons.Tool.DefaultToolpath.append(folder)


def add_lookup(lookup: Callable[..., Node | None]) -> None:
    """Make SCons call ``lookup(name, curdir=…)`` for the node of a target before it looks for a file of that name."""
    SCons.Node.arg2nodes_lookups.append(lookup)


# ---- one run


def watch_building(
    begin: Callable[[list[Node]], None], clean: Callable[[list[Node]], list[Node]], stopping: threading.Event
) -> None:
    """Call ``begin`` with the targets when SCons starts to build; set ``stopping`` when it stops.

    When SCons starts to remove targets (`scons -c`), it removes the nodes that ``clean`` returns for them.  SCons has
    no hooks for these events.  An action that builds many shaders must know that SCons is stopping.
    """
    taskmaster = SCons.Taskmaster.Taskmaster
    init, stop = taskmaster.__init__, taskmaster.stop
    kinds = (SCons.Script.Main.BuildTask, SCons.Script.Main.QuestionTask)

    def begun(self: Any, targets: Any = (), tasker: Any = None, *more: Any, **named: Any) -> None:
        targets = list(targets)
        if tasker is not None and issubclass(tasker, kinds):  # else it is a test of Configure(), or files are removed
            begin(targets)
        elif tasker is not None and issubclass(tasker, SCons.Script.Main.CleanTask):
            targets = clean(targets)
        init(self, targets, tasker, *more, **named)

    def stopped(self: Any) -> None:
        stopping.set()
        stop(self)

    taskmaster.__init__, taskmaster.stop = begun, stopped


def is_interactive() -> bool:
    """Return whether SCons was started with `--interactive`, so that one process runs several builds."""
    return bool(SCons.Node.interactive)


def generates_ninja() -> bool:
    """Return whether SCons's experimental tool `ninja` is active.

    SCons then writes a ninja file, and ninja instead of SCons determines which targets are out of date.
    """
    names = ("SCons.Tool.ninja", "SCons.Tool.ninja_tool")
    states = [getattr(sys.modules.get(name), "NINJA_STATE", None) for name in names]
    return any(states) and not SCons.Script.GetOption("disable_ninja")


def ignore_defaults() -> None:
    """Make `Default()` add no targets, as if the command line had named some."""
    targets = SCons.Script.BUILD_TARGETS
    if hasattr(targets, "_do_nothing"):  # else default targets are built, too
        targets._add_Default = targets._do_nothing


def database_paths() -> tuple[str, str]:
    """Return the two paths under which SCons may have written its database."""
    name = str(getattr(SCons.SConsign, "DB_Name", ".sconsign"))
    path = os.path.join(SCons.Node.FS.get_default_fs().Top.get_abspath(), name)
    return path, path + ".dblite"


def name_in_one_line(folders: Iterable[str], below: str) -> None:
    """Make `scons -c` print one line for each folder in ``folders`` that it removes, not one for each file in it.

    Nothing outside of the folder ``below`` is removed, even if a symbolic link leads out of it.
    """
    if not _named_in_one_line:
        task = SCons.Script.Main.CleanTask
        delete = task.fs_delete

        def shortened(self: Any, path: str, pathstr: str, remove: bool = True) -> None:
            if os.path.normpath(path) not in _named_in_one_line or not os.path.isdir(path) or os.path.islink(path):
                delete(self, path, pathstr, remove)
                return
            try:
                count = sum(len(files) for _, _, files in os.walk(path))
                if remove:
                    remove_tree(path, below=_named_in_one_line[os.path.normpath(path)])
            except OSError as error:
                SCons.Script.Main.display(f"scons: Could not remove '{pathstr}': {error.strerror}")
            else:
                SCons.Script.Main.display(f"Removed directory {pathstr} ({count} files)")

        task.fs_delete = shortened
    _named_in_one_line.update(dict.fromkeys(map(os.path.normpath, folders), below))


_named_in_one_line: dict[str, str] = {}
"""Folder → the folder that it may not leave by a link."""


# ---- nodes

AliasInfo = SCons.Node.Alias.AliasNodeInfo
"""Class of the data that SCons stores about an alias."""


def known_alias(name: str) -> Node | None:
    """Return the alias with this name if a SConscript has created one, else `None`."""
    return SCons.Node.Alias.default_ans.lookup(name)


def reset_children(node: Node) -> None:
    """Make SCons collect the children of a node again, after its implicit dependencies have changed."""
    node._children_reset()


def source_folders(folder: Node) -> list[str]:
    """Return the source folders of a folder: its counterpart without the variant directory, also in repositories."""
    return [str(place.get_abspath()) for place in folder.srcnode().get_all_rdirs()]


def lookup_key(path: str) -> str:
    """Return the key of an absolute path in SCons's dictionary of nodes."""
    key: str = SCons.Node.FS._my_normcase(os.path.splitdrive(path)[1].replace(os.sep, "/"))
    return key


def _roots() -> Iterable[Node]:
    """Return the root nodes of the file system: one for each drive that SCons has accessed."""
    roots: Iterable[Node] = SCons.Node.FS.get_default_fs().Root.values()
    return roots


def root_of(path: str) -> Node:
    """Return the root node of the drive of an absolute path."""
    return SCons.Node.FS.get_default_fs().get_root(os.path.splitdrive(path)[0])


def path_nodes(root: Node) -> dict[str, Node]:
    """Return SCons's dictionary of nodes below a root: key (`lookup_key`) → node."""
    nodes: dict[str, Node] = root._lookupDict
    return nodes


def replace_path_nodes(root: Node, nodes: dict[str, Node]) -> None:
    """Replace SCons's dictionary of nodes (see `path_nodes`)."""
    root._lookupDict = nodes


def all_path_nodes() -> Iterable[Node]:
    """Return the nodes of all files and folders that SCons knows."""
    return (node for root in _roots() for node in path_nodes(root).values())


def existing_node(path: str) -> Node | None:
    """Return the node of an absolute path, or `None`; never create one."""
    drive = os.path.splitdrive(path)[0]
    root = SCons.Node.FS.get_default_fs().Root.get(drive)
    return path_nodes(root).get(lookup_key(path)) if root is not None else None


def folder_below(root: Node, path: str) -> Node:
    """Return the node of a folder, given by its path without the drive."""
    return root._lookup_abs(path, SCons.Node.FS.Dir)


def is_plain_folder(node: Node) -> bool:
    """Return whether the node of a folder has SCons's own class, not a derived one."""
    return type(node) is SCons.Node.FS.Dir


def change_class(node: Node, kind: type) -> None:
    """Change the class of an existing node, which cannot be replaced because SCons compares nodes by identity."""
    node.__class__ = kind


class ConstantAction(SCons.Action.FunctionAction):  # type: ignore[misc]  # SCons has no types
    """An action whose signature is constant.

    SCons signs a Python function by its byte code: another version of Python, or an edited line, would rebuild
    everything.  Each target depends on Values instead, which determine the outputs.
    """

    def get_presig(self, target: Any, source: Any, env: Any, executor: Any = None) -> bytes:
        """Return a constant instead of the byte code."""
        return b"hlsl_tool"

    def get_varlist(self, target: Any, source: Any, env: Any, executor: Any = None) -> tuple[str, ...]:
        """Return no construction variables: none is part of the signature."""
        return ()
