"""What runs a plan with torch, in a process of its own: no settings, no Qt, nothing of the window."""
