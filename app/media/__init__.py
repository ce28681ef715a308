"""Pictures on disk: opening, writing, reading back, their metadata and names. No Qt, no torch."""
