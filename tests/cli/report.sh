#!/bin/sh
# evenhand report: one file that loads nothing and holds everything that compare and explain say.
# unit/test_page gives it hostile strings, tests/cli/report-browser.sh opens it.
n=0 bad=0
check() { # status text
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; return; fi
	echo "not ok $n - $2"
	bad=1
	for said in out err; do [ ! -s $said ] || { echo "# $2: $said:"; tail -n 10 $said; } >&2; done
}
skip() { n=$((n + 1)); echo "ok $n - $1 # SKIP $2"; }
run() { # arguments of evenhand; stdout in out, stderr in err, status in rc
	timeout 60 "$EVENHAND" "$@" >out 2>err </dev/null
	rc=$?
}
cd "$T" || exit 1
golden=$SRC/tests/golden
gcc=$golden/host-gcc-12.json clang=$golden/host-clang-14.json opencl=$golden/opencl-pocl-0.json

run report "$gcc" "$clang" "$opencl" -o three.html
[ $rc -eq 0 ] && [ "$(cat out)" = "report: three.html" ] && [ ! -s err ]
check $? "three results: a page, and the line that says where"
head -n 2 three.html | tail -n 1 | grep -qx '<!-- evenhand report -->' && tail -n 1 three.html | grep -qx '</html>'
check $? "it is whole"

# ---- what it says ------------------------------------------------------------------------------

# Words of the page without markup, one line.
words_of() {
	sed -e '/^<style>/,/<\/style>/d' -e '/^<script>/,$d' "$1" | sed 's/<script type=.*<\/script>//' | tr '\n' ' ' |
		sed -e 's/<[^>]*>/ /g' -e 's/&#39;/'"'"'/g; s/&quot;/"/g; s/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g' | tr -s ' '
}
words_of three.html >words
for said in 'host:clang-14 against host:gcc-12, 8 cases: faster in 7 (1.33x), 1 not comparable.' \
	'opencl:pocl-0 against host:gcc-12, 8 cases: slower in 6 (0.76x), 1 not comparable, 1 not measured.' \
	'golden@1 on 3 executors' 'unsigned: nobody vouches for it' 'the worker was killed by signal 11' \
	'The work needs work-groups of 64 items, the device allows 32.' 'evenhand reproduce ' 'intent = One of everything' \
	'compiler gcc 12.2.0 -> clang 14.0.6' 'roof' 'not-converged'; do
	grep -qiF -e "$said" words
	check $? "it says: $said"
done
# Every line of compare -v, every case, and everything that explain says of one.
"$EVENHAND" explain gemm.f32.256 pocl "$gcc" "$clang" "$opencl" | tr '\n' ' ' | tr -s ' ' >explained
grep -qF -e "$(cut -c 1-400 explained)" words
check $? "everything that explain says of a case"
"$EVENHAND" show --json "$gcc" | tr -d '\n\t' | grep -o '"digest": *"[0-9a-f]*"' | tail -n 1 | grep -o '[0-9a-f]\{64\}' >digest
grep -qF -f digest words
check $? "the digest of the result"

# ---- it loads nothing --------------------------------------------------------------------------

! grep -oE '(src|href|action|data|poster)="[^#"][^"]*"' three.html | grep -v '^src="data:image/png' && ! grep -q '@import\|url(' three.html
check $? "no reference to anything outside"
if [ -f "$BUILD/share/evenhand/page/dygraph.min.js" ]; then
	for script in dygraph.min.js page.js; do
		hash=$(openssl dgst -sha256 -binary "$BUILD/share/evenhand/page/$script" | base64)
		grep -qF "'sha256-$hash'" three.html
		check $? "its policy allows $script, by its digest"
	done
	mkdir -p bare/lib bare/share/evenhand && cp -r "$BUILD/bin" bare/ && cp -r "$BUILD/lib/evenhand" bare/lib/ &&
		cp -r "$BUILD/share/evenhand/." bare/share/evenhand/ && rm bare/share/evenhand/page/dygraph.* &&
		bare/bin/evenhand report "$gcc" -o bare.html >out 2>err && grep -q 'There are no charts' bare.html && ! grep -q '<script>' bare.html
	check $? "without the chart library: no script, and a line that says so"
	rm bare/share/evenhand/page/page.css
	bare/bin/evenhand report "$gcc" -o none.html >out 2>err
	[ $? -eq 5 ] && grep -q 'page/page.css' err && [ ! -e none.html ]
	check $? "without its own files: one sentence, and no page"
else
	for t in "the policy" "no chart library" "no files"; do skip "$t" "this build has no dygraphs (package libjs-dygraphs)"; done
fi

# ---- where it goes -----------------------------------------------------------------------------

mkdir folder && cp "$gcc" "$clang" folder/
run report folder
[ $rc -eq 0 ] && [ -f folder/report.html ] && [ "$(cat out)" = "report: folder/report.html" ]
check $? "of a folder it is in the folder"
run report folder
[ $rc -eq 0 ]
check $? "a report is replaced"
run compare folder
[ $rc -eq 0 ]
check $? "the folder can still be compared"
echo mine >mine.html
run report folder -o mine.html
[ $rc -eq 4 ] && grep -q 'mine.html is there and is no report' err && [ "$(cat mine.html)" = mine ]
check $? "another file is not"
run report folder -o mine.html --force
[ $rc -eq 0 ] && grep -q '</html>' mine.html
check $? "but with --force"
run report folder -o no/such/report.html
[ $rc -eq 5 ] && [ "$(wc -l <err)" -eq 1 ]
check $? "a folder that is not there: one sentence, exit code 5"
run report "$gcc" -o /dev/full
[ $rc -ne 0 ]
check $? "what is no regular file is not written"
run report folder --case 'gemm*' -o some.html
[ $rc -eq 0 ] && grep -q 'id="case-1"' some.html && ! grep -q 'id="case-2"' some.html
check $? "--case leaves the others out"
run report "$gcc" -o one.html
words_of one.html >words
[ $rc -eq 0 ] && grep -q 'host:gcc-12 : 8 of 8 cases have a number that counts' words
check $? "one result alone"
mkdir before after && cp "$gcc" before/ && cp "$clang" before/ && cp "$gcc" "$clang" after/
run report before after -o pairs.html
words_of pairs.html >words
[ $rc -eq 0 ] && grep -q 'host:gcc-12 against its run before' words
check $? "two folders: each executor against itself"
if mkdir full && mount -t tmpfs -o size=64k tmpfs full 2>/dev/null; then
	run report "$gcc" -o full/report.html
	[ $rc -eq 5 ] && grep -q 'No space left' err && [ -z "$(ls -A full)" ]
	check $? "a full disk: one sentence, and nothing half-written"
	umount full
else
	skip "a full disk" "cannot mount a small file system here"
fi

echo "1..$n"
exit $bad
