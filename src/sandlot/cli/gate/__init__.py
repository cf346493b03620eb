"""Judge a build, an agent or a training: pass, fail or undecided, with an exit code for CI.

Examples: sandlot gate regression --baseline main --current latest ·
sandlot gate validate report.json --min success=0.8
"""
