#!/bin/sh
# The probes on stub libraries with scripted sensors and on a recorded machine: what devices -v shows,
# the conformance suite, and every way in which a sensor is not there.
: "${EVENHAND:?}" "${BUILD:?}" "${SRC:?}" "${CC:?}" "${T:?}"
n=0 bad=0
check() { # status text
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; bad=1; fi
}
stub() { # folder library source flags
	mkdir -p "$T/$1"
	# shellcheck disable=SC2086
	$CC ${4:-} -shared -fPIC -w -D_GNU_SOURCE -o "$T/$1/$2" "$SRC/tests/drivers/probes/$3.c"
}
probes=$BUILD/lib/evenhand/probes
suite() { # folder probe [settings...]: the conformance suite passes whole
	where=$1 name=$2
	shift 2
	LD_LIBRARY_PATH=$T/$where "$EVENHAND" plugin check "$probes/$name.so" "$@" > "$T/suite" 2>&1 &&
		grep -q '^10 passed, 0 skipped, 0 failed$' "$T/suite"
	rc=$?
	[ $rc -eq 0 ] || cat "$T/suite" >&2
	return $rc
}
# The sensors as lines "probe place name status value-or-reason".
sensors() { # folder
	LD_LIBRARY_PATH=$T/$1 "$EVENHAND" devices -v --json > "$T/json" 2> "$T/err"
	python3 - "$T/json" <<'PY'
import json, sys
for p in json.load(open(sys.argv[1]))["probes"]:
    if p["status"] != "ok":
        print(p["name"], p["status"], p["reason"])
    for note in p.get("notes", []):
        print(p["name"], "note", note)
    for place in p.get("places", []):
        for c in place["channels"]:
            print(p["name"], place["id"], "simulated" if place["simulated"] else "real", c["name"], c["status"],
                  ",".join(c["bits"]) if "bits" in c else c.get("value", c.get("reason")))
PY
}

stub new libnvidia-ml.so.1 nvml_stub
stub new librocm_smi64.so.1 rsmi_stub
stub old libnvidia-ml.so.1 nvml_stub -DOLD
stub old librocm_smi64.so.1 rsmi_stub -DNEW_LAYOUT
stub smi libamd_smi.so amdsmi_stub
have_ze=no
# The stub of Level Zero is made from the vendor's headers.
if grep -q '^levelzero_HEADERS = *yes' "$BUILD/config.mk"; then
	have_ze=yes
	ze_flags=$(sed -n 's/^levelzero_CPPFLAGS = *//p' "$BUILD/config.mk")
	stub new libze_loader.so.1 sysman_stub "$ze_flags"
	stub old libze_loader.so.1 sysman_stub "$ze_flags -DNO_INIT"
fi
EVENHAND_TEST_SENSORS=$T/script
export EVENHAND_TEST_SENSORS
: > "$T/script"

for name in nvml rocm; do
	suite new "$name"; check $? "$name passes the conformance suite on its stub"
	suite old "$name"; check $? "$name passes it on an older library"
done
suite smi rocm; check $? "rocm passes it with AMD SMI"
suite new linux --set "linux.root=$SRC/tests/replay/sensors"; check $? "linux passes it on a recorded machine"
suite new linux --set "linux.root=$SRC/tests/replay/h100"; check $? "and on a recorded guest, whose processors have no clocks"
for where in new old; do
	if [ $have_ze = yes ]; then
		suite $where sysman; check $? "sysman passes it ($where way in)"
	else
		n=$((n + 1)); echo "ok $n - sysman passes it ($where way in) # SKIP its stub is built only where level_zero/ze_api.h is (package libze-dev)"
	fi
done
printf 'energy 9000 9000 8000 7000\n' > "$T/script"
! suite new nvml 2> /dev/null && grep -q 'counter energy goes back' "$T/suite"
check $? "the suite sees a counter that goes back"

cat > "$T/script" <<'END'
power !3
limit !4
temperature !15
reasons 68
END
sensors new > "$T/list"
grep -q '^nvml gpu-0 simulated power unsupported nvmlDeviceGetPowerUsage answered 3: this GPU' "$T/list"
check $? "an unsupported field says so"
grep -q '^nvml gpu-0 simulated power-limit unavailable .*run as root' "$T/list"
check $? "a field kept for root says what helps"
grep -q '^nvml gpu-0 simulated temperature device-lost ' "$T/list"
check $? "a lost device is named"
grep -q '^nvml gpu-0 simulated throttle ok sw-power-cap,hw-thermal$' "$T/list"
check $? "throttle bits have names"
grep -q '^nvml gpu-0 simulated power-instant ok 251.5$' "$T/list"
check $? "field 186 is read beside them"
grep -q '^rocm gpu-0 simulated clock ok 1700$' "$T/list"
check $? "ROCm SMI tells its clock"
# What the power of NVML means is the device's: a mean of a second from Ampere on, but for GA100.
power() { # FORM WINDOW-NS
	sensors "${3:-new}" > "$T/list"
	python3 - "$T/json" "$1" "$2" <<'PY'
import json, sys
for p in json.load(open(sys.argv[1]))["probes"]:
    for place in p.get("places", []):
        for c in place["channels"]:
            if p["name"] == "nvml" and c["name"] == "power":
                assert c["form"] == sys.argv[2] and c.get("window_ns", 0) == int(sys.argv[3]), c
                sys.exit(0)
sys.exit(1)
PY
}
: > "$T/script"
power average 1000000000; check $? "on Hopper power is the mean of a second"
for capability in 70 80; do
	echo "capability $capability" > "$T/script"
	power instant 0; check $? "with compute capability $capability power is instantaneous"
done
echo "capability 86" > "$T/script"
power average 1000000000; check $? "with 8.6 it is the mean of a second"
echo "capability !3" > "$T/script"
power average 0; check $? "where the GPU does not tell, the window is unknown"
: > "$T/script"
power average 0 old; check $? "nor where the library cannot ask"
sensors old > "$T/list"
grep -q '^nvml gpu-0 simulated power-instant unsupported libnvidia-ml has no nvmlDeviceGetFieldValues' "$T/list"
check $? "a function that an old library lacks is named"
grep -q '^rocm gpu-0 simulated clock ok 1700$' "$T/list"
check $? "the newer layout of the clocks is told apart"
sensors smi > "$T/list"
grep -q '^rocm gpu-0 simulated throttle-package-power ok 50$' "$T/list"
check $? "AMD SMI counts violations"
grep -q '^rocm gpu-0 simulated throttle-hbm-thermal unsupported ' "$T/list"
check $? "and says which it does not count"
grep -q '^nvml unavailable .*libnvidia-ml.so.1.*libnvidia-ml1' "$T/list"
check $? "a library that is not here is looked for by name, with what to install"
printf 'init !9\n' > "$T/script"
sensors new > "$T/list"
grep -q '^nvml unavailable .*modprobe nvidia' "$T/list"
check $? "a driver that is not loaded says what helps"
printf 'init hang\n' > "$T/script"
LD_LIBRARY_PATH=$T/new "$EVENHAND" devices -v > "$T/words" 2>&1
grep -q 'nvml .*did not read its sensors within 10 s' "$T/words"
check $? "a library that hangs costs its line"
: > "$T/script"

"$EVENHAND" devices -v --set "linux.root=$SRC/tests/replay/sensors" > "$T/words" 2>&1
for want in 'sensors: linux package-0 (processor package; simulated), for every executor' \
	'clock  *2300 MHz' 'energy-limit  *205 W' 'throttle-events-cores  *7 events' 'power  *120 W  *power  *average' \
	'zone0-x86-pkg-temp  *53 C'; do
	grep -q "$want" "$T/words"
	check $? "a recorded machine shows: $want"
done

# One that was a guest: what it does not have is named.
"$EVENHAND" devices -v --set "linux.root=$SRC/tests/replay/h100" > "$T/words" 2>&1
for want in 'memory-used  *512.3 MiB' 'linux  *No energy of processors: ' 'linux  *No temperature of processors: ' \
	'linux package-0 clock  *the kernel reports no clocks of these processors'; do
	grep -q "$want" "$T/words"
	check $? "a recorded guest shows: $want"
done

# In a run: channels with times around the samples, the price of reading them, what the guards say.
LD_LIBRARY_PATH=$T/new "$EVENHAND" run "$SRC/tests/protocols/tiny.ini" --on host:0 -o "$T/out" \
	--set "linux.root=$SRC/tests/replay/sensors" > "$T/log" 2>&1
python3 - "$T"/out/*.json <<'PY'
import json, sys
r = json.load(open(sys.argv[1]))
for c in r["cases"]:
    for e in c["executions"]:
        t = e["telemetry"]
        assert t["overhead_ns"] > 0 and t["readings"] >= 2 and t["simulated"]
        names = {(x["probe"], x["name"]): x for x in t["channels"]}
        energy = names[("linux", "energy")]
        assert len(energy["times_ns"]) == len(energy["values"]) >= 2
        assert energy["times_ns"] == sorted(energy["times_ns"]) and energy["times_ns"][0] <= 0
        assert ("nvml", "power") not in names
        assert "load_before" in e["guards"]
PY
check $? "a run records telemetry of the host alone for a processor, and guards"
"$EVENHAND" show "$T"/out/*.json > "$T/log" 2>&1
check $? "and its result is read"
echo "1..$n"
exit $bad
