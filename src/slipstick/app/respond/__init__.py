"""The page Respond."""
