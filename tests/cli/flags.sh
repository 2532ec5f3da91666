#!/bin/sh
# The table of flags: every flag is set by the harness and explained in the documentation, and the
# rules that it names exist.
: "${T:?}" "${SRC:?}"
n=0 bad=0
check() { # status text [detail]
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; bad=1; [ -z "${3:-}" ] || printf '%s\n' "$3" >&2; fi
}
table=$SRC/core/record/flag.def

# Constants of a table that nothing uses other than to ask for it: neither the harness, nor what it
# shares with readers of records.  Flags of a series are told by their words.
unset_in() {
	sed -n 's/^FLAG(\(RECORD_FLAG_[A-Z_]*\), "\([a-z-]*\)".*/\1 \2/p' "$1" | while read -r flag word; do
		grep -hw "$flag" "$SRC"/core/measure/*.c "$SRC"/core/run/*.c "$SRC"/core/record/implied.c \
			"$SRC"/core/record/surroundings.c | grep -qv word_list_has ||
			grep -q "flags\[count++\] = \"$word\"" "$SRC/core/stat/series.c" || echo "$flag"
	done
}
# Words of a table that docs/method.md and docs/sequence.md do not have as `word`.
unexplained_in() {
	sed -n 's/^FLAG([A-Z_]*, "\([a-z-]*\)",.*/\1/p' "$1" | while read -r word; do
		grep -qF "\`$word\`" "$SRC/docs/method.md" "$SRC/docs/sequence.md" || echo "$word"
	done
}

flags=$(grep -c '^FLAG(' "$table")
[ "$flags" -gt 20 ] && [ "$(sed -n 's/^FLAG(RECORD_FLAG_[A-Z_]*, "[a-z-]*",.*/x/p' "$table" | wc -l)" -eq "$flags" ]
check $? "every entry of flag.def has a constant and a word"
wrong=$(unset_in "$table")
[ -z "$wrong" ]
check $? "the harness sets every flag" "$wrong"
wrong=$(unexplained_in "$table")
[ -z "$wrong" ]
check $? "docs/method.md or docs/sequence.md explains every flag" "$wrong"
echo 'FLAG(RECORD_FLAG_NEW, "new-flag", "", "", "")' >"$T/new.def"
[ "$(unset_in "$T/new.def"; unexplained_in "$T/new.def")" = "RECORD_FLAG_NEW
new-flag" ]
check $? "a flag that is new in the table alone is found by both"

# The last text of an entry is a comma list of rules.
wrong=$(tr '\n' ' ' <"$table" | sed 's/FLAG(/\n&/g' | sed -n 's/^FLAG(RECORD.*, *"\([^"]*\)") *$/\1/p' | tr ',' '\n' | tr -d ' ' | sort -u |
	while read -r rule; do
		[ -z "$rule" ] || grep -q "[A-Z](\"$rule\"," "$SRC"/core/contract/* || echo "$rule"
	done)
[ -z "$wrong" ]
check $? "the rules that flags name are rules of the contract" "$wrong"
echo "1..$n"
exit $bad
