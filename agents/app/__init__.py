"""The `euchre` command: one small module a group of verbs, imported when its verb is asked for."""
