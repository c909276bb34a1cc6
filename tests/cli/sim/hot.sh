# A thermal slowdown all the time: no measurement counts, and after four the problem is given up, with the reason.
report_of gate --device sim:hot --candidate sim --baseline sim --measure-same --only p0,p1
