# Another process on the device all the time: no measurement counts, and after four the problem is given up, with the reason.
report_of gate --device sim:busy --candidate sim --baseline sim --measure-same --only p0,p1
