# The script of a simulated device is the baseline's; a candidate cannot make the noise in which it hides.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
sim_project; printf 'devices: {"sim:lab": {noise: {cv_pct: 0.5}}}\n' >>assay.yaml; git commit -qam lab
sed -i 's/base_us: 100/base_us: 110/; s/cv_pct: 0.5/cv_pct: 0.5, process_pct: 60/' assay.yaml
report_of gate --device sim:lab --baseline git:HEAD | sed -n 2,8p
