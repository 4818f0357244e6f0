"""The table in the browser: an ASGI application over :mod:`agents.app.table`.

A browser asks, the server answers, in plain JSON; nothing is pushed. See ``docs/web.md``.
"""
