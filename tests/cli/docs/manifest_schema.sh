# slow with sanitizers: the reader of manifests, which unit tests take
# The schema of assay.yaml for editors: what assay reads matches it, whatever test wrote it; what is wrong in its form does not.
/usr/bin/python3 -c 'import jsonschema, yaml' 2>/dev/null || { echo "SKIPPED: python3-jsonschema or python3-yaml is not installed"; exit 0; }
/usr/bin/python3 "$ASSAY_SOURCE/tests/cli/docs/_manifest_schema.py" "$ASSAY_SOURCE"
# The line that `init` writes names the schema that belongs to this program.
assay init --quiet
schema=$(sed -n '1s/^# yaml-language-server: \$schema=//p' assay.yaml)
cmp "$schema" "$ASSAY_SOURCE/docs/manifest.schema.json" && echo "init names it"
