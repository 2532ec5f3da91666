#!/bin/sh
# evenhand watch: what it installs, by a systemctl and a scrontab that record what they get, and what
# --once measures when the compiler behind the host's device changes.
# A dollar sign in single quotes is one on purpose.
# shellcheck disable=SC2016
set -u
n=0 bad=0
check() { # status text
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; return; fi
	echo "not ok $n - $2"
	bad=1
	for said in out err; do [ ! -s "$T/$said" ] || { echo "# $2: $said:"; tail -n 30 "$T/$said"; } >&2; done
}
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }
cd "$T" || exit 1
tiny=$SRC/tests/protocols/attribute-tiny.ini
export HOME="$T/home" XDG_CONFIG_HOME="$T/home/.config" XDG_STATE_HOME="$T/state" EVENHAND_CACHE_DIR="$T/cache"
export EVENHAND_ARCHIVE="$T/archive.db" EVENHAND_TESTER='A "quoted" tester, 100 %h $HOME \n' EVENHAND_KEY_PASSPHRASE=secret
units=$XDG_CONFIG_HOME/systemd/user unit=evenhand-watch-odd-one
mkdir -p home fake none "odd dir"
run() { # arguments of evenhand; stdout in out, stderr in err, status in rc
	env PATH="$path" "$timeout" 200 "$EVENHAND" "$@" >out 2>err </dev/null
	rc=$?
}
timeout=$(command -v timeout) fake=$T/fake:/usr/bin:/bin
path=$fake

# ---- systemd -------------------------------------------------------------------------------------

cat >fake/systemctl <<'SH'
#!/bin/sh
echo "$*" >>"$HOME/systemctl.log"
[ ! -e "$HOME/refuse" ] || { echo "Failed to connect to bus" >&2; exit 1; }
case $2 in is-active) [ -e "$HOME/active" ] ;; enable) touch "$HOME/active" ;; disable) rm -f "$HOME/active" ;; esac
SH
# As scrontab does: -l lists, FILE replaces, and without a crontab -l ends with 1.
cat >fake/scrontab <<'SH'
#!/bin/sh
tab=$HOME/crontab
case $1 in
-l) [ -s "$tab" ] || { echo "no crontab for $LOGNAME"; exit 1; }; cat "$tab" ;;
*) [ ! -e "$HOME/disabled" ] || { echo "scrontab is disabled on this cluster" >&2; exit 1; }; cp "$1" "$tab" ;;
esac
SH
chmod +x fake/systemctl fake/scrontab
odd="odd dir/a%b\$c'd.ini"
sed 's/^name = .*/name = odd-one/' "$tiny" >"$odd"

run watch "$odd" --systemd --on host:0
[ $rc -eq 0 ] && grep -qxF 'OnUnitInactiveSec=1d' "$units/$unit.timer" && [ "$(cat home/systemctl.log)" = "--user daemon-reload
--user daemon-reload
--user enable --now $unit.timer" ]
check $? "--systemd writes a timer and a service and enables it"
cp "$units/$unit.service" out
grep -qF '"EVENHAND_TESTER=A \"quoted\" tester, 100 %%h $$HOME \\n" ' out && grep -q '^ExecStart=/usr/bin/env "PATH=' out && ! grep -q secret out &&
	grep -qF ' "EVENHAND_ARCHIVE='"$T/archive.db"'" "'"$EVENHAND"'" "watch" "--once" "--on=host:0" "--" "'"$T/odd dir/a%%b\$\$c'd.ini"'"' out
check $? "paths are whole, words are quoted, and a passphrase is not carried"
if ! command -v systemd-analyze >/dev/null; then
	skip "systemd takes the units" "systemd-analyze is not here (package systemd)"
else
	systemd-analyze --user verify "$units/$unit.service" "$units/$unit.timer" >out 2>err
	grep -i 'odd-one' err >said
	[ ! -s said ]
	check $? "systemd takes the units"
fi
cp -r "$units" first
run watch "$odd" --systemd --on host:0
[ $rc -eq 0 ] && diff -r first "$units" && run watch "$odd" --systemd --every hour && grep -qxF 'OnUnitInactiveSec=1h' "$units/$unit.timer"
check $? "once more changes nothing, and another interval takes its place"
run watch --list
[ $rc -eq 0 ] && [ "$(cut -c1-60 out)" = "$(echo "odd-one, of '$T/$odd" | cut -c1-60)" ] && grep -q ': systemd, active$' out && [ "$(wc -l <out)" -eq 1 ]
check $? "--list has it"

run watch "$tiny" --systemd --name odd-one
[ $rc -eq 4 ] && grep -q 'there is a timer odd-one of another protocol' err && grep -q 'odd-one, of .*odd dir' "$units/$unit.service"
check $? "a name that another protocol's timer has is refused"
printf '[Service]\nExecStart=/bin/true\n' >"$units/evenhand-watch-mine.timer"
run watch "$odd" --systemd --name mine
[ $rc -eq 4 ] && grep -q 'evenhand-watch-mine.timer is not a file that evenhand wrote' err && [ ! -e "$units/evenhand-watch-mine.service" ] &&
	run watch --remove mine && [ $rc -eq 4 ] && [ -e "$units/evenhand-watch-mine.timer" ]
check $? "a unit of somebody else is neither replaced nor removed, and nothing is written beside it"
run watch "$odd" --systemd --name '../x'
[ $rc -eq 4 ] && grep -q 'is no name for a timer' err
check $? "a name is no path"
lines=$(printf 'two\nlines')
cp "$tiny" "$lines.ini"
EVENHAND_SPONSOR=$lines run watch "$odd" --systemd --name lines
[ $rc -eq 4 ] && grep -q 'cannot have line ends .*EVENHAND_SPONSOR' err &&
	run watch "./$lines.ini" --systemd --name lines && [ $rc -eq 4 ] &&
	run watch "$odd" --slurm --name lines --sbatch="--comment=$lines" && [ $rc -eq 4 ] &&
	[ ! -e "$units/evenhand-watch-lines.timer" ] && [ ! -e home/crontab ]
check $? "a second line in a variable, a path or an option is refused, not written"
refused=0
for place in postgresql://me:word@db/x 'postgresql://db/x?password=word'; do
	run watch "$odd" --systemd --db "$place" --name word
	[ $rc -ne 4 ] || ! grep -q pgpass err || [ -e "$units/evenhand-watch-word.service" ] || refused=$((refused + 1))
done
[ $refused -eq 2 ]
check $? "a password is refused, not written"
touch home/refuse
run watch "$odd" --systemd --name refused
[ $rc -eq 5 ] && grep -q 'Failed to connect to bus; nothing was written. .*enable-linger' err && [ ! -e "$units/evenhand-watch-refused.timer" ]
check $? "without a session of the user nothing is written"
rm home/refuse

run watch --remove odd-one
[ $rc -eq 0 ] && [ "$(ls "$units")" = evenhand-watch-mine.timer ] && grep -qx -e "--user disable --now $unit.timer" home/systemctl.log
check $? "--remove takes both files back"
run watch --remove odd-one
[ $rc -eq 4 ] && grep -q 'systemd has no timer odd-one, nor has Slurm' err
check $? "and once more says that there is none"
path=$T/none
run watch "$odd" --systemd
[ $rc -eq 5 ] && grep -q 'systemctl is not here; .*evenhand watch PROTOCOL --once' err && run watch "$odd" --slurm &&
	[ $rc -eq 5 ] && grep -q 'scrontab is not here; .*evenhand watch PROTOCOL --once' err
check $? "without systemd and without Slurm it says what helps"
run watch --list
[ $rc -eq 0 ] && grep -q '^no timer is installed' out && grep -q '^of Slurm nothing is known: scrontab is not here' out
check $? "--list says that there is none"
path=$fake
run watch "$odd"
[ $rc -eq 4 ] && grep -q -e '--systemd, --slurm, --once' err
check $? "it asks what is to be done"

# ---- Slurm ---------------------------------------------------------------------------------------

printf '0 1 * * * other job' >home/crontab
slurm() { run watch "$odd" --slurm --sbatch=--gres=gpu:1 --sbatch --exclusive --set host.threads=1 "$@"; }
slurm
[ $rc -eq 0 ] && [ "$(grep -v '^0 3 \* \* \* /usr/bin/env' home/crontab)" = "0 1 * * * other job
# Written by evenhand watch: odd-one, of '$T/odd dir/a%b\$c'\\''d.ini'; \`evenhand watch --remove odd-one\` takes it back.
#SCRON --job-name=$unit
#SCRON --gres=gpu:1
#SCRON --exclusive" ]
check $? "--slurm adds lines to the crontab, and other lines stay"
# What a shell makes of the line: the words of the command, one on a line.
eval "set -- $(sed -n 's/^0 3 \* \* \* //p' home/crontab)"
tester='' command='' last=''
for word; do
	case $word in EVENHAND_TESTER=*) tester=$word ;; "$EVENHAND") command=$word ;; esac
	last=$word
done
[ "$tester" = "EVENHAND_TESTER=$EVENHAND_TESTER" ] && [ "$command" = "$EVENHAND" ] && [ "$last" = "$T/$odd" ] && grep -q -e ' --set=host.threads=1 ' home/crontab
check $? "whose words a shell reads as they were"
cp home/crontab first.tab
slurm
[ $rc -eq 0 ] && cmp -s first.tab home/crontab && run watch --list && grep -q '^odd-one, of .*: Slurm$' out
check $? "once more changes nothing, and --list has it"
run watch "$tiny" --slurm --name odd-one
[ $rc -eq 4 ] && grep -q 'of another protocol' err && cmp -s first.tab home/crontab
check $? "a name that another protocol's lines have is refused"
touch home/disabled
slurm --every week
[ $rc -eq 5 ] && grep -q 'scrontab is disabled.*; the crontab is as it was' err && cmp -s first.tab home/crontab
check $? "what scrontab refuses is reported"
rm home/disabled
echo '0 2 * * * third job' >>home/crontab
run watch --remove odd-one
[ $rc -eq 0 ] && [ "$(cat home/crontab)" = "0 1 * * * other job
0 2 * * * third job" ]
check $? "--remove takes ours out"

# ---- once ----------------------------------------------------------------------------------------

real=$(command -v gcc || command -v clang)
if [ -z "$real" ] || [ ! -f "$BUILD/lib/evenhand/backends/host.so" ]; then
	skip "--once measures what changed" "needs gcc or clang, and the host backend (package gcc)"
	echo "1..$n"
	exit $bad
fi
mkdir tools compilers
for tool in as ld; do ln -s "$(command -v $tool)" "tools/$tool"; done
compiler() { printf '#!/bin/sh\nexec %s "$@" %s\n' "$real" "$1" >compilers/gcc && chmod +x compilers/gcc; }
path=$T/compilers:$T/tools
once() { run watch "$tiny" --once --on host:gcc --set host.threads=1 --set host.compile-timeout=60 -q "$@"; }
python() { /usr/bin/python3 -c "$@" 2>>err; }
results() { "$EVENHAND" archive list --last 0 --json | python 'import json, sys; print(len(json.load(sys.stdin)))'; }
compiler ''
once
[ $rc -eq 0 ] && grep -q '^host:gcc[^ ]*: new' out && [ "$(results)" = 1 ] && [ -d "$T/state/evenhand/watch" ]
check $? "an executor without a result is measured"
once
[ $rc -eq 0 ] && grep -q ': unchanged since its run of 20' out && grep -qx 'nothing changed; nothing was measured' out &&
	[ "$(results)" = 1 ] && [ "$(find state/evenhand/watch -name run.journal | wc -l)" = 1 ]
check $? "one whose stack is the same is not, and that is said"
compiler -O0
once --json
[ "$(results)" = 2 ] && python '
import json
d = json.load(open("out"))
w, c = d["executors"][0], d["changes"][0]
assert w["state"] == "changed" and "compiler" in w["why"], w
assert [g["layer"] for g in c["groups"]] == ["compiler"], d
# On a busy machine the case may be open.
assert d["exit_code"] == (1 if c["answer"] == "attributable" else 2) == '"$rc"
check $? "one whose compiler changed is, and the exit code says whether it became slower"
compiler ''
once
[ $rc -ne 1 ] && grep -q ': changed since its run of .*compiler' out && grep -q '^from .* archive:[0-9a-f]*$' out && [ "$(results)" = 3 ]
check $? "and back again"
# A library that only a case opens is no part of what is described without measuring.
blas=$(find /usr/lib -name 'libopenblasp*.so' -path '*openblas-pthread*' -type f 2>/dev/null | head -n 1)
[ -n "$blas" ] || blas=$(find /usr/lib -name 'libopenblas*.so*' -type f 2>/dev/null | head -n 1)
if [ -z "$blas" ]; then
	skip "a library that a case opens is looked at" "OpenBLAS is not here (package libopenblas0-pthread)"
else
	sed -e '/^\[case/,$d' -e 's/^name = .*/name = product/' "$tiny" >product.ini
	printf '[case product]\nworkload = gemm\nprecision = f32\ntier = portable, vendor\nm = 64\nn = 64\nk = 64\n' >>product.ini
	cp "$blas" libmine.so
	tiny=$T/product.ini
	late() { once --set host.gemm=openblas --set "host.openblas=$T/libmine.so"; }
	late
	first=$rc
	late
	[ "$first" -eq 0 ] && [ $rc -eq 0 ] && grep -q ': unchanged since' out
	check $? "a library that a case opens does not change the stack by being absent"
	printf x >>libmine.so
	late
	[ $rc -ne 4 ] && [ $rc -ne 5 ] && grep -q ': changed since .*libmine.so is another file' out
	check $? "it does by being another file"
fi
rm compilers/gcc
before=$(results)
once
[ $rc -eq 4 ] && grep -q 'no executor matches' err && [ "$(results)" = "$before" ]
check $? "an executor that is gone is no success"

echo "1..$n"
exit $bad
