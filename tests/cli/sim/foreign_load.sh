# Other processes take 12 % of our processors in one round: it is measured again after the others and costs no verdict; by a device of the manifest.
cat >assay.yaml <<'Y'
version: 1
devices:
  "sim:loaded": {noise: {cv_pct: 0.3}, episodes: [{from_round: 3, to_round: 3, others_pct: 12}]}
Y
report_of gate --device sim:loaded --candidate sim --baseline sim --measure-same --only p0
