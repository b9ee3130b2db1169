"""The page Identify."""
