#!/bin/sh
# The same file of a library, another kernel: OPENBLAS_CORETYPE makes OpenBLAS take the kernels of an
# older processor.  Every file has the same digest, and the library's product is slower.  Which layer
# was it, and what ran?  The portable row beside it is the control.
#   make stories TESTS=same-file
. "$SRC/tests/stories/telling"
no_story() { skip "the same file, another kernel" "$1"; finish; }
cd "$T" || exit 1
grep -qw avx2 /proc/cpuinfo || no_story "no processor with AVX2, whose kernels and those of an older one differ"

cat >product.ini <<'END'
[protocol]
name = same-file
version = 1
intent = the product of a library beside the portable one
executions = 5
seed = 5
canary = no

[measure]
warmup-max = 1s
samples-min = 10
samples-max = 400
time-max = 1s
half-width = 5%

[case product]
workload = gemm
precision = f32
n = 1024
tier = portable, vendor
END
for core in Haswell Nehalem; do
	OPENBLAS_CORETYPE=$core "$EVENHAND" run product.ini --on host:gcc --set host.gemm=openblas -q -o $core >$core.txt 2>&1
	rc=$?
	! grep -q 'OpenBLAS is not here' $core.txt || no_story "OpenBLAS is not installed (package libopenblas0-pthread)"
	[ $rc -eq 0 ] && "$EVENHAND" verify $core/*.json >out 2>err
	check $? "measured with the kernels for $core" $core.txt
done
old=$(echo Nehalem/*.json) new=$(echo Haswell/*.json)

python3 - "$old" "$new" >facts 2>&1 <<'PY'
import json, sys
facts = []
for path in sys.argv[1:]:
    r = json.load(open(path))
    layer = [x for x in r["executor"]["layers"] if x["name"] == "OpenBLAS"]
    row = [c for c in r["cases"] if c["tier"] == "vendor"][0]["executions"][0]["library"]
    facts.append((layer[0]["sha256"], layer[0]["fields"]["kernel"]["value"], row["detail"]))
print(facts)
assert facts[0][0] and facts[0][0] == facts[1][0], "the file is not the same"
for (_, layer, row), core in zip(facts, ("Nehalem", "Haswell")):
    assert layer == core and "kernel=" + core + ";" in row, "the kernel that ran is not named"
PY
check $? "one file by its digest, and the record names the kernels that ran" facts

"$EVENHAND" compare "$old" "$new" --margin 0.1 >compare.txt 2>err
"$EVENHAND" compare "$old" "$new" --margin 0.1 --json >compare.json 2>err
tr -s ' \n' '  ' <compare.txt |
	grep -q 'differs configuration OPENBLAS_CORETYPE: Nehalem -> Haswell, OpenBLAS kernel: Nehalem -> Haswell'
check $? "compare says in a line which variable differs, and which kernel each had" compare.txt
"$EVENHAND" attribute "$old" "$new" --margin 0.1 >attribute.txt 2>err
verdict() { # tier
	python3 - "$1" <<'PY'
import json, sys
d = json.load(open("compare.json"))
print([x["verdict"] for c in d["comparisons"] for x in c["cases"] if x["id"].endswith("vendor") == (sys.argv[1] == "vendor")][0])
PY
}
case $(verdict vendor) in
FASTER) check 0 "the library's product became faster" ;;
*) check 1 "the library's product became faster: $(verdict vendor)" compare.txt ;;
esac
case $(verdict portable) in
EQUIVALENT) check 0 "and the portable one did not move" ;;
INCONCLUSIVE) skip "and the portable one did not move" "this machine is too busy to decide it within the margin" ;;
*) check 1 "and the portable one did not move: $(verdict portable)" compare.txt ;;
esac
grep -q '^layers: 1 change' attribute.txt && tr -s ' \n' '  ' <attribute.txt |
	grep -q 'configuration OPENBLAS_CORETYPE: Nehalem -> Haswell, OpenBLAS kernel: Nehalem -> Haswell; maker: OpenBLAS project'
check $? "attribute names the configuration, the kernel that ran, and their maker, as one change" attribute.txt
finish
