#!/bin/sh
# The site file: the teams of this place are named beside each layer, and layers that no backend
# knows take part in comparisons.  Which of two runs is faster does not matter.
n=0 bad=0
check() { # status text [file with detail]
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; bad=1; [ -z "${3:-}" ] || cat "$3" >&2; fi
}
json() { # file, expression over d
	python3 -c "import json,sys; d=json.load(open(sys.argv[1])); print($2)" "$1"
}
cd "$T" || exit 1
export XDG_CONFIG_HOME="$T/config"
protocol=$SRC/tests/protocols/attribute-tiny.ini
on=$("$EVENHAND" devices --json 2>/dev/null | sed -n 's/.*"executor": *"\(host:[^"]*\)".*/\1/p' | head -1)
result=$(printf %s "$on" | tr : -).json

cat >site.ini <<'END'
[site]
model = llama@1
framework = PyTorch@2.5.1

[teams]
model = the model team
framework = ML platform <ml@example.com>
compiler = the toolchain team

[owner runtime]
name = the host team
runtime = evenhand*
END

# ---- the file -----------------------------------------------------------------------------------

"$EVENHAND" site check site.ini >out 2>err && grep -q 'is sound' out
check $? "a site file with teams and layers is sound" err
EVENHAND_SITE=site.ini "$EVENHAND" site show >out 2>err && grep -q '^model  *llama 1$' out && grep -q '^framework  *PyTorch 2.5.1$' out
check $? "site show prints what it declares" out
EVENHAND_SITE=site.ini "$EVENHAND" site show --json >out 2>err &&
	[ "$(json out '[(l["layer"], l["name"], l["owner"], l.get("maker")) for l in d]')" = \
	"[('framework', 'PyTorch', 'ML platform <ml@example.com>', 'PyTorch Foundation'), ('model', 'llama', 'the model team', 'Meta')]" ]
check $? "as layers with their makers and teams" out
refused() { # text, words, lines of the file
	printf '%b' "$3" >bad.ini
	"$EVENHAND" site check bad.ini >out 2>err
	[ $? -eq 4 ] && grep -q "$2" err
	check $? "$1" err
}
refused "an area that is none is refused with its line and the nearest" \
	"bad.ini:3: there is no key 'drivers' in \[teams\]; did you mean 'driver'?" '[teams]\nmodel = x\ndrivers = y\n'
refused "and a layer without a name" "bad.ini:2: '@3' is not NAME@VERSION or NAME" '[site]\nmodel = @3\n'
refused "and a setting without a value" "bad.ini:2: 'batch' is not NAME@VALUE" '[site]\nconfiguration = batch\n'
refused "and a section that is none" "there is no section \[team\]" '[team]\nmodel = x\n'
refused "and a maker's figure without a source" "bad.ini:2: spec-bandwidth is a positive number per second and where it is stated" \
	'[site]\nspec-bandwidth = 3.35e12\n'
refused "and one of a precision that is none" "there is no key 'spec-flops-bf15' in \[site\]; did you mean 'spec-flops-bf16'?" \
	'[site]\nspec-flops-bf15 = 1e12 source x\n'
"$EVENHAND" site check missing.ini >out 2>err
[ $? -eq 5 ] && grep -q missing.ini err
check $? "a file that is named has to be there" err
"$EVENHAND" site template >template.ini
for area in model serving framework compiler kernel-libraries runtime driver hardware facilities procurement demand; do
	grep -q "^; $area = $area team$" template.ini || break
done
check $? "the template lists every area: $area" template.ini
sed 's/^; \(\[.*\]\)$/\1/; s/^; \([a-z-]* = .*\)/\1/' template.ini >whole.ini
"$EVENHAND" site check whole.ini >out 2>err && EVENHAND_SITE=whole.ini "$EVENHAND" site show cuda:0 >out 2>>err && grep -q '^demand  *chat 2026-11$' out
check $? "and is sound with every line taken out of its comment" err

"$EVENHAND" help layers --json >kinds 2>err
python3 - kinds "$SRC/docs/executor.md" >differ 2>&1 <<'PY'
import json, re, sys
kinds = json.load(open(sys.argv[1]))
page = open(sys.argv[2]).read().split('| area | owns by default', 1)[1].split('```', 1)[0]
rows = {r[0]: set(re.findall('`([a-z-]+)`', r[1])) for r in re.findall(r'^\| `([a-z-]+)` \| (.*) \|$', page, re.M)}
table = {}
for k in kinds:
    if 'area' in k:
        table.setdefault(k['area'], set()).add(k['layer'])
assert len(rows) == 11 and rows == table, (rows, table)
whole = open(sys.argv[2]).read()
assert all('`%s`' % k['layer'] in whole for k in kinds)
PY
check $? "docs/executor.md has the area of every kind of layer" differ

# ---- results ------------------------------------------------------------------------------------

measure() { # folder, site file
	"$EVENHAND" run "$protocol" --on "$on" --site "$2" -q -o "$1" >out 2>err
	rc=$?
	[ $rc -eq 0 ] || [ $rc -eq 7 ]
}
sed 's/llama@1/llama@2/' site.ini >later.ini
sed 's/the model team/another team/' site.ini >moved.ini
measure one site.ini && measure two later.ini && measure three moved.ini
check $? "three runs with a site file" err
[ "$(json "one/$result" '[(l["name"], l["version"], l["source"], l["owner"]) for l in d["executor"]["layers"] if l["layer"] == "model"]')" = \
	"[('llama', '1', 'declared', 'the model team')]" ]
check $? "the result has the declared layers with their teams"
"$EVENHAND" show --layers "one/$result" >out 2>err && grep -q '^compiler .*project  *the toolchain team' out && grep -q '^runtime .*evenhand project  *the host team' out
check $? "and each layer its maker and its team" out
digest() { json "$1/$result" 'd["executor"]["digest"]'; }
[ "$(digest one)" = "$(digest three)" ] && [ "$(digest one)" != "$(digest two)" ]
check $? "a team is no part of the stack's identity, a declared layer is"
"$EVENHAND" compare -v "one/$result" "two/$result" >out 2>&1
tr -s '\n ' '  ' <out | grep -q 'layers-differ: .*(1: model llama 1 | 2)'
check $? "compare names the layer that differs" out
"$EVENHAND" attribute "one/$result" "two/$result" --no-look --json >out 2>err
[ "$(json out '[(g["title"], g["maker"], g["owner"]) for g in d["groups"]]')" = "[('model llama 1 -> 2', 'Meta', 'the model team')]" ]
check $? "attribute names the layer, its maker and its team" out
[ "$(json out '("owner" in d) == ("maker" in d) and ("owner" not in d or (d["moved"] and d["owner"] == "the model team"))')" = True ]
check $? "as the cause only where cases moved" out
"$EVENHAND" attribute "one/$result" "three/$result" --no-look --json >out 2>err
[ "$(json out 'd["groups"]')" = "[]" ]
check $? "another team is no change" out

# ---- the maker's figures -------------------------------------------------------------------------

{ cat site.ini; printf '\n[device this]\nmatch = host:*\nspec-flops-f32 = 1e12 source data sheet of the test\n'; } >plated.ini
EVENHAND_SITE=plated.ini "$EVENHAND" site show "$on" >out 2>err && grep -q '^spec-flops-f32  *1e12 source data sheet of the test$' out
check $? "site show prints the maker's figures" err
measure plated plated.ini
"$EVENHAND" attribute "one/$result" "plated/$result" --no-look --json >out 2>>err
[ "$(digest plated)" = "$(digest one)" ] && [ "$(json out 'd["groups"]')" = "[]" ]
check $? "they are no part of the stack's identity and no change" err
sed -e '/^\[case/,$d' -e 's/^name = .*/name = plated/' "$protocol" >plated-protocol.ini
printf '[case fma]\nworkload = fma\nprecision = f32\ngroups = 4\n' >>plated-protocol.ini
"$EVENHAND" run plated-protocol.ini --on "$on" --site plated.ini -q -o fma >out 2>err
words="% of the maker's 1.000 TFLOP/s (declared: data sheet of the test)"
"$EVENHAND" diagnose "fma/$result" >out 2>err
grep -qF "$words" out
check $? "diagnose prints them beside the ceiling" out
"$EVENHAND" diagnose "fma/$result" --json >out 2>err
[ "$(json out '[(c["nameplate"]["rate"], c["nameplate"]["source"], 0 < c["nameplate"]["share"] < 1) for c in d["ceilings"] if c["kind"] == "compute"]')" = \
	"[(1000000000000, 'data sheet of the test', True)]" ]
check $? "also as JSON" out
"$EVENHAND" explain fma "fma/$result" >out 2>err
tr -s '\n ' '  ' <out | grep -qF "$words"
check $? "and explain beside the number of a case" out

# ---- a backend of somebody else -----------------------------------------------------------------

makers() { # folder: the makers of liar's backend and its file, and those of evenhand
	python3 -c "import json,sys; print({(l['name'], l.get('maker')) for l in json.load(open(sys.argv[1]))['executor']['layers'] if l['name'] in ('backend liar', 'liar.so', 'evenhand')})" "$1/liar-honest.json"
}
on=liar
export EVENHAND_BACKEND_PATH="$BUILD/tests/backends"
: >none.ini
measure liar-unknown none.ini
[ "$(makers liar-unknown | grep -o None | wc -l)" -eq 2 ] && makers liar-unknown | grep -q "('evenhand', 'evenhand project')"
check $? "a backend of somebody else and its file are neither evenhand's nor the distribution's" err
printf '[maker lab]\nname = Example Lab\nharness = backend liar\n' >lab.ini
measure liar-known lab.ini
[ "$(makers liar-known | grep -o 'Example Lab' | wc -l)" -eq 2 ]
check $? "a site file names their maker once for both" err

# ---- names of teams can be taken out ------------------------------------------------------------

at=$(json "one/$result" '[i for i, l in enumerate(d["executor"]["layers"]) if l["layer"] == "model"][0]')
{ "$EVENHAND" key new lab --who 'The Lab' || "$EVENHAND" key new lab; } >out 2>err
"$EVENHAND" amend "one/$result" --redact "executor.layers[$at].owner" --reason policy --key lab >out 2>err &&
	! grep -q 'the model team' "one/$result" && "$EVENHAND" verify "one/$result" >out 2>>err
check $? "a team can be redacted, and the result still verifies" err
"$EVENHAND" show --layers "one/$result" >out 2>err && grep -q '^model .*(redacted)' out
check $? "which is shown" out

echo "1..$n"
exit $bad
