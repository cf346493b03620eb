"""Gates: did this build make the agent, or the game, worse? Verdicts with an error rate, for a studio's CI.

Read `regression.py` first: two sides play the same seeds until `judge.py` is sure. A verdict (`verdict.py`)
is pass, fail, undecided or no_data; the command line turns it into an exit code.
"""
