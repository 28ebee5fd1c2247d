"""Choose the store of a build: by the command line, else the environment, else the configuration.

`none`; `project` (a folder in the project's root, the default); `build` (a folder below the output folder); `user` (one
folder for all projects of a user); any other folder; or an address (`http://cache:8080`).  Several are queried in
order, folders before servers, so that a server is only queried for results that the folders lack.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence

from hlsl_tool.base.system.dataclass import dataclass
from hlsl_tool.base.system.paths import absolute
from hlsl_tool.base.system.user_folder import user_folder
from hlsl_tool.project.build.store.backend import Backend
from hlsl_tool.project.build.store.directory import DEFAULT_SIZE, Directory
from hlsl_tool.project.build.store.results import Store
from hlsl_tool.project.config.permutation import Project
from hlsl_tool.project.config.secrets import SecretAddress, concealed
from hlsl_tool.project.config.trust import is_on, is_trusted

VARIABLE = "HLSL_TOOL_STORE"
SIZE_VARIABLE = "HLSL_TOOL_STORE_SIZE"
READ_ONLY_VARIABLE = "HLSL_TOOL_STORE_READ_ONLY"
TEXTS_VARIABLE = "HLSL_TOOL_STORE_TEXTS"
TEXTS = ("all", "local", "none")
FOLDER = ".hlsl_tool.store"
"""The store `build`, below the output folder."""

PROJECT_FOLDER = ".hlsl_tool/store"
"""The store `project`, below the project's root: outside the output folder, which is shipped."""

OFF = ("none", "off")
"""Words for no store; the second is for command lines, as YAML readers take it for a boolean."""

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


UNTRUSTED = "it is not used, because a configuration names it; `hlsl_tool store trust` allows that from now on"


class BadStore(ValueError):
    """Raised for a word that names no store; the text is the reason, for the user."""


@dataclass(frozen=True, slots=True)
class StoreOptions:
    """Everything that a process needs to open the store.  It is sent to workers."""

    places: tuple[str, ...] = ()
    """Folders (absolute) and addresses."""
    size: int = DEFAULT_SIZE
    read_only: bool = False
    texts: str = "all"
    """Places for the texts of sources: `all`, folders only (`local`), or `none`."""
    is_shared: bool = False
    """Whether other builds may fill the same places at the same time."""
    untrusted: tuple[str, ...] = ()
    """Servers that a configuration names and the user has not allowed: they are not used."""
    is_given: bool = False
    """Whether the places are those of the command line: then servers are tried even if they did not answer lately."""

    def open(self) -> Store | None:
        """Open the store; return `None` if no folder and no server is configured."""
        if not self.places:
            return None
        store = self._opened()
        store.problems += [(str(server), UNTRUSTED) for server in self.untrusted]
        return store

    def _opened(self) -> Store:
        servers = [place for place in self.places if is_address(place)]
        folders = Store([self.backend(place) for place in self.places if place not in servers])
        if not servers:
            return folders
        from hlsl_tool.project.build.store import unreachable  # start-up time
        from hlsl_tool.project.build.store.beside import BesideStore

        backends = [self.backend(place) for place in servers]
        rests = {backend.name: unreachable.remaining(backend.name) for backend in backends if not self.is_given}
        used = [backend for backend in backends if not rests.get(backend.name)]
        store = BesideStore(folders, Store(used)) if used else folders
        store.problems = [
            (
                name,
                f"it did not answer lately and is left alone ({rest:.0f} s more; `--store {name}` tries it again)",
            )
            for name, rest in rests.items()
            if rest
        ]
        return store

    def backend(self, place: str) -> Backend:
        if is_address(place):
            from hlsl_tool.project.build.store.http import Http  # with all of Python's network code

            return Http(place, read_only=self.read_only)
        return Directory(place, size=self.size, read_only=self.read_only)

    def folders(self) -> list[Directory]:
        """Return the back ends of those locations that are folders."""
        return [Directory(p, size=self.size, read_only=self.read_only) for p in self.places if not is_address(p)]


def is_address(place: str) -> bool:
    """Return whether a location of the store is an address such as `http://cache:8080`, not a folder."""
    return bool(re.match(r"[a-z][a-z0-9+.-]+://", place, re.I))


def store_options(
    root: str,
    output_dir: str,
    *,
    configured: Sequence[str] = (),
    configured_size: str = "",
    configured_texts: str = "",
    given: Sequence[str] | None = None,
    env: Mapping[str, str] | None = None,
    folder: str | None = None,
) -> StoreOptions:
    """Return the options of a store; raise BadStore for a location or setting that is invalid.

    ``given`` are the locations from the command line; they win over the environment ``env``, which wins over the
    ``configured`` ones.  Paths from the command line and the environment are relative to ``folder`` (default: the
    working folder).
    """
    env = os.environ if env is None else env
    folder = os.getcwd() if folder is None else folder
    untrusted = tuple(name for name in map(concealed, configured) if is_address(name) and not is_trusted(root, name))
    names = [name for name in configured if concealed(name) not in untrusted] or ["project"]
    base = root
    if env.get(VARIABLE):
        names, base, untrusted = env[VARIABLE].split(), folder, ()
    if given:
        names, base, untrusted = list(given), folder, ()
    for name in untrusted:
        _place(name, root, base, output_dir, env)
    places: list[str] = []
    if not (len(names) == 1 and names[0] in OFF):
        places = [_place(name, root, base, output_dir, env) for name in names]
    size = parse_size(env.get(SIZE_VARIABLE) or configured_size or str(DEFAULT_SIZE))
    read_only = is_on(env.get(READ_ONLY_VARIABLE, ""))
    texts = env.get(TEXTS_VARIABLE) or configured_texts or "all"
    if texts not in TEXTS:
        raise BadStore(f"{TEXTS_VARIABLE}={texts}: it is one of {', '.join(TEXTS)}")
    is_shared = bool(places) and not {"build", "user"}.issuperset(names)
    return StoreOptions(tuple(dict.fromkeys(places)), size, read_only, texts, is_shared, untrusted, bool(given))


_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
"""The start of an address; the drives of Windows have one letter."""


def _place(name: str, root: str, base: str, output_dir: str, env: Mapping[str, str]) -> str:
    name = concealed(name)
    if name in OFF:
        raise BadStore(f"`{name}` stands alone")
    if name == "project":
        return os.path.join(absolute(root), *PROJECT_FOLDER.split("/"))
    if name == "build":
        return os.path.join(absolute(root), output_dir, FOLDER)
    if name == "user":
        return os.path.join(user_folder(env), "store")
    if is_address(name):
        from hlsl_tool.project.build.store.http import Http

        try:
            Http(name)
        except ValueError as error:
            raise BadStore(str(error)) from None
        return name
    if isinstance(name, SecretAddress) or (_SCHEME.match(name) and not os.path.isdir(os.path.join(base, name))):
        raise BadStore(f"`{name}` is neither a folder nor an address such as http://cache:8080")
    return absolute(os.path.join(base, os.path.expanduser(name)))


def parse_size(text: str) -> int:
    """Convert a size such as `5G`, `500M` or `1000000` to bytes; raise BadStore for other text."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?) ?([KMGT]?)(?:i?B)?", text.strip(), re.I)
    if not match or float(match[1]) <= 0:
        raise BadStore(f"`{text}` is no size such as 5G or 500M")
    return int(float(match[1]) * _UNITS[match[2].upper()])


def project_store(project: Project, given: Sequence[str] | None = None, *, folder: str | None = None) -> StoreOptions:
    """Return the store options of a project; ``given`` and ``folder`` as in `store_options`.  Raise BadStore."""
    return store_options(
        project.root,
        project.output_dir,
        configured=project.store,
        configured_size=project.store_size,
        configured_texts=project.store_texts,
        given=given,
        folder=folder,
    )
