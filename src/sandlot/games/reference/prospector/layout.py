"""Prospector's fixed interface: sizes, offsets in the observation, and action ids.

Everything that can be tuned is a knob of the game instead and comes from its spec.
"""

COMMODITIES = ("iron", "nickel", "water_ice", "pge", "rare_isotopes", "volatiles")
N_COMMODITIES = len(COMMODITIES)
IRON, NICKEL, WATER_ICE, PGE, RARE_ISOTOPES, VOLATILES = range(N_COMMODITIES)

MAX_NODES = 32
MAX_NEIGHBORS = 6
MAX_ASTEROIDS = 16
MAX_TICKS = 8  # of one action

STATION, CLUSTER, HAZARD = 0, 1, 2

FUEL_MAX = 1000
HULL_MAX = 100
HEAT_MAX = 100
TOOL_MAX = 100
CARGO_MAX = 200
ALERT_MAX = 100
ITEM_MAX = 12  # repair kits, stabilizers, decoys
CREDIT_SCALE = 1000

# Estimates before the first scan.
THREAT_PRIOR = 0.5
STABILITY_PRIOR = 0.5
CONFIDENCE_PRIOR = 0.10

OBS_DIM = 260
NEIGHBORS_AT, NEIGHBOR_SIZE = 24, 7
SPARE_AT = 66
ASTEROIDS_AT, ASTEROID_SIZE = 68, 11
MARKET_AT = 244

N_ACTIONS = 69
TRAVEL = 0  # 0..5
HOLD = 6
BURN = 7
WIDE_SCAN = 8
FOCUSED_SCAN = 9
DEEP_SCAN = 10
LISTEN = 11
SELECT = 12  # 12..27
MINE = 28  # 28..30: conservative, standard, aggressive
STABILIZE = 31
REFINE = 32
COOLDOWN = 33
MAINTAIN_TOOL = 34
PATCH_HULL = 35
JETTISON = 36  # 36..41
DOCK = 42
SELL = 43  # 43..60: three shares per commodity
BUY_FUEL = 61  # 61..63
BUY_KIT = 64
BUY_STABILIZER = 65
BUY_DECOY = 66
OVERHAUL = 67
CASH_OUT = 68

ENDINGS = ("none", "destroyed", "stranded", "cash_out", "time")

# The metrics of an episode, in the order of the info block.
METRICS = (
    "credits",
    "net_profit",
    "profit_per_tick",
    "survival",
    "overheat_ticks",
    "pirate_encounters",
    "value_lost_to_pirates",
    "fuel_used",
    "hull_damage",
    "tool_wear",
    "scan_count",
    "mining_ticks",
    "cargo_utilization_avg",
)
