"""The browser application: identify laws, edit models and compute responses without programming, offline.

    server                            starts and stops the web server
    request_guard                     checks host, origin and token of every request
    pending_connections               limits connections that have not shown a token
    pages                             the list of pages
    start_page                        three ways to begin, and examples
    page_frame                        header, style and context that all pages share
    tab_state                         loaded files and results of a browser tab; they survive a reload
    setting_history                   undo and redo
    page_address                      the address of an open page, and the buttons undo and redo
    linked_states                     what links to files and texts lead back to
    model_choice, model_address       the model that a tab works with, and its part of an address
    worker_pool                       pool of worker processes for long tasks
    task_worker                       the loop that runs tasks in a worker process
    task_scope                        cancels tasks when their page or tab closes
    task_warnings                     collects the warnings of tasks
    debounce                          runs only the latest of several pending requests
    widgets                           headings, tables, progress, messages and other small elements
    plotly_figures                    plotly figures in the house style
    number_input                      parses numbers typed into fields
    file_names                        safe names of uploaded files
    log_file                          the server's log, bounded in size
    identify, model, respond, papers  the pages, one package each

A page only shows and asks. The functions that compute are in the ``tasks`` module of its package; they take plain data
and run in a worker process.
"""
