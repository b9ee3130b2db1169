"""Motion in time: one method a file, one problem for all of them."""
