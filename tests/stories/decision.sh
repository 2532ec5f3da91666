#!/bin/sh
# From the first run to a decision: the commands of docs/guide.md, in its order, on two host compilers
# and PoCL.  What they print stays in the story's folder, a file for each; the page's outputs are these.
#   make stories TESTS=decision
# DECISION_BUDGET=10s tries the commands alone: few cases are decided then.
. "$SRC/tests/stories/telling"
no_story() { skip "a decision" "$1"; finish; }
cd "$T" || exit 1
step=0
does() { # wanted exit codes, name, arguments of evenhand; what it prints in NN-name.txt, also $page
	wanted=$1
	step=$((step + 1))
	page=$(printf '%02d-%s.txt' $step "$2")
	shift 2
	echo "$ evenhand $*" >"$page"
	"$EVENHAND" "$@" >>"$page" 2>&1 </dev/null
	rc=$?
	echo "(exit code $rc)" >>"$page"
	case " $wanted " in *" $rc "*) ;; *) false ;; esac
	check $? "evenhand $*" "$page"
}
says() { # text of the last page
	grep -q -e "$1" "$page"
	check $? "it says $1" "$page"
}
on() { "$EVENHAND" devices | sed -n "s/^\($1[^ ]*\) .*/\1/p" | head -n 1; }
# The two offers, and a stack between them.
alpha=$(on host:gcc) between=$(on host:clang) beta=$(on opencl:pocl)
[ -n "$alpha" ] || no_story "there is no gcc"
[ -n "$between" ] || no_story "there is no clang"
[ -n "$beta" ] || no_story "PoCL is not installed (package pocl-opencl-icd)"
file() { printf '%s/%s.json' "$1" "$(printf %s "$2" | tr ':' '-')"; }

# ---- what is here -------------------------------------------------------------------------------

does 0 devices devices
does '0 7' first run quick --on "$alpha,$between,$beta" -o results/first
does 0 show show "$(file results/first "$alpha")"
sed "s/^budget = .*/budget = ${DECISION_BUDGET:-120s}/" "$SRC/tests/stories/match.ini" >match.ini
does 0 check protocol check match.ini
does 0 plan run match.ini --plan --on "$alpha,$beta"
does 0 described run gpu-quick --plan --device-file "$SRC/tests/replay/devices.ini" --on described:h100
says 'sizes medium'
does 0 described-two run gpu-quick --plan --device-file "$SRC/tests/replay/devices.ini" --on described:h100,described:mi300x
says 'sizes large'

# ---- a machine that is fit ----------------------------------------------------------------------

cat >site.ini <<'END'
[site]
tester = Jane Doe, Acme evaluation
party = buyer
cooling = air
[device beta]
match = opencl:*
price = 12345 EUR, 2026-11
[teams]
compiler = toolchain team
END
does 0 site site check site.ini
export EVENHAND_SITE="$T/site.ini"
does 5 certified run quick-certified-2 --plan --on "$alpha"
does 0 calibrate calibrate --on "$alpha" --pairs 3

# ---- agreed before anybody measures -------------------------------------------------------------

for team in alpha beta; do
	XDG_CONFIG_HOME=$T/$team does 0 key-$team key new $team
	XDG_CONFIG_HOME=$T/$team does 0 agree-$team agree match.ini --as $team
done
export XDG_CONFIG_HOME="$T/buyer"
does 0 key-buyer key new buyer
for team in alpha beta; do
	does 0 trust-$team key trust $team/evenhand/keys/$team.pub --name $team
done
does 0 agreed-plan run match.ini --plan --on "$alpha,$beta"
says 'agreements: alpha, beta'

# ---- measured, and compared ---------------------------------------------------------------------

does '0 7' decision run match.ini --on "$alpha,$beta" -o results/decision
does '0 1 2' compare compare results/decision --agreed alpha,beta
says 'protocol agreed on before measuring: alpha'
does 0 report report results/decision --agreed alpha,beta
does '0 7' alone-alpha run match.ini --on "$alpha" -o results/alpha
does '0 7' alone-beta run match.ini --on "$beta" -o results/beta
does '0 1 2 3' apart compare "$(file results/alpha "$alpha")" "$(file results/beta "$beta")"
does 0 explain explain gemm results/decision
does 0 explain-apart explain triad "$(file results/alpha "$alpha")" "$(file results/beta "$beta")"
does '0 7' more run match.ini --case 'triad*' --on "$alpha,$beta" -o results/triad
does 3 not-agreed compare results/first --agreed alpha,beta
says 'not comparable: A team named with --agreed had not agreed'

# ---- why, and what else -------------------------------------------------------------------------

does '0 2 3' attribute attribute "$(file results/decision "$alpha")" "$(file results/decision "$beta")"
does '0 7' three run match.ini --on "$alpha,$between,$beta" -o results/three
does '0 2' attribute-three attribute "$(file results/three "$alpha")" "$(file results/three "$between")" "$(file results/three "$beta")"
does '0 1 2' diagnose diagnose results/decision
does '0 7' numerics run numerics-1 --on "$alpha,$beta" -o results/numerics

# ---- signed, checked and repeated by others -----------------------------------------------------

does 0 sign sign results/decision --key buyer
does 0 note amend "$(file results/decision "$alpha")" --note 'The room was warm.' --key buyer
does 0 bundle bundle results/decision -o decision.evenhand --key buyer
mkdir -p other/evenhand
export XDG_CONFIG_HOME="$T/other"
does 0 trust-buyer key trust buyer/evenhand/keys/buyer.pub --name buyer
does 0 verify verify decision.evenhand --require-signature
says 'holds, signed by buyer'
does '0 1 2' reproduce reproduce decision.evenhand --of "$beta" -o again
cat >claim.ini <<END
[claim]
name = beta-gemm
text = Our stack multiplies matrices at least as fast as alpha's.
claimant = team beta
protocol = match@1
cases = gemm.*
a = ${beta%-*}*
b = ${alpha%-*}*
relation = at-least
factor = 1
END
does '0 1 2' claim claim claim.ini results/decision

# ---- kept ---------------------------------------------------------------------------------------

export EVENHAND_ARCHIVE="$T/archive.db"
does 0 add archive add results/decision --mark decision
does 0 history archive history 'gemm f32'
does 0 regressions archive regressions
does '0 1' gate compare --baseline archive:decision results/alpha --fail-on slower
does '0 1 2 3' guard guard quick --on "$alpha" -o results/guard -- true
does 0 publish archive publish pages
finish
