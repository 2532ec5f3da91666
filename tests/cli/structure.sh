#!/bin/sh
# The structure of the house: dependencies point down, plugins include only the installed headers,
# every plugin exports one symbol and needs no vendor library, file names are unique.
n=0 bad=0
check() { # status text [detail]
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; bad=1; [ -z "${3:-}" ] || printf '%s\n' "$3" >&2; fi
}

# Room and the rooms it may include, itself apart.
rules='base:
stat:base
record:base stat
protocol:base stat record
plugin:base record
executor:base record protocol
measure:base stat record protocol plugin
run:base stat record protocol plugin executor measure
audit:base stat record
contract:base stat record audit
analysis:base stat record audit contract
archive:base stat record audit contract analysis
report:base stat record audit contract analysis archive
page:base stat record audit contract analysis archive report
cli:base stat record protocol plugin executor measure run audit contract analysis archive report page'
printf '%s\n' "$rules" > "$T/rules"
while IFS=: read -r room allowed; do
	wrong=
	grep -Hno '^ *# *include "[a-z]*/' "$SRC/core/$room"/*.[ch] | sed 's/# *include "//; s/ //g' > "$T/includes"
	while read -r line; do
		to=${line##*:}
		to=${to%/}
		case " evenhand $room $allowed " in *" $to "*) ;; *) wrong="$wrong ${line#"$SRC/"}" ;; esac
	done < "$T/includes"
	[ -s "$T/includes" ] && [ -z "$wrong" ]
	check $? "core/$room includes only rooms below it" "$wrong"
done < "$T/rules"

missing=
sed '/^#/d' "$SRC/tests/long" > "$T/long"
while read -r name; do
	[ -f "$SRC/tests/$name" ] || [ -f "$SRC/tests/$name.c" ] || missing="$missing $name"
done < "$T/long"
[ -s "$T/long" ] && [ -z "$missing" ]
check $? "tests/long names tests" "$missing"

rooms=$(for room in "$SRC"/core/*/; do basename "$room"; done | grep -vx include | sort)
[ "$(sed 's/:.*//' "$T/rules" | sort)" = "$rooms" ]
check $? "every room of core has its rule" "$rooms"

wrong=$(grep -Hn '^ *# *include "' "$SRC"/backends/*/*.[ch] "$SRC"/workloads/*/*.[ch] "$SRC"/plugins/*/*.[ch] "$SRC"/plugins/probes/*/*.[ch] |
	grep -v 'include "evenhand/' | while IFS=: read -r file line text; do
		name=$(printf %s "$text" | sed 's/.*"\(.*\)".*/\1/')
		case $file:$name in */backends/shared/*:shared/*) ;; */backends/*:shared/*) [ ! -f "$SRC/backends/$name" ] || continue ;; esac
		[ -f "$(dirname "$file")/$name" ] || echo "$file:$line: $name"
	done)
[ -z "$wrong" ]
check $? "plugins include only evenhand/*.h and their own files, backends also what they share" "$wrong"

wrong=$(grep -n '# *include' "$SRC"/core/include/evenhand/backend.h | grep -v -e '<stddef.h>' -e '<stdint.h>')
[ -z "$wrong" ]
check $? "backend.h stands alone" "$wrong"

for so in "$BUILD"/lib/evenhand/backends/*.so "$BUILD"/lib/evenhand/workloads/*.so "$BUILD"/lib/evenhand/probes/*.so \
	"$BUILD"/lib/evenhand/conformance/*.so; do
	names=$(nm -D --defined-only "$so" | awk '$2 ~ /[TBDRVW]/ && $3 !~ /^(_init|_fini|__bss_start|_edata|_end|__asan|__odr_asan|__ubsan|__start|__stop)/ { print $3 }')
	case $so in
	*/evenhand/backends/*) want=eh_backend_entry_v1 ;;
	*/evenhand/probes/*) want=eh_probe_entry_v1 ;;
	*/evenhand/conformance/*) want=eh_conformance_entry_v1 ;;
	*) want=eh_workload_entry_v1 ;;
	esac
	[ "$names" = "$want" ]
	check $? "$(basename "$so") exports $want alone" "$names"
	links=$(objdump -p "$so" | awk '/NEEDED/ { print $2 }' | grep -v -E '^(libc|libm|libdl|libpthread|ld-linux[^ ]*|libgcc_s|libasan|libubsan|libclang_rt[^ ]*|librt)\.?.*so' )
	[ -z "$links" ]
	check $? "$(basename "$so") links no vendor library and nothing of ours" "$links"
done

names=$(nm -g --defined-only "$BUILD/lib/libevenhand-conformance.a" | awk 'NF == 3 && $3 !~ /^__(asan|odr_asan|ubsan)/ { print $3 }' | sort | tr '\n' ' ')
[ "$names" = "eh_conformance_entry_v1 main " ]
check $? "libevenhand-conformance.a defines its entry and main, and no name that a backend could have" "$names"

twice=$(find "$SRC/core" "$SRC/backends" "$SRC/workloads" "$SRC/plugins/conformance" -name '*.[ch]' -exec basename {} \; | sort | uniq -d)
[ -z "$twice" ]
check $? "file names are unique in the tree" "$twice"

echo "1..$n"
exit $bad
