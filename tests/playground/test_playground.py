"""The playground in headless Chromium: samples draw, errors show at their lines, links restore."""

from __future__ import annotations

import base64
import functools
import http.server
import io
import json
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.patience import PATIENCE

fcntl = pytest.importorskip("fcntl", reason="files are locked as on Unix")
pytest.importorskip("websockets", reason="the extra `listen` is not installed")
Image = pytest.importorskip("PIL.Image", reason="the extra `execute` is not installed")

ROOT = Path(__file__).resolve().parents[2]
PLAYGROUND = ROOT / "playground"
sys.path.insert(0, str(PLAYGROUND))
from chromium import WEBGPU, Page, browser, program  # noqa: E402

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(program() is None, reason="there is no Chromium (package chromium)"),
    pytest.mark.skipif(shutil.which("npm") is None, reason="there is no npm (package npm)"),
]
SAMPLES = json.loads((PLAYGROUND / "samples/samples.json").read_text(encoding="utf-8"))
CLEAR = (18, 20, 26)  # what the page clears the picture to, in 0 .. 255
READ = """(async () => {
  const image = await playground.stage.image(), flat = new OffscreenCanvas(image.width, image.height);
  flat.getContext("2d").putImageData(image, 0, 0);
  const bytes = new Uint8Array(await (await flat.convertToBlob()).arrayBuffer());
  return btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(""));
})()"""


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    """Serves files and logs nothing."""

    def log_message(self, *arguments: object) -> None: ...


@pytest.fixture(scope="module")
def dist(testrun_uid: str) -> Path:
    """The built folder; the first worker that needs it builds it, and the others wait."""
    with (PLAYGROUND / "dist.lock").open("a+") as built:
        fcntl.flock(built, fcntl.LOCK_EX)
        built.seek(0)
        if built.read() != testrun_uid:
            command = [sys.executable, PLAYGROUND / "build.py"]
            done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
            if done.returncode and "npm ci" in done.stderr:
                pytest.skip("npm could not install the packages of playground/package-lock.json")
            assert done.returncode == 0, done.stderr
            built.truncate(0)
            built.write(testrun_uid)
    return PLAYGROUND / "dist"


@pytest.fixture(scope="module")
def address(dist: Path) -> Iterator[str]:
    """The address of a server of the folder."""
    handler = functools.partial(QuietHandler, directory=str(dist))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="module")
def page(address: str) -> Iterator[Page]:
    """The page with its compiler loaded."""
    with browser(*WEBGPU) as page:
        page.emulate()
        page.open(address)
        page.wait("document.body.dataset.shown", 120)
        yield page


def act(page: Page, script: str) -> None:
    """Run a script that starts a compilation, and wait for its result."""
    before = page.evaluate("Number(document.body.dataset.shown || 0)")
    page.evaluate(script)
    page.wait(f"Number(document.body.dataset.shown || 0) > {before} && document.body.dataset.busy === 'false'")


def open_sample(page: Page, name: str) -> None:
    act(page, f"playground.openSample({name!r})")


def write(page: Page, source: str) -> None:
    act(page, f"playground.editor.text = {json.dumps(source)}")


def choose(page: Page, option: str, value: str) -> None:
    """Give an option of the page a value, as its field does."""
    field = f"document.getElementById('option-{option}')"
    act(page, f"(field => {{ field.value = {value!r}; field.oninput({{target: field}}); }})({field})")


def picture(page: Page) -> Image.Image:
    return Image.open(io.BytesIO(base64.b64decode(page.evaluate(READ)))).convert("RGB")


def text_of(page: Page, selector: str) -> str:
    return str(page.evaluate(f"document.querySelector({selector!r}).textContent"))


def view(page: Page, name: str) -> str:
    page.evaluate("document.getElementById('view').replaceChildren()")
    page.evaluate(f"document.getElementById('tab-{name}').click()")
    page.wait("document.getElementById('view').textContent")
    return text_of(page, "#view")


def colours(image: Image.Image) -> int:
    """Return the number of colours of a picture, reduced in size."""
    data = image.resize((64, 36)).tobytes()
    return len({data[at : at + 3] for at in range(0, len(data), 3)})


def difference(a: Image.Image, b: Image.Image) -> float:
    """Return the mean difference of two pictures, from 0 to 255."""
    small = [list(image.resize((32, 18)).tobytes()) for image in (a, b)]
    return sum(abs(x - y) for x, y in zip(*small, strict=True)) / len(small[0])


def test_samples_compile_and_draw(page: Page) -> None:
    pictures = {}
    for name in (sample["name"] for sample in SAMPLES):
        open_sample(page, name)
        assert page.evaluate("document.body.dataset.ok") == "true", (name, text_of(page, "#problems"))
        assert page.evaluate("document.body.dataset.picture") == "drawn", (name, text_of(page, "#picture-problem"))
        time.sleep(0.2)
        pictures[name] = picture(page)
        assert difference(pictures[name], Image.new("RGB", (640, 360), CLEAR)) > 4, name
        assert colours(pictures[name]) > 20, name
    assert len(pictures) >= 12
    names = list(pictures)
    for index, one in enumerate(names):
        for other in names[index + 1 :]:
            assert difference(pictures[one], pictures[other]) > 4, (one, other)
    assert page.errors == []


def test_the_gradient_has_its_colours(page: Page) -> None:
    open_sample(page, "gradient")
    image = picture(page)
    width, height = image.size
    assert (width, height) == (512, 288), "SwiftShader gets fewer pixels than a GPU"
    for x, y in ((10, 10), (490, 20), (256, 144), (30, 270)):
        red, green, _ = image.getpixel((x, y))
        assert abs(red - 255 * x / width) < 3 and abs(green - 255 * y / height) < 3


BOXES = """Object.fromEntries(["options", "editor", "problems", "scene", "picture", "uniforms", "results"].map(
  id => [id, JSON.stringify(document.getElementById(id).getBoundingClientRect())]))"""


def test_an_error_moves_nothing(page: Page) -> None:
    open_sample(page, "shapes")
    before = page.evaluate(BOXES)
    for source in (
        "float4 main() : SV_Target { return a + b + c + d + e + f + g + h; }",
        "int main() : SV_Target;",
        "",
    ):
        write(page, source)
        assert page.evaluate(BOXES) == before, source
    open_sample(page, "shapes")
    assert page.evaluate(BOXES) == before


def test_the_picture_has_no_bars(page: Page) -> None:
    """Beside the picture is the colour of the panel, in light mode, too."""
    for scheme in ("light", "dark"):
        page.emulate(scheme=scheme)
        assert page.evaluate("getComputedStyle(document.getElementById('frame')).backgroundColor") == "rgba(0, 0, 0, 0)"
    page.emulate()
    width, height = page.evaluate("(({ width, height }) => [width, height])(picture.getBoundingClientRect())")
    assert abs(width / height - 16 / 9) < 0.01


def test_an_error_shows_at_its_line(page: Page) -> None:
    open_sample(page, "gradient")
    source = page.evaluate("playground.editor.text").replace("sin(time)", "sine(time)")
    write(page, source)
    line = source[: source.index("sine")].count("\n") + 1
    assert page.evaluate("document.body.dataset.ok") == "false"
    shown = text_of(page, "#problems")
    assert shown.startswith(f"{line}:") and "HLSL" in shown
    marks = page.evaluate("[...document.querySelectorAll('.cm-lintRange-error')].map(mark => mark.textContent)")
    assert marks == ["sine"]
    page.evaluate("document.querySelector('#problems .fix').click()")
    page.wait("document.body.dataset.ok === 'true' && document.body.dataset.busy === 'false'")
    assert "sin(time)" in page.evaluate("playground.editor.text")


def test_typing_compiles(page: Page) -> None:
    write(page, "")
    page.evaluate("playground.editor.view.focus()")
    page.type("float4 main() : SV_Target { return float4(1, 0.5, 0, 1); }")
    page.wait("document.body.dataset.ok === 'true' && document.body.dataset.busy === 'false'")
    red, green, blue = picture(page).getpixel((100, 100))
    assert (red, blue) == (255, 0) and abs(green - 128) <= 1


def test_options_change_the_module(page: Page) -> None:
    open_sample(page, "shapes")
    optimised = view(page, "spirv")
    choose(page, "optimise", "-O0")
    plain = view(page, "spirv")
    assert "OpFunctionCall" in plain and "OpFunctionCall" not in optimised
    assert "-O0" in text_of(page, "#command")
    choose(page, "words", "-fvk-b-shift 5 0")
    assert "05Framecbufferb0" in view(page, "bindings")
    choose(page, "words", "-fno-such-option")
    assert "no-such-option" in text_of(page, "#problems")


def test_views(page: Page) -> None:
    open_sample(page, "shapes")
    assert "OpEntryPoint Fragment" in view(page, "spirv") and "spirv-val did not validate" in text_of(page, "#view")
    assert "@fragment" in view(page, "wgsl")
    assert "float3 tint" in view(page, "layout")
    assert "struct Frame" in view(page, "structs")
    assert "pub struct Frame" in view(page, "rust")
    assert "struct Frame" in view(page, "csharp")
    open_sample(page, "torus")
    assert page.evaluate("[...document.getElementById('stage').options].map(one => one.value)") == ["main", "vertex"]
    view(page, "spirv")
    page.evaluate("stage = document.getElementById('stage'); stage.value = 'vertex'; stage.onchange({target: stage})")
    page.wait("document.getElementById('view').textContent.includes('OpEntryPoint Vertex')")


def test_controls_change_the_picture(page: Page) -> None:
    open_sample(page, "panel")
    page.evaluate("playground.stage.isPlaying = false")
    before = picture(page)
    page.evaluate("dark = document.querySelector('input[aria-label=dark]'); dark.click()")
    assert difference(before, picture(page)) > 40


def test_a_control_follows_the_type_of_its_member(page: Page) -> None:
    shader = "%s level; // 0 .. 1 = 0.25\nfloat4 main() : SV_Target { return float4(level.xxx, 1); }"
    page.evaluate("playground.stage.isPlaying = false")
    write(page, shader % "float")
    page.evaluate("slider = document.querySelector('input[aria-label=level]'); slider.value = 0.75; slider.oninput()")
    write(page, shader % "float2")
    sliders = page.evaluate("[...document.querySelectorAll('#uniforms input')].map(one => [one.ariaLabel, one.value])")
    assert sliders == [["level.x", "0.75"], ["level.y", "0.25"]]


@pytest.mark.parametrize(
    ("source", "colour"),
    [
        ("float3 main() : SV_Target { return float3(0.2, 0.4, 0.6); }", (51, 102, 153)),
        ("float2 main(float2 uv : UV) : SV_Target { return float2(0.2, 0.4); }", (51, 102, 0)),
        ("float main() : SV_Target { return 0.2; }", (51, 0, 0)),
        (
            "struct Result { uint id : SV_Target3; float3 colour : SV_Target; float depth : SV_Depth; };"
            "Result main(nointerpolation float2 uv : UV) { Result r = { 7, float3(0.2, 0.4, 0.6), 0.5 }; return r; }",
            (51, 102, 153),
        ),
    ],
)
def test_targets_of_fewer_components(page: Page, source: str, colour: tuple[int, int, int]) -> None:
    open_sample(page, "gradient")
    write(page, source)
    assert page.evaluate("document.body.dataset.picture") == "drawn", text_of(page, "#picture-problem")
    assert picture(page).getpixel((100, 100)) == colour


@pytest.mark.parametrize(
    ("profile", "source", "problem"),
    [
        ("ps_6_0", "void main() {}", "the shader has no output SV_Target"),
        ("ps_6_0", "int main() : SV_Target { return 1; }", "SV_Target is int"),
        ("lib_6_6", "void main() {}", "a library has no entry point"),
        ("cs_6_0", "[numthreads(1, 1, 1)] void main() {}", "The shader writes no image"),
    ],
)
def test_why_there_is_no_picture(page: Page, profile: str, source: str, problem: str) -> None:
    open_sample(page, "gradient")
    choose(page, "profile", profile)
    write(page, source)
    assert page.evaluate("document.body.dataset.ok") == "true"
    assert problem in text_of(page, "#picture-problem")


def test_a_fix_is_not_made_in_another_text(page: Page) -> None:
    open_sample(page, "gradient")
    source = page.evaluate("playground.editor.text")
    write(page, source.replace("sin(time)", "sine(time)"))
    page.evaluate(
        "button = document.querySelector('#problems .fix'); playground.editor.text = '// new'; button.click()"
    )
    assert page.evaluate("playground.editor.text") == "// new"
    page.wait("document.body.dataset.busy === 'false'")


def test_a_link_restores_the_page(page: Page, address: str) -> None:
    open_sample(page, "panel")
    source = (
        page.evaluate("playground.editor.text").replace("float value;", "float level2;").replace("(value", "(level2")
    )
    write(page, source)
    choose(page, "target", "vulkan1.3")
    view(page, "wgsl")
    page.evaluate("playground.chosen['Panel.rounding'] = [12]; playground.share()")
    link = page.wait("location.hash.startsWith('#1-') && location.href")
    page.open("about:blank")
    page.open(link)
    page.wait("document.body.dataset.shown", 120)
    assert page.evaluate("playground.editor.text") == source
    assert page.evaluate("document.getElementById('option-target').value") == "vulkan1.3"
    assert page.evaluate("document.querySelector('input[aria-label=rounding]').value") == "12"
    assert "@fragment" in text_of(page, "#view")
    page.evaluate("location.hash = '#1-damaged'")
    page.wait("document.getElementById('said').textContent.includes('damaged')")


@pytest.mark.parametrize(
    "change",
    [
        {"options": 3},
        {"options": {"profile": 7, "nonsense": "x"}},
        {"values": {"P.tint": "red", "P.level": [1, None]}},
        {"draw": {"topology": "circle", "vertices": -4}},
        {"tab": "<b>"},
    ],
)
def test_links_of_others_do_no_harm(page: Page, change: dict[str, object]) -> None:
    source = "cbuffer P { float3 tint; float level; } float4 main() : SV_Target { return float4(tint, level); }"
    text = json.dumps({"source": source, **change})
    page.evaluate("document.body.dataset.ok = ''")
    act(
        page,
        f"""(async () => {{
          const pack = new Blob([{json.dumps(text)}]).stream().pipeThrough(new CompressionStream("deflate-raw"));
          const bytes = new Uint8Array(await new Response(pack).arrayBuffer());
          const letters = btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_");
          location.hash = "#1-" + letters.replaceAll("=", "");
        }})()""",
    )
    assert page.evaluate("playground.editor.text") == source
    assert page.evaluate("document.body.dataset.ok") == "true"
    assert page.evaluate("document.body.dataset.picture") == "drawn", text_of(page, "#picture-problem")
    assert page.errors == []


def test_colour_schemes(page: Page) -> None:
    colours = {}
    for scheme in ("light", "dark"):
        page.emulate(scheme=scheme)
        colours[scheme] = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.emulate()
    assert colours == {"light": "rgb(244, 245, 247)", "dark": "rgb(20, 23, 29)"}


def test_the_page_is_accessible(page: Page) -> None:
    axe = (PLAYGROUND / "node_modules/axe-core/axe.min.js").read_text(encoding="utf-8")
    page.evaluate(f"{axe}; true")
    write(page, "float4 main() : SV_Target { return missing; }")
    for scheme, width in (("light", 1280), ("dark", 1280), ("light", 420)):
        page.emulate(scheme=scheme, width=width)
        found = page.evaluate(
            "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map(node => node.html)]))"
        )
        assert found == [], (scheme, width)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), width
    page.emulate()


def test_nothing_leaves_the_origin(page: Page, address: str) -> None:
    foreign = [url for url in page.requests if not url.startswith((address, "data:", "blob:", "about:"))]
    assert page.requests and foreign == []


def test_without_webgpu_the_rest_works(address: str) -> None:
    with browser("--disable-features=WebGPU", "--disable-webgpu") as page:
        page.emulate()
        page.send("Page.addScriptToEvaluateOnNewDocument", source="delete Navigator.prototype.gpu")
        page.open(address)
        page.wait("document.body.dataset.shown", 120)
        assert "no WebGPU" in text_of(page, "#picture-problem")
        assert "OpEntryPoint" in text_of(page, "#view")


@pytest.mark.nightly
def test_the_page_works_from_the_disk(dist: Path) -> None:
    with browser(*WEBGPU) as page:
        page.emulate()
        page.open((dist / "index.html").as_uri())
        page.wait("document.body.dataset.shown", 120)
        assert page.evaluate("document.body.dataset.picture") == "drawn"
        assert all(url.startswith(("file:", "data:", "blob:")) for url in page.requests)


@pytest.mark.nightly
def test_a_picture_without_an_end_does_not_stop_the_page(address: str) -> None:
    endless = "float x = 1; for (;;) { x += 0.1; if (x < -1e30) break; }"
    with browser(*WEBGPU) as page:
        page.emulate()
        page.open(address)
        page.wait("document.body.dataset.shown", 120)
        write(page, f"float4 main() : SV_Target {{ {endless} return x; }}")
        assert "The GPU has not finished a picture yet" in text_of(page, "#picture-problem")
        write(page, "float4 main() : SV_Target { return wrong; }")
        assert "HLSL0301" in text_of(page, "#problems")
        write(page, "float4 main() : SV_Target { return 1; }")
        assert "OpEntryPoint Fragment" in text_of(page, "#view")


def test_the_first_picture_needs_no_python(address: str) -> None:
    with browser(*WEBGPU) as page:
        page.emulate()
        page.send("Network.setBlockedURLs", urls=["*.wasm", "*.whl", "*python_stdlib.zip"])
        page.open(address)
        page.wait("document.body.dataset.first && document.body.dataset.ready === 'failed'")
        assert page.evaluate("document.body.dataset.picture") == "drawn", text_of(page, "#picture-problem")
        assert colours(picture(page)) > 20
        assert "OpEntryPoint Fragment" in view(page, "spirv")
        assert "float3 tint" in view(page, "layout")
        assert "pub struct Frame" in view(page, "rust")
        assert len(page.evaluate("[...document.querySelectorAll('#uniforms input')].map(one => one.id)")) > 4
        assert page.evaluate("document.body.dataset.shown") is None


@pytest.mark.nightly
def test_the_compiler_gives_the_first_picture_again(address: str) -> None:
    with browser(*WEBGPU) as page:
        page.emulate()
        page.open(address)
        page.wait("document.body.dataset.first")
        drawn, spirv = page.evaluate("playground.drawn"), text_of(page, "#view")
        assert page.evaluate("document.getElementById('loading').hidden") is False
        page.wait("document.body.dataset.shown", 120)
        assert page.evaluate("playground.drawn") == drawn
        assert text_of(page, "#view") == spirv
        assert page.evaluate("document.getElementById('loading').hidden") is True


@pytest.mark.nightly
def test_a_link_is_not_replaced_by_the_first_sample(page: Page, address: str) -> None:
    write(page, "float4 main() : SV_Target { return 0.5; }")
    page.evaluate("playground.share()")
    link = page.wait("location.hash.startsWith('#1-') && location.href")
    page.open("about:blank")
    page.open(link)
    page.wait("document.body.dataset.shown", 120)
    assert page.evaluate("document.body.dataset.first") is None
    assert "return 0.5" in page.evaluate("playground.editor.text")
    page.open(address)
    page.wait("document.body.dataset.shown", 120)


def test_a_failure_to_load_is_shown(address: str) -> None:
    with browser(*WEBGPU) as page:
        page.send("Network.setBlockedURLs", urls=["*python_stdlib.zip"])
        page.open(address)
        page.wait("document.body.dataset.ready === 'failed'")
        assert "python_stdlib.zip could not be loaded" in text_of(page, "#loading-text")
