"""Many running replies at once, beside nginx and a bare relay: `make bench-load`."""

from tools.bench.load.measure import ROUNDS, measure, measure_stages

__all__ = ["ROUNDS", "measure", "measure_stages"]
