#!/bin/sh
# A backend, a device, a workload or the journal that goes away while a run goes on.
n=0 bad=0
check() { # status text
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; return; fi
	echo "not ok $n - $2"
	bad=1
	# What the program said last, so that a log explains itself.
	for said in out err; do [ ! -s "$said" ] || { echo "# $2: ${said##*/}:"; tail -n 10 "$said"; } >&2; done
}
cd "$T" || exit 1
tiny=$SRC/tests/protocols/tiny.ini
mkdir prefix
cp -r "$BUILD/bin" "$BUILD/lib" "$BUILD/share" prefix/ || exit 1
own=$T/prefix/bin/evenhand
plugin=prefix/lib/evenhand/backends/host.so

# The device goes: the compiler that it is, which nothing but this PATH names.
real=$(command -v gcc || command -v clang)
if [ -z "$real" ]; then
	echo "ok 1 - a device that vanishes # SKIP needs gcc or clang (package gcc)"
	echo "1..1"
	exit 0
fi
mkdir bin
for tool in as ld; do ln -s "$(command -v $tool)" bin/$tool; done
printf '#!/bin/sh\nexec %s "$@"\n' "$real" >bin/gcc
chmod +x bin/gcc
env PATH="$T/bin" "$own" run "$tiny" --on host:0 -o run --executions 8 --quiet >out 2>err </dev/null &
pid=$!
i=0
while ! grep -q '"kind":"executor"' run/run.journal 2>/dev/null && [ $i -lt 300 ]; do
	sleep 0.05
	i=$((i + 1))
done
mv bin/gcc away-gcc
wait $pid
[ $? -eq 7 ]
check $? "the run goes on to its end, with exit code 7"
[ "$(grep -c '"kind":"case"' run/run.journal)" -eq 16 ]
check $? "every case has its line"
grep '"status":"failed"' run/run.journal | tail -n 1 | grep -q 'the device is gone'
check $? "those that could not be measured say why"
tail -n 1 run/run.journal | grep -q '"status":"complete"'
check $? "the journal ends as complete"
"$own" show run/host-*.json >shown 2>&1
check $? "the result can be read"
"$own" run --resume run --quiet >out 2>err </dev/null
rc=$?
{ [ $rc -eq 0 ] || [ $rc -eq 7 ]; } && ! grep -q '"status": *"failed"' run/host-*.json
check $? "resumed with the device there again, what failed that way is measured"
mv $plugin away.so
"$own" run --resume run --quiet >out 2>err </dev/null
[ $? -eq $rc ]
check $? "a complete run is built again without its backend"
mv away.so $plugin

# Two compilers of one version: when the first goes, the second has its name, and the result says so.
mkdir second
printf '#!/bin/sh\nexec %s "$@"\n' "$real" >bin/gcc
# The second one is of another builder.
printf '#!/bin/sh\ncase "$*" in *-dM*) %s "$@" 2>&1 | sed "s/version \\([0-9.]*\\) .*/version \\1 (other)/"; exit;; esac\nexec %s "$@"\n' \
	"$real" "$real" >second/gcc
chmod +x bin/gcc second/gcc
env PATH="$T/bin:$T/second" "$own" run "$tiny" --on host:0 -o other --executions 8 --quiet >out 2>err </dev/null &
pid=$!
i=0
while ! grep -q '"kind":"executor"' other/run.journal 2>/dev/null && [ $i -lt 300 ]; do
	sleep 0.05
	i=$((i + 1))
done
mv bin/gcc away-gcc
wait $pid
grep -q 'its stack is another' err && grep -q 'the executor changed during the run' other/host-*.json
check $? "another executor of the same name is not taken silently"

# Killed half-way, the backend gone when it is to be resumed, then there again.
"$own" run "$tiny" --on host:0 -o half --executions 8 --quiet >out 2>err </dev/null &
pid=$!
i=0
while ! grep -q '"kind":"executor"' half/run.journal 2>/dev/null && [ $i -lt 300 ]; do
	sleep 0.05
	i=$((i + 1))
done
kill -KILL $pid
wait $pid 2>/dev/null
mv $plugin away.so
"$own" run --resume half --quiet >out 2>err </dev/null
[ $? -eq 5 ] && grep -q 'host:.*missing' err && [ "$(wc -l <err)" -eq 1 ]
check $? "a run whose executor is not here is not resumed: one sentence"
mv away.so $plugin
"$own" run --resume half --quiet >out 2>err </dev/null
rc=$?
{ [ $rc -eq 0 ] || [ $rc -eq 7 ]; } && [ "$(grep -c '"kind":"case"' half/run.journal)" -eq 16 ]
check $? "with the executor there again it is completed"
grep '"kind":"case"' half/run.journal >cases && ! grep -q '"status":"failed"' cases
check $? "and nothing of it failed"

# Two cases of 2 s, so that what happens in the second is sure to.
sed 's/^time-min = .*/time-min = 2s/; s/^time-max = .*/time-max = 2s/; s/^samples-max = .*/samples-max = 20000/; s/^half-width = .*/half-width = 0.01%/' \
	"$tiny" >slow.ini
until_case() { # folder pid
	until grep -q '"kind":"case"' "$1/run.journal" 2>/dev/null; do
		kill -0 "$2" 2>/dev/null || return 1
		sleep 0.02
	done
}

# A worker is killed in its second case, and no other can be started: nobody describes the stack of the first.
"$own" run ./slow.ini --on host:0 -o last --quiet >out 2>err </dev/null &
pid=$!
until_case last $pid
mv prefix/lib/evenhand/workloads/stream.so stream.so
read -r worker </proc/$pid/task/$pid/children
kill -KILL "$worker"
wait $pid
rc=$?
mv stream.so prefix/lib/evenhand/workloads/
[ $rc -eq 5 ] && "$own" verify last/host-*.json >out 2>err && grep -q '"status": "incomplete"' last/host-*.json
check $? "samples whose stack nobody described are in an incomplete result that holds"
"$own" run --resume last --executions 1 --quiet >out 2>err </dev/null
[ $? -eq 4 ]
check $? "which is resumed as it was planned"
"$own" run --resume last --quiet >out 2>err </dev/null
rc=$?
{ [ $rc -eq 0 ] || [ $rc -eq 7 ]; } && "$own" verify last/host-*.json >out 2>err &&
	! grep -q "the device's own stack" last/host-*.json && ! grep -q 'executor changed' last/host-*.json
check $? "and has the whole stack then"

# The folder goes while a run goes on, and another run takes its name.
"$own" run ./slow.ini --on host:0 -o taken --quiet >out 2>err </dev/null &
pid=$!
until_case taken $pid
rm -rf taken
"$own" run "$tiny" --on host:0 -o taken --executions 9 --quiet >out2 2>err2 </dev/null
wait $pid
[ $? -eq 5 ] && grep -q 'taken/run.journal was removed while the run went on, and what was measured' err
check $? "a folder that was removed, and is another run's now: the first run says so"
"$own" verify taken/host-*.json >out 2>err && grep -q '"name": *"tiny"' taken/host-*.json &&
	[ "$(grep -c '"kind":"case"' taken/run.journal)" -eq 18 ]
check $? "and leaves the other run alone"
"$own" run ./slow.ini --on host:0 -o old --executions 1 --quiet >out 2>err </dev/null &
pid=$!
until_case old $pid
mv old new
wait $pid
[ $? -eq 5 ] && grep -q 'old/run.journal was moved while the run went on; .* run --resume' err &&
	[ ! -e old ] && "$own" run --resume new -q >out 2>err && "$own" verify new/host-*.json >out 2>err
check $? "a folder that was moved is complete with --resume and its new name"

# The journal goes between the first result and the second.
if [ -n "${SANITIZE:-}" ]; then
	n=$((n + 1))
	echo "ok $n - a journal that vanishes between two results # SKIP a sanitizer wants to be the first library"
else
	cat >removes.c <<-'C'
		#define _GNU_SOURCE
		#include <dlfcn.h>
		#include <string.h>
		#include <unistd.h>
		int renameat(int from, const char *old, int to, const char *new)
		{
			int (*next)(int, const char *, int, const char *) =
				(int (*)(int, const char *, int, const char *))dlsym(RTLD_NEXT, "renameat");
			int done = next(from, old, to, new);

			if (strstr(new, ".json") != NULL)
				(void)unlinkat(to, "run.journal", 0);
			return done;
		}
	C
	"${CC:-cc}" -shared -fPIC -o removes.so removes.c -ldl &&
		"$EVENHAND" run "$tiny" --on host:0,host:0 -o both --executions 1 -q >out 2>err </dev/null
	LD_PRELOAD=$T/removes.so "$EVENHAND" run --resume both -q >out 2>err </dev/null
	[ $? -eq 5 ] && grep -q 'run.journal was removed while the run went on' err
	check $? "results that are missing because the journal is gone are an error"
fi

echo "1..$n"
exit $bad
