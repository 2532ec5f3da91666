#!/bin/sh
# Copies between two devices of PoCL in every direction: every byte is right, copies with one fault give no
# number, and where there is no other device, or no such way, no other way is taken.
# The same processor twice; OpenCL's other drivers would be devices of the backend too.
OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd
export OCL_ICD_VENDORS POCL_DEVICES
for POCL_DEVICES in "pthread pthread" "cpu cpu"; do
	! "${EVENHAND:?}" devices 2>/dev/null | grep -q '^opencl:pocl-1' || break
done
# shellcheck source=tests/cli/planted
. "${SRC:?}/tests/cli/planted"
right opencl:pocl-0 p2p 'staged*' 6
if [ $pocl = yes ]; then
	"$EVENHAND" run "$SRC/tests/protocols/p2p.ini" --on opencl:pocl-0 --plan --json >plan.json 2>plan.err
	python3 - p2p-opencl_pocl_0/*.json >facts 2>&1 <<'PY'
import json, sys
plan = {c["id"]: c for c in json.load(open("plan.json"))["cases"]}
for c in json.load(open(sys.argv[1]))["cases"]:
    if c["id"].startswith("staged"):
        e = c["executions"][0]
        # Of the measured device's memory alone.
        assert e["device_memory_bytes"] == plan[c["id"]]["memory_bytes"], (c["id"], e["device_memory_bytes"])
        assert e["verification"]["after"]["detail"].startswith("with pocl-1 ("), e["verification"]
        assert ", staged: through the host" in e["verification"]["after"]["detail"], e["verification"]
PY
	check $? "rows ask for the memory that their plan has, and name the other device and the way" facts plan.err
	"$EVENHAND" show p2p-opencl_pocl_0/*.json >shown 2>&1
	tr -s ' \n' ' ' <shown | grep -q 'answer with pocl-1 (.*staged: through the host.s memory'
	check $? "show says how the bytes went" shown
	"$EVENHAND" run "$SRC/tests/protocols/p2p.ini" --on opencl:pocl-0 --case 'direct*,missing*' -q -o other >other.log 2>&1
	python3 - other/*.json >facts 2>&1 <<'PY'
import json, sys
rows = [c for c in json.load(open(sys.argv[1]))["cases"] if not c["id"].startswith("staged")]
assert len(rows) == 4 and all(c["status"] == "unsupported" for c in rows), [(c["id"], c["status"]) for c in rows]
for c in rows:
    want = "There is no other device 999: beside this one the backend sees 1" if c["id"].startswith("missing") else \
        "no copy that surely goes from device to device"
    assert want in c["reasons"][0], c["reasons"]
PY
	check $? "a direct copy is not replaced by a staged one, nor a device by another" facts other.log
fi
# EXECUTOR REASON
alone() {
	rm -rf alone
	"$EVENHAND" run "$SRC/tests/protocols/p2p.ini" --on "$1" --case 'staged*' -q -o alone >alone.log 2>&1
	grep -q '"status": *"unsupported"' alone/*.json && grep -q "$2" alone/*.json && ! grep -q '"status": *"valid"' alone/*.json
}
alone host:gcc 'the backend copies nothing between devices (eh.peer.1)'
check $? "the host has no other devices" alone.log
if [ $pocl = yes ]; then
	(
		unset POCL_DEVICES
		alone opencl:pocl 'The backend sees only one device.'
	)
	check $? "nor has a backend that sees only one" alone.log
fi

faulty() { # TEXT SED-SCRIPT
	caught_in "$1" p2p p2p.c 'staged*' "$2" opencl:pocl-0
}
copy='p->buffers\[p->to\], 0, p->buffers\[p->from\], 0, x->bytes,'
faulty "a wrong offset" "s/$copy/p->buffers[p->to], 0, p->buffers[p->from], 4, x->bytes - 4,/"
faulty "a wrong offset in the target" "s/$copy/p->buffers[p->to], 4, p->buffers[p->from], 0, x->bytes - 4,/"
faulty "half of the bytes" "s/$copy/p->buffers[p->to], 0, p->buffers[p->from], 0, x->bytes \/ 8 * 4,/"
faulty "the wrong direction" "s/$copy/p->buffers[p->from], 0, p->buffers[p->to], 0, x->bytes,/"
faulty "copies that stop after the first" "s/^static eh_status carry(/static int carried;\n&/
	s/^	return x->peer->copy(queue/	if (carried++ > 1)\n		return EH_OK;\n&/"
faulty "a block that is as it was before" 's/p->buffers\[p->from\], x->bytes,$/p->buffers[p->from], x->bytes - (variant > 0 ? 4 : 0),/'
caught_in "the other way of both" p2p p2p.c 'staged.both*' 's/carry(x, \&x->paths\[1\], other, error)/EH_OK/' opencl:pocl-0

finish
