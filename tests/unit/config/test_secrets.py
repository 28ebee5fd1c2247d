"""Passwords in addresses are used for connections, but never shown."""

from __future__ import annotations

import copy
import json
import pathlib
import pickle

import pytest

from hlsl_tool.base.diagnostics import Sink
from hlsl_tool.project.build import plan_cache
from hlsl_tool.project.build.currency.plain_data import plain, restored
from hlsl_tool.project.build.store.choice import BadStore, project_store, store_options
from hlsl_tool.project.build.store.http import Http
from hlsl_tool.project.config.load import load
from hlsl_tool.project.config.permutation import Project
from hlsl_tool.project.config.secrets import SecretAddress, concealed, masked, revealed
from hlsl_tool.project.config.show import show

ADDRESS = "http://me:s3cret@cache:8080/x"


def test_no_text_of_it_has_the_password() -> None:
    address = concealed(ADDRESS)
    for text in (
        str(address),
        repr(address),
        f"{address}",
        f"{address!r:>40}",
        json.dumps({"a": [address]}),
        repr((address,)),
        " ".join([address]),
        address + "",
        str(store_options("/x", "b", env={}, given=[ADDRESS])),
        repr(Project("/x", store=(address,))),
    ):
        assert "s3cret" not in text
        assert "cache:8080/x" in text or text.endswith("))")
    assert not hasattr(address, "__dict__")
    assert revealed(address) == ADDRESS
    for again in (pickle.loads(pickle.dumps(address)), copy.deepcopy(address)):
        assert again == address
        assert revealed(again) == ADDRESS
    assert address != concealed(ADDRESS.replace("s3cret", "other"))
    assert address != str(address)
    assert concealed(address) is address
    assert Http(address).name == "http://cache:8080/x"


@pytest.mark.parametrize(
    "text",
    [
        "htpp://me:s3cret@cache",
        "http//me:s3cret@cache",
        "http:/me:s3cret@cache",
        "http:me:s3cret@cache",
        "://me:s3cret@cache",
        "me:s3cret@cache",
        "http://me:s3cret/x@cache",
        "http://me:s3cret@",
        "https://me:s3cret@cache:port",
        "HTTP//me:s3cret@cache",
        "http://me:x@[s3cret@cache",
        "ftp://s3cret@cache",
    ],
)
def test_mistyped_addresses_do_not_show_it(text: str, tmp_path: pathlib.Path) -> None:
    with pytest.raises(BadStore) as problem:
        store_options(str(tmp_path), "build", env={}, given=[text]).open()
    assert "s3cret" not in str(problem.value)
    assert problem.value.__cause__ is None


@pytest.mark.parametrize(
    "text", ["/mnt/a@b/store", "store", "a@b", "C:/users/me@x/store", "C:\\me@x", "http://cache:80/@x"]
)
def test_folders_are_none(text: str) -> None:
    assert masked(text) == text or "http" in text


@pytest.mark.parametrize("kind", ["store", "executor"])
def test_configurations(tmp_path: pathlib.Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HLSL_TOOL_ALLOW_OUTSIDE", "1")
    monkeypatch.delenv("HLSL_TOOL_STORE", raising=False)
    value = f"[build, '{ADDRESS}']" if kind == "store" else "htpp://me:s3cret@host"
    (tmp_path / "shaders").mkdir()
    (tmp_path / "shaders/a.hlsl").write_text("")
    config = f"{kind}: {value}\nshaders: [{{ source: a.hlsl, profile: ps_6_0 }}]\n"
    (tmp_path / "a.yaml").write_text(config)
    sink = Sink()
    project = load(str(tmp_path), ["a.yaml"], sink)
    assert "s3cret" not in repr([(d.message, d.hint) for d in sink.diagnostics])
    if kind == "executor":
        assert sink.error_count
        return
    assert "***@cache" in show(project.permutations)
    assert "s3cret" not in show(project.permutations)
    assert revealed(project_store(project).places[1]) == ADDRESS
    again = restored(Project, json.loads(json.dumps(plain(Project("/x", store=project.store)))))
    assert again.store == project.store
    assert isinstance(again.store[1], SecretAddress)
    assert plan_cache.read(str(tmp_path), ["a.yaml"], Sink()) is not None
    kept = plan_cache.cached(str(tmp_path), ["a.yaml"])
    assert kept is None or revealed(kept.project.store[1]) == ADDRESS
