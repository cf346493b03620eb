"""VR navigation training under the names of its brief; README.md says how to use it."""
