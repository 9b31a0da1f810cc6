"""Programs for developers: benchmarks, chaos tests, screenshots, translations, releases."""
