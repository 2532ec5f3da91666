#!/bin/sh
# Values in last-level caches and in compute units, and the plan of a run on devices that a file describes.
: "${T:?}" "${EVENHAND:?}" "${BUILD:?}" "${SRC:?}"
n=0 bad=0
check() { # status text
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; return; fi
	echo "not ok $n - $2"
	bad=1
	# What the program said last, so that a log explains itself.
	for said in out err; do [ ! -s "$said" ] || { echo "# $2: ${said##*/}:"; tail -n 10 "$said"; } >&2; done
}
run() { # expected exit code, arguments of evenhand
	want=$1
	shift
	"$EVENHAND" "$@" >out 2>err </dev/null
	[ $? -eq "$want" ]
}
cd "$T" || exit 1
devices=$SRC/tests/replay/devices.ini

# The plan of gpu-quick on each device: bytes of an array, rounds of fma, size of the matrices.
plan() { # DEVICES
	run 0 run "$SRC/protocols/gpu-quick.ini" --plan --device-file "$devices" --on "$1" --json
}
while read -r device bytes rounds matrix; do
	plan "described:$device" && grep -q "\"triad\.f32\.$bytes\"" out && grep -q "\"fma\.f32\.rounds$rounds\"" out &&
		grep -q "\"gemm\.f32\.$matrix\"" out
	check $? "gpu-quick on $device: arrays of $bytes, $rounds rounds, matrices of $matrix"
done <<'END'
h100 256MiB 1024 4096
h200 256MiB 1024 4096
b200 512MiB 1024 4096
mi300x 1GiB 4096 8192
mi355x 1GiB 4096 8192
rdna3 512MiB 1024 4096
arc 128MiB 1024 4096
genoa-x 8GiB 4096 8192
unknown 1GiB 1024 4096
END
plan described:h100,described:mi300x && grep -q '"triad\.f32\.1GiB"' out && ! grep -q 'triad\.f32\.256MiB' out
check $? "all executors of a run get the sizes of the largest"
digest=$(sed -n 's/.*"digest": "\(.*\)".*/\1/p' out)
plan described:mi355x,described:b200 && [ "$(sed -n 's/.*"digest": "\(.*\)".*/\1/p' out)" = "$digest" ]
check $? "and another machine with the same largest cache the same plan"
for device in h100 b200 mi300x mi355x rdna3 arc genoa-x; do
	plan "described:$device"
	python3 - out "$devices" "$device" <<'PY' >err 2>&1 || break
import configparser, json, sys
plan = json.load(open(sys.argv[1]))
c = configparser.ConfigParser(interpolation=None)
c.read(sys.argv[2])
unit = {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "GB": 10**9}
def size(text):
    word = text.lstrip("0123456789")
    return int(text[:len(text) - len(word)]) * unit[word]
d = c["device " + sys.argv[3]]
cache, memory = size(d["last-level-cache"]), size(d["memory"])
for case in plan["cases"]:
    if case["id"].split(".")[0] in ("copy", "triad", "dot"):
        assert case["working_set_bytes"] >= 4 * cache, case
    assert case["memory_bytes"] < memory / 2, case
PY
done
check $? "on every device the arrays are four caches at least, and fit the memory"

sed '/^cache-unknown/d' "$SRC/protocols/gpu-quick.ini" >strict.ini
run 5 run strict.ini --plan --device-file "$devices" --on described:unknown &&
	grep -q 'described:unknown does not tell the size of its last-level cache.*--cache SIZE' err
check $? "without an assumption a device whose cache is unknown is refused"
run 0 run strict.ini --plan --device-file "$devices" --on described:unknown --cache 60MiB && grep -q 'sizes for a cache of 64MiB' out
check $? "--cache says what to assume, rounded up to a power of two"
run 0 run strict.ini --plan --device-file "$devices" --on described:h100 && grep -q 'sizes for a cache of 64MiB' out
check $? "a device that tells needs no assumption"

# The groups of fma in ceilings-2 on each device.
fma() { # DEVICES OPTION...
	on=$1
	shift
	run 0 run "$SRC/protocols/ceilings-2.ini" --plan --device-file "$devices" --on "$on" "$@" --json
}
while read -r device groups; do
	fma "described:$device" && [ "$(grep -c "\"fma-gpu\..*\.groups$groups\." out)" -eq "$(grep -c '"fma-gpu\.' out)" ] &&
		grep -q '"fma-gpu\.' out
	check $? "ceilings-2 on $device: $groups groups"
	# A unit holds up to 8 groups at a time: the last of these waves leaves at most a fiftieth idle.
	awk -v units="$(sed -n "/^\[device $device\]/,/^\[/s/^compute-units = //p" "$devices")" -v groups="$groups" '
		BEGIN { for (held = 1; held <= 8; held++) {
			waves = groups / (units * held); last = int(waves) + (waves > int(waves))
			if (waves / last < 0.98) exit 1 } }'
	check $? "of which the last leave at most a fiftieth of the work's time idle"
done <<'END'
h100 102400
b200 102400
rtx5090 102400
mi300x 204800
rdna3 51200
arc 12800
genoa-x 102400
END
fma described:arc,described:mi300x && grep -q '"fma-gpu\..*\.groups204800\.' out
check $? "all executors of a run get the groups of the most units"
fma described:arc --units 132 && grep -q '"fma-gpu\..*\.groups102400\.' out && grep -q '"compute_units": *256' out
check $? "--units says how many, rounded up to a power of two"
run 4 run quick --units 0 && grep -q -- '--units' err
check $? "--units takes a number"
# The whole of a model of 70 billion weights, where it fits.
run 0 run "$SRC/protocols/llm-70b-1.ini" --plan --device-file "$devices" --on described:h100,described:mi300x &&
	grep -q '^too large for described:h100, and unsupported there: 3 cases, such as model-token\.' out &&
	! grep -q 'too large for described:mi300x' out
check $? "the plan says which cases a device has no memory for"
run 0 run "$SRC/protocols/ai-quick.ini" --plan --device-file "$devices" --on described:h100 &&
	grep -q '^gemm\.bf16\.m8192\.' out && ! grep -q 'too large' out
check $? "ai-quick grows with the units of a device"
printf '[device x]\ntype = gpu\nlast-level-cache = 1MiB\n' >blank.ini
run 5 run "$SRC/protocols/ceilings-2.ini" --plan --device-file blank.ini &&
	grep -q 'described:x does not tell the number of its compute units.*--units N' err
check $? "without an assumption a device whose units are unknown is refused"
sed 's/^seed = 1/&\nunits-unknown = 20/' "$SRC/protocols/ceilings-2.ini" >assumed.ini
run 0 run assumed.ini --plan --device-file blank.ini && grep -q 'numbers for 32 compute units' out &&
	grep -q 'fma-gpu.*groups12800' out
check $? "the protocol may assume them"

# What is refused, with the place.
run 4 run quick --device-file "$devices" && grep -q 'add --plan' err
check $? "nothing is measured on described devices"
run 4 run quick --cache much && grep -q -- "--cache is a size such as 64MiB, not 'much'" err
check $? "--cache takes a size"
printf '[device x]\nmemory = lots\n' >bad.ini
run 4 run quick --plan --device-file bad.ini && grep -q "bad.ini:2: memory is a size such as 80GiB, not 'lots'" err
check $? "a bad fact of a device is named with its line"
printf '[device x]\ncolour = red\n' >bad.ini
run 4 run quick --plan --device-file bad.ini && grep -q "bad.ini:2: there is no key 'colour'" err
check $? "so is an unknown one"
printf '[machine]\nname = x\n' >bad.ini
run 4 run quick --plan --device-file bad.ini && grep -q 'there is no section \[machine\]' err
check $? "and an unknown section"
for value in '0 x llc' '4 x l2' 'x llc' '4 x llc x llc' '99999999999 x llc'; do
	sed "s/^bytes = 4 x llc/bytes = $value/" "$SRC/protocols/gpu-quick.ini" >bad.ini
	run 4 protocol check bad.ini && grep -q 'bad.ini:[0-9]*: bytes is\|bad.ini:[0-9]*: bytes =' err
	check $? "$value is refused"
done
for value in '0 x units' '4 x unit' 'x units' '4 x llc' '99999999999999999 x units' '1048576 x units'; do
	sed "s/^groups = 400 x units/groups = $value/" "$SRC/protocols/ceilings-2.ini" >bad.ini
	run 4 protocol check bad.ini && grep -q 'bad.ini:[0-9]*: groups is\|bad.ini:[0-9]*: groups =' err
	check $? "groups = $value is refused"
done
sed 's/^m = .*/m = 4 x llc/' "$SRC/protocols/gpu-quick.ini" >bad.ini
run 4 protocol check bad.ini && grep -q "m is a whole number" err
check $? "only a size can be in caches"

# A real run: the plan is made again by workers, from the journal, and from the record.
cat >cached.ini <<'END'
[protocol]
name = cached
version = 1
intent = one copy of four caches
executions = 1
canary = no

[measure]
samples-min = 6
samples-max = 20
warmup-min = 0s
warmup-max = 5ms
time-min = 0s
time-max = 20ms
proof = 5ms
telemetry = 0s
half-width = 50%
margin = 50%
timeout = 30s

[case copy]
workload = stream
operation = copy
precision = f32
bytes = 4 x llc

[case fma]
workload = fma
width = 1
chains = 4
rounds = 2
groups = 5 x units
END
run 0 run cached.ini --on host:0 --cache 100KiB --units 3 -o small -q && grep -q '"id": *"copy\.f32\.512KiB"' small/*.json &&
	grep -q '"cache_bytes": *131072' small/*.json && grep -q '"id": *"fma.*groups20"' small/*.json &&
	grep -q '"compute_units": *4' small/*.json
check $? "a run has the sizes of its cache and units, and records both"
run 0 verify small/*.json && tr -s ' ' <out | grep -qF 'planned again, it gives the recorded plan'
check $? "the record is planned again in the same sizes"
run 0 run cached.ini --on host:0 --plan && grep -q 'sizes for a cache of [0-9]*[MG]iB' out
check $? "without --cache they are those of the device's cache"
echo "1..$n"
exit $bad
