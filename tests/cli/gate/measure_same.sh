# campaign: twenty rounds at worst on the real clock; sim/unchanged and metric/instructions take the path, gate/init passes on that clock
. "$ASSAY_SOURCE/tests/cli/_project.sh"
project; assay gate --baseline git:HEAD --measure-same
