# A thermal slowdown all the time: the round is repeated three times, then invalid, with the reason.
assay gate --device sim:hot --candidate sim --baseline sim --measure-same --only p0,p1 --quiet
