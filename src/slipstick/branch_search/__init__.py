"""Branches of periodic responses that are not connected to the first one.

search_plan     frequencies and starts of a search
known_motions   whether a motion lies on a branch that is known
settled_orbits  orbits that runs from many starts settle to
other_branches  the whole: branches followed in full, without duplicates
"""
