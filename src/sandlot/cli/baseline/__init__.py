"""Keep baselines that later builds are compared with: folders with a report and a policy.

Examples: sandlot baseline save main latest · sandlot baseline list
"""
