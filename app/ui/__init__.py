"""The window: shows values and emits values. It decides nothing that ``core`` can decide and never sees torch."""
