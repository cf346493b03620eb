"""What VR navigation training is made of: processors, rewards, the HTTP client, callbacks, monitoring.

The code is in src/sandlot/compat/vr/; here are its names in one place.
"""

from sandlot.bridge.http_client import HttpClient
from sandlot.compat.vr.callbacks import PerformanceMetricsCallback, SceneReloadCallback
from sandlot.compat.vr.environment import NavigationEnv, make_vec_env
from sandlot.compat.vr.evaluation import Evaluation, evaluate
from sandlot.compat.vr.monitor import PerformanceMetrics, TrainingMonitor
from sandlot.compat.vr.processing import ActionPostProcessor, ObservationProcessor
from sandlot.compat.vr.rewards import RewardCalculator
from sandlot.compat.vr.training import train

__all__ = [
    "ActionPostProcessor",
    "Evaluation",
    "HttpClient",
    "NavigationEnv",
    "ObservationProcessor",
    "PerformanceMetrics",
    "PerformanceMetricsCallback",
    "RewardCalculator",
    "SceneReloadCallback",
    "TrainingMonitor",
    "evaluate",
    "make_vec_env",
    "train",
]
