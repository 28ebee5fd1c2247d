"""Charts of the history: larger values are higher, and later ones are to the right."""

from __future__ import annotations

import pytest

pytest.importorskip("markupsafe")

from hlsl_tool.apps.report.html.charts import _places


@pytest.mark.parametrize("values", [[1, 2, 3], [3, 1, 2], [5, 5], [-1, 0, 4, 2]])
def test_places(values: list[int]) -> None:
    places = [(float(x), float(y)) for x, y in _places(values, 10, 20, 100, 50)]
    assert [x for x, _ in places] == sorted({x for x, _ in places})
    assert (places[0][0], places[-1][0]) == (10, 110)
    assert all(20 <= y <= 70 for _, y in places)
    for (_, y), value in zip(places, values, strict=True):
        for (_, other_y), other in zip(places, values, strict=True):
            assert (y < other_y) == (value > other), "y grows downwards"
    if len(set(values)) > 1:
        assert {places[values.index(max(values))][1], places[values.index(min(values))][1]} == {20, 70}
