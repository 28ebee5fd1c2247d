"""Unpack a newer lavapipe than the system's, for tests of mesh shaders and ray tracing.

    python tests/execute/mesa.py FOLDER

Debian 12 has Mesa 22; its backports have a version with these stages. apt-get fetches the package from the system's
sources, with separate package lists, and it is unpacked into FOLDER without being installed. If that fails, the program
prints the reason, and the tests that need it are skipped.
"""

from __future__ import annotations

import json
import pathlib
import shutil
import subprocess
import sys

PACKAGE = "mesa-vulkan-drivers"
ENOUGH = 24
"""The first major version of Mesa whose lavapipe has mesh shaders and ray tracing."""


class NotHere(Exception):
    """Raised if there is no newer driver; the message is the reason."""


def output(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        lines = (done.stderr or done.stdout).strip().splitlines()
        raise NotHere(f"{command[0]} failed: {lines[-1] if lines else done.returncode}")
    return done.stdout


def installed() -> int:
    """Return the major version of the system's driver."""
    version = output("dpkg-query", "--show", "--showformat", "${Version}", PACKAGE)
    return int(version.split(".")[0])


def codename() -> str:
    for line in pathlib.Path("/etc/os-release").read_text().splitlines():
        if line.startswith("VERSION_CODENAME="):
            return line.partition("=")[2].strip('"')
    raise NotHere("the system does not say its release")


def fetch(folder: pathlib.Path) -> pathlib.Path:
    """Download the package into a folder, next to separate apt lists, and return its path."""
    release = codename()
    targets = output("apt-get", "indextargets", "--format", "$(RELEASE) $(REPO_URI)").splitlines()
    places = [line.split()[1] for line in targets if line.startswith(f"{release} ")]
    if not places:
        raise NotHere(f"apt has no lists of {release}")
    apt = folder / "apt"
    for part in ("lists/partial", "cache/archives/partial"):
        (apt / part).mkdir(parents=True, exist_ok=True)
    keys = next(pathlib.Path("/usr/share/keyrings").glob("debian-archive-keyring.*"), None)
    signed = f"[signed-by={keys}] " if keys else ""
    (apt / "sources.list").write_text(f"deb {signed}{places[0]} {release}-backports main\n")
    options = [
        f"-oDir::Etc::sourcelist={apt / 'sources.list'}",
        "-oDir::Etc::sourceparts=/dev/null",
        f"-oDir::State::lists={apt / 'lists'}",
        f"-oDir::Cache={apt / 'cache'}",
    ]
    output("apt-get", *options, "-qq", "update")
    done = subprocess.run(
        ["apt-get", *options, "-qq", "download", f"{PACKAGE}/{release}-backports"],
        cwd=apt,
        check=False,
        capture_output=True,
        text=True,
    )
    found = sorted(apt.glob(f"{PACKAGE}_*.deb"))
    if done.returncode != 0 or not found:
        raise NotHere(f"the backports of {release} have no {PACKAGE}")
    return found[-1]


def unpack(folder: pathlib.Path) -> None:
    output("dpkg", "-x", str(fetch(folder)), str(folder / "files"))
    shutil.rmtree(folder / "apt")
    library = next((folder / "files").rglob("libvulkan_lvp.so"), None)
    if library is None:
        raise NotHere("the package has no lavapipe")
    missing = [line.split()[0] for line in output("ldd", str(library)).splitlines() if "not found" in line]
    if missing:
        raise NotHere(f"it needs {', '.join(missing)}")
    manifest = {"ICD": {"api_version": "1.3.0", "library_path": str(library)}, "file_format_version": "1.0.0"}
    (folder / "lavapipe.json").write_text(json.dumps(manifest))


def main() -> None:
    folder = pathlib.Path(sys.argv[1]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        if installed() < ENOUGH:
            unpack(folder)
    except (NotHere, OSError, ValueError) as problem:
        print(f"bootstrap: no newer lavapipe ({problem}); tests of mesh shaders and ray tracing will be skipped")
    (folder / "tried").touch()


if __name__ == "__main__":
    main()
