"""Create the nodes of outputs when SCons, or a SConscript, looks one of them up.

This is for calls of `HlslShaders` whose shaders share one node. SCons finds files and folders in dictionaries: one of
all paths, and one of the entries of each folder. In the output folder of such a call, both dictionaries create the node
of an output at its first lookup. So `File`, `Glob`, scanners of C++ and targets on the command line find all outputs,
and a build that looks none up has no cost.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import SCons.Node
import SCons.Node.FS
from SCons.Util import NodeList

from hlsl_tool.base.system.file_names import MANIFEST_NAME
from hlsl_tool.scons.compat import (
    change_class,
    folder_below,
    is_plain_folder,
    lookup_key,
    path_nodes,
    replace_path_nodes,
    root_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from hlsl_tool.project.build.job import Job
    from hlsl_tool.project.build.outputs.links import LinkJob
    from hlsl_tool.project.build.outputs.packs import PackJob
    from hlsl_tool.scons.model import Tree

Node = Any
"""SCons has no types."""

IN_FOLDER = "\0shaders"
"""Name of an entry of a folder: the set of the outputs that have no nodes; it sorts before all names."""


class OutputFolder(SCons.Node.FS.Dir):  # type: ignore[misc]  # SCons has no types
    """The node of a folder that contains outputs.

    If a target has the folder as a source, the target depends on the node of each output in the folder.
    """

    __slots__ = ()

    def get_found_includes(self, env: Any, scanner: Any, path: Any) -> list[Node]:
        """Create the nodes of all outputs below the folder, and return all nodes below it."""
        if isinstance(self.entries, Entries):
            for index in self.entries.indexes:
                index.make_below(self.entries.key)
        nodes: list[Node] = super().get_found_includes(env, scanner, path)
        return nodes


class Paths(dict):  # type: ignore[type-arg]
    """A replacement for SCons's dictionary path → node that creates the nodes of outputs at their first lookup."""

    def __init__(self, nodes: dict[str, Node]) -> None:
        super().__init__(nodes)
        self.indexes: list[OutputIndex] = []

    def __missing__(self, key: str) -> Node:
        for index in self.indexes:
            if key.startswith(index.prefix):
                node = index.make(key)
                if node is not None:
                    return node
        raise KeyError(key)


class Entries(dict):  # type: ignore[type-arg]
    """A replacement for SCons's dictionary of a folder's entries that creates nodes of outputs at first lookup."""

    def __init__(self, nodes: dict[str, Node], key: str) -> None:
        super().__init__(nodes)
        self.key = key
        self.indexes: list[OutputIndex] = []
        self.full: set[OutputIndex] = set()
        """The indexes whose outputs in this folder all have nodes."""

    def __missing__(self, name: str) -> Node:
        if name.startswith(IN_FOLDER):
            return self.indexes[int(name.removeprefix(IN_FOLDER))].tree.folder_set(self.key)
        for index in self.indexes:
            node = index.make(f"{self.key}/{name}")
            if node is not None:
                return node
        raise KeyError(name)

    def fill(self) -> None:
        """Create a node for each output, and folder of outputs, in this folder."""
        for index in self.indexes:
            if index not in self.full:
                self.full.add(index)
                for name in index.names_in(self.key):
                    index.make(f"{self.key}/{name}")

    def keys(self) -> Any:
        """Return the names of the folder's entries that have nodes, for SCons to walk.

        For each call of `HlslShaders` with outputs in this folder that lack nodes, the list has a placeholder, a name
        that starts with `IN_FOLDER`.
        """
        rest = [f"{IN_FOLDER}{number}" for number, index in enumerate(self.indexes) if index not in self.full]
        return [*rest, *self]

    def items(self) -> Any:
        """Create the nodes of all outputs, for `Glob`, and return all (name, node) pairs."""
        self.fill()
        return super().items()

    def values(self) -> Any:
        """Create the nodes of all outputs, and return all nodes."""
        self.fill()
        return super().values()


class OutputIndex:
    """The outputs of one call of `HlslShaders`, by their keys in SCons's dictionaries of nodes."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.key = lookup_key(tree.folder)
        self.prefix = self.key.rstrip("/") + "/"
        self.root: Node = None
        self.lock = threading.RLock()
        self.begun = {self.prefix + lookup_key(MANIFEST_NAME)}
        """Keys of which a node has been made, or is being made."""

    @cached_property
    def files(self) -> dict[str, Job | LinkJob | PackJob]:
        plan = self.tree.plan
        items: dict[str, Job | LinkJob | PackJob] = {
            self._key(path): job for job in plan.jobs for path in job.targets.values()
        }
        items.update({self._key(item.target): item for item in plan.collected})
        return items

    @cached_property
    def folders(self) -> dict[str, str]:
        """Key → path in its original case, of every folder that contains outputs."""
        root = self.tree.root.replace(os.sep, "/")
        paths: dict[str, str] = {}
        plan = self.tree.plan
        targets = [*(job.main_target for job in plan.jobs), *(item.target for item in plan.collected)]
        for target in targets:
            folder = target.rpartition("/")[0]
            while folder:
                path = os.path.splitdrive(os.path.normpath(f"{root}/{folder}").replace(os.sep, "/"))[1]
                key = lookup_key(path)
                if key in paths or not key.startswith(self.prefix):
                    break
                paths[key] = path
                folder = folder.rpartition("/")[0]
        return paths

    def _key(self, target: str) -> str:
        return lookup_key(os.path.normpath(os.path.join(self.tree.root, target)))

    @cached_property
    def _names(self) -> dict[str, list[str]]:
        names: dict[str, list[str]] = {}
        for key in (*self.files, *self.folders):
            folder, _, name = key.rpartition("/")
            names.setdefault(folder, []).append(name)
        return names

    def names_in(self, key: str) -> list[str]:
        """Return the names of the outputs, and of the folders with outputs, in a folder."""
        return self._names.get(key, [])

    # ---- nodes

    def install(self) -> None:
        """Make SCons find the outputs.

        Nodes that SConscripts have already created for them become nodes of shaders.
        """
        self.root = root_of(self.tree.folder)
        paths = path_nodes(self.root)
        if not isinstance(paths, Paths):
            paths = Paths(paths)
            replace_path_nodes(self.root, paths)
        before = [(key, node) for key, node in paths.items() if key.startswith(self.prefix)]
        paths.indexes.append(self)
        self._adopt(self.key, SCons.Node.FS.get_default_fs().Dir(self.tree.folder))
        for key, node in before:
            if key in self.begun:
                continue
            if key in self.files:
                self.make(key)
            elif key in self.folders:
                node.must_be_same(SCons.Node.FS.Dir)
                self.begun.add(key)
                self._adopt(key, node)

    def _adopt(self, key: str, folder: Node) -> None:
        if is_plain_folder(folder):
            change_class(folder, OutputFolder)
        if not isinstance(folder.entries, Entries):
            folder.entries = Entries(folder.entries, key)
        if self not in folder.entries.indexes:
            folder.entries.indexes.append(self)

    def make(self, key: str) -> Node | None:
        """Return the node of a path, creating it if the path is an output or a folder with outputs; else `None`."""
        with self.lock:
            if key not in self.begun:
                if key in self.files:
                    self.begun.add(key)
                    self.tree.declare_output(self.files[key])
                elif key in self.folders:
                    self.begun.add(key)
                    folder = folder_below(self.root, self.folders[key])
                    self._adopt(key, folder)
            return path_nodes(self.root).get(key)

    def make_below(self, key: str) -> None:
        """Create the node of each output below a folder."""
        for path in [*self.files, *self.folders]:
            if path.startswith(key.rstrip("/") + "/"):
                self.make(path)
        for folder in (key, *self.folders):
            if folder == key or folder.startswith(key.rstrip("/") + "/"):
                node = path_nodes(self.root).get(folder)
                if node is not None and isinstance(node.entries, Entries):
                    node.entries.full.add(self)


class LazyNodes(NodeList):  # type: ignore[misc]
    """A list of nodes that are created when the list is first used.  Lists derived from it are ordinary lists."""

    def __init__(self, nodes: Iterable[Node] = (), *, load: Callable[[], list[Node]] | None = None) -> None:
        self.load = load
        if load is None:
            self.data = list(nodes)

    def __getattr__(self, name: str) -> Any:
        if name == "data" and self.load is not None:
            self.data = self.load()
            return self.data
        if name.startswith("__"):  # pickle and copy ask for methods
            raise AttributeError(name)
        return NodeList([getattr(node, name) for node in self.data])

    def __copy__(self) -> NodeList:
        return NodeList(self.data)

    copy = __copy__
