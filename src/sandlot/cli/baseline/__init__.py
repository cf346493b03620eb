"""Save what later builds are compared with: a folder with a report and the policy, in git or beside it.

Examples: sandlot baseline save main latest · sandlot baseline list
"""
