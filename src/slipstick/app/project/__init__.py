"""Project files: the work of a tab in one file, ``NAME.slipstick``.

project_file    the contents, and their file; files of strangers are read without trust
project_tasks   results as netCDF, and back
project_state   the contents from the state of a tab, and back
project_menu    the buttons Save and Open
autosave        a copy on disk while the user works, offered after a restart
"""
