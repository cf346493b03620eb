"""Judging: fixed-seed play, tables of scripted players, parity with the twins, speed."""
