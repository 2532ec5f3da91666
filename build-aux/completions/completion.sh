# shellcheck shell=sh
# What may stand at the last word of an evenhand command line: the one thing that the completions of
# all shells ask.  Commands, flags and what they take are read from the program's own help, so that
# they are always those of the installed program.
# usage: completion.sh PROGRAM WORD... LAST-WORD
# Prints one candidate a line: the whole word, a tab, an explanation or nothing; matching them with
# LAST-WORD is left to the shell.  Ends with 10 where file names fit as well, else with 0.
set -u
export LC_ALL=C
program=$1
shift
command -v "$program" >/dev/null 2>&1 || program=evenhand
tab=$(printf '\t')

# The command is the first word that is no flag, nor what --set takes.
command='' before='' skip='' i=0
for last; do
	i=$((i + 1))
	[ $i -lt $# ] || break
	if [ -n "$command" ]; then before="$before$last
"
	elif [ -n "$skip" ]; then skip=
	else
		case $last in --set) skip=yes ;; -*) ;; *) command=$last ;; esac
	fi
done
[ -z "$skip" ] || exit 0

# Prints "=WORD<TAB>EXPLANATION" for what may stand there, and "PLACEHOLDER" for what the usage
# writes in capitals, such as PROTOCOL.
fitting=$("$program" help ${command:+"$command"} 2>/dev/null | BEFORE=$before awk -v command="$command" -v last="$last" '
	# Notes what flags take: of "--as tester|verifier" and "-o DIR" what follows the flag.
	function note(text,    flag, value) {
		while (match(text, /--?[a-z][a-z-]* [A-Za-z][^], ]*/)) {
			flag = value = substr(text, RSTART, RLENGTH)
			text = substr(text, RSTART + RLENGTH)
			sub(/ .*/, "", flag)
			sub(/.* /, "", value)
			if (!(flag in takes)) takes[flag] = value
			else if (value ~ /^[a-z]/) takes[flag] = takes[flag] "|" value
		}
	}
	/^(usage:)? +evenhand / && !over { forms++ }
	forms && NF == 0 { over = 1 }
	forms && !over { sub(/^usage:/, ""); form[forms] = form[forms] " " $0 }
	over && /^  -/ { # "  -q, --quiet   no progress on stderr"
		gap = match(substr($0, 3) "   ", /   *[^ ]|   *$/)
		names[++lines] = substr($0, 3, gap - 1)
		about[lines] = substr($0, gap + 2)
		sub(/^ +/, "", about[lines])
		sub(/   .*/, "", about[lines])
	}
	over && /^  [a-z]+  +[a-z]/ { name = $1; sub(/^ *[a-z]+ +/, ""); meaning[name] = $0 }
	END {
		for (f = 1; f <= forms; f++) note(form[f])
		for (l = 1; l <= lines; l++) note(names[l])
		count = split(ENVIRON["BEFORE"], word, "\n") - 1
		for (i = 1; i <= count; i++) {
			if (!(word[i] in takes)) {
				if (word[i] !~ /^-./) given[++places] = word[i]
			} else if (++i > count) {
				print takes[word[count]]
				exit
			}
		}
		for (f = 1; f <= forms; f++) {
			plain = form[f]
			gsub(/\[-[^]]*\](\.\.\.)?/, "", plain)
			gsub(/ --?[a-z][a-z-]*( [A-Z][^ ]*)?/, "", plain)
			sub(" *evenhand *" command, "", plain)
			many = plain ~ /\.\.\.\]? *$/
			gsub(/\.\.\.|[][]/, "", plain)
			size = split(plain, part, " ")
			if (places && part[1] ~ /^[a-z]/ && given[1] != part[1]) continue
			here = places < size ? part[places + 1] : many ? part[size] : ""
			if (last !~ /^-/ && here != "") print here ~ /^[a-z]/ ? "=" here "\t" meaning[here] : here
			size = split(form[f], part, /[^a-z-]+/)
			for (i = 1; i <= size; i++) if (part[i] ~ /^--?[a-z]/) fits[part[i]] = ""
		}
		for (l = 1; l <= lines; l++) {
			size = split(names[l], part, /, */)
			known = 0
			for (i = 1; i <= size; i++) { sub(/ .*/, "", part[i]); if (part[i] in fits) known = 1 }
			for (i = 1; known && i <= size; i++) if (part[i] ~ /^-/) fits[part[i]] = about[l]
		}
		if (last ~ /^-/) for (flag in fits) print "=" flag "\t" fits[flag]
	}' | sort -u)

commands() { "$program" help 2>/dev/null | sed -n "s/^  \([a-z][a-z]*\)  *\([a-z].*\)/\1$tab\2/p"; }
protocols() { "$program" protocol list 2>/dev/null | sed -n "s/^\([^ ]*\)  *[^ ]*  */\1$tab/p"; }
claims() { "$program" claim list 2>/dev/null | sed -n "1,/^--/d; s/^\([^ ]*\)  *[^ ]*  */\1$tab/p"; }
# Drivers may take their time; nobody waits longer than this for a list.
executors() { timeout 5 "$program" devices --json 2>/dev/null | sed -n 's/^.*"executor": "\([^"]*\)".*/\1/p'; }
files=0
while IFS= read -r fit; do
	case $command:$fit in
	help:*) [ -n "$before" ] || commands ;;
	*:=*) printf '%s\n' "${fit#=}" ;;
	*:COMMAND) commands ;;
	*:SELECTOR) # a list, to which one more is added
		executors | awk -v head="${last%"${last##*,}"}" '
			{ name = $0; sub(/:.*/, "", name) }
			!seen[name]++ { print head name "\tall devices of this backend" }
			{ print head $0 "\t" }
			END { if (head == "") print "all\tevery executor" }' ;;
	*:EXECUTOR) executors ;;
	*:PROTOCOL | protocol:NAME) protocols; files=10 ;;
	*:CLAIM) claims; files=10 ;;
	*:RESULT* | *:BASELINE | *:OTHER | *:FROM | *:TO | *:BETWEEN | *:*FILE* | *:DIR | *:FOLDER | *:X.evenhand | *:KEY) files=10 ;;
	*:[a-z]*) printf '%s\n' "${fit%%"$tab"*}" | tr '|' '\n' ;;
	esac
done <<END
$fitting
END
exit $files
