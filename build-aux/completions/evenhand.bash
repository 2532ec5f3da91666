# shellcheck shell=bash
# Completion of evenhand for bash.  share/evenhand/completion.sh, which is installed with it, knows
# what fits.
_evenhand_helper=$(readlink -f "${BASH_SOURCE[0]}")
_evenhand_helper=${_evenhand_helper%/*/*/*}/evenhand/completion.sh
_evenhand() {
	local words=() word joined='' found files cut
	# bash parts "host:0" and "a.b=1" at : and =, the program does not.
	for word in "${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
		if [[ -n $joined || $word == [:=]* ]] && ((${#words[@]} > 1)); then
			words[-1]+=$word
		else
			words+=("$word")
		fi
		joined=''
		[[ $word != *[:=] ]] || joined=yes
	done
	word=${words[-1]}
	found=$(sh "$_evenhand_helper" "${words[@]}")
	files=$?
	# What stands before the last : or = is not replaced.
	cut=${word%"${word##*[:=]}"}
	COMPREPLY=()
	while IFS=$'\t' read -r found _; do
		[[ -z $found || $found != "$word"* ]] || COMPREPLY+=("${found#"$cut"}")
	done <<<"$found"
	if ((files == 10)); then
		compopt -o filenames 2>/dev/null
		while IFS= read -r found; do
			[[ -z $found ]] || COMPREPLY+=("${found#"$cut"}")
		done < <(compgen -f -- "$word")
	fi
}
complete -F _evenhand evenhand
