#!/bin/sh
# Runs on the levelzero backend behind the real loader on the test driver: every workload, the arguments of
# launches, modules compiled ahead, and drivers that lie.
. "$SRC/tests/drivers/levelzero/setup"
levelzero_driver

# Every workload.
# Slow commands, so that the time of a command is more than that of asking for it.
EVENHAND_TEST_FAULT=slow=200 "$EVENHAND" run "$SRC/tests/drivers/levelzero.ini" --on levelzero:0.1 -o "$T/results" > "$log" 2>&1
ok $? "every workload runs and verifies on a tile" "$log"
result=$(find "$T/results" -name '*.json' | head -n 1)
python3 -B - "$result" "$SRC/tests/drivers" > "$T/facts" 2>&1 <<'PY'
import json, sys
sys.path.insert(0, sys.argv[2])
import rows
r = json.load(open(sys.argv[1]))
text = json.dumps(r)
for words in ('"simulated"', '"spirv"', 'clang + llvm-spirv', 'Level Zero loader', '"native"', '"clock-hertz": {"value": "19200000"'):
    assert words in text, words + " is not recorded"
wrong = rows.accused(r["cases"])
assert not wrong, wrong
assert len(r["cases"]) == 39, len(r["cases"])
PY
ok $? "the result says simulated, SPIR-V and who compiled it" "$T/facts"
# An operation on repeated inputs must not be spared what one on new inputs costs.
EVENHAND_TEST_CALLS=$T/calls "$EVENHAND" run "$SRC/tests/drivers/levelzero.ini" --on levelzero:0.1 --case 'launch.back*' -o "$T/launches" > "$log" 2>&1
launches=$(grep -c '^zeCommandListAppendLaunchKernel$' "$T/calls")
repeated=$(grep -c '^launch with an argument of an earlier one$' "$T/calls")
echo "$launches launches, $repeated of them with an argument of an earlier one" >> "$log"
[ "$launches" -gt 100 ] && [ "$repeated" -eq 0 ]
ok $? "the arguments are set at each launch, repeated ones too" "$log"

# Copies to the other device.  The driver faults on a direct one where it says that there is none.
. "$SRC/tests/drivers/peers"
EVENHAND_TEST_ZE=tiles=0
export EVENHAND_TEST_ZE
peers_run levelzero:0 levelzero
peers_say 'with 1 (TEST.*direct: peer access offered, atomics yes' \
	'with 1 (TEST.*staged: pieces of 4 MiB in turn, peer access offered, atomics yes'
ok $? "copies to the other device, direct and staged" "$log"
EVENHAND_TEST_ZE='tiles=0 peer=0'
peers_run levelzero:0 levelzero
peers_say 'unsupported .* do not reach each other.s memory' \
	'staged: pieces of 4 MiB in turn, peer access not offered, atomics no'
ok $? "without access direct copies are unsupported, and staged ones go through the host" "$log"
unset EVENHAND_TEST_ZE

# Modules compiled ahead that others can change are not read.
if [ -f "$spirv/compiler" ]; then
	mkdir -p "$T/ahead"
	cp -r "$spirv" "$T/ahead"
	chmod o+w "$T/ahead/spirv"/*.spv
	"$EVENHAND" run "$SRC/tests/protocols/tiny.ini" --on levelzero:0 --executions 1 -q -o "$T/ahead-run" \
		--set levelzero.compiler=prebuilt --set "levelzero.library-dir=$T/ahead" > "$log" 2>&1
	[ $? -eq 7 ] && grep -q 'spirv/.*\.spv is not used because others can write to it: run chmod go-w' "$T/ahead-run"/levelzero-*.json
	ok $? "a prebuilt module that others can change is not read" "$log"
else
	skip "a prebuilt module that others can change is not read" "no SPIR-V was prebuilt"
fi

# A device whose double arithmetic is done in software.
export EVENHAND_TEST_ZE=fp64=2
"$EVENHAND" run "$SRC/tests/drivers/levelzero.ini" --on levelzero:0 --case 'storage.*' -q -o "$T/soft" > "$log" 2>&1
unset EVENHAND_TEST_ZE
python3 - "$T/soft/levelzero-0.json" > "$T/facts" 2>&1 <<'PY'
import json, sys
r = json.load(open(sys.argv[1]))
assert "fp64-soft" in r["executor"]["device"]["caps"], r["executor"]["device"]
said = {c["precision"]: c["executions"][0]["arithmetic"] for c in r["cases"] if c["executions"]}
assert said["f64"] == {"kind": "emulated", "how": "f64: the device does it in software"}, said
PY
ok $? "double arithmetic in software is recorded as emulated" "$T/facts"

rows() { # FAULT STATUS: runs, and whether it ends with that status; the rows' own go to $T/rows
	rm -rf "$T/lied"
	EVENHAND_TEST_FAULT=$1 timeout 60 "$EVENHAND" run "$SRC/tests/protocols/tiny.ini" --on levelzero:0 -q -o "$T/lied" > "$log" 2>&1
	rc=$?
	python3 -c 'import json, sys
for c in json.load(open(sys.argv[1]))["cases"]:
    print(c["status"])' "$T/lied/levelzero-0.json" > "$T/rows" 2>> "$log"
	[ $rc -eq "$2" ] && [ -s "$T/rows" ]
}
for fault in early 'wrong@4+' 'stale@2+' 'lost@6' 'clock=one'; do
	rows "$fault" 7 && ! grep -qv '^invalid$\|^failed$' "$T/rows"
	ok $? "$fault: every row is invalid or failed" "$log"
done

finish
