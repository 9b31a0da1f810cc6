"""The metrics of all workers at /metrics, in the text format of Prometheus.

The library is imported only while the metrics are on. Each worker writes its values to files in a
folder, and the worker that gets a request adds them up.
"""

from __future__ import annotations

import logging
import os
import shutil
from pathlib import Path
from typing import Any

from flask import Flask, Response

from twindow.core.metrics import (
    COUNTERS,
    GAUGES,
    LATE_GAUGES,
    NO_METRICS,
    CounterName,
    GaugeName,
    Metrics,
)
from twindow.core.server.proxy_detection import is_proxied
from twindow.core.settings import Settings
from twindow.core.version import read_version

logger = logging.getLogger(__name__)

PATH = "/metrics"
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
# The library reads this variable when it is imported.
FOLDER_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
# The files in which the library stores the values of a worker, and their size at first.
FILE_KINDS = ("counter", "histogram", "gauge_livesum", "gauge_livemax", "gauge_livemostrecent")
FILE_BYTES = 1 << 16
FIRST_TEXT_BUCKETS = (0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60)


class PrometheusMetrics(Metrics):
    """The metrics of this process, and access to those of all workers."""

    def __init__(self, now: float) -> None:
        from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

        self._registry = registry = CollectorRegistry()

        def gauge(name: str, explanation: str, mode: Any, labels: tuple[str, ...] = ()) -> Gauge:
            full_name = f"twindow_{name}"
            return Gauge(full_name, explanation, labels, registry=registry, multiprocess_mode=mode)

        self._counters: dict[tuple[str, str], Counter] = {}
        for name, (explanation, label, values) in COUNTERS.items():
            labels = (label,) if label else ()
            counter = Counter(f"twindow_{name}", explanation, labels, registry=registry)
            for value in values:  # a series that begins at 0 has a rate from the start
                self._counters[name, value] = counter.labels(value)
            if not values:
                self._counters[name, ""] = counter
        self._create_gauge = gauge
        self._gauges = {name: gauge(name, *GAUGES[name]) for name in GAUGES.keys() - LATE_GAUGES}
        self._first_text = Histogram(
            "twindow_first_text_seconds",
            "Time from a message to the first text of its reply.",
            registry=registry,
            buckets=FIRST_TEXT_BUCKETS,
        )
        explanation = "When the newest worker has started, in seconds since 1970."
        gauge("worker_start_time_seconds", explanation, "livemax").set(now)
        build = gauge("build_info", "Version of Twindow.", "livemax", ("version",))
        build.labels(read_version()).set(1)

    def count(self, name: CounterName, label: str = "") -> None:
        """Add 1 to a counter."""
        self._counters[name, label].inc()

    def set(self, name: GaugeName, value: float) -> None:
        """Store the current value of this process."""
        if name not in self._gauges:
            self._gauges[name] = self._create_gauge(name, *GAUGES[name])
        self._gauges[name].set(value)

    def observe_first_text(self, seconds: float) -> None:
        """Record the delay of the first text of a reply."""
        self._first_text.observe(seconds)

    def render(self) -> bytes:
        """Return the metrics of all workers, or of this process if it is not a worker."""
        from prometheus_client import CollectorRegistry, generate_latest
        from prometheus_client.multiprocess import MultiProcessCollector

        registry = self._registry
        if FOLDER_VARIABLE in os.environ:
            registry = CollectorRegistry()
            MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return generate_latest(registry)


def create_metrics(settings: Settings, now: float) -> Metrics:
    """Return the metrics of a process that starts `now`, or those that ignore everything."""
    if not settings.metrics_from.text:
        return NO_METRICS
    try:
        _reserve_space()
    except OSError as error:
        logger.warning("There are no metrics: %s.", error.strerror)
        return NO_METRICS
    return PrometheusMetrics(now)


def _reserve_space() -> None:
    """Allocate the files of this worker: on a full disk, the library would end the process."""
    if folder := os.environ.get(FOLDER_VARIABLE):
        for kind in FILE_KINDS:
            path = Path(folder, f"{kind}_{os.getpid()}.db")
            with path.open("ab") as file:
                os.posix_fallocate(file.fileno(), 0, FILE_BYTES)


def server_options(settings: Settings) -> dict[str, Any]:
    """Return the options of the server that the metrics need."""
    if not settings.metrics_from.text:
        return {}
    folder = settings.data_dir.resolve() / "metrics"

    def empty_folder(_server: object) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(mode=0o700, exist_ok=True)
        os.environ[FOLDER_VARIABLE] = str(folder)

    return {
        "on_starting": empty_folder,  # the server has the port, so no other one uses the folder
        "child_exit": lambda _server, worker: _forget_gauges(folder, worker.pid),
    }


def _forget_gauges(folder: Path, pid: int) -> None:
    """Delete the current values of a worker that has ended. What it has counted stays."""
    for path in folder.glob(f"gauge_live*_{pid}.db"):
        path.unlink(missing_ok=True)


def init_app(app: Flask, settings: Settings, metrics: Metrics) -> None:
    """Count the responses, and show the metrics to the addresses in `TWINDOW_METRICS_FROM`.

    For all others, the page does not exist, so it is not one of the routes.
    """
    if not isinstance(metrics, PrometheusMetrics):
        return

    def count_response(response: Response) -> Response:
        metrics.count("http_requests", f"{response.status_code // 100}xx")
        return response

    app.after_request(count_response)
    wsgi_app = app.wsgi_app

    def show_or_pass(environ: Any, start_response: Any) -> Any:
        is_read = environ["PATH_INFO"] == PATH and environ["REQUEST_METHOD"] in ("GET", "HEAD")
        is_direct = not is_proxied(environ)
        peer = environ.get("REMOTE_ADDR", "")
        if not (is_read and is_direct and settings.metrics_from.lists(peer)):
            return wsgi_app(environ, start_response)
        response = Response(metrics.render(), content_type=CONTENT_TYPE)
        response.headers["X-Content-Type-Options"] = "nosniff"
        return response(environ, start_response)

    app.wsgi_app = show_or_pass  # type: ignore[method-assign]
