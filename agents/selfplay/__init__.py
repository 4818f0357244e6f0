"""Self-play as data: hands played by number, files of their decisions, other people's formats."""
