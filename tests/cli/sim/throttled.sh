# A hardware slowdown in rounds 1 and 2 that does not go away: the round is repeated three times, then invalid, with the reason.
assay gate --device sim:throttled --candidate sim --baseline sim --measure-same --only p0,p1 --quiet
