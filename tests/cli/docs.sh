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
hidden=' kernels worker conformance-child help version '

"$EVENHAND" help >"$T/help" 2>"$T/err"
commands=$(sed -n 's/^  \([a-z]*\)  *[a-z].*/\1/p' "$T/help" | grep -v -x -e help -e version)
[ "$(printf '%s\n' "$commands" | wc -l)" -ge 19 ]
check $? "help lists the commands" "$commands"

# ---- usage -------------------------------------------------------------------------------------

# Of a command's help: its usage, one form a line.
usage_of() {
	"$EVENHAND" help "$1" | sed -n '/^$/q; p' |
		awk '{ sub(/^usage:/, ""); gsub(/ +/, " ") }
			/^ evenhand / { if (line != "") print line; line = substr($0, 2); next }
			{ line = line $0 }
			END { print line }'
}
flags_of() { # of the text on stdin, one a line
	grep -o -E -e "(^|[^A-Za-z0-9*.'-])--?[a-z][a-z-]*" | sed 's/^[^-]*//' | sort -u
}
# The flags with which lines of a list of options begin, those of a line together.
listed_of() {
	"$EVENHAND" help "$1" | sed -n 's/^  \(-.*\)/\1/p' | sed 's/   *.*//'
}
: >"$T/usages"
for c in $commands; do
	usage_of "$c" >"$T/usage"
	cat "$T/usage" >>"$T/usages"
	flags_of <"$T/usage" >"$T/used.$c"
	listed_of "$c" >"$T/listed"
	flags_of <"$T/listed" >"$T/listed.$c"
	missing=$(grep -vxF -f "$T/listed.$c" "$T/used.$c")
	# A line explains flags of the usage, one of them at least: the other is its long form.
	strange=$(while read -r line; do
		printf '%s\n' "$line" | flags_of | grep -qxF -f "$T/used.$c" || echo "$line"
	done <"$T/listed")
	[ -z "$missing$strange" ]
	check $? "help $c explains the flags of its usage, and no other" "not explained: $missing; not in the usage: $strange"
	sort -u "$T/used.$c" "$T/listed.$c" >"$T/flags.$c"
	"$EVENHAND" help "$c" | grep -E "^  .*evenhand $c( |\$)" | sed 's/|.*//' >"$T/examples"
	strange=$(flags_of <"$T/examples" | grep -vxF -f "$T/flags.$c")
	[ -s "$T/examples" ] && [ -z "$strange" ]
	check $? "help $c has an example, with its own flags" "$strange"
done

plain_man() { # the text of the lines between .nf and .fi of a section of the manual page
	sed -n "/^\.SH $1/,/^\.SH/p" docs/evenhand.1 | sed -n '/^\.nf/,/^\.fi/p' |
		sed -e '/^\./d' -e 's/\\f[A-Z]//g' -e 's/\\-/-/g' -e 's/\\&//g'
}
sed -n '/^```/,/^```/p' docs/cli.md | grep '^evenhand [a-z]' | sort -u >"$T/in-cli"
plain_man COMMANDS | sort -u >"$T/in-man"
sort -u "$T/usages" >"$T/sorted"
diff "$T/sorted" "$T/in-cli" >"$T/diff"
check $? "docs/cli.md has every form of every command with its flags, and no other" "$(cat "$T/diff")"
diff "$T/sorted" "$T/in-man" >"$T/diff"
check $? "so has docs/evenhand.1" "$(cat "$T/diff")"
printf '%s\n' "$commands" help version | sort >"$T/commands"
sed -n '/^| command | what it does/,/^$/s/^| \(`.*`\) |.*/\1/p' docs/cli.md |
	sed 's/^`\([a-z]*\).*/\1/' | sort -u >"$T/tabled"
diff "$T/commands" "$T/tabled" >"$T/diff"
check $? "the table of docs/cli.md has every command" "$(cat "$T/diff")"

# Wherever a page shows a command, the program has it, with these flags.
{
	grep -ho '`evenhand [a-z-][^`]*`' $pages | tr -d '`'
	for page in $pages; do sed -n '/^```/,/^```/p' "$page" | grep -h -E '^(\$ |[A-Z_]+=[^ ]+ )*evenhand [a-z-]+( |$)'; done
	plain_man EXAMPLES
	sed -n 's/^build\/bin\/\(evenhand .*\)/\1/p' README.md
} | sed -E -e 's/^(\$ |[A-Z_]+=[^ ]+ )*evenhand /evenhand /' -e 's/ +[#>|] .*//' | sort -u >"$T/shown"
wrong=$(while read -r word c rest; do
	case $hidden in *" $c "*) continue ;; esac
	[ -f "$T/flags.$c" ] || { echo "there is no command: $word $c $rest"; continue; }
	printf '%s\n' "$rest" | flags_of | grep -vxF -f "$T/flags.$c" | sed "s|^|evenhand $c has no |"
done <"$T/shown")
[ -z "$wrong" ] && [ "$(wc -l <"$T/shown")" -gt 40 ]
check $? "no page shows a command or flag that is not there" "$wrong"

# ---- environment, exit codes ---------------------------------------------------------------------

grep -rhoE '"((EVENHAND|XDG)_[A-Z_]+|NO_COLOR|SOURCE_DATE_EPOCH|TMPDIR)"' core --include='*.c' | tr -d '"' | sort -u >"$T/variables"
sed -n '/^## Environment/,/^## /s/^| \(`[^|]*`\) |.*/\1/p' docs/cli.md | grep -o '[A-Z][A-Z_]*' | sort -u >"$T/in-cli"
sed -n '/^\.SH ENVIRONMENT/,/^\.SH/p' docs/evenhand.1 | sed -n 's/^\.BR* //p' | grep -o '[A-Z][A-Z_]*' | sort -u >"$T/in-man"
diff "$T/variables" "$T/in-cli" >"$T/diff"
check $? "docs/cli.md has every variable of the environment, and no other" "$(cat "$T/diff")"
diff "$T/variables" "$T/in-man" >"$T/diff"
check $? "so has docs/evenhand.1" "$(cat "$T/diff")"
grep -ho 'EXIT_CODE_[A-Z_]* = [0-9]*' core/base/error.h | sed 's/.* //' | sort -n >"$T/codes"
sed -n '/^## Exit codes/,/^## /s/^| \([0-9]*\) |.*/\1/p' docs/cli.md | sort -n >"$T/in-cli"
sed -n '/^\.SH EXIT STATUS/,/^\.SH/s/^\.B \([0-9]*\)$/\1/p' docs/evenhand.1 | sort -n >"$T/in-man"
[ "$(wc -l <"$T/codes")" -ge 9 ] && diff "$T/codes" "$T/in-cli" >"$T/diff" && diff "$T/codes" "$T/in-man" >"$T/diff"
check $? "both have every exit code" "$(cat "$T/diff")"

# ---- folders -------------------------------------------------------------------------------------

rooms=$(sed -n '/^## Rooms/,/^## /p' docs/architecture.md)
missing=
for folder in core/*/ core/include/evenhand/ backends/shared/ plugins/skeleton/ build-aux/ protocols/; do
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
wrong=$(grep -noE -e "(^|[^A-Za-z0-9_./~*>-])(core|docs|tests|backends|plugins|workloads|protocols|build-aux)/[A-Za-z0-9_./*<>-]*" $pages |
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
