#!/bin/sh
# Two teams agree on a protocol before anybody measures, and every way to seem to have agreed.
n=0 bad=0
check() { # status text
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; return; fi
	echo "not ok $n - $2"
	bad=1
	for said in out err; do [ ! -s $said ] || { echo "# $2: $said:"; tail -n 10 $said; } >&2; done
}
run() { # arguments of evenhand; stdout in out, stderr in err, status in rc
	timeout 100 "$EVENHAND" "$@" >out 2>err </dev/null
	rc=$?
}
gives() { # exit code, words on stdout or stderr, arguments...
	want=$1 words=$2
	shift 2
	run "$@"
	[ $rc -eq "$want" ] && cat out err | tr '\n' ' ' | grep -qF -e "$words"
	check $? "$(echo "$*" | sed "s|$T/||g" | tr -d '\033<>'): $want, $words"
}
measure() { # folder, protocol, more arguments: of two executors or processes there is one result
	folder=$1 protocol=$2
	shift 2
	run run "$protocol" --on host:0 -q -o "$folder" "$@"
	[ $rc -eq 0 ] || [ $rc -eq 7 ]
}
json() { # expression over d, the JSON in out
	python3 -c "import json; d = json.load(open('out')); print($1)"
}
states() { # the states of both sides, team by team
	json '" ".join(t["team"] + ":" + t[s]["state"] for t in d["comparisons"][0]["agreements"] for s in ("baseline", "other"))'
}
cd "$T" || exit 1
home=$T/config
export XDG_CONFIG_HOME="$home"
mkdir -p both one none wrong other
sed 's/^name = tiny/name = match/' "$SRC/tests/protocols/tiny.ini" >both/match.ini
for folder in one none wrong other; do cp both/match.ini $folder; done

# ---- signing -----------------------------------------------------------------------------------

for team in red blue mallory; do run key new $team; done
gives 0 'red agrees to match@1, digest ' agree both/match.ini --as red
[ -f both/match-1.red.agreement ] && grep -q "$("$EVENHAND" protocol digest both/match.ini)" both/match-1.red.agreement
check $? "the file lies beside the protocol, and has its digest"
cp both/match-1.red.agreement kept
gives 0 'had agreed already' agree both/match.ini --as red
gives 4 'is another agreement, of red' agree both/match.ini --as red --key blue
gives 4 'is another agreement, of red' agree both/match.ini --as blue -o both/match-1.red.agreement
sed 's/^executions = .*/executions = 3/' both/match.ini >edited.ini
gives 4 'is another agreement' agree edited.ini --as red -o both/match-1.red.agreement
cmp -s kept both/match-1.red.agreement
check $? "and it was never overwritten"
echo nonsense >nonsense.agreement
gives 4 'is no agreement that holds' agree both/match.ini --as red -o nonsense.agreement
[ "$(cat nonsense.agreement)" = nonsense ]
check $? "nor is anything else"
gives 4 'there is no key' agree both/match.ini --as green
gives 4 'not a valid name of a team' agree both/match.ini --as '../red'
gives 4 'not a valid name of a team' agree both/match.ini --as '<b>red</b>'
gives 4 'not a valid name of a team' agree both/match.ini --as "$(printf '\033[2Jred')"
gives 4 'no protocol' agree no-such-protocol --as red
gives 4 '--as TEAM is missing' agree both/match.ini
gives 4 '--class small|medium|large' agree gpu-quick --as red
gives 5 'no/such' agree both/match.ini --as red -o no/such/file
gives 0 'blue agrees' agree both/match.ini --as blue
run agree both/match.ini --as blue --json
[ $rc -eq 0 ] && [ "$(json 'str(d["already"]) + d["agreement"]["team"] + d["file"]')" = Trueblueboth/match-1.blue.agreement ]
check $? "as JSON"

# ---- agreed ------------------------------------------------------------------------------------

run run both/match.ini --on host:0 --plan
grep -q '^agreements: blue, red$' out
check $? "the plan of a run names who agreed"
measure a both/match.ini -v && grep -q 'the results will have the agreement of blue, by the key ' err &&
	measure b both/match.ini
check $? "two runs with both agreements"
a=$(echo a/*.json) b=$(echo b/*.json)
gives 0 'protocol agreed on before measuring: red (key ' compare "$a" "$b" --agreed red,blue
gives 0 'match@1' compare "$a" "$b" --agreed blue
run compare "$a" "$b" --agreed red,blue --json
[ $rc -eq 0 ] && [ "$(states)" = 'red:agreed red:agreed blue:agreed blue:agreed' ]
check $? "as JSON"
run compare "$a" "$b" --json
[ "$(json '"agreements" in d["comparisons"][0]')" = False ]
check $? "and nothing of it where nobody asks"
rm both/*.agreement
gives 0 'protocol agreed on' compare "$a" "$b" --agreed red,blue
gives 0 "the agreements of blue, red fit together" verify "$a"
gives 0 '' bundle "$a" "$b" -o match.evenhand
gives 0 'protocol agreed on' compare match.evenhand --agreed red,blue
cp kept both/match-1.red.agreement

# ---- not, or not in time -----------------------------------------------------------------------

measure late none/match.ini
check $? "a run before anybody signed"
late=$(echo late/*.json)
run agree none/match.ini --as red
run agree none/match.ini --as blue
gives 3 'red had not agreed to match@1 (digest ' compare "$a" "$late" --agreed red,blue
cat out err | tr '\n' ' ' | grep -q 'other: red had not.*; other: blue had not.*; sign with .evenhand agree., .* measure again'
check $? "both teams, the protocol, what is missing and the remedy"
! grep -q '1\.[0-9]*x' out
check $? "and no ratio"
run compare "$a" "$late" --agreed red,blue --json
[ $rc -eq 3 ] && [ "$(states)" = 'red:agreed red:absent blue:agreed blue:absent' ] &&
	[ "$(json 'd["exit_code"], d["comparisons"][0]["counts"]["NOT COMPARABLE"], "not-agreed" in d["comparisons"][0]["cases"][0]["cites"]')" = "3 2 True" ]
check $? "as JSON"
cp kept one/match-1.red.agreement
measure half one/match.ini
check $? "a run with one agreement of two"
half=$(echo half/*.json)
gives 0 'agreed on' compare "$a" "$half" --agreed red
gives 3 'other: blue had not agreed' compare "$a" "$half" --agreed red,blue
gives 3 'both: blue had not agreed' compare "$half" "$half" --agreed red,blue
gives 3 'host' compare "$a" "$b" "$half" --agreed red,blue
rm -f p.html
gives 3 'blue had not agreed' report "$a" "$half" --agreed red,blue -o p.html
grep -q 'not-agreed' p.html
check $? "the page says it"
gives 3 'NOT COMPARABLE' export "$a" "$half" --agreed red,blue --as csv
gives 0 'report: ' report "$a" "$b" --agreed red,blue -o q.html
grep -q 'protocol agreed on before measuring: red' q.html
check $? "and names the teams where they agreed"
gives 0 'speedup' export "$a" "$b" --agreed red,blue --as csv

# ---- another name, key, protocol or file -------------------------------------------------------

run agree wrong/match.ini --as red --key mallory
run agree wrong/match.ini --as blue
measure forged wrong/match.ini
check $? "a run with red's agreement signed by another key"
forged=$(echo forged/*.json)
gives 3 'in the name of red is signed by the key' compare "$a" "$forged" --agreed red,blue
gives 3 'mallory had not agreed' compare "$forged" "$forged" --agreed mallory
cp both/match-1.red.agreement other
run agree other/match.ini --as blue
sed -i 's/^samples-max = .*/samples-max = 30/' other/match.ini
measure edited other/match.ini
grep -q 'red agreed to match@1 with the digest .* not those that were agreed on; the results will not have' err
check $? "a protocol that was edited after signing: a warning before it is measured"
gives 3 'had not agreed' compare "$(echo edited/*.json)" "$(echo edited/*.json)" --agreed red,blue
gives 4 'not those that were agreed on' run other/match.ini --on host:0 -q -o never --agreements other
gives 4 'has no agreement to tiny@1' run "$SRC/tests/protocols/tiny.ini" --on host:0 -q -o never --agreements both
gives 5 'nowhere' run both/match.ini --on host:0 -q -o never --agreements nowhere
sed 's/"team": "red"/"team": "blue"/' kept >one/changed.agreement
run run one/match.ini --on host:0 -q -o changed
grep -q 'changed.agreement: the signature of the agreement does not hold.*the results will not have' err
check $? "an edited agreement: a warning"
gives 3 'blue had not agreed' compare "$(echo changed/*.json)" "$(echo changed/*.json)" --agreed red,blue
gives 4 'does not hold' run one/match.ini --on host:0 -q -o never --agreements one/changed.agreement
[ ! -e never ]
check $? "and with --agreements nothing is measured"
SOURCE_DATE_EPOCH=1000000000 timeout 100 "$EVENHAND" run both/match.ini --on host:0 -q -o early >out 2>err
grep -q 'one of the clocks is wrong' err
check $? "an agreement of the future: a warning"
gives 3 'red had not agreed' compare "$a" "$(echo early/*.json)" --agreed red

# ---- what was done is not what was agreed on ---------------------------------------------------

measure part both/match.ini --case 'triad*'
gives 3 'other: 1 of 2 cases were measured' compare "$a" "$(echo part/*.json)" --agreed red
measure fewer both/match.ini --executions 1
gives 3 'executions: 1 instead of 2' compare "$a" "$(echo fewer/*.json)" --agreed red

# ---- results that were edited ------------------------------------------------------------------

python3 - "$late" "$a" <<'PY' 2>err
import json, sys
late, agreed = (json.load(open(p)) for p in sys.argv[1:])
late["run"]["agreements"] = agreed["run"]["agreements"]
json.dump(late, open("added.json", "w"))
agreed["run"]["agreements"] = agreed["run"]["agreements"] * 40
json.dump(agreed, open("many.json", "w"))
PY
gives 3 'altered' compare "$a" added.json --agreed red,blue
gives 1 'altered' verify added.json
gives 5 '80 agreements, and 64 are the most' compare "$a" many.json --agreed red,blue

# ---- keys --------------------------------------------------------------------------------------

gives 4 "no key is called 'green' here" compare "$a" "$b" --agreed red,green
gives 4 'evenhand key trust FILE --name TEAM' compare "$a" "$b" --agreed '<i>'
gives 4 'named twice' compare "$a" "$b" --agreed red,red
gives 4 'one is empty' compare "$a" "$b" --agreed red,
run key trust "$home/evenhand/keys/red.pub" --name crimson
gives 4 'one key cannot agree for two teams' compare "$a" "$b" --agreed red,crimson
gives 3 'crimson had not agreed' compare "$a" "$b" --agreed crimson,blue
run key trust "$home/evenhand/keys/mallory.pub" --name blue
gives 4 'nothing says which is the team' compare "$a" "$b" --agreed red,blue
export XDG_CONFIG_HOME="$T/elsewhere"
gives 4 'no key is called' compare "$a" "$b" --agreed red,blue
run key trust "$home/evenhand/keys/mallory.pub" --name red
run key trust "$home/evenhand/keys/blue.pub"
gives 3 'signed by the key' compare "$a" "$b" --agreed red,blue
run key distrust red
run key trust "$home/evenhand/keys/red.pub" --role verifier
gives 0 'agreed on' compare "$a" "$b" --agreed red,blue
export XDG_CONFIG_HOME="$home"

# ---- what else may lie there -------------------------------------------------------------------

mkdir hostile
cp both/match.ini kept hostile
mv hostile/kept hostile/red.agreement
cp kept hostile/again.agreement
mkfifo hostile/fifo.agreement
ln -s /dev/zero hostile/zero.agreement
mkdir hostile/folder.agreement
head -c 2000000 /dev/zero >hostile/large.agreement
printf '{"format":"evenhand-agreement","team":"<script>\033[2J\377"}' >hostile/text.agreement
cp kept "$(printf 'hostile/\033[2J<b>\377.agreement')"
sed 's/"signer": "red"/"signer": "\\u001b[2J<script>"/' kept >hostile/signer.agreement
measure odd hostile/match.ini
check $? "beside files that are none: a run"
! LC_ALL=C grep -q "$(printf '\033\|\377')" err && [ "$(grep -c 'will not have this agreement' err)" -eq 6 ]
check $? "with a warning for each, which no terminal obeys"
run compare "$(echo odd/*.json)" "$a" --agreed red --json
[ "$(states)" = 'red:agreed red:agreed' ] && [ "$(grep -c '"team"' odd/*.json)" -eq 1 ]
check $? "and the one that holds is there once"
echo "1..$n"
exit $bad
