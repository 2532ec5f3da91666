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
	within size=32k bundle all.evenhand --unpack disk/a/b/made
	[ "$(cat code)" = 5 ] && [ ! -s rest ]
	check $? "nor is a folder that was made on the way to it"
	within ro bundle all.evenhand --unpack disk/made
	[ "$(cat code)" = 5 ] && grep -q 'Read-only' err && [ ! -s rest ]
	check $? "in a folder that is read only: the same"
	within size=8k bundle in -o disk/full.evenhand
	[ "$(cat code)" = 5 ] && [ ! -s rest ]
	check $? "nor is a part of a bundle"
else
	skip "a full disk" "needs root and a mount of its own"
fi

# A writer has the limits of readers: here for how much a result asks to be hashed.
mkdir texts
"$BUILD/tests/bench/make_result" -e 1 -n 5 1800 asks.json && /usr/bin/python3 - <<'END'
import hashlib, json, re
def sha(text):
    return hashlib.sha256(text.encode()).hexdigest()
text = b"x" * (1 << 20)
open("texts/dialect.h", "w").write("y")
open("texts/x.k", "wb").write(text)
source = hashlib.sha256(b"1:y%d:%s" % (len(text), text)).hexdigest()
body = open("asks.json").read()
body = re.sub('"from_cache":false,"source_sha256":"[^"]*"', '"from_cache":false,"kernel":"x","source_sha256":"%s"' % source, body)
record = json.loads(body)
rows = [line.rstrip(",") for line in body.split("\n") if line.startswith('{"derived"')]
digests = record["digests"]
digests["cases"] = [sha(row) for row in rows]
parts = {key: record[key] for key in ("format", "format_version", "status")}
whole = sha(json.dumps(dict(parts, digests=digests), sort_keys=True, separators=(",", ":")))
body = body[:body.index('\n"digests"')] + '\n"digests": %s,\n"digest": "%s"\n}\n' % (json.dumps(digests, separators=(",", ":")), whole)
open("asks.json", "w").write(body)
END
gives 0 'consistent' verify asks.json
gives 5 'kernel texts, which are not all compared: pack fewer results' bundle asks.json --kernels texts -o asks.evenhand
left asks.evenhand
check $? "nothing is left of what readers would refuse"
# A digest of a text ends at a NUL, and so may a journal after a loss of power.
"$BUILD/tests/bench/make_result" 1 nul.json && /usr/bin/python3 - <<'END'
import hashlib, json, re
open("texts/x.k", "wb").write(b"text")
def sha(text):
    return hashlib.sha256(text.encode()).hexdigest()
body = open("nul.json").read()
body = re.sub('"from_cache":false,"source_sha256":"[^"]*"', '"from_cache":false,"kernel":"x","source_sha256":"%s"' % sha("1:y4:text"), body)
record = json.loads(body)
rows = [line.rstrip(",") for line in body.split("\n") if line.startswith('{"derived"')]
digests = dict(record["digests"], cases=[sha(row) for row in rows])
whole = sha(json.dumps(dict({key: record[key] for key in ("format", "format_version", "status")}, digests=digests), sort_keys=True, separators=(",", ":")))
open("nul.json", "w").write(body[:body.index('\n"digests"')] + '\n"digests": %s,\n"digest": "%s"\n}\n' % (json.dumps(digests, separators=(",", ":")), whole))
END
gives 0 '1 result' bundle nul.json --kernels texts -o nul.evenhand
gives 4 'is packed, and would be replaced' bundle nul.json --kernels texts -o nul.json --force
gives 0 'consistent' verify nul.json
printf 'text\0evil' >texts/x.k
gives 4 'kernels/x.k has a NUL byte' bundle nul.json --kernels texts -o nul2.evenhand
left nul2.evenhand
check $? "nothing is left of a kernel text with a NUL byte"
{ cat "$SRC/tests/golden/run.journal"; printf '\0\0\0'; } >torn.journal
gives 4 'NUL bytes behind its last whole line' bundle "$SRC/tests/golden/host-gcc-12.json" --journal torn.journal -o torn.evenhand
# Thousands of results of one name.
mkdir same && for i in 1 2 3 4 5 6 7 8 9; do mkdir same/$i && cp nul.json same/$i/r.json; done
printf text >texts/x.k
gives 0 '9 results' bundle same/*/r.json --kernels texts -o same.evenhand
gives 0 'results/9-r.json' bundle same.evenhand --list

# Signatures that cannot be read count as broken, of a member as of a file.
/usr/bin/python3 - <<'END'
import gzip, io, tarfile
packed = tarfile.open("nul.evenhand")
members = [(m.name, packed.extractfile(m).read()) for m in packed]
with open("forged.evenhand", "wb") as f:
  with gzip.GzipFile("", "wb", fileobj=f) as z, tarfile.open(fileobj=z, mode="w", format=tarfile.USTAR_FORMAT) as out:
    for name, data in members + [("results/nul.json.sig", b'{"format":"x"}\0')]:
        info = tarfile.TarInfo(name)
        info.size = len(data)
        out.addfile(info, io.BytesIO(data))
  f.seek(0)
  f.write(b"\x1f\x8b\x08\0\0\0\0\0\0\x03") # as every bundle begins
END
for place in forged.evenhand forged.evenhand/results/nul.json; do
	gives 4 'NUL' show $place
	gives 3 'signature-broken' compare $place same/1/r.json --json
done

# A limit on the size of files, which ends a process that does not expect it.
"$BUILD/tests/bench/make_result" -w 'Jane Quux' 20 limited.json && "$EVENHAND" key new lab >out 2>err
check $? "a result, and a key"
cp limited.json before.json
too_large() { # limit in blocks, file that cannot be written, arguments...
	blocks=$1 file=$2
	shift 2
	# What it prints goes into no file.
	{ (ulimit -f "$blocks" && exec "$EVENHAND" "$@" </dev/null) 2>&1; echo "code $?"; } | cat >out
	grep -qx 'code 5' out && grep -qx "evenhand $1: cannot write '$file': File too large" out &&
		cmp -s limited.json before.json && left limited.evenhand && [ "$(ls -d limited.*)" = limited.json ]
	check $? "a limit of $blocks blocks: $1 says so, and leaves nothing"
	gives 0 'limited.json: consistent' verify limited.json
}
too_large 8 limited.json amend limited.json --redact who.tester --reason policy --key lab
too_large 1 limited.json.amendments amend limited.json --note x --key lab
too_large 1 limited.json.sig sign limited.json --key lab
too_large 8 limited.evenhand bundle limited.json -o limited.evenhand

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
	timeout 60 strace -f -o trace -e trace=openat,open "$EVENHAND" show all.evenhand >out 2>err </dev/null
	rc=$?
	[ $rc -eq 0 ] && [ "$(grep -c '"all.evenhand"' trace)" -le 2 ]
	check $? "a bundle is unpacked once to be shown, however often its signatures are asked for"
	timeout 60 strace -f -o trace -e trace=openat,open "$EVENHAND" reproduce all.evenhand --of host:gcc-12 --on no:such -o again >out 2>err </dev/null
	[ $? -eq 4 ] && grep -q no:such err && [ "$(grep -c '"all.evenhand"' trace)" -le 2 ]
	check $? "and to be reproduced: what is verified is what is read"
	"$EVENHAND" run "$SRC/tests/protocols/tiny.ini" --on host:0 --executions 1 -o run -q >out 2>err
	timeout 60 strace -f -o trace -e trace=openat,open "$EVENHAND" bundle run --journal run/run.journal -o run.evenhand >out 2>err </dev/null
	rc=$?
	[ $rc -eq 0 ] && [ "$(grep -c '"run/run.journal"' trace)" -eq 1 ] && tar xzf run.evenhand -O journal/run.journal | cmp -s - run/run.journal
	check $? "the journal that is checked is the one that is packed: it is opened once"
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

# A file system that gives all folders one mode, as vfat does.
if [ -z "${SANITIZE:-}" ]; then
	cat >fixed.c <<-'C'
		#define _GNU_SOURCE
		#include <errno.h>
		#include <fcntl.h>
		#include <stdlib.h>
		#include <sys/stat.h>
		#include <sys/syscall.h>
		#include <unistd.h>
		static mode_t fixed(void) { return (mode_t)strtol(getenv("FIXED"), NULL, 8); }
		int mkdirat(int in, const char *name, mode_t mode)
		{
			(void)mode;
			return syscall(SYS_mkdirat, in, name, 0700) != 0 ? -1 : fchmodat(in, name, fixed(), 0);
		}
		int fchmod(int fd, mode_t mode)
		{
			struct stat info;
			if (fstat(fd, &info) != 0 || !S_ISDIR(info.st_mode))
				return (int)syscall(SYS_fchmod, fd, mode);
			errno = EPERM;
			return -1;
		}
	C
	"$CC" -shared -fPIC -o fixed.so fixed.c || exit 1
	on() { # mode
		rm -rf all
		FIXED=$1 LD_PRELOAD=$T/fixed.so timeout 60 "$EVENHAND" bundle all.evenhand --unpack all >out 2>err </dev/null
		rc=$?
	}
	for mode in 755 700; do
		on $mode
		[ $rc -eq 0 ] && diff -r all by-tar >out && [ "$(stat -c %a all)" = $mode ]
		check $? "where all folders have the mode $mode"
	done
	on 777
	[ $rc -eq 5 ] && grep -q "cannot make the folder 'all': others could write into it.* umask=022" err && left all
	check $? "where others write into all folders: exit code 5, the remedy, and nothing is left"
else
	skip "a file system without modes" "needs a library loaded first, and no sanitizer"
fi

echo "1..$n"
exit $bad
