#!/bin/sh
# The documents against the program and the tree: every command, flag, environment variable, exit code
# and folder is documented, and what the documents name is there.
# Patterns are full of back quotes, and lists of pages are words on purpose.
# shellcheck disable=SC2016,SC2086
n=0 bad=0
check() { # status text [detail]
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; bad=1; [ -z "${3:-}" ] || printf '%s\n' "$3" >&2; fi
}
cd "$SRC" || exit 1
pages="README.md $(ls docs/*.md)"
hidden=' complete kernels worker conformance-child help version '

"$EVENHAND" help >"$T/help" 2>"$T/err"
# In groups: everything before the topics.
commands=$(sed -n '/^Topics/q; s/^  \([a-z][a-z]*\)  *[a-z].*/\1/p' "$T/help" | grep -v -x -e help -e version)
[ "$(printf '%s\n' "$commands" | wc -l)" -ge 18 ] && [ "$(grep -c '^[A-Z].*:$' "$T/help")" -ge 8 ]
check $? "help lists the commands in groups" "$commands"

# ---- the manual --------------------------------------------------------------------------------

for format in man:evenhand.1 markdown:cli.md; do
	page=docs/${format#*:}
	"$EVENHAND" help --"${format%%:*}" 2>"$T/err" | diff - "$page" >"$T/diff"
	check $? "$page is what the program's tables say; make manual writes it again" "$(head -n 20 "$T/diff")"
done
"$EVENHAND" help result --json 2>"$T/err" | diff - docs/result.schema.json >"$T/diff"
check $? "docs/result.schema.json is what the record's table says; make manual writes it again" "$(head -n 20 "$T/diff")"
sed '1,/^<!-- Written by/d' docs/result-format.md >"$T/members"
[ -s "$T/members" ] && "$EVENHAND" help result 2>"$T/err" | diff - "$T/members" >"$T/diff"
check $? "the tables of docs/result-format.md are what the record's table says; make manual writes them again" "$(head -n 20 "$T/diff")"
sed '1,/^<!-- Written by/d' docs/exports.md >"$T/columns"
"$EVENHAND" help columns | diff "$T/columns" - >"$T/diff"
check $? "so do the columns of docs/exports.md" "$(head -n 20 "$T/diff")"
"$EVENHAND" help tables | diff python/evenhand/tables.py - >"$T/diff"
check $? "so does python/evenhand/tables.py" "$(head -n 20 "$T/diff")"
wrong=$(grep -nE 'str(n|case)*cmp\([^;]*"--?[a-z]' core/cli/*.[ch])
[ -z "$wrong" ]
check $? "no command compares options by hand" "$wrong"

flags_of() { # of the text on stdin, one a line
	grep -o -E -e "(^|[^A-Za-z0-9*.'-])--?[a-z][a-z-]*" | sed 's/^[^-]*//' | sort -u
}
# The options with which lines of the help begin.
listed_of() {
	{ "$EVENHAND" help "$1" && sed -n '/^Options of all/,$p' "$T/help"; } | sed -n 's/^  \(-.*\)/\1/p' | sed 's/   *.*//'
}
for c in $commands; do
	"$EVENHAND" help "$c" >"$T/one"
	listed_of "$c" | flags_of >"$T/flags.$c"
	sed '/^$/,$d' "$T/one" | flags_of >"$T/used"
	missing=$(grep -vxF -f "$T/flags.$c" "$T/used")
	[ -s "$T/used" ] && [ -z "$missing" ]
	check $? "help $c explains the options of its usage" "$missing"
	# Behind " -- " are words of another program.
	sed -n '/^Examples:/,$p' "$T/one" | grep -E "^  .*evenhand $c( |\$)" | sed 's/|.*//; s/ -- .*//' >"$T/examples"
	strange=$(flags_of <"$T/examples" | grep -vxF -f "$T/flags.$c")
	[ -s "$T/examples" ] && [ -z "$strange" ]
	check $? "help $c has an example, with its own options" "$strange"
done

# Wherever a page shows a command, the program has it, with these flags.
{
	grep -ho '`evenhand [a-z-][^`]*`' $pages | tr -d '`'
	for page in $pages; do sed -n '/^```/,/^```/p' "$page" | grep -h -E '^(\$ |[A-Z_]+=[^ ]+ )*evenhand [a-z-]+( |$)'; done
	sed -n 's/^build\/bin\/\(evenhand .*\)/\1/p' README.md
} | sed -E -e 's/^(\$ |[A-Z_]+=[^ ]+ )*evenhand /evenhand /' -e 's/ +[#>|] .*//' -e 's/ -- .*//' | sort -u >"$T/shown"
wrong=$(while read -r word c rest; do
	case $hidden in *" $c "*) continue ;; esac
	[ -f "$T/flags.$c" ] || { echo "there is no command: $word $c $rest"; continue; }
	printf '%s\n' "$rest" | flags_of | grep -vxF -f "$T/flags.$c" | sed "s|^|evenhand $c has no |"
done <"$T/shown")
[ -z "$wrong" ] && [ "$(wc -l <"$T/shown")" -gt 40 ]
check $? "no page shows a command or option that is not there" "$wrong"

# ---- environment, exit codes ---------------------------------------------------------------------

grep -rhoE '"((EVENHAND|XDG)_[A-Z_]+|NO_COLOR|SOURCE_DATE_EPOCH|TMPDIR|PAGER|LESS|COLUMNS|LINES|LC_ALL|LC_CTYPE|LANG|TERM)"' core --include='*.c' --exclude=topics.c | tr -d '"' |
	sort -u >"$T/used"
"$EVENHAND" help environment --json | sed -n 's/^.*"\([A-Z_]*\)":.*/\1/p' | sort >"$T/told"
diff "$T/used" "$T/told" >"$T/diff"
check $? "help environment has every variable of the environment, and no other" "$(cat "$T/diff")"
grep -ho 'EXIT_CODE_[A-Z_]* = [0-9]*' core/base/error.h | sed 's/.* //' | sort -n >"$T/codes"
"$EVENHAND" help exit-codes --json | sed -n 's/^.*"\([0-9]*\)":.*/\1/p' | sort -n >"$T/told"
[ "$(wc -l <"$T/codes")" -ge 9 ] && diff "$T/codes" "$T/told" >"$T/diff"
check $? "help exit-codes has every exit code" "$(cat "$T/diff")"

# ---- folders -------------------------------------------------------------------------------------

rooms=$(sed -n '/^## Rooms/,/^## /p' docs/architecture.md)
missing=
for folder in core/*/ core/include/evenhand/ backends/shared/ plugins/skeleton/ build-aux/ protocols/ python/; do
	[ "$folder" = core/include/ ] || printf '%s\n' "$rooms" | grep -qF "| \`$folder\` |" || missing="$missing $folder"
done
row() { printf '%s\n' "$rooms" | grep -F "| \`$1\` |"; }
for folder in backends/*/ workloads/*/ plugins/probes/*/; do
	name=$(basename "$folder")
	[ "$name" = shared ] || row "$(dirname "$folder")/<x>/" | grep -qF "\`$name\`" || missing="$missing $folder"
done
for folder in tests/*/; do
	row tests/ | grep -qF "\`$(basename "$folder")/\`" || missing="$missing $folder"
done
for folder in plugins/*/; do
	printf '%s\n' "$rooms" | grep -q "| \`$folder" || missing="$missing $folder"
done
[ -z "$missing" ]
check $? "docs/architecture.md names every folder" "$missing"
gone=$(for name in $(row tests/ | grep -o '`[a-z]*/`' | tr -d '`'); do [ "$name" = tests/ ] || [ -d "tests/$name" ] || echo "tests/$name"; done
	printf '%s\n' "$rooms" | grep -o '^| `[a-z/-]*/`' | tr -d '|` ' | while read -r f; do [ -d "$f" ] || echo "$f"; done)
[ -z "$gone" ]
check $? "and none that is not there" "$gone"

# ---- what the pages name -------------------------------------------------------------------------

# Files of the tree, or those that a build makes, here or where vendors' headers are; words in
# capitals, * and <x> stand for many.
wrong=$(grep -noE -e "(^|[^A-Za-z0-9_./~*>-])(core|docs|tests|backends|plugins|workloads|protocols|build-aux|python)/[A-Za-z0-9_./*<>-]*" $pages |
	sed 's/:[^A-Za-z0-9]*\([a-z-]*\/[^:]*\)$/:\1/; s/[.,:]*$//' | while IFS=: read -r page line path; do
		case $path in *[A-Z][A-Z]* | *'<'*) continue ;; esac
		for one in $path; do [ -e "$one" ] || [ -e "$BUILD/$one" ] || [ -e "$BUILD/share/evenhand/$one" ] ||
				grep -qF " $one" tests/module.mk || echo "$page:$line: $path"; done
	done)
[ -z "$wrong" ]
check $? "every path that a page names is there" "$wrong"
wrong=$(grep -noE '\]\([^)#: ]+' $pages | sed 's/](//' | while IFS=: read -r page line to; do
	[ -e "$(dirname "$page")/$to" ] || echo "$page:$line: $to"
done)
[ -z "$wrong" ]
check $? "every link of a page leads somewhere" "$wrong"

wrong=$(grep -ohE '`make [^`]*`|^make .*' $pages | tr -d '`' | sed 's/ *#.*//' | sort -u | while read -r _ target rest; do
	grep -qE "^(\.PHONY:|all check).*\<$target\>" Makefile || grep -qE "^$target:" Makefile plugins/skeleton/Makefile ||
		{ case $target in *=*) true ;; *) false ;; esac; } || echo "make $target"
	case $rest in
	TESTS=*) printf '%s\n' tests/*/*.sh tests/unit/*.c | grep -qF "$(printf %s "${rest#*=}" | tr -d '"')" || echo "make $target $rest" ;;
	STAT=* | BENCH=*)
		for name in $(printf %s "${rest#*=}" | tr -d '"'); do
			ls tests/stat/"$name".* >/dev/null 2>&1 || grep -q "\"$name\"" tests/bench/bench.py || echo "make $target $rest: $name"
		done ;;
	esac
done)
[ -z "$wrong" ]
check $? "every make target, test, bench and experiment that a page names is there" "$wrong"

if command -v man >/dev/null 2>&1 && man -w man >/dev/null 2>&1; then
	LC_ALL=C.UTF-8 MANROFFSEQ='' MANWIDTH=80 man --warnings -l -Tutf8 -Z docs/evenhand.1 >/dev/null 2>"$T/err"
	[ ! -s "$T/err" ]
	check $? "the manual page is well formed" "$(cat "$T/err")"
else
	n=$((n + 1))
	echo "ok $n - the manual page is well formed # SKIP man is missing (package man-db)"
fi

echo "1..$n"
exit $bad
