"""Branch points of response curves, and switching to other branches.

branch_points   locates branch points and their tangents
period_halving  end of a subharmonic branch on its parent
switching       branch switching, also during a trace
"""
