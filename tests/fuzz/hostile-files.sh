#!/bin/sh
# Large files of hostile shapes are refused in little time and memory, and nothing crashes.  `make check`
# tries 4 MB of each; with EVENHAND_FUZZ_ROUNDS it is 100 MB.
set -u
maker=$SRC/tests/fuzz/hostile.py
if [ -n "${EVENHAND_FUZZ_ROUNDS:-}" ]; then size=100 seconds=30 most=500000; else size=4 seconds=20 most=250000; fi
# A sanitizer makes both many times as much.
[ -z "${SANITIZE:-}" ] || { seconds=$((seconds * 8)); most=100000000; }
shapes=$(python3 "$maker" list)
n=0 bad=0
report() { # STATUS TEXT
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; bad=1; fi
}
cd "$T" || exit 1
"$BUILD/tests/bench/make_result" -e 2 -n 10 2 honest.json
report $? "an honest result to begin with"

# try FILE CODES: verify and show refuse it with one of the codes and a sentence.
try() {
	for command in verify show; do
		python3 "$maker" peak "$seconds" "$EVENHAND" "$command" "$1" >out 2>err </dev/null
		read -r code took kilobytes <<-END
			$(tail -n 1 out)
		END
		case " $2 " in *" $code "*) ;; *) return 1 ;; esac
		[ "$(wc -l <out)" -gt 1 ] || [ -s err ] || return 1
		[ "$kilobytes" -lt "$most" ] || return 1
	done
}
for shape in $shapes; do
	python3 "$maker" make "$shape" "$size" honest.json hostile.json
	try hostile.json "1 4 5"
	report $? "$size MB of $shape: code $code after $took s and ${kilobytes} kB"
	rm -f hostile.json
done

echo "1..$n"
exit $bad
