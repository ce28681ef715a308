"""Values, plans and rules as plain data: standard library only, no Qt, no torch, no disk beyond model headers."""
