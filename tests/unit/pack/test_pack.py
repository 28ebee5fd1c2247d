"""Packs: written, read in Python, and read in C with all warnings and sanitizers of a compiler."""

from __future__ import annotations

import pathlib
import random
import shutil
import struct
import subprocess
import tracemalloc

import pytest

from hlsl_tool.project.pack import BadPack, Member, Pack, PackError, key_of, read, text_hash, write
from hlsl_tool.project.pack.format import BLOB, ENTRY, GROUP, HEADER

HERE = pathlib.Path(__file__).resolve().parent
HEADER_FOLDER = HERE.parents[2] / "hlsl_tool/project/pack"
WARNINGS = ("-Wall", "-Wextra", "-Werror", "-pedantic", "-Wconversion", "-Wshadow", "-Wcast-qual")


def members() -> list[Member]:
    found = [
        Member("dir/one", "dir/one", (), "vertex", "main", {"spv": b"ones", "json": b"{}"}),
        Member("lib", "lib", (), "library", "", {"spv": b"libs"}),
        Member("ünï.Z", "ünï", (("Z", ""),), "compute", "Zwölf", {"spv": b"none"}),
        # One shader under two sets of macros.
        Member("p.A=1", "p", (("A", "1"),), "fragment", "PSMain", {"spv": b"only"}),
    ]
    for a in range(3):
        for b in range(2):
            words = b"same" if a == 0 else f"{a}{b} ".encode().ljust(5 + a)
            name = f"p.A={a}.B={b}"
            found.append(Member(name, "p", (("A", str(a)), ("B", str(b))), "fragment", "PSMain", {"spv": words}))
    return found


@pytest.fixture(scope="module")
def data() -> bytes:
    return write(members(), ("spv", "json"))


def test_all_of_it_comes_back(data: bytes) -> None:
    pack = Pack(data)
    assert pack.kinds == ["spv", "json"]
    assert [entry.name for entry in pack] == sorted(member.name for member in members())
    for member in members():
        entry = pack.find(member.shader, dict(member.permutation))
        assert entry is not None and entry == pack.named(member.name)
        assert (entry.stage, entry.entry_point, entry.shader) == (member.stage, member.entry_point, member.shader)
        assert entry.blob() == member.blobs["spv"]
    assert pack.named("dir/one").blob("json") == b"{}"
    with pytest.raises(KeyError):
        pack.named("lib").blob("json")
    with pytest.raises(KeyError):
        pack.named("lib").blob("wgsl")


def test_macros_that_do_not_matter_and_those_that_do(data: bytes) -> None:
    pack = Pack(data)
    assert pack.find("p", {"B": 1, "A": 2, "OTHER": 7}).name == "p.A=2.B=1"
    assert pack.find("p", {"A": 1}).name == "p.A=1"
    assert pack.find("p", {"B": 1}) is None
    assert pack.find("p", {"A": 9, "B": 1}) is None
    assert pack.find("q") is None
    assert pack.find("dir/one", {"A": 1}).name == "dir/one"


def test_equal_contents_are_there_once_and_words_lie_at_multiples_of_four(data: bytes) -> None:
    pack = Pack(data)
    assert data.count(b"same") == 1
    assert all(at % 4 == 0 for at, _ in pack.blobs)
    assert len(data) % 4 == 0
    assert pack.named("p.A=0.B=0").numbers == pack.named("p.A=0.B=1").numbers


def test_equal_members_give_equal_bytes(data: bytes) -> None:
    for seed in range(5):
        shuffled = members()
        random.Random(seed).shuffle(shuffled)
        assert write(shuffled, ("spv", "json")) == data
    assert Pack(write([])).kinds == ["spv"]


def test_hashes_equal_the_documented_values() -> None:
    assert text_hash("") == 0xEFD01F60BA992926
    assert text_hash("lit/pbr.PSMain") == 0xFC54B5BF76FDBBB5
    assert key_of("p", [("A", "1"), ("B", "2")]) == key_of("p", [("B", "2"), ("A", "1")])
    assert key_of("p", [("A", "1")]) == (text_hash("p") + text_hash("A=1")) % 2**64


def test_equal_keys_and_names_with_zeros_are_errors() -> None:
    one = Member("x", "s", (("A", "1"),), "vertex", "main", {})
    with pytest.raises(PackError, match="`x` and `y`"):
        write([one, Member("y", "s", (("A", "1"),), "vertex", "main", {})])
    with pytest.raises(PackError, match="zero"):
        write([Member("x\0", "s", (), "vertex", "main", {})])


def test_the_file_has_its_documented_header(data: bytes) -> None:
    magic, version, size, *numbers = HEADER.unpack_from(data)
    assert (magic, version, size) == (b"HLSLPACK", 1, len(data))
    entries, at = numbers[6], numbers[7]
    keys = [struct.unpack_from("<Q", data, at + number * 40)[0] for number in range(entries)]
    assert keys == sorted(keys) and len(keys) == len(members())


def damaged(data: bytes, seed: int) -> bytes:
    random_ = random.Random(seed)
    found = bytearray(data[: random_.randrange(len(data) + 1)] if seed % 3 == 0 else data)
    for _ in range(random_.randrange(4)):
        if len(found) >= 4:
            at = random_.randrange(min(len(found), random_.choice([64, len(found)]))) & ~3
            value = random_.choice([0, 1, 2**31, 2**32 - 1, random_.randrange(2 * len(data))])
            found[at : at + 4] = struct.pack("<I", value)
    if len(found) >= 16 and seed % 2:
        found[12:16] = struct.pack("<I", len(found))
    return bytes(found)


def test_damaged_packs_are_refused_or_read_without_harm(data: bytes) -> None:
    refused = 0
    for seed in range(3000):
        try:
            pack = Pack(damaged(data, seed))
        except BadPack:
            refused += 1
            continue
        for entry in pack:
            pack.find(entry.shader, {"A": 1, "B": 0})
            for kind in pack.kinds:
                try:
                    entry.blob(kind)
                except KeyError:
                    continue
    assert 500 < refused < 3000


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda data: b"", "does not begin"),
        (lambda data: b"HLSLPUCK" + data[8:], "does not begin"),
        (lambda data: data[:8] + struct.pack("<I", 9) + data[12:], "of version 9"),
        (lambda data: data[:-4], "bytes long and should be"),
        (lambda data: data[:44] + struct.pack("<I", 2**32 - 1) + data[48:], "entries lie outside"),
    ],
)
def test_a_damaged_pack_is_refused(data: bytes, change, words: str, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "x.hlslpack"
    path.write_bytes(change(data))
    with pytest.raises(BadPack, match=words):
        read(path)


def tables(data: bytes) -> list[int]:
    """Return the numbers that follow the file size in a pack's header: the count and the offset of each table."""
    return list(HEADER.unpack_from(data)[3:])


def changed(data: bytes, at: int, row: struct.Struct, **values: int) -> bytes:
    """Return the pack with numbers replaced in the table row at offset ``at``: `_3=0` sets its number 3 to 0."""
    numbers = list(row.unpack_from(data, at))
    for position, value in values.items():
        numbers[int(position[1:])] = value
    return data[:at] + row.pack(*numbers) + data[at + row.size :]


def test_rows_that_share_what_is_theirs_alone(data: bytes) -> None:
    """A pack whose table rows overlap or are not sorted is rejected with `BadPack`.

    With shared data, a file of a megabyte could describe gigabytes of texts, macros and outputs.
    """
    _, _, _, groups, _, _, _, entries, blob_count, blobs, *_ = tables(data)
    second_blob = struct.unpack_from("<II", data, blobs + BLOB.size)
    assert blob_count > 1
    for bad, words in (
        (changed(data, groups + 3 * GROUP.size, GROUP, _3=0), "are another one's"),
        (changed(data, groups, GROUP, _0=2**64 - 1), "not sorted"),
        (changed(data, entries, ENTRY, _0=2**64 - 1), "keys are not sorted"),
        (changed(data, entries, ENTRY, _3=1), "in another one"),
        (changed(data, entries, ENTRY, _4=300), "should be"),
        (changed(data, blobs + BLOB.size, BLOB, _0=second_blob[0] - 4), "in another one"),
    ):
        with pytest.raises(BadPack, match=words):
            Pack(bad)


def test_texts_are_counted_once() -> None:
    long = "x" * 500_000
    many = [Member(f"{n}", "s", (("N", str(n)),), "vertex", long, {"spv": b"ones"}) for n in range(5_000)]
    tracemalloc.start()
    pack = Pack(write(many))
    used = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(pack) == 5_000
    assert used < 30_000_000


# ---------------------------------------------------------------------------------------------------------------- in C


def compiled(folder: pathlib.Path, compiler: str, *options: str) -> pathlib.Path:
    if shutil.which(compiler) is None:
        pytest.skip(f"there is no {compiler}")
    program = folder / "reader"
    command = [compiler, *options, *WARNINGS, "-I", str(HEADER_FOLDER), str(HERE / "reader.c"), "-o", str(program)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return program


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    return compiled(
        tmp_path_factory.mktemp("c"),
        "gcc",
        "-std=c99",
        "-g",
        "-O1",
        "-fsanitize=address,undefined",
        "-fno-sanitize-recover=all",
    )


def run(reader: pathlib.Path, *arguments: str) -> str:
    done = subprocess.run([reader, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def file(data: bytes, tmp_path: pathlib.Path) -> str:
    path = tmp_path / "x.hlslpack"
    path.write_bytes(data)
    return str(path)


def test_c_reads_the_same(reader: pathlib.Path, data: bytes, file: str) -> None:
    stages = {"vertex": 0, "fragment": 4, "compute": 5, "library": 0xFFFFFFFF}
    wanted = {
        "|".join(
            [
                m.name,
                m.shader,
                m.entry_point,
                str(stages[m.stage]),
                m.blobs["spv"].decode(),
                m.blobs.get("json", b"").decode(),
            ]
        )
        for m in members()
    }
    assert set(run(reader, file).splitlines()) == wanted


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (("p", "B=1", "A=2", "OTHER=7"), "p.A=2.B=1"),
        (("p", "A=1"), "p.A=1"),
        (("p", "A=1", "A=2"), "p.A=1"),
        (("ünï", "Z"), "ünï.Z"),
        (("dir/one",), "dir/one"),
        (("p", "B=1"), None),
        (("p", "A=7", "B=1"), None),
        (("nobody",), None),
    ],
)
def test_c_finds_the_same(reader: pathlib.Path, data: bytes, file: str, words: tuple[str, ...], name: str) -> None:
    found = run(reader, file, *words).strip()
    assert found.split("|")[0] == (name or "none")
    macros = dict(word.partition("=")[::2] for word in reversed(words[1:]))
    entry = Pack(data).find(words[0], macros)
    assert (entry.name if entry else None) == name


def test_c_reads_nothing_outside_of_damaged_packs(reader: pathlib.Path, file: str) -> None:
    found = run(reader, file, "--fuzz", "50000")
    opened = int(found.split()[0])
    assert 5000 < opened < 50000, found


def test_the_header_is_c_plus_plus_too(tmp_path: pathlib.Path) -> None:
    compiled(tmp_path, "g++", "-x", "c++", "-std=c++11")


@pytest.mark.parametrize("extra", [b"\0", b"\0\0\0\0", b"abcdefgh"])
def test_a_pack_ends_with_the_file(data: bytes, extra: bytes) -> None:
    for damaged_size in (data + extra, data[: -len(extra)]):
        with pytest.raises(BadPack, match=f"it is {len(damaged_size)} bytes long and should be {len(data)}"):
            Pack(damaged_size)
