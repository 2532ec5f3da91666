#!/bin/sh
# A coordinator that is killed, or whose system calls fail, at any moment and at each call that writes:
# the next resume completes the run, nothing is lost or doubled, and no temporary file stays.
set -u
. "$SRC/tests/fuzz/counts"
fuzz_counts 8 4100
[ "$rounds" -ge 8 ] || rounds=8 # less reaches nothing
n=0 bad=0
check() { # status text
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; bad=1; fi
}
cd "$T" || exit 1
rm -rf ./*
tiny=$SRC/tests/protocols/tiny.ini
calls=write,pwrite64,fdatasync,fsync,rename,renameat,renameat2,ftruncate,openat,unlink,unlinkat,link,linkat,mkdir,mkdirat
ended() { # status; whether a run ended with a result
	[ "$1" -eq 0 ] || [ "$1" -eq 7 ]
}
finished() { # the whole case lines of a journal, without their samples
	sed -n 's/^\({"kind":"case","executor":"[^"]*","execution":[0-9]*,"id":"[^"]*"\).*}$/\1/p' "$1" 2>/dev/null
}
new() { # folder executions
	"$EVENHAND" run "$tiny" --on host:0 -o "$1" --executions "$2" --quiet >out 2>err </dev/null
}
blame() { # text
	{ echo "# $1"; tail -n 5 err; } >&2
	wrong=$((wrong + 1))
}
sound() { # folder cases what; each case once, the result verifies, and nothing else lies in the folder
	for count in "$(finished "$1/run.journal" | wc -l)" "$(finished "$1/run.journal" | sort -u | wc -l)"; do
		[ "$count" -eq "$2" ] || blame "$3: $count cases in place of $2"
	done
	"$EVENHAND" verify "$1"/host-*.json >out 2>err || blame "$3: the result does not hold"
	[ -z "$(find "$1" -name '.evenhand-*')" ] || blame "$3: it leaves $(ls "$1")"
}
finish() { # folder executions what; after a death
	if [ -f "$1/run.journal" ]; then
		"$EVENHAND" run --resume "$1" --quiet >out 2>err </dev/null
	else
		new "$1" "$2" # nothing was measured
	fi
	ended $? || blame "$3: the run was not completed"
	sound "$1" $((2 * $2)) "$3"
}

# ---- at random moments -------------------------------------------------------------------------
# Each death is on top of the one before: what was finished then must be there, in that order.
wrong=0 kills=0 runs=0
many=$((rounds / 4 > 40 ? 40 : rounds / 4))
moments=$(awk -v seed="$seed" -v n=$((rounds / 4)) 'BEGIN { srand(seed); for (i = 0; i < n; i++) printf "%.3f\n", rand() * rand() * 2 }')
: >before
for moment in $moments; do
	if [ -f random/run.journal ]; then
		"$EVENHAND" run --resume random --quiet >out 2>err </dev/null &
	else
		new random "$many" &
	fi
	pid=$!
	sleep "$moment"
	# A function runs in a shell of its own, the program is its child.
	child=$(cat "/proc/$pid/task/$pid/children" 2>/dev/null)
	case $(cat "/proc/$pid/comm" 2>/dev/null) in
	evenhand) child=$pid ;;
	esac
	# shellcheck disable=SC2086
	[ -z "$child" ] || { kill -KILL $child 2>/dev/null && kills=$((kills + 1)); }
	wait $pid 2>/dev/null
	finished random/run.journal >after
	[ "$(head -n "$(wc -l <before)" after)" = "$(cat before)" ] || blame "moment $moment: a finished case is lost"
	cp after before
	if [ "$(wc -l <after)" -eq $((2 * many)) ]; then
		finish random "$many" "run $runs"
		rm -rf random
		: >before
		runs=$((runs + 1))
	fi
done
[ ! -d random ] || finish random "$many" "the last run"
[ $wrong -eq 0 ] && [ $kills -gt 0 ]
check $? "$kills deaths at random moments, seed $seed: every case once, and the result holds"

# ---- at system calls ---------------------------------------------------------------------------
if ! command -v strace >/dev/null || ! strace -o log true 2>err; then
	for what in "a run" "a resumed run" "a salvage"; do
		check 0 "deaths and errors at each system call of $what # SKIP no strace (package strace)"
	done
	echo "1..$n"
	exit $bad
fi
new full 1
ended $? || { echo "# the run to begin with failed" >&2; tail -n 5 err >&2; bad=1; }
cp -r full salvaged
# A line that nobody wrote, in the middle: nothing is lost with it.
sed -i '2s/^/{"a":1}\n/' salvaged/run.journal
cp salvaged/run.journal inserted

# Copies of the folder, so that each death begins with the same.
prepare() { # name
	rm -rf hit
	case $1 in
	resumed) cp -r full hit ;;
	salvaged) cp -r salvaged hit ;;
	esac
}
act() { # name; strace's arguments follow
	name=$1
	shift
	case $name in
	new) set -- "$@" "$EVENHAND" run "$tiny" --on host:0 -o hit --executions 1 --quiet ;;
	resumed) set -- "$@" "$EVENHAND" run --resume hit --quiet ;;
	salvaged) set -- "$@" "$EVENHAND" run --resume hit --salvage --quiet ;;
	esac
	strace -o log -y -e trace=$calls "$@" >out 2>err </dev/null
}
# "CALL NUMBER" of each call that writes to the folder.
points() {
	awk '/^[a-z0-9]+\(/ {
		name = $0
		sub(/\(.*/, "", name)
		count[name]++
		if (name == "openat" ? /O_CREAT/ : /"hit|\/hit[\/>]/)
			print name, count[name]
	}' log
}
settle() { # name what
	if [ "$1" = salvaged ]; then
		"$EVENHAND" run --resume hit --salvage --quiet >out 2>err </dev/null
		ended $? || blame "$2: the salvage was not repeated"
		cmp -s hit/run.journal.damaged-* inserted || blame "$2: the damaged journal is lost"
		[ "$(find hit -name '*.damaged-*' | wc -l)" -eq 1 ] || blame "$2: it leaves $(ls hit)"
		grep -q 'salvaged: lines lost: 1, left out: 0' hit/host-*.json || blame "$2: the result says nothing"
	fi
	finish hit 1 "$2"
	[ "$1" != resumed ] || cmp -s full/host-*.json hit/host-*.json || blame "$2: the result differs"
}
die() { # name call number
	prepare "$1"
	act "$1" -e "inject=$2:signal=KILL:when=$3"
	settle "$1" "killed at $2 $3 of a $1 run"
}
fail() { # name call number error
	what="$4 of $2 $3 of a $1 run"
	prepare "$1"
	act "$1" -e "inject=$2:error=$4:when=$3"
	rc=$?
	case $rc in
	0 | 7) ;;
	5) [ "$(grep -vc -e warning: -e '^Try: ' err)" -eq 1 ] || blame "$what: not one sentence" ;;
	*) blame "$what: exit code $rc" ;;
	esac
	[ -z "$(find hit -name '.evenhand-*' 2>/dev/null)" ] || blame "$what: it leaves $(ls hit)"
	for file in hit/host-*.json; do
		[ ! -e "$file" ] || "$EVENHAND" verify "$file" >out 2>err ||
			blame "$what: half a result has its final name"
	done
	settle "$1" "$what"
}
for name in new resumed salvaged; do
	wrong=0
	prepare "$name"
	act "$name"
	points | awk '{ print $0, "KILL"; print $0, "ENOSPC"; print $0, "EIO" }' >all
	total=$(wc -l <all)
	# New runs are dear: a case is measured before and after.
	if [ "$name" = new ]; then want=$((rounds / 6)); else want=$((rounds / 2)); fi
	awk -v seed="$seed" -v want="$want" -v total="$total" 'BEGIN { srand(seed) }
		rand() * (total - NR + 1) < want - taken { taken++; print }' all >chosen
	while read -r call number fault; do
		if [ "$fault" = KILL ]; then die "$name" "$call" "$number"; else fail "$name" "$call" "$number" "$fault"; fi
	done <chosen
	[ $wrong -eq 0 ] && [ -s chosen ]
	check $? "$(wc -l <chosen) of $total deaths and errors at calls of a $name run that write, seed $seed"
done
echo "1..$n"
exit $bad
