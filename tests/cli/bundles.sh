#!/bin/sh
# bundle, verify and --unpack: what comes out is what went in, and of a bundle that does not hold, or
# where there is no room, nothing is left.
n=0 bad=0
check() { # status text
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; return; fi
	echo "not ok $n - $2"
	bad=1
	for said in out err; do [ ! -s $said ] || { echo "# $2: $said:"; tail -n 10 $said; } >&2; done
}
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }
gives() { # exit code, words on stdout or stderr, arguments...
	want=$1 words=$2
	shift 2
	timeout 60 "$EVENHAND" "$@" >out 2>err </dev/null
	rc=$?
	[ $rc -eq "$want" ] && cat out err | grep -qF -e "$words"
	check $? "evenhand $(echo "$*" | sed "s|$T/||g; s|$SRC/||g" | cut -c1-70): $want, $words"
}
left() { # folder; nothing of it is there
	for at in "$1" .evenhand-*; do [ ! -e "$at" ] || return 1; done
}
cd "$T" || exit 1
export XDG_CONFIG_HOME="$T/config"
golden=$SRC/tests/golden

# Long and odd names.
mkdir in
long=$(printf '%0240d' 7)
odd='ä b%c'
cp "$golden/host-gcc-12.json" "in/$long.json"
cp "$golden/host-clang-14.json" "in/$odd.json"
cp "$golden/opencl-pocl-0.json" "in/$(printf '%095d' 1).json"
gives 0 '3 results' bundle in -o all.evenhand
gives 0 '' verify all.evenhand
gives 0 'files' bundle all.evenhand --unpack all
for from in in/*.json; do
	found=1
	for to in all/results/*.json; do cmp -s "$from" "$to" && found=0; done
	check $found "the bytes of $(echo "$from" | cut -c1-30) come back"
done
tar xzf all.evenhand --one-top-level=by-tar && diff -r all by-tar >out
check $? "tar unpacks the same"
[ "$(stat -c %a all)" = "$(mkdir plain && stat -c %a plain)" ]
check $? "the folder has the rights of any new one"

# Of what does not hold nothing is left.
cp -r all changed
sed -i 's/"half_width": *[0-9.e-]*/"half_width":0.001/' changed/results/0*.json
pack() { # folder, bundle, further arguments of tar
	(cd "$1" && shift && name=$1 && shift && tar --format=gnu --owner=0 --group=0 -czf "$T/$name" "$@" manifest.json protocols/* results/*)
}
pack changed changed.evenhand
gives 4 'fails verification and cannot be unpacked' bundle changed.evenhand --unpack made
left made
check $? "nothing is left of a changed one"
cp -r all more
echo code >more/evil.so
pack more more.evenhand evil.so
gives 4 'not allowed in a bundle: "evil.so"' bundle more.evenhand --unpack made
gives 4 'not allowed in a bundle: "evil.so"' verify more.evenhand
left made
check $? "nor of one with other files"
head -c 3000 all.evenhand >cut.evenhand
gives 4 'this is not a bundle' bundle cut.evenhand --unpack made
left made
check $? "nor of one that is cut"
rm more/evil.so
truncate -s 4M more/results/hole.json
pack more hole.evenhand -S
gives 4 'results/hole.json is not a plain file' verify hole.evenhand

# Where it cannot be made.
mkdir there
gives 4 'there already exists' bundle all.evenhand --unpack there
[ -z "$(ls there)" ]
check $? "a folder that is there stays as it is"
ln -s nowhere link
gives 4 'already exists' bundle all.evenhand --unpack link
if [ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null; then
	mkdir disk
	within() { # options of the file system, arguments...
		options=$1
		shift
		# shellcheck disable=SC2016
		unshare -m sh -c 'mount -t tmpfs -o "$0" none disk && "$@" >out 2>err; echo $? >code; ls -A disk >rest' \
			"$options" timeout 60 "$EVENHAND" "$@" </dev/null
	}
	within size=32k bundle all.evenhand --unpack disk/made
	[ "$(cat code)" = 5 ] && grep -q 'No space left' err && [ ! -s rest ]
	check $? "on a full disk: exit code 5, and nothing is left"
	within ro bundle all.evenhand --unpack disk/made
	[ "$(cat code)" = 5 ] && grep -q 'Read-only' err && [ ! -s rest ]
	check $? "in a folder that is read only: the same"
	within size=8k bundle in -o disk/full.evenhand
	[ "$(cat code)" = 5 ] && [ ! -s rest ]
	check $? "nor is a part of a bundle"
else
	skip "a full disk" "needs root and a mount of its own"
fi

# What the file system or somebody else does on the way.
if [ -z "${SANITIZE:-}" ] && strace -o /dev/null true 2>/dev/null; then
	rm -rf all
	disturbed() { # options of strace...
		timeout 60 strace -f -o trace "$@" "$EVENHAND" bundle all.evenhand --unpack all >out 2>err </dev/null
		rc=$?
	}
	disturbed -e trace=openat,open
	[ $rc -eq 0 ] && [ "$(grep -c '"all.evenhand"' trace)" -eq 1 ]
	check $? "what is verified is what is unpacked: the file is opened once"
	rm -rf all
	disturbed -e trace=fsync,syncfs
	[ "$(grep -c sync trace)" -le 4 ]
	check $? "the disk is waited for once, not for each file"
	rm -rf all
	disturbed -e trace=renameat2 -e inject=renameat2:error=EINVAL
	[ $rc -eq 0 ] && diff -r all by-tar >out
	check $? "a file system that cannot refuse a name when it renames"
	disturbed -e trace=renameat2 -e inject=renameat2:error=EINVAL
	[ $rc -eq 4 ] && diff -r all by-tar >out
	check $? "replaces nothing there either"
	rm -rf all
	disturbed -e trace=fchmod -e inject=fchmod:signal=KILL
	[ $rc -eq 137 ] && [ ! -e all ] && ls -d .evenhand-* >out
	check $? "killed on the way: there is no folder"
	gives 0 'files' bundle all.evenhand --unpack all
	rm -rf all
	left all
	check $? "and the next one removes what was left"
else
	skip "a file system that fails" "needs strace, and no sanitizer"
fi

echo "1..$n"
exit $bad
