# A record that was edited: 65 and the place; nothing is measured.
. "$ASSAY_SOURCE/tests/cli/bisect/_history.sh"
history 4 2
bisect good..HEAD --quiet >/dev/null
record=$(echo runs/*/bisect.json); cp "$record" kept
say() { assay bisect --resume last 2>&1 | sed -E 's/[0-9]{8}-[0-9]{6}-bisect-[0-9a-f]{4}/<run>/; s/near .*;/near ...;/'; echo "exit ${PIPESTATUS[0]}"; cp kept "$record"; }
sed -i 's/assay.bisect/assay.gate/' "$record"; say
sed -i 's/"certainty_pct": .*/"certainty_pct": 101,/' "$record"; say
sed -i 's/"round_count": [0-9]*/"round_count": 1/' "$record"; say
sed -i 's/"answer": "changed"/"answer": "perhaps"/' "$record"; say
head -c 300 kept >"$record"; say
