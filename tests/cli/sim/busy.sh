# Another process on the device all the time: the round is repeated three times, then invalid, with the reason.
assay gate --device sim:busy --candidate sim --baseline sim --measure-same --only p0,p1 --quiet
