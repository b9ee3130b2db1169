"""Free decays: amplitude, frequency and damping of a mode over time.

window_fit.py   least-squares fit of decaying waves in one window, with standard deviations
ringdown.py     the windows of a whole record: `slipstick.ringdown`
"""
