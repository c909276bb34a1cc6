# A hardware slowdown in rounds 1 and 2 that does not go away: the other rounds are measured, then the problem is given up, with the reason.
report_of gate --device sim:throttled --candidate sim --baseline sim --measure-same --only p0,p1
