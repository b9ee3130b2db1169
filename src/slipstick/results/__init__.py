"""What the verbs of a model return: data, words and saving; nothing here solves anything."""
