"""Languages of the interface: locale, translated sentences, times and numbers."""
