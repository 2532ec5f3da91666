#!/bin/sh
# A driver is updated: which numbers moved, and by whose change?  Two releases of PoCL are measured in
# one run, taking turns: that of PyPI's pocl-binary-distribution (PoCL 3.0), and that of the system.
# Then nothing is changed, and then only a note of the site: nobody may be accused.
#   make stories TESTS=driver-update
. "$SRC/tests/stories/telling"
no_story() { skip "a driver update" "$1"; finish; }
json() { # file, expression over d
	python3 -c "import json,sys; d=json.load(open(sys.argv[1])); print($2)" "$1"
}
cd "$T" || exit 1
wheel=pocl_binary_distribution-3.0 old="PoCL 3.0"
cache=$BUILD/tests/cache/stories
margin=0.1

# ---- two drivers of one device ------------------------------------------------------------------

[ -f "$BUILD/lib/evenhand/backends/opencl.so" ] || no_story "the OpenCL backend is not built"
[ -f /etc/OpenCL/vendors/pocl.icd ] || no_story "PoCL is not installed (package pocl-opencl-icd)"
python3 -m pip --version >pip.log 2>&1 || no_story "there is no pip (package python3-pip)"
mkdir -p "$cache"
if ! ls "$cache/$wheel"-*.whl >/dev/null 2>&1; then
	timeout 120 python3 -m pip download --quiet --disable-pip-version-check --retries 1 --no-deps \
		--only-binary :all: --dest "$cache" "$(echo "$wheel" | sed 's/-/==/')" >pip.log 2>&1 ||
		no_story "PyPI gives no $wheel for this platform: $(grep -m 1 ERROR pip.log || echo 'no network')"
fi
unpack() { # folder; prints the path of the driver
	python3 -m zipfile -e "$cache/$wheel"-*.whl "$1" && ls "$1"/pyopencl/.libs/libpocl-*.so
}
mkdir update twins
unpack "$T/before" >update/old.icd
cp /etc/OpenCL/vendors/pocl.icd update/new.icd

export OCL_ICD_VENDORS="$T/update"
"$EVENHAND" devices --json >devices.json 2>err
pocl='[(x["executor"], x["device"]["platform"]) for b in d["backends"] for x in b["devices"] if x["status"] == "ok" and x["executor"].startswith("opencl:pocl")]'
from=$(json devices.json "[e for e, p in $pocl if '$old' in p][0]" 2>/dev/null)
to=$(json devices.json "[e for e, p in $pocl if '$old' not in p][0]" 2>/dev/null)
[ -n "$from" ] || no_story "the loader does not show $old"
[ -n "$to" ] || no_story "the loader does not show another PoCL than $old"
"$EVENHAND" devices >out 2>err
[ "$(grep -c '^opencl:pocl-.*PoCL [0-9]' out)" -eq 2 ]
check $? "the machine has the driver of before and that of after, and devices tells them apart" out
file() { printf '%s/%s.json' "$1" "$(printf %s "$2" | tr ':' '-')"; }

# ---- the update ---------------------------------------------------------------------------------

"$EVENHAND" run quick --on "$from,$to" -o moved -q >run.txt 2>err
rc=$?
a=$(file moved "$from") b=$(file moved "$to")
{ [ $rc -eq 0 ] || [ $rc -eq 7 ]; } && [ -f "$a" ] && [ -f "$b" ]
check $? "one run measures both, taking turns" err
[ "$(json "$a" 'd["run"]["design"]["kind"]')" = lockstep ] && [ "$(json "$a" 'd["run"]["id"]')" = "$(json "$b" 'd["run"]["id"]')" ]
check $? "in lockstep, as the record says" run.txt
"$EVENHAND" verify "$a" "$b" >out 2>err
check $? "both results verify" out

"$EVENHAND" compare "$a" "$b" --margin $margin >compare.txt 2>err
"$EVENHAND" compare "$a" "$b" --margin $margin --json >compare.json 2>err
grep -q '^differs driver pocl driver .*LLVM' compare.txt
check $? "compare says in a line that the driver differs, with its LLVM" compare.txt
verdict() { json compare.json "[x['verdict'] for c in d['comparisons'] for x in c['cases'] if x['id'].startswith('$1')][0]"; }
gemm=$(verdict gemm)
case $gemm in
EQUIVALENT) check 0 "and that the matrix product did not move" ;;
INCONCLUSIVE) skip "and that the matrix product did not move" "this machine is too busy to decide it within the margin" ;;
*) check 1 "and that the matrix product did not move: $gemm" compare.txt ;;
esac
moved=$(json compare.json "sum(x['verdict'] in ('FASTER', 'SLOWER') for c in d['comparisons'] for x in c['cases'])")

"$EVENHAND" attribute "$a" "$b" --margin $margin >attribute.txt 2>err
"$EVENHAND" attribute "$a" "$b" --margin $margin --json >attribute.json 2>err
rc=$?
[ "$(json attribute.json 'd["exit_code"]')" = $rc ] && [ "$(json attribute.json 'len(d["moved"])')" = "$moved" ]
check $? "attribute has the same cases" attribute.txt
if [ "$moved" -eq 0 ]; then
	! grep -q 'maker:' attribute.txt && [ "$(json attribute.json '"maker" in d or "owner" in d')" = False ]
	check $? "and names nobody, because no case moved" attribute.txt
else
	[ "$(json attribute.json '[d["layer"], d["maker"], len(d["groups"]), d["answer"] in ("attributable", "partly-attributable")]')" = \
		"['driver', 'PoCL project', 1, True]" ]
	check $? "and names one layer, the driver, and its maker beside the cases that moved" attribute.txt
	[ $rc -eq "$(json attribute.json '2 if d["open"] else 0')" ]
	check $? "with exit code 0, or 2 while cases are open" attribute.txt
fi

# ---- no change ----------------------------------------------------------------------------------

# Runs the cases in which the two drivers differ most.  Of twenty such runs one may err by chance: it
# is done again.
same() { # folder, selector, site file or "", answer, text
	for _ in 1 2; do
		rm -rf "$1"
		"$EVENHAND" run quick --on "$2" --case 'fma*' ${3:+--site "$3"} -o "$1" -q >out 2>err
		rc=$?
		set -- "$1" "$2" "$3" "$4" "$5" "$1"/*.json
		{ [ $rc -eq 0 ] || [ $rc -eq 7 ]; } && "$EVENHAND" attribute "$6" "$7" --margin $margin --json >same.json 2>err
		rc=$?
		[ "$(json same.json 'len(d["moved"])')" != 0 ] || break
	done
	"$EVENHAND" attribute "$6" "$7" --margin $margin >same.txt 2>err
	! grep -q 'maker' same.txt && [ "$(json same.json '"maker" in d or "layer" in d')" = False ]
	check $? "$5: nobody is accused" same.txt
	answer=$(json same.json 'd["answer"]')
	case $rc-$answer in
	2-undecided) skip "$5: the answer is $4" "this machine is too busy to decide" ;;
	*) [ "$rc-$answer" = "0-$4" ]; check $? "$5: the answer is $4" same.txt ;;
	esac
}
same unchanged "$from,$from" "" no-change "the same driver named twice"
grep -q 'layers: no differences' same.txt
check $? "and no layer differs" same.txt

# The same driver in two places stands for a machine before and after: only the site says otherwise.
unpack "$T/before" >twins/a.icd
unpack "$T/after" >twins/b.icd
export OCL_ICD_VENDORS="$T/twins"
cat >site.ini <<'END'
[device before]
match = opencl:pocl-0
cooling = air

[device after]
match = opencl:pocl-1
cooling = liquid
END
same note "opencl:pocl-0,opencl:pocl-1" site.ini no-effect "a changed note about cooling"
grep -q 'cooling: air -> liquid' same.txt
check $? "and the change is listed" same.txt
rm -rf before after
finish
