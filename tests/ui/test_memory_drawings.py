"""Plan bar and live charts: what they draw they also say; patterns, not colours alone; cheap to paint."""

from __future__ import annotations

import time

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.core.hardware import DeviceSheet
from app.core.plan import Dtype, Estimate, OffloadMode, Plan
from app.core.units import GIB
from app.host.telemetry import RAM, MemorySample
from app.ui import theme
from app.ui.plan_bar import PlanBar
from app.ui.vram_chart import SPAN, DeviceChart, VramChart

CARD = DeviceSheet(id="cuda:0", name="NVIDIA GeForce RTX 3060", total=12 * GIB, free=10 * GIB, held=GIB)


def plan(resident: float, streamed: float = 0, work: int | None = None) -> Plan:
    estimate = Estimate(
        resident=int(resident * GIB),
        streamed=int(streamed * GIB),
        reserve=GIB // 2,
        budget=10 * GIB,
        work=work,
    )
    return Plan(family="f", device="cuda:0", dtype=Dtype.FLOAT16, offload=OffloadMode.NONE, estimate=estimate)


def sample(seconds: float, held: float = 2, others: float = 1, device: str = "cuda:0") -> MemorySample:
    return MemorySample(
        device=device,
        name="RAM" if device == RAM else "NVIDIA GeForce RTX 3060",
        held=int(held * GIB),
        others=int(others * GIB),
        free=int((12 - held - others) * GIB),
        total=12 * GIB,
        time=seconds,
    )


def image_of(widget: QWidget) -> QImage:
    image = QImage(widget.size(), QImage.Format.Format_RGB32)
    image.fill(0)
    widget.render(image)
    return image


def test_the_bar_says_what_it_draws(qtbot: QtBot) -> None:
    bar = PlanBar()
    qtbot.addWidget(bar)
    assert bar.accessibleDescription() == "No plan yet."
    bar.set_plan(plan(6), CARD)
    said = bar.accessibleDescription()
    assert "Weights: 6.0 GiB" in said
    assert "Work: not estimated yet" in said
    assert "Other programs: 1.0 GiB" in said
    bar.set_plan(plan(2, streamed=4, work=GIB), CARD)
    assert "Work: 1.0 GiB" in bar.accessibleDescription()
    assert "4.0 GiB of weights wait in main memory" in bar.accessibleDescription()


def test_a_plan_longer_than_the_device_says_by_how_much(qtbot: QtBot) -> None:
    bar = PlanBar()
    qtbot.addWidget(bar)
    bar.set_plan(plan(13), CARD)
    assert "2.5 GiB more than the device has" in bar.accessibleDescription()


def test_regions_differ_by_pattern_too(qtbot: QtBot) -> None:
    bar = PlanBar()
    qtbot.addWidget(bar)
    bar.resize(400, bar.heightForWidth(400))
    bar.set_plan(plan(4, work=2 * GIB), CARD)
    plain = {image_of(bar).pixel(x, 10) for x in range(10, 60)}
    bar.set_plan(plan(4, streamed=2), CARD)
    striped = {image_of(bar).pixel(x, 10) for x in range(10, 60)}
    assert len(plain) == 1
    assert len(striped) > 2


def test_the_bar_takes_more_rows_where_it_is_narrow(qtbot: QtBot) -> None:
    bar = PlanBar()
    qtbot.addWidget(bar)
    bar.set_plan(plan(6), CARD)
    assert bar.heightForWidth(200) > bar.heightForWidth(900)


def test_one_chart_per_device_main_memory_last(qtbot: QtBot) -> None:
    charts = VramChart()
    qtbot.addWidget(charts)
    for device in (RAM, "cuda:0", "cuda:1"):
        charts.add_sample(sample(0, device=device))
    order = [charts.layout().itemAt(place).widget().accessibleName() for place in range(3)]
    assert [name.split()[0] for name in order] == ["NVIDIA", "NVIDIA", "RAM"]


def test_the_chart_says_figure_and_shares(qtbot: QtBot) -> None:
    chart = DeviceChart()
    qtbot.addWidget(chart)
    chart.add(sample(0, held=7))
    chart.add(sample(1, held=6.3, others=3))
    assert chart.figure() == "9.3 / 12 GiB"
    assert (
        "Headroom holds 6.3 GiB, other programs 3.0 GiB, 2.7 GiB of 12.0 GiB are free" in chart.description()
    )
    assert "Most held in the last two minutes: 7.0 GiB" in chart.accessibleDescription()


def test_the_chart_forgets_what_is_older_than_it_shows(qtbot: QtBot) -> None:
    chart = DeviceChart()
    qtbot.addWidget(chart)
    chart.add(sample(0, held=11))
    chart.add(sample(SPAN + 10, held=1))
    assert "Most held in the last two minutes: 1.0 GiB" in chart.description()


@pytest.mark.parametrize("count", [1, 2, 300])
def test_any_number_of_samples_can_be_drawn(qtbot: QtBot, count: int) -> None:
    chart = DeviceChart()
    qtbot.addWidget(chart)
    chart.resize(220, 40)
    image_of(chart)
    for number in range(count):
        chart.add(sample(number * 0.5))
    image = image_of(chart)
    resident = theme.tokens().colour("resident").rgb()
    assert resident in {image.pixel(218, y) for y in range(40)}


def test_painting_costs_little(qtbot: QtBot) -> None:
    chart = DeviceChart()
    qtbot.addWidget(chart)
    chart.resize(220, 40)
    for number in range(240):
        chart.add(sample(number * 0.5, held=number % 9))
    image_of(chart)
    costs = []
    for _ in range(20):
        before = time.thread_time()
        image_of(chart)
        costs.append(time.thread_time() - before)
    # Painted twice a second; the quickest of many, since the machine may be busy.
    assert min(costs) < 0.004
