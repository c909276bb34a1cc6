# Other processes take more than 2 % of assay's processors: the round is repeated, then invalid; by a device of the manifest.
cat >assay.yaml <<'Y'
version: 1
devices:
  "sim:loaded": {noise: {cv_pct: 0.3}, episodes: [{from_round: 3, to_round: 3, foreign_pct: 12}]}
Y
assay gate --device sim:loaded --candidate sim --baseline sim --measure-same --only p0 --quiet
