"""Pages that need no server: one file each, that asks for nothing outside of itself."""
