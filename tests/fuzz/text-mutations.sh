#!/bin/sh
# Thousands of damaged protocols, claims, site files, described devices, noise floors, files of numbers,
# keys and lines of workers: each is taken, or refused with one sentence that names the file.
set -u
driver=$BUILD/tests/fuzz/text_mutations
corpus=$SRC/tests/fuzz/corpus
. "$SRC/tests/fuzz/counts"
fuzz_counts 2000 10000
export XDG_CONFIG_HOME="$T/config" XDG_STATE_HOME="$T/state"
n=0
echo 1..10
report() { # STATUS TEXT
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi
}
rm -rf "$T/config" "$T/state"
mkdir -p "$T/config"

# Undamaged files, made by the program.
"$EVENHAND" site template | sed 's/^; *\(\[\|[a-z-]* = \)/\1/' >"$T/site.ini" && "$EVENHAND" key new a >"$T/o" 2>&1
report $? "the files to begin with"

# 2 to 9: damaged copies.  Some are still taken, most are refused.
damage() { # KIND FILE...
	kind=$1
	shift
	"$driver" "$kind" "$seed" "$rounds" "$T" "$@" >"$T/out" 2>&1 && awk '{ if ($1 < 3 || $3 < 20) exit 1 }' "$T/out"
	rc=$?
	[ $rc -eq 0 ] || sed 's/^/# /' "$T/out" | head -n 40
	report $rc "$rounds damaged files, $kind, seed $seed: $(tail -n 1 "$T/out")"
}
damage protocol "$corpus"/protocol/*.ini "$SRC"/protocols/*.ini
damage claim "$SRC"/protocols/claims/*.ini
damage site "$T/site.ini"
damage devices "$SRC/tests/replay/devices.ini"
damage noise "$corpus"/noise/*.json
damage numbers "$corpus"/numbers/*
damage key "$T/config/evenhand/keys/a.pub"
damage event "$corpus"/event/*.json

# 10: the program itself says one line and ends with the exit code of a usage error.
bad=0
for file in "$corpus"/protocol/*.ini; do
	"$EVENHAND" protocol check "$file" >"$T/o" 2>"$T/e"
	rc=$?
	case $rc in
	0) ;;
	4) [ "$(wc -l <"$T/e")" -eq 1 ] && grep -q "$(basename "$file")" "$T/e" || bad=1 ;;
	*) bad=1 ;;
	esac
	[ $bad -eq 0 ] || { echo "# $file: exit $rc: $(cat "$T/e")"; break; }
done
report $bad "evenhand protocol check on the corpus"
