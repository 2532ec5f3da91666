#!/bin/sh
# What a person at a terminal gets: the pager, pages as wide as the terminal, colours, and ASCII where the
# locale is not UTF-8.  A file gets none of it.  on_terminal.py is the terminal.
n=0 bad=0
check() { # status text [file with detail]
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; bad=1; [ -z "${3:-}" ] || cat -v "$3" >&2; fi
}
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }
cd "$SRC/tests/golden" || exit 1
python=$(command -v /usr/bin/python3 || command -v python3)
if [ -z "$python" ]; then
	skip "pages on a terminal" "python3 is missing (package python3)"
	echo "1..$n"
	exit 0
fi
gcc=host-gcc-12.json clang=host-clang-14.json opencl=opencl-pocl-0.json
export TERM=xterm LC_ALL=C.UTF-8
unset PAGER EVENHAND_PAGER LESS COLUMNS LINES NO_COLOR
out=$T/out escape=$(printf '\033')
on() { # COLUMNSxROWS [--type WORDS KEYS] COMMAND...; the status in rc
	"$python" "$SRC/tests/cli/on_terminal.py" "$@" >"$out" 2>&1
	rc=$?
}
page() { # arguments of evenhand, on a terminal with 10 lines
	on 80x10 "$EVENHAND" "$@"
}

# ---- the pager -----------------------------------------------------------------------------------

show="show $gcc"
# shellcheck disable=SC2086
"$EVENHAND" $show >"$T/file"
lines=$(wc -l <"$T/file")
# What the pager gets is marked.
export PAGER='sed s/^/P/'
# shellcheck disable=SC2086
page $show
[ $rc -eq 0 ] && [ "$(grep -c '^P' "$out")" -eq "$lines" ] && [ "$(wc -l <"$out")" -eq "$lines" ]
check $? "a page that is longer than the screen goes through the pager" "$out"
# shellcheck disable=SC2086
on 80x$((lines + 1)) "$EVENHAND" $show
[ $rc -eq 0 ] && ! grep -q ^P "$out" && [ "$(wc -l <"$out")" -eq "$lines" ]
check $? "one that fits does not" "$out"
# shellcheck disable=SC2086
on 80x"$lines" "$EVENHAND" $show
grep -q ^P "$out"
check $? "a page as high as the screen does: the prompt takes a line" "$out"
LINES=$((lines + 1)) page show $gcc
! grep -q ^P "$out"
check $? "LINES is the height of the screen" "$out"
# One line of about 100 columns.
on 120x3 "$EVENHAND" protocol check golden.ini && ! grep -q ^P "$out" &&
	COLUMNS=40 on 120x3 "$EVENHAND" protocol check golden.ini && grep -q ^P "$out"
check $? "a line that is longer than the screen is wide takes several of its lines" "$out"
EVENHAND_PAGER='sed s/^/E/' page show $gcc
[ "$(grep -c ^E "$out")" -eq "$lines" ]
check $? "EVENHAND_PAGER goes before PAGER" "$out"
for none in '' cat ' '; do
	EVENHAND_PAGER=$none page show $gcc
	[ $rc -eq 0 ] && [ "$(wc -l <"$out")" -eq "$lines" ] && ! grep -q ^P "$out"
	check $? "EVENHAND_PAGER='$none': none" "$out"
done
for where in "--no-pager show $gcc" "show --no-pager $gcc" "show $gcc --no-pager"; do
	# shellcheck disable=SC2086
	page $where
	[ $rc -eq 0 ] && [ "$(wc -l <"$out")" -eq "$lines" ] && ! grep -q ^P "$out"
	check $? "evenhand $where: none" "$out"
done
TERM=dumb page show $gcc
[ $rc -eq 0 ] && [ "$(wc -l <"$out")" -eq "$lines" ] && ! grep -q ^P "$out"
check $? "TERM=dumb: none" "$out"
# stdout is no terminal, but stderr is.
on 80x10 sh -c "\"$EVENHAND\" show $gcc | cat"
! grep -q ^P "$out" && [ "$(wc -l <"$out")" -eq "$lines" ]
check $? "none into a pipe" "$out"
for command in "show --json $gcc" "help" "help compare" "compare --help" "--help" "help contract" "workload list" \
	"explain gemm.f32.256 $gcc" "diagnose $gcc" "verify $gcc" "attribute --no-look $gcc $clang" \
	"claim clang-gemm $gcc $clang" "protocol show quick" "plugin list"; do
	# shellcheck disable=SC2086
	page $command
	grep -q ^P "$out" && ! grep -q '^[^P]' "$out"
	check $? "evenhand $command: by the pager" "$out"
done
on 80x3 "$EVENHAND" run quick --plan
! grep -q ^P "$out"
check $? "run: no pager, since it reports while it measures" "$out"

# Exit codes are the command's, whatever the pager does.
page compare --fail-on slower $gcc $opencl
[ $rc -eq 1 ] && grep -q ^P "$out"
check $? "the exit code is the command's: 1" "$out"
"$EVENHAND" >/dev/null
want=$?
page
[ $rc -eq $want ] && grep -q ^P "$out"
check $? "and 4 without a command" "$out"
EVENHAND_PAGER='head -n 3' page compare --fail-on slower $gcc $opencl
[ $rc -eq 1 ] && [ "$(wc -l <"$out")" -eq 3 ]
check $? "a pager that is left early is no error" "$out"
EVENHAND_PAGER=true page show --json $gcc
[ $rc -eq 0 ] && [ ! -s "$out" ]
check $? "nor is one that reads nothing" "$out"
for signal in INT PIPE TERM; do
	EVENHAND_PAGER="head -n 3; kill -$signal \$\$" page show $gcc
	[ $rc -eq 0 ] && [ "$(wc -l <"$out")" -le 4 ]
	check $? "a pager that SIG$signal ends has been ended by somebody: nothing is printed again" "$out"
done

# Nothing is lost by a pager that does not work.
EVENHAND_PAGER=no-such-pager page compare --fail-on slower $gcc $opencl
[ $rc -eq 1 ] && grep -q 'not found' "$out" && grep -q 'faster/slower' "$out" && grep -q '^unsigned' "$out"
check $? "a pager that is missing: the page is printed, and the shell says what is missing" "$out"
EVENHAND_PAGER='exit 3 #' page show $gcc
[ $rc -eq 0 ] && grep -q 'pager ended with exit code 3' "$out" && [ "$(wc -l <"$out")" -eq $((lines + 1)) ]
check $? "a pager that fails: the page is printed, and why" "$out"
# shellcheck disable=SC2016 # the pager's shell expands it
EVENHAND_PAGER='kill -SEGV $$' page show $gcc
[ $rc -eq 0 ] && grep -q '^unsigned' "$out"
check $? "a pager that crashes: the page is printed" "$out"
mkdir -p "$T/bin"
ln -sf "$(command -v sh)" "$T/bin/"
(unset PAGER && PATH=$T/bin page show $gcc && cp "$out" "$T/without")
[ "$(wc -l <"$T/without")" -eq "$lines" ]
check $? "where less is not installed: the page is printed, without a word about it" "$T/without"
TMPDIR=$T/nowhere page show $gcc
[ $rc -eq 0 ] && [ "$(wc -l <"$out")" -eq "$lines" ]
check $? "where nothing can be held: the page is printed" "$out"
on 80x10 sh -c "trap '' CHLD; \"$EVENHAND\" show $gcc"
[ "$(grep -c '^P' "$out")" -eq "$lines" ] && [ "$(wc -l <"$out")" -eq "$lines" ]
check $? "a parent that ignores SIGCHLD: the page is shown once" "$out"

# Messages stand where they belong.
printf 'nothing\n' >"$T/bad.ini"
on 80x2 "$EVENHAND" protocol check golden.ini golden.ini "$T/bad.ini" golden.ini
[ $rc -eq 4 ] && [ "$(sed 's/golden.*/golden/; s/:.*//' "$out" | tr '\n' '|')" = 'Pgolden|Pgolden|evenhand protocol|Pgolden|' ]
check $? "a message stands between the pages before and after it" "$out"
page show $gcc /nonexistent
[ $rc -eq 5 ] && [ "$(cat "$out")" = "evenhand show: cannot open '/nonexistent': No such file or directory" ]
check $? "a command that fails before it prints: only the message" "$out"

if command -v less >/dev/null; then
	unset PAGER
	# The prompt of less, then q.
	on 80x10 --type : q "$EVENHAND" compare --fail-on slower $gcc $opencl
	[ $rc -eq 1 ] && grep -q 'times as fast' "$out" && ! grep -q '^unsigned' "$out"
	check $? "less, left at its first screen" "$out"
else
	skip "less, left at its first screen" "less is missing (package less)"
fi
# shellcheck disable=SC2016 # the pager's shell expands it
export EVENHAND_PAGER='echo "$LESS"'
page show $gcc
[ "$(cat "$out")" = FRX ] && LESS=E page show $gcc && [ "$(cat "$out")" = E ]
check $? "LESS is set for less, but where the user has set it" "$out"
unset EVENHAND_PAGER

# ---- widths --------------------------------------------------------------------------------------

export PAGER=cat
# Lines that are longer than so many columns, but for one word alone, which a line cannot break.
longer() { # columns
	sed "s/$escape\\[[0-9;]*m//g" "$out" | "$python" -c '
import sys
for line in sys.stdin.buffer.read().decode().splitlines():
    if len(line) > int(sys.argv[1]) and len(line.split()) > 1:
        print(len(line), line)' "$1"
}
for columns in 60 80 120; do
	for command in "compare $gcc $clang" "compare $gcc $clang $opencl" "compare -v $gcc $clang $opencl" "show $gcc $opencl" \
		"show -v $gcc" "show --layers $gcc" "show --samples gemm.f32.256 $gcc" "explain gemm.f32.256 pocl $gcc $clang $opencl" \
		"explain dot $gcc $clang $opencl" "diagnose $gcc" "diagnose -v $opencl" "attribute --no-look $gcc $clang" \
		"verify $gcc $opencl" "workload list" "workload show gemm" "protocol list" "claim list" "devices" "key list" \
		"help" "help environment" "help contract" "help layers" "help exit-codes"; do
		# shellcheck disable=SC2086
		on ${columns}x50 "$EVENHAND" $command
		long=$(longer $columns)
		[ -s "$out" ] && [ -z "$long" ]
		check $? "evenhand $command within $columns columns: $long"
	done
done
# Every number and verdict of the file is on the narrowest terminal.
figures() { sed "s/$escape\\[[0-9;]*m//g" "$1" | tr -c '0-9.x\n' '\n' | grep '[0-9]' | sort -u; }
# shellcheck disable=SC2043
for columns in 40 60 120; do
	COLUMNS=$columns on 80x50 "$EVENHAND" compare $gcc $clang
	figures "$out" >"$T/shown"
	"$EVENHAND" compare $gcc $clang | sed -n '/^triad/,/^xfer/p' | sed 's/^.\{22\}//' >"$T/rows"
	figures "$T/rows" | grep -vxF -f "$T/shown" >"$T/lost"
	[ ! -s "$T/lost" ]
	check $? "COLUMNS=$columns: no number of a comparison is cut" "$T/lost"
done
on 60x50 "$EVENHAND" compare $gcc $clang
grep -q '^gemm.*…' "$out"
check $? "a name loses its middle on a narrow terminal" "$out"
COLUMNS=60 "$EVENHAND" compare $gcc $clang >"$T/narrow"
diff compare-clang.txt "$T/narrow" >"$T/diff"
check $? "a file is as before, whatever COLUMNS says" "$T/diff"
on 60x50 sh -c "\"$EVENHAND\" compare $gcc $clang | cat"
diff compare-clang.txt "$out" >"$T/diff"
check $? "so is a pipe on a terminal" "$T/diff"

# ---- drawings ------------------------------------------------------------------------------------

on 120x50 "$EVENHAND" compare $gcc $opencl
grep -q '0\.[0-9]*x  *1x  *1\.[0-9]*x' "$out" && grep -q '●.*│.*0\.76x \[' "$out"
check $? "compare: a ratio is drawn beside the number" "$out"
on 80x50 "$EVENHAND" show $gcc
grep -q '42 %  █\{4\}▏' "$out"
check $? "show: a share is drawn beside the number" "$out"
on 80x50 "$EVENHAND" diagnose $gcc
grep -q '42 % █' "$out"
check $? "diagnose: so is it there" "$out"
seq 1 100 >"$T/values.txt"
on 80x50 "$EVENHAND" series "$T/values.txt"
grep -q 'shape .*|█*| 98' "$out"
check $? "series: the shape of the values" "$out"
"$EVENHAND" series "$T/values.txt" >"$T/plain" && "$EVENHAND" compare $gcc $opencl >>"$T/plain" &&
	"$EVENHAND" show $gcc >>"$T/plain" && ! grep -q '[●█│▁]\|shape' "$T/plain"
check $? "a file has no drawings" "$T/plain"

# ---- colours -------------------------------------------------------------------------------------

for command in "compare $gcc $clang $opencl" "diagnose $gcc" "verify $gcc" "devices --fields"; do
	# shellcheck disable=SC2086
	on 80x200 "$EVENHAND" $command
	mv "$out" "$T/colours"
	# shellcheck disable=SC2086
	NO_COLOR=1 on 80x200 "$EVENHAND" $command
	grep -q "$escape\\[" "$T/colours" && ! grep -q "$escape" "$out" &&
		sed "s/$escape\\[[0-9;]*m//g" "$T/colours" | diff - "$out" >"$T/diff"
	check $? "evenhand $command: NO_COLOR takes the colours and nothing else" "$T/diff"
done
for setting in TERM=dumb TERM= NO_COLOR=0; do
	on 80x200 env "$setting" "$EVENHAND" verify $gcc
	[ $rc -eq 0 ] && ! grep -q "$escape" "$out"
	check $? "$setting: no colours" "$out"
done
on 80x200 env NO_COLOR= "$EVENHAND" verify $gcc
grep -q "$escape\\[32mok" "$out"
check $? "NO_COLOR that is empty is not set" "$out"
on 80x200 sh -c "\"$EVENHAND\" verify $gcc | cat"
! grep -q "$escape" "$out"
check $? "no colours into a pipe" "$out"
# Faster, slower, open, without a number: each has a sign of its own where there are no colours.
grep -q '1.33x' compare-three.txt && grep -q 'X see below' compare-three.txt
check $? "a verdict is in the text"

# ---- locales -------------------------------------------------------------------------------------

ascii() { # whether all that came is ASCII
	! LC_ALL=C grep -q "$(printf '[\200-\377]')" "$out"
}
sed 's/^intent = .*/intent = größer — 大きい/' golden.ini >"$T/odd.ini"
for command in "show $gcc" "compare $gcc $clang" "diagnose $gcc" "explain gemm.f32.256 pocl $gcc $opencl" "help series" \
	"protocol show --json $T/odd.ini" "protocol show $T/odd.ini"; do
	for columns in 60 120; do
		# shellcheck disable=SC2086
		LC_ALL=C on ${columns}x90 "$EVENHAND" $command
		[ $rc -eq 0 ] && [ -s "$out" ] && ascii
		check $? "LC_ALL=C, evenhand $command: ASCII in $columns columns" "$out"
	done
done
LC_ALL=C on 80x50 "$EVENHAND" show $gcc
grep -q '21.40  +- 0.03  GB/s' "$out"
check $? "a sign that ASCII lacks is spelled" "$out"
LC_ALL=xx_YY.UTF-8 on 80x50 "$EVENHAND" show $gcc
grep -q '21.40  ± 0.03' "$out"
check $? "a locale that is not installed is known by its name" "$out"
LC_ALL='' LC_CTYPE='' LANG=C.UTF-8 on 80x50 "$EVENHAND" show $gcc
grep -q '21.40  ± 0.03' "$out"
check $? "LANG says it where LC_ALL is empty" "$out"
LC_ALL=C "$EVENHAND" show $gcc | diff "$T/file" - >"$T/diff"
check $? "a file is UTF-8, whatever the locale" "$T/diff"

echo "1..$n"
exit $bad
