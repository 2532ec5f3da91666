#!/bin/sh
# Completion in bash, zsh and fish as `make install` leaves it: what they offer is what the program's
# tables, its protocols and its executors are at that moment.
n=0 bad=0
check() { # status text [file with detail]
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; bad=1; [ -z "${3:-}" ] || cat "$3" >&2; fi
}
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }
log=$T/log
root=$T/root/usr
# ALWAYS=: it makes nothing, since another test may be installing from the same build folder.
"${MAKE:-make}" --no-print-directory -C "$BUILD" ALWAYS= install DESTDIR="$T/root" prefix=/usr >"$log" 2>&1
check $? "make install" "$log"
PATH=$root/bin:$PATH
export HOME="$T" XDG_DATA_HOME="$T/data" XDG_DATA_DIRS="$root/share"
mkdir -p "$T/place/lonely-folder" && cd "$T/place" || exit 1
: >lonely.json

# ---- what fits, for all shells -------------------------------------------------------------------

asked() { # the words of a line, of which the last is completed; the status in rc
	evenhand complete -- evenhand "$@" >out 2>err
	rc=$?
	cut -f 1 out | sort >got
}
offers() { # text; what is expected is in the file want
	sort -u want | diff - got >"$log" && [ ! -s err ]
	check $? "$1" "$log"
}
evenhand help | sed -n '/^Topics/q; s/^  \([a-z][a-z]*\)  *[a-z].*/\1/p' >want
commands=$(cat want)
asked ''
offers "the commands of help"
topics=$(evenhand help | sed -n '/^Topics/,/^$/s/^  \([a-z][a-z-]*\)  *.*/\1/p')
printf '%s\n' "$commands" "$topics" >want
asked help ''
offers "help takes a command or a topic"
printf '%s\n' "$commands" >want
asked -v --set host.threads=1 ''
offers "options may stand before the command"
# Options as the program's help explains them.
differ=
common=$(evenhand help | sed -n '/^Options of all/,$s/^  \(-.*\)/\1/p' | sed 's/   *.*//; s/, /\n/')
for c in $commands; do
	{ evenhand help "$c" | sed -n 's/^  \(-.*\)/\1/p' | sed 's/   *.*//; s/, /\n/'; printf '%s\n' "$common"; } |
		sed 's/ .*//' | sort -u >want
	asked "$c" -
	sort -u got | diff want - >>"$log.flags" || differ="$differ $c"
done
[ -z "$differ" ]
check $? "every command offers the options of its help, and no other${differ:+:$differ}" "$log.flags"
printf '%s\n' list show check digest >want
asked protocol ''
offers "the words that select forms are offered"
{ printf '%s\n' --json "$common"; } | sed 's/ .*//' >want
asked key list -
offers "and have their own options"
{ printf '%s\n' check list template; evenhand claim list | sed -n '/^--/,$s/ .*//p'; } | grep -v ^- >want
asked claim ''
offers "claims are those of the installation"
evenhand workload list --json | sed -n 's/.*"name": "\(.*\)".*/\1/p' >want
asked workload show ''
offers "and workloads"
printf '%s\n' tester verifier >want
asked sign x.json --as ''
offers "the words of an option are offered as values"
printf '%s\n' --as=tester --as=verifier >want
asked sign x.json --as=
offers "also after ="
mkdir -p "$T/data/evenhand/protocols"
sed 's/^name = .*/name = homemade/' "$SRC/protocols/quick.ini" >"$T/data/evenhand/protocols/homemade.ini"
evenhand protocol list | sed 's/ .*//' >want
asked run ''
offers "protocols are those of this moment"
grep -qx homemade got && [ $rc -eq 10 ]
check $? "with the user's own, and files"
evenhand devices --json | sed -n 's/.*"executor": "\(.*\)".*/\1/p' >executors
{ echo all; cat executors; sed 's/:.*//' executors; } >want
asked run --on ''
offers "executors are those of this machine"
[ $rc -eq 0 ]
check $? "and no files"
{ cat executors; sed 's/:.*//' executors; } | sed 's/^/host,/' >want
asked run --on host,o
offers "and one more of a list"
: >want
asked run --executions ''
offers "nothing where only the user knows"
asked nonsense ''
offers "nothing after a word that is no command"

# ---- bash ----------------------------------------------------------------------------------------

if command -v bash >/dev/null 2>&1; then
	cat >ask.bash <<'END'
. "$1"
shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_evenhand
((${#COMPREPLY[@]} == 0)) || printf '%s\n' "${COMPREPLY[@]}"
END
	in_bash() { bash ask.bash "$root/share/bash-completion/completions/evenhand" "$@" 2>err | sort >got; }
	complete=$(bash -c '. "$1"; complete -p evenhand' bash "$root/share/bash-completion/completions/evenhand" 2>&1)
	[ "$complete" = "complete -F _evenhand evenhand" ]
	check $? "bash: the completion is loaded"
	printf '%s\n' compare >want
	in_bash evenhand comp
	offers "bash: a command"
	printf '%s\n' --on --output >want
	in_bash evenhand run quick --o
	offers "bash: a flag"
	sed -n 's/^host://p' executors >want
	in_bash evenhand run --on host :
	offers "bash: what follows a colon, at which it parts words"
	printf '%s\n' --salvage --set --site >want
	in_bash evenhand run --set host.threads = 1 --s
	offers "bash: a flag after a value with ="
	printf '%s\n' lonely.json lonely-folder >want
	in_bash evenhand show lone
	offers "bash: files"
else
	skip "bash: completion" "bash is not installed (package bash)"
fi

# ---- zsh -----------------------------------------------------------------------------------------

if command -v zsh >/dev/null 2>&1; then
	cat >ask.zsh <<'END'
# Types the line and a tab in a terminal, and prints what the line has become.
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "unsetopt zle; fpath=($1/share/zsh/site-functions \$fpath); autoload -Uz compinit; compinit -u -D; setopt zle
became() { zle complete-word; print -r -- \"BECAME<\$BUFFER>\"; BUFFER=; }; zle -N became; bindkey '^I' became; print READ''Y"
zpty -r shell said '*READY*'
zpty -w -n shell $2$'\t'
zpty -r shell said '*BECAME<*>*'
said=${said##*BECAME<}
print -r -- ${said%%>*}
zpty -d shell
END
	in_zsh() { # line, what it becomes, text
		TERM=dumb timeout 30 zsh -f ask.zsh "$root" "$1" >got 2>"$log"
		[ "$(cat got)" = "$2" ] || { cat got >>"$log"; false; }
		check $? "zsh: $3" "$log"
	}
	in_zsh 'evenhand comp' 'evenhand compare ' "a command"
	in_zsh 'evenhand run --exec' 'evenhand run --executions ' "a flag"
	in_zsh 'evenhand run homem' 'evenhand run homemade ' "a protocol"
	one=$(head -n 1 executors)
	in_zsh "evenhand run --on host,${one%?}" "evenhand run --on host,$one " "an executor in a list, with its colon"
	in_zsh 'evenhand show lonely.' 'evenhand show lonely.json ' "a file"
else
	skip "zsh: completion" "zsh is not installed (package zsh)"
fi

# ---- fish ----------------------------------------------------------------------------------------

if command -v fish >/dev/null 2>&1; then
	in_fish() { # line
		# It is fish that expands it.
		# shellcheck disable=SC2016
		ASKED=$1 fish -c 'complete -C "$ASKED"' 2>err | cut -f 1 | sort >got
	}
	printf '%s\n' "$commands" >want
	in_fish 'evenhand '
	offers "fish: the commands"
	printf '%s\n' --on >want
	in_fish 'evenhand run quick --on'
	offers "fish: a flag"
	printf '%s\n' homemade >want
	in_fish 'evenhand run homem'
	offers "fish: a protocol"
	{ grep '^host:' executors; echo host; } | sed 's/^/host,/' >want
	in_fish 'evenhand run --on host,host'
	offers "fish: executors in a list"
	printf '%s\n' lonely.json lonely-folder/ >want
	in_fish 'evenhand show lone'
	offers "fish: files"
else
	skip "fish: completion" "fish is not installed (package fish)"
fi

cd "$T" || exit 1
"${MAKE:-make}" --no-print-directory -C "$BUILD" uninstall DESTDIR="$T/root" prefix=/usr >"$log" 2>&1
[ -z "$(find "$root" -type f)" ]
check $? "make uninstall removes them"

echo "1..$n"
exit $bad
