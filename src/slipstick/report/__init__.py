"""Reports: one self-contained HTML page about a result, without scripts or links to other files.

html_page               the HTML of a page
fit_report, fit_tables  reports and tables of fits and rankings
table                   a table of texts
trend_report            report of a trend
model_tables            contents of a model as tables
law_block               a law as YAML to paste into a model
estimate_text           estimates in tables
report_files            names and contents of the files
"""
