# Slowed down in the first attempt of rounds 1 to 3: each is repeated once, is valid then, and that is counted.
report_of gate --device sim:flaky --candidate sim --baseline sim --measure-same --only p0
