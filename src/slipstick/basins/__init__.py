"""Basins of attraction: which motion each of many starts ends on.

study     what is asked, checked, and the starts
settling  a start followed until its motion repeats
clusters  equal motions found among all starts
shares    the whole: batches of starts in worker processes, shares with intervals
"""
