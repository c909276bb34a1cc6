# Sourced by tests: a project on a simulated device, and receivers of our own; what they get is in ../got.
. "$ASSAY_SOURCE/tests/cli/_project.sh"
command -v curl >/dev/null || { echo "SKIPPED: no curl, which sends messages"; exit 0; }
sim_project
mkdir ../got
python3 "$ASSAY_SOURCE/tests/cli/notify/_fake_receivers.py" ../got >../ports &
receivers=$!
trap 'kill $receivers' EXIT
until [ -s ../ports ]; do sleep 0.05; done
read -r hook_port mail_port <../ports
