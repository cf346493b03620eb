"""How much one peer may send and use: every limit of the live server, in one place."""

MOST_GAMES = 64  # connections that have sent a message
MOST_PENDING = 32  # connections that have not yet; one more ends the oldest of them
HELLO_S = 5.0  # for the handshake and the first message of a new connection
SEND_S = 30.0  # for a game to take an answer

MOST_AGENTS = 1024  # of one connection, by name
MOST_TRANSITIONS = 16_384  # in one transition_batch
MOST_NAME = 100  # characters of a name
MOST_WAITING = 1  # messages of a connection that are read before the first is answered

LARGEST_REWARD = 100.0  # of one step, unless --reward-limit says otherwise; a win in tag pays 10
LARGEST_STEP_REWARD = 1e6  # of one step in lock-step, where a game has no limit of its own
LARGEST_OBSERVATION = 100.0  # the games' own numbers are within -4 and 4
LARGEST_ACTION = 100.0  # as the game reports it; it is compared, never played
LARGEST_DISTANCE = 1e6  # metres
LONGEST_EPISODE_S = 1e7

QUARANTINED = 1000  # refused messages that are written down
QUARANTINE_BYTES = 1 << 20  # of the file of refused messages
EXCERPT = 500  # characters of each
