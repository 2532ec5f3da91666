#!/bin/sh
# evenhand workload: what it says of the installed workloads, and of one of another tree.
n=0 bad=0
check() { # status text [file with detail]
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; return; fi
	echo "not ok $n - $2"
	bad=1
	for said in "${3:-}" "$T/out" "$T/err"; do [ ! -s "$said" ] || { echo "# $2: ${said##*/}:"; tail -n 20 "$said"; } >&2; done
}
run() { # expected exit code, arguments of `evenhand workload`
	want=$1
	shift
	"$EVENHAND" workload "$@" >"$T/out" 2>"$T/err"
	[ $? -eq "$want" ]
}
json() { # expression over d
	python3 -c "import json,sys; d=json.load(open(sys.argv[1])); print($1)" "$T/out"
}
refuses() { # text, sentence, arguments: exit code 4 and one line
	text=$1 sentence=$2
	shift 2
	run 4 "$@" && [ "$(wc -l <"$T/err")" -le 2 ] && grep -qF -e "$sentence" "$T/err"
	check $? "$text"
}
cd "$T" || exit 1
export XDG_DATA_HOME="$T/data"
ours=$(for so in "$BUILD"/lib/evenhand/workloads/*.so; do basename "$so" .so; done | sort | tr '\n' ' ')

# ---- those of the installation -------------------------------------------------------------------

run 0 list && [ "$(sed '1,2d; s/ .*//' out | sort | tr '\n' ' ')" = "$ours" ] &&
	grep -q '^gemm  *f32 f64 f16 bf16 .*  portable tuned vendor  *' out && ! grep -q "$BUILD" out
check $? "list has a line for each workload of the installation, without its path"
run 0 list --json && [ "$(json '" ".join(sorted(w["name"] for w in d)) + " "')" = "$ours" ] &&
	[ "$(json 'all(w["installed"] and w["summary"] and w["tiers"][0] == "portable" and "error" not in w for w in d)')" = True ]
check $? "list --json has the same"
for name in $ours; do
	if ! run 0 show "$name" || ! grep -q '^checked$' out || grep -q 'does not say how' out ||
		! grep -q "^  workload = $name$" out; then
		name="$name does not"
		break
	fi
done
[ "${name% does not}" = "$name" ]
check $? "show says of each how it is checked and how a protocol names it: $name"

run 0 show gemm m=4096 precision=f16 && grep -q '^parameter  *values  *default  *tuned$' out &&
	grep -q '^rows  *1\.\.16  *8  *4 8$' out && grep -q '2\*M\*N\*K = 8.590 Gflop' out &&
	grep -q 'precision  *f16 in, f32 accumulated, f16 out$' out && grep -q '^  kernel  *gemm.k' out &&
	grep -q '^  m = 4096$' out && grep -q '^  timed  *execution: ' out
check $? "show counts the work of the case that is given"
sed -n '/^in a protocol/,$p' out | sed '1d; s/^  //' >section
{ printf '[protocol]\nname = mine\nversion = 1\nintent = to try it\n\n'; cat section; } >mine.ini
"$EVENHAND" protocol check mine.ini >out 2>err && grep -q 'mine@1, 1 case,' out
check $? "its example is a sound section of a protocol"
run 0 show gemm m=4096 precision=f16 --json &&
	[ "$(json '(d["counted"]["work"]["flops"], d["counted"]["precision"], d["counted"]["parameters"]["m"], d["counted"]["kernel"])')" = \
	"(8589934592, 'f16/f32/f16', '4096', 'gemm')" ] && [ "$(json '[p["tune"] for p in d["parameters"] if p["key"] == "rows"]')" = "['4,8']" ]
check $? "show --json has the same"
run 0 show xfer && grep -q '^  kernel  *none$' out && grep -q '^  precision  *u8$' out
check $? "a workload without a kernel says so"

# ---- what there is not ---------------------------------------------------------------------------

refuses "an unknown workload is answered with the nearest" "no workload is called 'gem': did you mean 'gemm'" show gem
refuses "an unknown parameter is too" "the workload gemm has no parameter 'dept'; did you mean 'depth'?" show gemm dept=16
refuses "a value out of the domain is refused" "precision is f32|f64|f16, not 'f15'; did you mean 'f16'?" show fma precision=f15
refuses "and a number out of its range" "m = 0 is out of range: it is 1..1048576" show gemm m=0
refuses "and values that do not fit together" "rounds=3 is odd" show fma rounds=3
refuses "and a word that is no setting" "'4096' is not of the form KEY=VALUE" show gemm 4096
refuses "and a parameter that is given twice" "m is given twice" show gemm m=1024 m=2048
refuses "a name has to be given" "NAME is missing; \`evenhand workload list\` names them" show

# ---- what they ask for ---------------------------------------------------------------------------

"$EVENHAND" run "$SRC/tests/protocols/memory.ini" --on host --plan --json >plan.json 2>err &&
	"$EVENHAND" run "$SRC/tests/protocols/memory.ini" --on host:0 -o asked >out 2>&1
python3 - "$ours" >off 2>&1 <<'END' && [ ! -s off ]
import glob, json, sys
plan = {c["id"]: c for c in json.load(open("plan.json"))["cases"]}
# Copies between devices need two: cli/p2p looks at their memory.
left = set(sys.argv[1].split()) - {"p2p"}
for c in json.load(open(glob.glob("asked/*.json")[0]))["cases"]:
    left.discard(c["id"].split(".")[0].split("-")[0])
    asked, planned = c["executions"][0].get("device_memory_bytes"), plan[c["id"]]["memory_bytes"]
    cold = c["id"].startswith("gemm-cold")
    # Beside the sets, a cold case asks for memory that empties the caches.
    if not (asked > planned if cold else planned * 0.98 <= asked <= planned):
        print(c["id"], "asked for", asked, "of", planned)
if left:
    print("no case of", *left)
END
check $? "each workload asks for the memory that its plan has, and not for more" "$T/off"

# ---- one of another tree -------------------------------------------------------------------------

mkdir -p "$XDG_DATA_HOME/evenhand/workloads"
cat >mine.c <<'END'
#include <string.h>
#include "evenhand/workload.h"
static const eh_param params[] = {
	{"n", EH_PARAM_UINT, 0, STANDARD, "1..100", NULL, "of \033[31mred\033[0m things"},
	{NULL, 0, 0, NULL, NULL, NULL, NULL},
};
static eh_status describe(const eh_case *c, eh_work *w, eh_error *e)
{
	(void)e;
	w->metric = EH_METRIC_SECONDS;
	w->region = EH_REGION_ROUND_TRIP;
	w->amount = (double)eh_case_number(c, "n");
	return EH_OK;
}
static eh_status prepare(const eh_bench *b, void **s, eh_error *e) { (void)b; (void)s; (void)e; return EH_E_UNSUPPORTED; }
static eh_status enqueue(void *s, uint64_t i, eh_error *e) { (void)s; (void)i; (void)e; return EH_E_UNSUPPORTED; }
static eh_status poison(void *s, eh_error *e) { (void)s; (void)e; return EH_E_UNSUPPORTED; }
static eh_status check(void *s, uint64_t i, eh_check *c, eh_error *e) { (void)s; (void)i; (void)c; (void)e; return EH_E_UNSUPPORTED; }
static eh_status vary(void *s, uint32_t v, eh_error *e) { (void)s; (void)v; (void)e; return EH_E_UNSUPPORTED; }
static eh_status library(void *s, eh_layer *l, eh_error *e) { (void)s; (void)l; (void)e; return EH_E_UNSUPPORTED; }
static void finish(void *s) { (void)s; }
static const eh_workload mine = {
	.magic = EH_WORKLOAD_MAGIC, .struct_size = SIZE, .abi_major = EH_ABI_MAJOR,
	.abi_minor = EH_ABI_MINOR, .pointer_bytes = sizeof(void *), .revision = 3, .name = "mine",
	.summary = "counts things", .params = params, .describe = describe, .prepare = prepare,
	.enqueue = enqueue, .poison = poison, .check = check, .vary = vary, .finish = finish,
	.library = library, .checks = "by \033[31mlooking",
};
const eh_workload *eh_workload_entry_v1(void) { return &mine; }
END
build() { # STANDARD, SIZE
	"$CC" -std=gnu17 -fPIC -shared -fvisibility=hidden -I"$SRC/core/include" -DSTANDARD="$1" -DSIZE="$2" \
		-o "$XDG_DATA_HOME/evenhand/workloads/mine.so" mine.c 2>err
}
build '"7"' 'sizeof(eh_workload)' && run 0 list && grep -q '^mine  *-  *portable vendor  *counts things$' out &&
	grep -q "$XDG_DATA_HOME/evenhand/workloads/mine.so" out
check $? "a workload of the user is listed with its file and the tier of its library"
run 0 show mine n=9 && grep -q '^mine  revision 3$' out && grep -q '^  divided by  *9 operations$' out && grep -q '^  by ?\[31mlooking$' out &&
	tr -d '\n' <out | grep -q "of ?\[31mred?\[0m things" && grep -q 'no arithmetic' out
check $? "and shown, without what a terminal would obey"
run 0 show mine --json && [ "$(json '(d["workload"]["installed"], d["workload"]["tiers"], "tune" in d["parameters"][0])')" = \
	"(False, ['portable', 'vendor'], False)" ]
check $? "also as JSON"
build '"7"' 'offsetof(eh_workload, library)' && run 0 show mine && ! grep -q vendor out && grep -q 'does not say how' out
check $? "of one that is older than library and checks neither is read"
build NULL 'sizeof(eh_workload)' && run 0 show mine && tr -s '\n ' '  ' <out | grep -q 'n has no default; give n=VALUE (1..100)' &&
	grep -q '^  n = VALUE$' out && run 0 show mine n=2 && grep -q 'divided by  *2 operations$' out
check $? "a parameter without a default has to be given before anything is counted"
: >"$XDG_DATA_HOME/evenhand/workloads/empty.so"
run 0 list && grep -q '^empty  *refused ' out && run 0 list --json && [ "$(json '[w["name"] for w in d if "error" in w]')" = "['empty']" ]
check $? "a file that is no workload is listed with the reason"

echo "1..$n"
exit $bad
