"""Evaluation: play on fixed seeds, tables of scripted players, league, parity with the twins, speed."""
