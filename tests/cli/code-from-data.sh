#!/bin/sh
# Data of a journal, a result or a bundle never leads to code that the user did not name: settings with
# libraries and paths, plugins, names that lead elsewhere.
n=0 bad=0
check() { # status text
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; return; fi
	echo "not ok $n - $2"
	bad=1
	for said in out err; do [ ! -s $said ] || { echo "# $2: $said:"; tail -n 10 $said; } >&2; done
}
cd "$T" || exit 1
export XDG_CONFIG_HOME="$T/config"
tiny=$SRC/tests/protocols/tiny.ini
stopped() { # folder, settings...: a run that was interrupted
	folder=$1
	shift
	"$EVENHAND" run "$tiny" --on host:0 -o "$folder" --executions 8 -q "$@" >out 2>err </dev/null &
	pid=$!
	until grep -q '"kind":"case"' "$folder/run.journal" 2>/dev/null || ! kill -0 $pid 2>/dev/null; do sleep 0.05; done
	kill -TERM $pid
	wait $pid
	[ $? -eq 6 ]
	check $? "$folder: a run that was interrupted"
}
# A journal that somebody else wrote: the first line is changed, and the chain made again.
forge() { # journal, Python that changes `run`
	python3 - "$1" "$2" <<'PY'
import hashlib, json, sys
run = json.loads(open(sys.argv[1]).readline())
exec(sys.argv[2])
del run["chain"]
body = json.dumps(run, separators=(",", ":"), ensure_ascii=False)
chain = hashlib.sha256(body.encode()).hexdigest()
open(sys.argv[1], "w").write(body[:-1] + ',"chain":"' + chain + '"}\n')
PY
}
resume() { "$EVENHAND" run --resume "$@" -q >out 2>err </dev/null; rc=$?; }

# ---- settings ----------------------------------------------------------------------------------

mkdir cache
stopped kept --set "host.cache-dir=$T/cache" --set host.threads=1
before=$(wc -l <kept/run.journal)
resume kept
[ $rc -eq 4 ] && grep -q "the run's setting host.cache-dir=$T/cache may name code.*give it again: --set host.cache-dir=$T/cache" err
check $? "a path in the run's settings is not taken from the journal, and the sentence says how to give it"
[ "$(wc -l <kept/run.journal)" -eq "$before" ]
check $? "and nothing was measured"
resume kept --set host.threads=2
[ $rc -eq 4 ] && grep -q -e '--resume does not take --set host.threads=2' err
check $? "other settings than the run's are refused"
resume kept --set "host.cache-dir=$T/cache"
{ [ $rc -eq 0 ] || [ $rc -eq 7 ]; } && [ "$(grep -c '"kind":"case"' kept/run.journal)" -eq 16 ]
check $? "given again, the run is completed"
mkdir beside
cd beside || exit 1
stopped related --set host.cache-dir=evil
cd .. || exit 1
resume beside/related
[ $rc -eq 4 ] && grep -q "the run's setting host.cache-dir=evil may name code" err
check $? "nor is the name of a folder without a slash"
stopped plain --set host.threads=1 --set host.cache-dir=none --set host.compile-timeout=60
resume plain
{ [ $rc -eq 0 ] || [ $rc -eq 7 ]; }
check $? "what names no code is taken from the journal"

# ---- what is not in a setting ------------------------------------------------------------------

if command -v python3 >/dev/null 2>&1; then
	mkdir evil
	printf '#include <stdio.h>\n__attribute__((constructor)) static void ran(void) { fclose(fopen("%s/ran", "w")); }\n' "$T" >evil/evil.c
	$CC -shared -fPIC -o evil/evil.so evil/evil.c
	name=$T/evil/evil
	stopped base
	forged() { # text, Python, words of the sentence
		rm -rf forged
		mkdir forged
		head -n 1 base/run.journal >forged/run.journal
		forge forged/run.journal "$2"
		resume forged
		[ $rc -ne 0 ] && ! grep -q 'chain does not fit' err && [ ! -e ran ] && [ -z "$(find . -newer forged -name '*.json' ! -path './forged/*')" ]
		check $? "$1: nothing is loaded, and nothing written elsewhere ($rc)"
	}
	for setting in opencl.library="$name.so" opencl.library=evil.so mine.driver=libevil.so.1 levelzero.ocloc=evil cuda.nvrtc=evil \
		rocm.amdsmi-library=evil host.library-dir="$T/evil" host.library-dir=evil host.cache-dir=evil host.cache-dir=1 mine.ocloc=1 \
		mine.driver=none mine.place=evil mine.place=1.so mine.place= opencl.rusticl=iris 'no setting' "host.threads=1$(printf '\\n')x"; do
		forged "$setting" "run['options'] = ['$setting']"
		grep -q 'may name code\|is not BACKEND.KEY=VALUE\|newline' err
		check $? "and the sentence names it"
	done
	forged "a plugin elsewhere" "run['executors'][0]['path'] = '$name.so'; run['executors'][0]['name'] = 'evil:0'"
	forged "a plugin by a path in its name" "run['executors'][0]['name'] = '../../evil/evil:0'; run['order'] = [dict(o, executor='../../evil/evil:0') for o in run['order']]"
	forged "a workload by a path" "run['protocol']['text'] = run['protocol']['text'].replace('= stream', '= $name')"
fi

# A result's name is no selector, and names no file.
gcc=$SRC/tests/golden/host-gcc-12.json
"$EVENHAND" reproduce "$gcc" --on "$T/evil/evil.so" -q -o again >out 2>err
[ $? -eq 4 ] && grep -q 'there is no backend' err && [ ! -e ran ] && [ ! -e again ]
check $? "a path is no executor"

echo "1..$n"
exit $bad
