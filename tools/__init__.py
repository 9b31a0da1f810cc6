"""Programs for developers: benchmarks, chaos tests, traces, screenshots, translations."""
