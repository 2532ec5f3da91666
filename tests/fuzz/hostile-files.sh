#!/bin/sh
# Large files of hostile shapes are refused in little time and memory, and nothing crashes.  `make check`
# tries 2 MB of each; make fuzz tries 100 MB.
set -u
maker=$SRC/tests/fuzz/hostile.py
if [ -n "${EVENHAND_FUZZ_SEED:-}" ]; then size=100 seconds=30 most=500000; else size=2 seconds=20 most=250000; fi
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

# Many small results take no more than a few.  1: their protocol is not in the bundle; 4: they are none.
bundle_takes() { # TEXT CODE KILOBYTES COUNT BYTES RESULT
	python3 "$maker" copies "$4" "$5" "$6" copies.evenhand
	python3 "$maker" peak 60 "$EVENHAND" verify copies.evenhand >out 2>err
	read -r code took kilobytes <<-END
		$(tail -n 1 out)
	END
	[ "$code" -eq "$2" ] && { [ -n "${SANITIZE:-}" ] || [ "$kilobytes" -lt "$3" ]; }
	report $? "a bundle of $4 $1: code $code after $took s and $kilobytes kB"
	rm -f copies.evenhand
}
echo '{}' >junk.json
bundle_takes "files of 250 kB that are no results" 4 25000 300 250000 junk.json
"$BUILD/tests/bench/make_result" -e 5 -n 100 3 small.json
bundle_takes "results of $(wc -c <small.json) bytes" 1 25000 300 0 small.json

# A few bytes that ask for a long text to be hashed.
kernels() { # TEXT COUNT BYTES WORDS
	python3 "$maker" kernels "$2" "$3" small.json kernels.evenhand
	python3 "$maker" peak "$seconds" "$EVENHAND" verify kernels.evenhand >out 2>err
	read -r code took kilobytes <<-END
		$(tail -n 1 out)
	END
	[ "$code" -eq 5 ] && grep -qF "$4" err && [ "$(wc -l <out)" -eq 1 ]
	report $? "$1 in $(wc -c <kernels.evenhand) bytes: code $code after $took s"
	rm -f kernels.evenhand
}
kernels "20,000 executions of a kernel text of 1 MB" 20000 1040000 "kernel texts, which are not all compared"
kernels "a kernel text of 2 MB" 2 2000000 "kernels/x.k has more than 1 MiB, which no kernel text needs"

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
