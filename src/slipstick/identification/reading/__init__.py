"""Reading measured loops from files of instruments and spreadsheets.

loop_tables    one or more loops from one or more files
text_lines     lines of a file, in several encodings and compressed
table_layout   delimiter, decimal sign, column names and units
table_rows     numbers of a table, in blocks
table_files    spreadsheets, MATLAB, JSON, Parquet and TDMS files
clock_times    clock times and dates as seconds
decimal_signs  numbers with decimal points, commas and separators of thousands
column_roles   which column is time, deflection or force
unitless       files without units, and guesses at them
"""
