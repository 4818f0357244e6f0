"""Training by self-play: configuration, collection, learning, checkpoints, and their loop."""

from .checkpoint import CheckpointError
from .config import Config, ConfigError, load_config
from .loop import Evaluate, train
from .result import Result

__all__ = ["CheckpointError", "Config", "ConfigError", "Evaluate", "Result", "load_config", "train"]
