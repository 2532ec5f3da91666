#!/bin/sh
# Prints the programs called NAME-NUMBER in the folders of PATH, newest first, and then NAME itself.
# usage: newest.sh NAME
name=$1
printf '%s\n' "$PATH" | tr : '\n' | while IFS= read -r folder; do
	for program in "$folder/$name"-[0-9]*; do
		[ ! -x "$program" ] || printf '%s\n' "${program##*/}"
	done
done | grep -x "$name-[0-9]*" | sort -urV
if command -v "$name" >/dev/null 2>&1; then printf '%s\n' "$name"; fi
