"""What the program keeps on disk: where, settings, history, the list of models. No Qt, no torch, no network."""
