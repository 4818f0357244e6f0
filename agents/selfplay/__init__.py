"""Self-play as data: hands played by number, files of their decisions, and other people's formats."""
