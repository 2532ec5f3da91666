#!/bin/sh
# verify, key, sign, amend and bundle as people use them: what they print, and every exit code.
n=0 bad=0
check() { # status text [file with detail]
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; bad=1; [ -z "${3:-}" ] || cat "$3" >&2; fi
}
gives() { # exit code, words on stdout or stderr, command...
	want=$1 words=$2
	shift 2
	"$EVENHAND" "$@" >"$T/out" 2>"$T/err" </dev/null
	rc=$?
	# A sentence is wrapped where the folder's name is long.
	[ $rc -eq "$want" ] && { cat "$T/out" "$T/err"; echo; cat "$T/out" "$T/err" | tr '\n' ' ' | tr -s ' '; } | grep -q -F -e "$words"
	good=$?
	[ $good -eq 0 ] || echo "# exit code $rc, wanted $want" >>"$T/err"
	cat "$T/out" >>"$T/err"
	check $good "evenhand $(echo "$*" | sed "s|$T/||g"): $want, $words" "$T/err"
}
export XDG_CONFIG_HOME="$T/config"
unset EVENHAND_KEY_PASSPHRASE
rm -rf "$T/config" "$T/lone" "$T/unpacked"
rm -f "$T"/r.* "$T"/*.evenhand
"$BUILD/tests/bench/make_result" 20 "$T/r.json" || check 1 "make_result"
r=$T/r.json

gives 0 'r.json: consistent, unsigned' verify "$r"
grep -q 'unsigned: nobody vouches for it' "$T/out"
check $? "unsigned is said, and is no failure"
gives 2 'NOT SIGNED AS REQUIRED' verify --require-signature "$r"
gives 5 'no-such.json' verify "$T/no-such.json"
echo '{}' >"$T/empty.json"
gives 4 'NOT A RESULT' verify "$T/empty.json"
gives 4 'RESULT is missing; usage: evenhand verify RESULT' verify
gives 4 'unknown option' verify --nonsense "$r"

gives 0 'no keys' key list
gives 0 'fingerprint' key new lab --comment 'Benchmark lab'
gives 4 'never overwritten' key new lab
gives 4 'not a valid key name' key new ../lab
gives 0 'yours' key list
[ "$(stat -c %a "$T/config/evenhand/keys/lab.pem")" = 600 ]
check $? "the private key is its owner's alone"
gives 4 'no key' sign "$r"
gives 0 'signed by lab as tester' sign "$r" --key lab
gives 4 'has already signed it' sign "$r" --key lab --as verifier
gives 0 'signed by lab' verify --require-signature "$r"
gives 0 'signed by lab' verify --key lab "$r"
gives 4 'no passphrase' key new second --passphrase
EVENHAND_KEY_PASSPHRASE='correct horse'
export EVENHAND_KEY_PASSPHRASE
gives 0 'fingerprint' key new second --passphrase
grep -q ENCRYPTED "$T/config/evenhand/keys/second.pem"
check $? "the key with a passphrase is encrypted"
gives 2 'NOT SIGNED' verify --key second "$r"
gives 0 'as verifier' sign "$r" --key second --as verifier
EVENHAND_KEY_PASSPHRASE=wrong gives 4 'the passphrase does not open it' amend "$r" --note x --key second
gives 0 'trusted as verifier' key trust "$T/config/evenhand/keys/second.pub" --name other --role verifier
gives 4 'already' key trust "$T/config/evenhand/keys/second.pub" --name other
# A key that counts under several names.
second=$T/config/evenhand/keys/second.pub
gives 0 'the same key is still trusted as other: ' key trust "$second" --name twin --json
/usr/bin/python3 -c 'import json, sys; assert json.load(sys.stdin)["name"] == "twin"' <"$T/out"
check $? "key trust prints JSON on stdout alone" "$T/err"
gives 0 'the same key is still trusted as other: ' key distrust twin
gives 0 'the same key is your own key second, which counts as tester' key trust "$second" --name twin
gives 0 'the same key is your own key second, which counts as tester' key distrust twin
XDG_CONFIG_HOME=$T/lone gives 0 'other is trusted' key trust "$second" --name other
XDG_CONFIG_HOME=$T/lone gives 0 'other is no longer trusted' key distrust other
[ ! -s "$T/err" ] || [ "$(cat "$T/err")" = "$(cat "$T/out")" ]
check $? "nothing more is said of a key of one name" "$T/err"
if command -v openssl >/dev/null; then
	openssl genpkey -algorithm ed448 2>err | openssl pkey -pubout -out "$T/ed448.pub" 2>>err
	gives 4 'this is not an Ed25519 key' key trust "$T/ed448.pub" --name third
	openssl pkey -pubin -in "$T/config/evenhand/keys/second.pub" -text >"$T/spoken.pub" 2>err
	gives 4 'already' key trust "$T/spoken.pub" --name other
fi
echo 'no key' >"$T/nothing.pub"
gives 4 'this is not a public key in PEM' key trust "$T/nothing.pub" --name third
gives 0 'verified by other' verify "$r"
if command -v openssl >/dev/null 2>&1; then
	theirs=$(openssl pkey -pubin -in "$T/config/evenhand/keys/lab.pub" -outform DER | tail -c 32 | sha256sum | cut -d' ' -f1)
	gives 0 "$theirs" key show lab
fi

gives 0 'note added' amend "$r" --note 'The room was warm.' --key lab
gives 0 'dispute added' amend "$r" --dispute 'The fan had failed.' --key lab
gives 4 'an action is missing: --note, --dispute, --redact, --redact-text or --finish' amend "$r" --key lab
gives 4 'samples and what a comparison needs cannot' amend "$r" --redact cases --reason x --key lab
gives 0 'The room was warm.' verify "$r"
gives 0 'DISPUTED' show "$r"
tr -s '\n ' '  ' <"$T/out" | grep -q 'The fan had failed.'
check $? "show prints the dispute" "$T/out"
"$EVENHAND" compare "$r" "$r" >"$T/out" 2>"$T/err"
tr -s '\n ' '  ' <"$T/out" | grep -q 'DISPUTED by lab'
check $? "compare prints the dispute" "$T/out"

# A white space more means the same and is not what was signed.
cp "$r" "$T/spaced.json"; cp "$r.sig" "$T/spaced.json.sig"
echo >>"$T/spaced.json"
gives 1 'does not have the bytes that were signed' verify "$T/spaced.json"
rm "$T/spaced.json.sig"
gives 0 'spaced.json: consistent, unsigned' verify "$T/spaced.json"
# Signatures that cannot be read change nothing about the result itself.
cp "$r" "$T/closed.json"
mkdir -p "$T/closed.json.sig"
gives 5 'closed.json: consistent, SIGNATURES UNREADABLE' verify "$T/closed.json"
grep -q 'derived numbers  ok  *recomputed' "$T/out" && grep -q 'signatures  *NO  unreadable' "$T/out" && grep -q "closed.json.sig" "$T/out"
check $? "what is consistent is said, and which file cannot be read" "$T/out"
gives 5 '"level": "unreadable"' verify --json "$T/closed.json"
gives 5 'SIGNATURES UNREADABLE' verify --require-signature "$T/closed.json"
sed 's/"party":"[^"]*"/"party":"vendor"/' "$r" >"$T/closed.json"
gives 1 'closed.json: DOES NOT HOLD' verify "$T/closed.json"
rmdir "$T/closed.json.sig"
# All that was edited is named, not the first alone.
sed -e 's/"median_ns":[0-9.e+]*/"median_ns":1/' -e 's/"party":"[^"]*"/"party":"vendor"/' "$r" >"$T/edited.json"
gives 1 'cases[0].derived.median_ns is 1 but the samples give' verify "$T/edited.json"
grep -q 'cases\[19\]' "$T/out" && grep -q 'who does not have the digest' "$T/out"
check $? "every finding is printed" "$T/out"
gives 1 '"place": "cases[7].derived.median_ns"' verify --json "$T/edited.json"
/usr/bin/python3 -c 'import json, sys
report = json.load(open(sys.argv[1]))["reports"][0]
found = [f for f in report["findings"] if f["place"] == "cases[7].derived.median_ns"]
assert report["answer"] == "does-not-hold" and found[0]["stated"] == "1" and float(found[0]["recomputed"]) > 1' "$T/out" 2>"$T/err"
check $? "--json has the stated and the recomputed value" "$T/err"

# Of several, what is wrong with one is said of that one.
rm -rf "$T/several"
mkdir "$T/several"
cp "$r" "$T/several/a.json"
cp "$T/edited.json" "$T/several/b.json"
cp "$r" "$T/several/c.json"
gives 4 'b.json: who does not have the digest' sign "$T/several" --key lab --json
/usr/bin/python3 - "$T/out" >"$T/err" 2>&1 <<'END'
import json, sys
a, b, c = json.loads(open(sys.argv[1]).read())
assert not a["already"] and not c["already"] and "error" not in a and "error" not in c, (a, c)
assert "b.json: who does not have the digest" in b["error"] and b["file"].endswith("/b.json"), b
END
check $? "the report has all of them, with the error of the one" "$T/err"
gives 0 'a.json: holds, signed by lab' verify --require-signature "$T/several/a.json" "$T/several/c.json"
[ ! -e "$T/several/b.json.sig" ]
check $? "those that are sound are signed"
gives 5 'c.json.sig: already signed by lab' sign "$T/several/b.json" "$T/no-such.json" "$T/several/c.json" --key lab
mkdir "$T/several/none"
cp "$r" "$T/several/d.json"
gives 4 'd.json.sig: signed by lab' sign "$T/several/none" "$T/several/d.json" --key lab
gives 4 'holds no result' sign "$T/several/d.json" "$T/several/none" --key lab --json
/usr/bin/python3 -c 'import json, sys; d, none = json.load(open(sys.argv[1])); assert d["already"] and "holds no result" in none["error"]' "$T/out" 2>"$T/err"
check $? "a folder without results stops no other" "$T/err"

# A row without its evidence: reading does not ask for it, and whoever vouches does.
/usr/bin/python3 - "$r" "$T/several/bare.json" <<'END'
import hashlib, json, re, sys
def sha(text):
    return hashlib.sha256(text.encode()).hexdigest()
body = open(sys.argv[1]).read()
body = re.sub('"after":{"passed":true},', '', body, 1) if '"after":{"passed":true},' in body else re.sub('"after":{[^}]*},?', '', body, 1)
record = json.loads(body)
rows = [line.rstrip(",") for line in body.split("\n") if line.startswith('{"derived"')]
digests = record["digests"]
digests["cases"] = [sha(row) for row in rows]
whole = sha(json.dumps(dict({key: record[key] for key in ("format", "format_version", "status")}, digests=digests), sort_keys=True, separators=(",", ":")))
body = body[:body.index('\n"digests"')] + '\n"digests": %s,\n"digest": "%s"\n}\n' % (json.dumps(digests, separators=(",", ":")), whole)
open(sys.argv[2], "w").write(body)
END
gives 1 'DOES NOT HOLD' verify "$T/several/bare.json"
gives 4 'evenhand verify' sign "$T/several/bare.json" --key lab
gives 4 'would not hold and is not written' bundle "$T/several/bare.json" -o "$T/bare.evenhand"
[ ! -e "$T/several/bare.json.sig" ] && [ ! -e "$T/bare.evenhand" ]
check $? "what verify does not accept is neither signed nor packed"
gives 0 'note added' amend "$T/several/bare.json" --note 'its evidence was taken away' --key lab

gives 0 '1 result' bundle "$r" -o "$T/x.evenhand"
gives 4 'already exists' bundle "$r" -o "$T/x.evenhand"
gives 0 'signed' bundle "$r" -o "$T/signed.evenhand" --key lab
gives 0 'results/r.json: holds, signed by lab, verified by other' verify "$T/x.evenhand"
gives 0 'signed by lab' verify --require-signature "$T/signed.evenhand"
gives 0 'manifest.json' bundle "$T/x.evenhand" --list
gives 0 'files' bundle "$T/x.evenhand" --unpack "$T/unpacked"
cmp -s "$r" "$T/unpacked/results/r.json"
check $? "what is unpacked is what was packed"
gives 4 'already exists' bundle "$T/x.evenhand" --unpack "$T/unpacked"
head -c 2000 "$T/x.evenhand" >"$T/cut.evenhand"
gives 4 'cut.evenhand' verify "$T/cut.evenhand"
gives 4 'altered' bundle "$T/edited.json" -o "$T/y.evenhand"
[ ! -e "$T/y.evenhand" ]
check $? "nothing is left of a bundle that failed"

# A measured result: what identifies the machine can be taken out, and its kernel is in the bundle.
rm -rf "$T/run"
"$EVENHAND" run "$SRC/tests/protocols/tiny.ini" --on host:0 -o "$T/run" -q >"$T/out" 2>"$T/err"
check $? "a run to bundle" "$T/err"
for m in "$T"/run/*.json; do :; done
gives 0 'signed by lab' sign "$m" --key lab
member=$(sed -n 's/^"salts": {"\([^"]*\)".*/\1/p' "$m")
gives 0 'redaction added' amend "$m" --redact "$member" --reason policy --key lab
gives 0 "$member by lab: policy" verify --require-signature "$m"
grep -q '"redacted:sha256:' "$m" && ! grep -q "\"$member\":" "$m"
check $? "the text and its salt are gone"
gives 0 '1 result' bundle "$m" -o "$T/run.evenhand"
gives 0 'kernels/stream.k' bundle "$T/run.evenhand" --list
gives 0 'run.evenhand: consistent, unsigned' verify "$T/run.evenhand"
mkdir -p "$T/kernels"
cp "$BUILD"/share/evenhand/workloads/* "$T/kernels"
echo >>"$T/kernels/stream.k"
gives 4 'kernels/stream.k is not the text that was measured' bundle "$m" -o "$T/z.evenhand" --kernels "$T/kernels"

# ---- a name that stands in many places -----------------------------------------------------------

rm -rf "$T/named" "$T/Quux"
mkdir "$T/Quux"
cp "$BUILD/lib/evenhand/backends/host.so" "$T/Quux/lib\"q.so"
printf '[site]\ntester = J. Quux\nlocation = cellar of QUUX\nnotes = file:///%%51uux/\n[teams]\ncompiler = Quux and sons\n' >"$T/site.ini"
{ cat "$SRC/tests/protocols/tiny.ini"; echo '; tuned by Quux'; } >"$T/tuned.ini"
ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0" LD_PRELOAD="$T/Quux/lib\"q.so" "$EVENHAND" run "$T/tuned.ini" --on host:0 --site "$T/site.ini" -o "$T/named" -q >"$T/out" 2>"$T/err"
check $? "a run with a name in its stack" "$T/err"
for m in "$T"/named/*.json; do :; done
gives 0 'signed by lab' sign "$m" --key lab
gives 4 'the reason has the text' amend "$m" --redact-text Quux --reason 'Mr Quux asked' --key lab
gives 0 'no text that can be redacted holds this one' amend "$m" --redact-text Zork --reason x --key lab
ln -sf "$m" "$T/link.json"
gives 4 'is a link' amend "$T/link.json" --redact-text Quux --reason x --key lab
path=$(/usr/bin/python3 -c 'import json, sys
print([i for i, l in enumerate(json.load(open(sys.argv[1]))["executor"]["layers"]) if "Quux" in l.get("path", "")][0])' "$m")
gives 0 'fields.value.value' amend "$m" --redact "executor.layers[$path].path" --reason policy --key lab
grep -q "run.journal, the run's journal: remove it" "$T/err"
check $? "the journal still has it, which is said" "$T/err"
gives 0 'this redaction was made already' amend "$m" --redact "executor.layers[$path].path" --reason policy --key lab
gives 4 'is already redacted' amend "$m" --redact "executor.layers[$path].path" --reason other --key lab
! grep -q -F "Quux/lib" "$m"
check $? "the path of a preloaded library is also taken out of LD_PRELOAD" "$T/err"
gives 1 'cannot be redacted' amend "$m" --redact-text Quux --reason policy --key lab
grep -q 'measure again: protocol.text$' "$T/err"
check $? "the protocol's text is where it still stands" "$T/err"
[ "$(grep -o -i -e quux -e %51uux "$m" | wc -l)" -eq 1 ]
check $? "and nowhere else in the result: tester, location, team, notes in any spelling" "$m"
gives 0 'signed by lab' verify --require-signature "$m"
gives 4 'less than 4 bytes' amend "$m" --redact-text Qu --reason policy --key lab
gives 1 'nothing was changed' amend "$m" --redact-text Quux --reason policy --key lab
gives 0 'already signed by lab' sign "$m" --key lab
gives 0 'note added' amend "$m" --note 'Mr Corge measured.' --key lab
gives 1 'json.amendments: line' amend "$m" --redact-text Corge --reason policy --key lab
gives 0 'nothing to finish' amend "$m" --finish

gives 4 'has redacted texts, which the journal still holds' bundle "$m" --journal "$T/named/run.journal" -o "$T/named.evenhand"
[ ! -e "$T/named.evenhand" ]
check $? "no bundle brings a redacted text back with the journal"
gives 4 'is signed or amended, so it is not written anew' run --resume "$T/named" -q
! grep -q -i 'cellar of' "$m"
check $? "a resumed run does not bring a redacted text back"
cp "$m" "$T/before"
gives 4 'is signed or amended, so it is not written anew' reproduce "$m" --resume "$T/named" -q
cmp -s "$m" "$T/before"
check $? "nor does a reproduction that is resumed"
gives 0 'signed by lab' verify --require-signature "$m"

# ---- one result of several that stays as it is -----------------------------------------------------

rm -rf "$T/plugins" "$T/two" "$T/held" "$T/holds"
mkdir "$T/plugins"
cp "$BUILD/tests/backends/liar.so" "$T/plugins"
EVENHAND_BACKEND_PATH=$T/plugins
export EVENHAND_BACKEND_PATH
"$EVENHAND" run "$SRC/tests/protocols/tiny.ini" --on host:0,liar --executions 1 -o "$T/two" -q >"$T/out" 2>"$T/err"
[ "$(find "$T/two" -name '*.json' | wc -l)" -eq 2 ]
check $? "a run of two executors" "$T/err"
# Another process holds a result while the tests go on, until the command has given up: it is ended, so a slow machine
# does not let it go too early.
if command -v flock >/dev/null 2>&1; then
	cp -r "$T/two" "$T/held"
	rm "$T"/held/liar-*.json
	for file in "$T"/held/host-*.json; do :; done
	{ flock 9; : >"$T/holds"; exec sleep 600; } 9<"$file" &
	holder=$!
	until [ -e "$T/holds" ]; do sleep 0.05; done
	{ "$EVENHAND" run --resume "$T/held" -q >"$T/held.out" 2>"$T/held.err" </dev/null; echo $? >"$T/held.rc"; } &
	waiting=$!
fi
for kept in "$T"/two/*.json; do
	"$EVENHAND" sign "$kept" --key lab >"$T/out" 2>"$T/err"
	check $? "$(basename "$kept") is signed" "$T/err"
	for other in "$T"/two/*.json; do [ "$other" = "$kept" ] || rm "$other"; done
	gives 4 'is signed or amended, so it is not written anew' run --resume "$T/two" -q
	[ "$(find "$T/two" -name '*.json' | wc -l)" -eq 2 ] && "$EVENHAND" verify "$T"/two/*.json >"$T/out" 2>&1
	check $? "and does not keep the other from being written" "$T/out"
	rm "$kept.sig"
done
for kept in "$T"/two/*.json; do "$EVENHAND" sign "$kept" --key lab >"$T/out" 2>"$T/err"; done
gives 4 'is signed or amended, so it is not written anew' run --resume "$T/two" -q
[ "$(grep -c 'is signed or amended' "$T/err")" -eq 2 ]
check $? "of two that stay both are named" "$T/err"
unset EVENHAND_BACKEND_PATH

# ---- other users ---------------------------------------------------------------------------------

config=$T/config/evenhand
rm -rf "$T/open"
(
	umask 000
	XDG_CONFIG_HOME="$T/open" "$EVENHAND" key new mine
	XDG_CONFIG_HOME="$T/open" "$EVENHAND" key trust "$config/keys/second.pub" --name boss
) >"$T/out" 2>&1
[ "$(cd "$T/open/evenhand" && stat -c '%a %n' . keys trusted keys/* trusted/* | tr '\n' ' ')" = \
	"700 . 700 keys 700 trusted 600 keys/mine.pem 644 keys/mine.pub 600 trusted/boss.json " ]
check $? "keys and trusted keys are closed to others whatever the umask" "$T/out"
chmod 777 "$config/trusted"
gives 5 'chmod go-w' verify --require-signature "$m"
gives 5 'others can write to' key list
gives 5 'chmod go-w' key trust "$config/keys/second.pub" --name another
chmod 700 "$config/trusted"
chmod 666 "$config/trusted/other.json"
"$EVENHAND" bundle "$r" -o "$T/keys.evenhand" >/dev/null 2>&1 && mv "$T/keys.evenhand" "$T/never.evenhand"
[ ! -e "$T/never.evenhand" ]
check $? "nothing is packed while it cannot be told who signed"
gives 0 '"digest"' show "$T/x.evenhand" --json
gives 5 'ok  every section' verify "$T/x.evenhand"
gives 5 'others can write to it: run chmod go-w' verify --require-signature "$m"
chmod 600 "$config/trusted/other.json"
chmod 640 "$config/keys/lab.pem"
gives 5 'chmod 600' sign "$m" --key lab --as verifier
chmod 600 "$config/keys/lab.pem"
chmod 646 "$config/keys/lab.pub"
gives 5 'chmod go-w' verify "$m"
chmod 644 "$config/keys/lab.pub"
ln -s /etc "$T/open/evenhand/keys/half.pub"
XDG_CONFIG_HOME="$T/open" gives 4 'without the other half of the pair' key new half
if [ "$(id -u)" -eq 0 ]; then
	chown 65534 "$config/trusted/other.json"
	gives 5 'belongs to user 65534' verify --require-signature "$m"
	chown 0 "$config/trusted/other.json"
	chown 65534 "$config/trusted"
	gives 5 'belongs to user 65534' verify --require-signature "$m"
	chown 0 "$config/trusted"
	chown 65534 "$config/keys/lab.pem"
	gives 5 'belongs to user 65534' sign "$m" --key lab --as verifier
	chown 0 "$config/keys/lab.pem"
else
	n=$((n + 1))
	echo "ok $n - keys of another user # SKIP only root can give files away"
fi
gives 0 'signed by lab' verify --require-signature "$m"

if [ -n "${waiting:-}" ]; then
	wait "$waiting"
	kill "$holder" 2>/dev/null
	[ "$(cat "$T/held.rc")" -eq 5 ] && grep -q "host-.*is locked by .*; everything measured is in $T/held/run.journal; evenhand run --resume $T/held writes what is missing" "$T/held.err" &&
		ls "$T"/held/liar-*.json >/dev/null
	check $? "a result that is locked: the other one is written, and it is said where everything is" "$T/held.err"
else
	n=$((n + 1))
	echo "ok $n - a result that is locked # skip no flock (package util-linux)"
fi

# ---- redactions that others announced ------------------------------------------------------------

rm -rf "$T/told" "$T/theirs" "$T/victim" "$T/searched"
EVENHAND_TESTER='Jane Quux' EVENHAND_SPONSOR='Büro JÖRG' "$EVENHAND" run "$SRC/tests/protocols/tiny.ini" --on host:0 -o "$T/told" -q >"$T/out" 2>"$T/err"
check $? "a run of a tester" "$T/err"
mkdir "$T/victim" "$T/theirs"
cp "$T"/told/host*.json "$T/victim/R.json"
cp "$T/victim/R.json" "$T/theirs/R.json"
v=$T/victim/R.json
XDG_CONFIG_HOME="$T/theirs" gives 0 'fingerprint' key new stranger
XDG_CONFIG_HOME="$T/theirs" gives 0 'redaction added' amend "$T/theirs/R.json" --redact-text 'Jane Quux' --reason x --key stranger
cp "$T/theirs/R.json.amendments" "$T/victim"
key=$(XDG_CONFIG_HOME=$T/theirs "$EVENHAND" key list --json | sed -n 's/.*"fingerprint": "\([0-9a-f]*\)".*/\1/p')
gives 4 "by the key $key, which calls itself stranger and which you do not trust: to keep the text, move" sign "$v" --key lab
gives 4 'which you do not trust' amend "$v" --note x --key lab
grep -q 'Jane Quux' "$v" && grep -q '"who.tester"' "$v" && [ ! -e "$v.sig" ]
check $? "a redaction that a stranger announced destroys nothing"
gives 0 'which you do not trust' verify "$v"
! grep -q 'run: evenhand amend' "$T/out"
check $? "verify does not advise to finish it" "$T/out"
if [ "$(id -u)" -eq 0 ]; then
	chown 65534 "$v"
	gives 4 "only the result's owner finishes it" amend "$v" --finish
	chown 0 "$v"
else
	n=$((n + 1))
	echo "ok $n - a result of another user # SKIP only root can give files away"
fi
ln -s R.json "$T/victim/L.json"
cp "$v.amendments" "$T/victim/L.json.amendments"
gives 4 'is a link' amend "$T/victim/L.json" --finish
cp "$v" "$T/victim/S.json"
cp "$v.amendments" "$T/victim/S.json.amendments"
gives 0 'which you do not trust announced it; taken out: who.tester' amend "$v" --finish
! grep -q 'Jane Quux' "$v"
check $? "who owns the result may ask for it"
gives 0 'trusted' key trust "$T/theirs/evenhand/keys/stranger.pub" --name friend
cp "$T/victim/S.json" "$T/victim/J.json"
cp "$v.amendments" "$T/victim/J.json.amendments"
gives 0 'friend announced it; taken out: who.tester' sign "$T/victim/S.json" --key lab
gives 0 '"announced_by": "friend"' sign "$T/victim/J.json" --key lab --json
grep -q '"finished": \["who.tester"' "$T/out"
check $? "sign says what it finished" "$T/out"

# ---- a result that is closed to others -------------------------------------------------------------

if [ -z "${SANITIZE:-}" ] && strace -o /dev/null true 2>/dev/null; then
	mkdir "$T/private"
	open=0
	for words in sign 'amend --redact who.tester --reason x'; do
		for call in fchmod fchown write fsync renameat none; do
			rm -f "$T/private/"* "$T/private/".evenhand*
			cp "$T"/told/host*.json "$T/private/R.json"
			chmod 600 "$T/private/R.json"
			# What is killed between two calls leaves what everybody could see at that moment.
			# shellcheck disable=SC2086
			(umask 022; strace -f -o "$T/trace" -e "trace=openat,$([ $call = none ] && echo fsync || echo $call)" \
				-e "inject=$([ $call = none ] && echo getppid || echo $call):signal=KILL" \
				"$EVENHAND" ${words%% *} "$T/private/R.json" ${words#"${words%% *}"} --key lab) >"$T/out" 2>"$T/err"
			[ -z "$(find "$T/private" -type f -perm /077)" ] && ! grep 'O_CREAT' "$T/trace" | grep -q 'evenhand-.*, 0[0-7]*[1-7][0-7])\|evenhand-.*, 0[0-7]*[1-7])' || open=1
		done
		[ "$(find "$T/private" -name 'R.json.*' -perm 600 | wc -l)" -eq 1 ] && [ $open -eq 0 ]
		check $? "${words%% *}: what is beside a closed result is never more open, also not while it is written" "$T/trace"
		# Somebody may exchange the file between two looks: what is locked is what is read.
		rm -f "$T/private/"*
		cp "$T"/told/host*.json "$T/private/R.json"
		# shellcheck disable=SC2086
		strace -f -o "$T/trace" -e trace=openat,open,flock "$EVENHAND" ${words%% *} "$T/private/R.json" ${words#"${words%% *}"} --key lab >"$T/out" 2>"$T/err"
		rc=$?
		[ $rc -eq 0 ] && grep -q 'flock(' "$T/trace" && ! sed '1,/flock(/d' "$T/trace" | grep '/R.json", '
		check $? "${words%% *}: the result that is locked is the one that is read: it is not opened again" "$T/trace"
	done
else
	n=$((n + 1))
	echo "ok $n - a closed result # SKIP needs strace, and no sanitizer"
fi

# ---- a text in the files of the folder -----------------------------------------------------------

mkdir "$T/searched"
cp "$T"/told/host*.json "$T/searched/R.json"
s=$T/searched
ln "$s/R.json" "$s/again"
echo 'by JANE QUUX' >"$s/capital"
printf '%s' 'jANE qUUX' | od -An -tx1 | tr -d ' \n' >"$s/hex"
echo 'x=jane%20quux' >"$s/percent"
echo '{"x":"J\u0061ne \u0051uux"}' >"$s/escapes"
{ head -c 262139 /dev/zero; printf 'jane quux'; } >"$s/border"
{ head -c 262140 /dev/zero; printf 'jan\\u0065 quux'; } >"$s/border2"
echo 'Jane Quu' >"$s/other"
echo 'Jane Quux' >"$s/$(printf 'esc\033[31m\377')"
truncate -s 3G "$s/sparse"
gives 0 'redaction added' amend "$s/R.json" --redact-text 'jANE qUUX' --reason policy --key lab
for name in capital hex percent escapes border border2; do
	tr ',' '\n' <"$T/err" | grep -q " $name\$"
	check $? "the text is found: $name" "$T/err"
done
grep -q 'perhaps in sparse: it is too large to be searched' "$T/err" && grep -q '1 other name (hard links)' "$T/err" && ! grep -q other, "$T/err"
check $? "what cannot be searched, and other names of the result, are named" "$T/err"
grep -q -F 'esc?[31m?' "$T/err" && ! LC_ALL=C grep -q "$(printf '[\033\377]')" "$T/err"
check $? "names of files are no commands of a terminal" "$T/err"

gives 0 'who.sponsor' amend "$s/R.json" --redact-text 'bürO jörg' --reason policy --key lab
! grep -q 'JÖRG' "$s/R.json"
check $? "capital letters of all of UTF-8 are taken out" "$T/err"

# What succeeds prints names, too.
esc=$T/$(printf 'esc\033[31m')
rm -rf "$esc"
mkdir "$esc"
cp "$T"/told/host*.json "$esc/R.json"
cp "$T/config/evenhand/keys/lab.pem" "$esc"
echo '[site]' >"$esc/site.ini"
harmless() { # command...
	"$EVENHAND" "$@" >"$T/out" 2>"$T/err" </dev/null && cat "$T/out" "$T/err" >"$T/both" &&
		grep -q -F 'esc?[31m' "$T/both" && ! LC_ALL=C grep -q "$(printf '\033')" "$T/both"
	check $? "evenhand $1: paths are no commands of a terminal" "$T/out"
}
harmless sign "$esc/R.json" --key "$esc/lab.pem"
harmless amend "$esc/R.json" --note x --key lab
harmless amend "$esc/R.json" --redact who.tester --reason x --key lab
harmless amend "$esc/R.json" --redact who.tester --reason x --key lab
harmless amend "$esc/R.json" --finish
harmless bundle "$esc/R.json" -o "$esc/R.evenhand"
harmless bundle "$esc/R.evenhand" --unpack "$esc/unpacked"
harmless verify "$esc/R.evenhand"
harmless site check "$esc/site.ini"
XDG_CONFIG_HOME=$esc harmless key new lab

# Files keep their mode and group, and a folder that cannot be listed is said.
nobody() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
H=$(mktemp -d /tmp/evenhand-audit-XXXXXX)
chmod 755 "$H"
if [ "$(id -u)" -eq 0 ] && nobody "$EVENHAND" --version >"$T/out" 2>&1; then
	mkdir "$H/shared" "$H/config" "$H/closed"
	cp "$T"/told/host*.json "$H/shared/R.json"
	cp "$H/shared/R.json" "$H/shared/private.json"
	cp "$H/shared/R.json" "$H/closed/R.json"
	chown 65534 "$H/config" "$H/closed"
	chmod 777 "$H/shared"
	chmod 664 "$H/shared/R.json"
	chmod 660 "$H/shared/private.json"
	chgrp 65534 "$H/shared/R.json"
	theirs() { (umask 077; XDG_CONFIG_HOME=$H/config nobody "$EVENHAND" "$@" >"$T/out" 2>"$T/err"); }
	theirs key new nobody && theirs amend "$H/shared/R.json" --redact who.tester --reason x --key nobody
	[ "$(stat -c '%a %u:%g' "$H/shared/R.json")" = 664\ 65534:65534 ]
	check $? "a result of a group stays open to it whatever the umask" "$T/err"
	chown 0:0 "$H/shared/R.json"
	gives 0 'signed' sign "$H/shared/R.json" --key lab
	chmod 644 "$H/shared/R.json.sig"
	theirs sign "$H/shared/R.json" --key nobody
	[ "$(stat -c %a "$H/shared/R.json.sig")" = 644 ]
	check $? "and so do its signatures" "$T/err"
	# A group that may write besides, and not read alone, loses nothing.
	cp "$T"/told/host*.json "$H/shared/open.json"
	chmod 664 "$H/shared/open.json"
	gives 0 'signed' sign "$H/shared/open.json" --key lab
	chmod 664 "$H/shared/open.json.sig"
	theirs sign "$H/shared/open.json" --key nobody
	check $? "files of a group that others may read, too, are signed by others" "$T/err"
	[ "$(stat -c '%a %u' "$H/shared/open.json.sig")" = 644\ 65534 ]
	check $? "and their new group may not write them" "$T/err"
	chown 65534 "$H/shared/private.json"
	chgrp 0 "$H/shared/private.json"
	theirs amend "$H/shared/private.json" --redact who.tester --reason x --key nobody
	[ $? -eq 5 ] && grep -q 'its group, 0, would lose it' "$T/err" && [ ! -e "$H/shared/private.json.amendments" ] &&
		grep -q 'Jane Quux' "$H/shared/private.json" && [ "$(find "$H/shared" -name '.evenhand*' | wc -l)" -eq 0 ]
	check $? "a result is not taken from its group" "$T/err"
	chown 65534:65534 "$H/shared/private.json"
	chmod 600 "$H/shared/private.json"
	gives 0 'redaction added' amend "$H/shared/private.json" --redact who.tester --reason x --key lab
	[ "$(stat -c '%a %u:%g' "$H/shared/private.json")" = 600\ 65534:65534 ]
	check $? "root does not take a result from a user, nor open it"
	chmod 666 "$H/shared/private.json.amendments"
	chown 65534 "$H/shared/private.json.amendments"
	gives 0 'note added' amend "$H/shared/private.json" --note x --key lab
	[ "$(stat -c %a "$H/shared/private.json.amendments")" = 600 ]
	check $? "amendments that somebody planted are not more open than the result"
	chown 65534 "$H/closed/R.json"
	chmod 311 "$H/closed"
	theirs amend "$H/closed/R.json" --redact who.tester --reason x --key nobody && grep -q 'perhaps other files of the folder: it cannot be listed' "$T/err"
	check $? "a folder that cannot be listed is said" "$T/err"
else
	n=$((n + 1))
	echo "ok $n - files of other users # SKIP only root can be two users, and another one must reach the program"
fi
rm -rf "$H"

echo "1..$n"
exit $bad
