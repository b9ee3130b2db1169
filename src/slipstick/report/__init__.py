"""One page about a result: HTML with its figures inside, which asks for nothing from anywhere."""
