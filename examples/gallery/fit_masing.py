"""A Masing law fitted to a noisy loop, with what it leaves."""

import slipstick as ss

loop = ss.dataset("tensioner-masing")[0].without_drift()
fit = ss.identify(loop, ss.Masing)
print(fit)
fit.plot().savefig("fit_masing.png")
