"""The page Identify: fits laws to uploaded loops, with intervals and a ranking.

page              layout and actions of the page
page_state        files, options and results that a tab keeps
setting_steps     undo, redo and the address
page_messages     rewrites library messages for the page
file_picker       upload and list of files
file_loader       reads uploaded files and adds them together
uploaded_loops    tables and loops from uploaded bytes
column_form       columns, units and preprocessing
remedies          buttons that remove the cause of a message
law_form          choice of laws, fixed values and bounds
law_cards         a sentence and a small loop for each law
tasks             the computations in worker processes
result_summary    rows, texts and files of a result
result_view       shows the data, the fit and its files
loop_figures      plots of loops and fits
mean_cycle        the mean cycle of a long record, with a band
loop_diagnostics  table of loop figures
starter_model     a one-mass model with the identified law
"""
