#!/bin/sh
# Large files of hostile shapes are refused in little time and memory, and nothing crashes.  `make check`
# tries 4 MB of each; make fuzz tries 100 MB.
set -u
maker=$SRC/tests/fuzz/hostile.py
if [ -n "${EVENHAND_FUZZ_SEED:-}" ]; then size=100 seconds=30 most=500000; else size=4 seconds=20 most=250000; fi
# A sanitizer makes both many times as much.
[ -z "${SANITIZE:-}" ] || { seconds=$((seconds * 8)); most=100000000; }
set -f # a name may have a star
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

# What a few kB of a bundle unpack to is not unpacked, or is not kept.
python3 "$maker" make samples 90 honest.json blown.json && python3 "$maker" bundle blown.json blown.evenhand
rm -f blown.json
most=100000
try blown.evenhand 5
report $? "90 MB in $(wc -c <blown.evenhand) bytes: code $code after $took s and $kilobytes kB"
"$BUILD/tests/bench/make_result" -n 20000 100 large.json && python3 "$maker" bundle large.json large.evenhand
python3 "$maker" peak 60 "$EVENHAND" verify large.evenhand >out 2>err
read -r code took kilobytes <<END
$(tail -n 1 out)
END
# 1: its protocol is not in the bundle.
[ "$code" -eq 1 ] && { [ -n "${SANITIZE:-}" ] || [ "$kilobytes" -lt 25000 ]; }
report $? "a result of $(wc -c <large.json) bytes in a bundle: code $code after $took s and $kilobytes kB"
rm -f large.json large.evenhand blown.evenhand

# More members than fit into a fixed table.
if [ -n "${EVENHAND_FUZZ_SEED:-}" ]; then
	mkdir many
	i=0
	while [ $i -lt 4200 ]; do
		cp "$SRC/tests/golden/host-gcc-12.json" many/$i.json
		i=$((i + 1))
	done
	"$EVENHAND" bundle many -o many.evenhand >out 2>err && "$EVENHAND" verify many.evenhand -q >out 2>err
	report $? "a bundle of 4,200 results is written and holds"
	rm -rf many many.evenhand
fi

echo "1..$n"
exit $bad
