#!/bin/sh
# Disclosure: what is required is asked for before anything is built or measured, every missing fact
# is listed with its remedy, and a site file declares what no program finds out.
n=0 bad=0
check() { # status text [file with detail]
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; bad=1; [ -z "${3:-}" ] || cat "$3" >&2; fi
}
skip() { n=$((n + 1)); echo "ok $n - $1 # skip $2"; }
cd "$T" || exit 1
export XDG_CONFIG_HOME="$T/config"
mkdir -p "$XDG_CONFIG_HOME/evenhand"

on=$("$EVENHAND" devices --json | sed -n 's/.*"executor": *"\(host:[^"]*\)".*/\1/p' | head -1)
cat >site.ini <<'X'
[site]
tester = Jane Doe
party = buyer
cooling = air
power-policy = default
firmware-version = 1
host-governor = performance
host-microcode = 1

[device processors]
match = host:*
hardware-ecc = on
hardware-clocks = 2 GHz
hardware-power-cap = 300 W

[teams]
facilities = our operations
X

# The machine may tell some facts; these two only people know.
"$EVENHAND" run "$SRC/tests/protocols/disclosed.ini" --on "$on" -q -o refused >out 2>err
[ $? -eq 5 ] && [ ! -e refused ] && grep -q "$on: site.cooling is not disclosed.*cooling = ... in the site file" err &&
	grep -q "$on: who.tester is not disclosed" err && grep -q '^evenhand run: nothing was measured' err
check $? "without a site file nothing is measured, and every missing fact is listed" err
grep -q 'compiler.version' err
[ $? -eq 1 ]
check $? "what is disclosed is not listed" err

EVENHAND_TESTER=me "$EVENHAND" run "$SRC/tests/protocols/disclosed.ini" --on "$on" -q -o refused >out 2>err
[ $? -eq 5 ] && ! grep -q who.tester err && grep -q site.cooling err
check $? "the environment names the tester too" err

"$EVENHAND" run "$SRC/tests/protocols/disclosed.ini" --on "$on" --site site.ini -q -o disclosed >out 2>err
rc=$?
[ $rc -eq 0 ] || [ $rc -eq 7 ]
check $? "with a site file the run goes on" err
result=$(ls disclosed/*.json)
"$EVENHAND" show -v "$result" >shown 2>err
grep -q '^who.*Jane Doe, buyer' shown && grep -q 'cooling: air (declared)' shown && grep -q 'hardware-power-cap: 300 W (declared)' shown
check $? "the result holds what was declared, as declared" shown
"$EVENHAND" show --layers "$result" >layers 2>err
grep -q '^host  *host .*our operations' layers && grep -q '^harness  *evenhand .*evenhand project' layers && grep -q '^compiler' layers
check $? "each layer has its maker, and the team that the site file names" layers

cp site.ini "$XDG_CONFIG_HOME/evenhand/site.ini"
EVENHAND_TESTER=me EVENHAND_PARTY=vendor "$EVENHAND" run "$SRC/tests/protocols/disclosed.ini" --on "$on" -q -o user >out 2>err
"$EVENHAND" show user/*.json >shown 2>>err && grep -q '^measured by me, vendor' shown
check $? "the user's site file is read by itself, and the environment comes before it" err
rm "$XDG_CONFIG_HOME/evenhand/site.ini"

cat >"$XDG_CONFIG_HOME/evenhand/owners.ini" <<'X'
[owner ours]
name = our host team
host = *
X
"$EVENHAND" devices -v >shown 2>err && grep -q 'our host team' shown
check $? "the user's owners come before the installed ones" err
rm "$XDG_CONFIG_HOME/evenhand/owners.ini"

printf '[site]\ncoling = air\n' >bad.ini
"$EVENHAND" run "$SRC/tests/protocols/disclosed.ini" --on "$on" --site bad.ini -q -o refused >out 2>err
[ $? -eq 4 ] && [ ! -e refused ] && grep -q "bad.ini:2: there is no key 'coling' in \[site\]; did you mean 'cooling'?" err
check $? "an unsound site file is refused with its line" err
"$EVENHAND" site check bad.ini >out 2>err
[ $? -eq 4 ] && "$EVENHAND" site check site.ini >out 2>err && grep -q 'is sound' out
check $? "site check tells the one from the other" err
"$EVENHAND" site template >template.ini && "$EVENHAND" site check template.ini >out 2>err
check $? "the template is sound" err
EVENHAND_SITE=missing.ini "$EVENHAND" site check >out 2>err
[ $? -eq 5 ] && grep -q missing.ini err
check $? "a site file that is named has to be there" err

# The keys.
sed 's/^requires = .*/requires = site.coling/' "$SRC/tests/protocols/disclosed.ini" >unknown.ini
"$EVENHAND" protocol check ./unknown.ini >out 2>err
[ $? -eq 4 ] && grep -q "no field 'site.coling'; did you mean 'site.cooling'?" err
check $? "an unknown field is refused with the nearest" err
sed 's/^requires = .*/level = certified/' "$SRC/tests/protocols/disclosed.ini" >few.ini
"$EVENHAND" protocol check ./few.ini >out 2>err
[ $? -eq 4 ] && grep -q 'level = certified needs executions = 10' err
check $? "a certified protocol has ten executions at least" err

"$EVENHAND" run quick-certified-1 --on "$on" -q -o certified >out 2>err
[ $? -eq 5 ] && [ ! -e certified ] && grep -q "$on: site.power-policy is not disclosed" err && grep -q 'quick-certified is certified' err
check $? "the released certified protocol refuses without a site file" err
"$EVENHAND" run quick-certified-1 --on "$on" --executions 5 --site site.ini -q -o certified >out 2>err
[ $? -eq 4 ] && grep -q 'at least 10 executions' err
check $? "and with fewer executions" err
sed 's/^requires = .*/level = certified/; s/^executions = 1$/executions = 10/' "$SRC/tests/protocols/disclosed.ini" >certified.ini
"$EVENHAND" run ./certified.ini --on "$on" --site site.ini -q -o certified >out 2>err
rc=$?
if "$EVENHAND" version | grep -q dirty; then
	[ $rc -eq 5 ] && [ ! -e certified ] && grep -q 'built from a changed or unknown tree' err &&
		[ "$(grep -c "error: $on" err)" -eq 1 ]
	check $? "with all declared, a build that differs from its commit is all that stands against it" err
	skip "with all declared, a certified run goes on" "this build differs from its commit"
else
	[ $rc -eq 0 ] || [ $rc -eq 7 ]
	check $? "with all declared, a certified run goes on" err
fi

"$EVENHAND" devices --fields --json >out 2>err && grep -q '"field": "hardware.ecc"' out && ! grep -q "$(printf '\033')" out
check $? "devices --fields lists what can be required" err
"$EVENHAND" devices --fields >shown
sed -n 's/^| .\([a-z]*\.[a-z0-9-]*\). |.*/\1/p' "$SRC/docs/executor.md" | sort >documented
awk '$1 ~ /^[a-z]+\.[a-z0-9-]+$/ { print $1 }' shown | sort -u >fields
[ "$(wc -l <fields)" -gt 30 ] && diff documented fields >changes
check $? "docs/executor.md has every field, and none that is not one" changes

echo "1..$n"
exit $bad
