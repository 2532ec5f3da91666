#!/bin/sh
# Results, the golden ones and one that is measured here, follow docs/result.schema.json; and the
# schema refuses what the program refuses.
n=0 bad=0
check() { # status text [file with detail]
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; bad=1; [ -z "${3:-}" ] || cat "$3" >&2; fi
}
python=/usr/bin/python3
if ! $python -c 'import jsonschema; jsonschema.Draft202012Validator' 2>/dev/null; then
	echo "ok 1 - results follow the schema # SKIP python3 with jsonschema is missing (package python3-jsonschema)"
	echo "1..1"
	exit 0
fi
cat >"$T/validate.py" <<'PYTHON'
import copy, json, sys, jsonschema
schema = json.load(open(sys.argv[1]))
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
mode, files = sys.argv[2], sys.argv[3:]
bad = 0
if mode == "valid":
    for name in files:
        for error in validator.iter_errors(json.load(open(name))):
            print(name, "/".join(map(str, error.path)), error.message[:300])
            bad = 1
else:  # strict: an additional or a missing member anywhere in a closed object is an error
    whole = json.load(open(files[0]))
    whole["cases"] = whole["cases"][5:6]
    assert validator.is_valid(whole)
    open_objects = ("parameters", "fields", "space", "chosen", "classes", "salts")

    def walk(value, path):
        if isinstance(value, dict):
            if path and path[-1] in open_objects and not isinstance(next(iter(value.values()), None), dict):
                return
            if not (path and path[-1] in open_objects):
                yield path
            for key, inner in value.items():
                yield from walk(inner, path + [key])
        elif isinstance(value, list):
            for index, inner in enumerate(value[:1]):
                yield from walk(inner, path + [index])

    count = 0
    for path in walk(whole, []):
        edited = copy.deepcopy(whole)
        at = edited
        for step in path:
            at = at[step]
        at["unheard-of"] = 1
        count += 1
        if validator.is_valid(edited):
            print("/".join(map(str, path)), "takes any member")
            bad = 1
    if count < 30:
        print("only", count, "objects tried")
        bad = 1
sys.exit(bad)
PYTHON
schema=$SRC/docs/result.schema.json
golden=$SRC/tests/golden
$python "$T/validate.py" "$schema" valid "$golden"/host-gcc-12.json "$golden"/host-clang-14.json "$golden"/opencl-pocl-0.json >"$T/log" 2>&1
check $? "the golden results follow the schema" "$T/log"
$python "$T/validate.py" "$schema" strict "$golden"/host-gcc-12.json >"$T/log" 2>&1
check $? "the schema takes no member that it does not name" "$T/log"

cat >"$T/tiny.ini" <<'INI'
[protocol]
name = tiny
version = 1
intent = The least that makes a result.
executions = 1

[measure]
warmup-min = 1us
warmup-max = 1ms
samples-min = 6
samples-max = 8
time-min = 1us
time-max = 20ms
proof = 1ms

[case launch]
workload = launch
INI
"$EVENHAND" run "$T/tiny.ini" --on host -o "$T/run" >"$T/log" 2>&1
rc=$?
[ $rc -eq 0 ] || [ $rc -eq 7 ]
check $? "a protocol runs here" "$T/log"
set -- "$T"/run/*.json
[ -f "$1" ]
check $? "and leaves results"
$python "$T/validate.py" "$schema" valid "$@" >"$T/log" 2>&1
check $? "which follow the schema" "$T/log"
wrong=
for r; do
	"$EVENHAND" show "$r" >"$T/log" 2>&1 || wrong="$wrong $r"
done
[ -z "$wrong" ]
check $? "and which the program reads" "$T/log"

# The digest of a row is that of its canonical form: one of other bytes, sealed as such, is altered.
cat >"$T/seal.py" <<'PYTHON'
import hashlib, json, sys
def sha(text):
    return hashlib.sha256(text.encode()).hexdigest()
text = open(sys.argv[1]).read()
whole = json.loads(text)
row = next(line for line in text.splitlines() if line.startswith('{"'))
other = row.rstrip(",").replace("{", "{ ", 1)
whole["digests"]["cases"][0] = sha(other)
sealed = {key: whole[key] for key in ("digests", "format", "format_version", "status")}
whole["digest"] = sha(json.dumps(sealed, sort_keys=True, separators=(",", ":")))
cases = [other] + [json.dumps(case) for case in whole["cases"][1:]]
del whole["cases"]
print(json.dumps(whole)[:-1] + ', "cases": [' + ",\n".join(cases) + "]}")
PYTHON
$python "$T/seal.py" "$SRC/tests/golden/host-gcc-12.json" >"$T/sealed.json"
"$EVENHAND" show "$T/sealed.json" >"$T/out" 2>"$T/log"
[ $? -eq 4 ] && grep -q 'cases\[0\] (triad.f32.64MiB) does not have the digest' "$T/log"
check $? "a row that is sealed over other bytes than its canonical form is refused" "$T/log"

echo "1..$n"
exit $bad
