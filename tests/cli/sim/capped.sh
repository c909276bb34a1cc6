# A software power cap alone: the rounds are valid, and there is a warning.
report_of gate --device sim:capped --candidate sim --baseline sim --measure-same --only p0
