"""Policies: observation in, action out. Networks, action heads, normalisers, weights in and out.

Needs PyTorch: `pip install 'sandlot[train]'`.
"""

from ..errors import MissingExtra

try:
    import torch
except ImportError:
    raise MissingExtra("Using a trained policy", "PyTorch", "train") from None

from .heads import Categorical, Composed, Gaussian, Head
from .network import Network
from .normalize import Normalizer
from .policy import Policy, load_policy
