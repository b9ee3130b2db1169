"""The page Papers."""
