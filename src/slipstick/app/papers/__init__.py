"""The page Papers: makes the figures and tables of the five papers, with adjustable parameters.

page            layout and actions of the page
page_state      list of figures, the results that a tab keeps, and its address
parameter_form  fields for the parameters of a figure
tasks           the computations in worker processes
figure_view     shows a figure with its comparison and files
"""
