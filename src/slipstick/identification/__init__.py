"""From a measured loop to a law: loops, the papers' rules, least squares, ranking."""
