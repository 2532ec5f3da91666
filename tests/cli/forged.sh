#!/bin/sh
# What verify makes of results that a forger sealed again: every digest is right, the parts disagree.
n=0 bad=0
check() { # status text [file with detail]
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; bad=1; [ -z "${3:-}" ] || cat "$3" >&2; fi
}
export XDG_CONFIG_HOME="$T/config"
golden=$SRC/tests/golden/host-gcc-12.json
cat >"$T/forge.py" <<'END'
import decimal, hashlib, json, sys
def number(x):
    if isinstance(x, int) or x == int(x):
        return str(int(x))
    if 1e-6 <= abs(x) < 1e21:
        return format(decimal.Decimal(repr(x)), "f")
    mantissa, exponent = repr(x).split("e")
    return "%se%+d" % (mantissa, int(exponent))
def canonical(v):
    if isinstance(v, dict):
        return "{" + ",".join(json.dumps(k) + ":" + canonical(v[k]) for k in sorted(v)) + "}"
    if isinstance(v, list):
        return "[" + ",".join(map(canonical, v)) + "]"
    if isinstance(v, (int, float)) and not isinstance(v, bool):
        return number(v)
    return json.dumps(v, ensure_ascii=False)
def sha(value):
    return hashlib.sha256(canonical(value).encode()).hexdigest()
with open(sys.argv[1]) as f:
    d = json.load(f)
exec(sys.argv[3])
p = d["protocol"]
p["digest"] = sha(p["canonical"])
d["digests"]["cases"] = [sha(row) for row in d["cases"]]
for key in ("harness", "who", "protocol", "run", "executor", "instruments"):
    d["digests"][key] = sha(d[key])
d["digest"] = sha({key: d[key] for key in ("digests", "format", "format_version", "status")})
with open(sys.argv[2], "w") as f:
    json.dump(d, f, separators=(",", ":"))
END
forge() { # what to do with d, the result
	python3 "$T/forge.py" "$golden" "$T/forged.json" "$1"
}
verifies() { # exit code, words, text
	"$EVENHAND" verify "$T/forged.json" >"$T/out" 2>&1
	rc=$?
	[ $rc -eq "$1" ] && tr -s ' \n' ' ' <"$T/out" | grep -qF -e "$2"
	check $? "$3: $2" "$T/out"
}

forge 'pass'
verifies 0 'forged.json: consistent, unsigned' "sealed again as it was"
tr -s ' ' <"$T/out" | grep -qF 'protocol text ok planned again, it gives the recorded plan'
check $? "its protocol is planned again" "$T/out"

# The text declares one thing, the plan another.
forge 'p = d["protocol"]; p["text"] = p["text"].replace("bytes = 64MiB", "bytes = 32MiB", 1)'
verifies 1 'protocol.canonical.cases[0].parameters is' "other sizes in the text"
verifies 1 'protocol.canonical.cases[0].id is "triad.f32.64MiB" but protocol.text declares "triad.f32.32MiB"' "other sizes in the text"
forge 'p = d["protocol"]; p["text"] = p["text"].replace("half-width = 1%", "half-width = 5%")'
verifies 1 'protocol.canonical.cases[7].measure is' "other settings in the text"
forge 'p = d["protocol"]; p["text"] = p["text"].replace("[case xfer]\nworkload = xfer\ndirection = h2d\nbytes = 4KiB\n", "")'
verifies 1 'protocol.canonical.cases is 8 cases but protocol.text declares 7' "fewer cases in the text"
forge 'p = d["protocol"]; p["text"] += "canary = no\n"'
verifies 1 'so protocol.canonical cannot come from it' "a text that is no protocol"
forge 'd["protocol"]["text"] = d["protocol"]["text"].replace("seed = 42", "seed = 42\ncanary = no")'
verifies 1 'protocol.canonical.canary is true but protocol.text declares false' "no canary in the text"

# Sizes by class: the text is planned again in the class of the plan.
sized='p = d["protocol"]; p["text"] = p["text"].replace("bytes = 64MiB", "bytes = 64MiB | 128MiB | 256MiB"); '
forge "$sized"'p["canonical"]["size_class"] = "small"'
verifies 0 'protocol text ok planned again, it gives the recorded plan' "the sizes of its class"
forge "$sized"'p["canonical"]["size_class"] = "medium"'
verifies 1 'cases[0].id is "triad.f32.64MiB" but protocol.text declares "triad.f32.128MiB"' "the sizes of another class"
forge 'd["protocol"]["canonical"]["size_class"] = "medium"'
verifies 1 'protocol.canonical.size_class is' "a class without sizes"

# What cannot be planned here is told, and is no fault.
forge 'd["protocol"]["text"] += "a-new-key = 1\n"; d["harness"]["version"] = "99.0.0"'
verifies 0 'protocol text - could not be checked: protocol.text:' "a key of another version"
revision='
for row in d["protocol"]["canonical"]["cases"] + d["cases"]:
    row["revision"] = 999'
forge "$revision"
verifies 0 'protocol text - could not be checked: the workload stream has revision 1 here, and 999 in the record' "another revision"
forge "$(printf %s "$revision" | sed 's/row\["revision"\] = 999/row["workload"] = "nosuch"/')"
verifies 0 'protocol text - could not be checked: the workload nosuch is not installed here' "a workload that is not here"
forge 'd["protocol"]["text"] = d["protocol"]["text"].replace("workload = stream", "workload = nosuch"); '"$(printf %s "$revision" | sed 's/row\["revision"\] = 999/row["workload"] = "nosuch"/')"
"$EVENHAND" reproduce "$T/forged.json" -q -o "$T/never" >"$T/out" 2>&1
[ $? -eq 3 ] && grep -q 'this program cannot plan the protocol of' "$T/out" && [ ! -e "$T/never" ]
check $? "reproduce does not run what it cannot plan" "$T/out"

# Rows of one case in the place of another, all executions of them: the kernels tell.
ran='
for row, operation in ((d["cases"][0], 4), (d["cases"][1], 3)):
    for e in row["executions"]:
        e["program"]["kernel"] = "stream"
        e["program"]["defines"] = ["EH_S_OPERATION=%d" % operation]'
forge "$ran"
verifies 1 'cases[0].executions[0].program is not the kernel of triad.f32.64MiB: its samples are of another case' "the kernel of another case"

# A stack that is not the one of the digest.
forge 'd["executor"]["layers"][4]["version"] = "13"'
verifies 1 'executor.digest is' "another operating system"
forge 'd["executor"]["layers"][5]["fields"]["now-load"]["value"] = "9 9 9"'
verifies 0 'consistent, unsigned' "a fact of the moment"

# Statuses: no better than doubts and proof allow.
forge 'd["cases"][0]["executions"][3]["doubts"] = [{"kind": "wait", "limit": 0.8, "first_ns": [4, 4], "second_ns": [9, 4], "verdict": "open"}]'
verifies 1 'cases[0].executions[3] is valid, but one of its doubts is open: it is unproven' "an open doubt"
forge 'd["cases"][0]["executions"][3]["proof"]["claimed_ns"] = [9] * 5'
verifies 1 'its proof does not show that samples take as long as they claim' "parts that claim too little"
forge 'del d["cases"][0]["executions"][3]["proof"]["waited_ns"]'
verifies 1 'cases[0].executions[3].proof is without its parts' "a proof without parts"

# Absent evidence: does not hold, and the case alone is refused.
forge 'del d["cases"][0]["executions"][3]["proof"]'
verifies 1 'cases[0].executions[3].proof is absent, so its samples cannot be relied on' "without a proof"
"$EVENHAND" reproduce "$T/forged.json" -q -o "$T/never" >"$T/out" 2>&1
[ $? -eq 3 ] && grep -q 'fails verification and cannot be reproduced: .*proof is absent' "$T/out" && [ ! -e "$T/never" ]
check $? "reproduce does not run what lacks its evidence" "$T/out"
"$EVENHAND" compare "$SRC/tests/golden/host-clang-14.json" "$T/forged.json" >"$T/out" 2>&1
grep -q 'gcc-12 triad: its proof is absent' "$T/out" && grep -q '^dot.*0.75x' "$T/out"
check $? "compare refuses that case, and compares the others" "$T/out"

echo "1..$n"
exit $bad
