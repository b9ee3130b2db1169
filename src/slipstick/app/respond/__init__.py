"""The page Respond: computes responses of a model over frequency and over time.

page                      layout and actions of the page
page_state                settings and results that a tab keeps
page_messages             rewrites library messages for the page
parameter_panel           sliders and fields for parameters
model_parameters          parameters of a model, with slider ranges
frequency_panel           response over frequency, as preview or traced curve
time_panel                response over time
run_up                    run-ups, and their orders over speed
curve_panel, curve_notes  shows a curve, and its certificate, peaks and special points
orbit_panel               shows an orbit of the curve
coexisting_solutions      other solutions at the same frequency
motion_view               histories, loops, multipliers and certificate of a motion
transient_preview         fast preview from short runs
display_data              results as plain lists in display units
response_figures          plotly figures of results
setting_address           the settings in the address
kept_settings             settings that are kept for comparison, with name and colour
setting_comparison        differences between kept settings and the current one
settings_text             settings of a result in words
csv_tables                results as CSV tables
tasks                     the computations in worker processes
"""
