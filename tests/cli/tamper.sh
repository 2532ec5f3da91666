#!/bin/sh
# Single edits of a result with a text editor, as it were: each is refused, and by name.
n=0 bad=0
golden=$SRC/tests/golden/host-gcc-12.json
malformed() { # the same, where what came out is no result at all
	edit "$1" "$2" 4
}
edit() { # sed script, words that the refusal must have, exit code of compare
	n=$((n + 1))
	sed "$1" "$golden" >"$T/edited.json"
	if cmp -s "$golden" "$T/edited.json"; then
		echo "not ok $n - the edit $1 changed nothing"
		bad=1
		return
	fi
	"$EVENHAND" show "$T/edited.json" >"$T/out" 2>"$T/err"
	rc=$?
	"$EVENHAND" compare "$golden" "$T/edited.json" >>"$T/out" 2>"$T/err2"
	rc2=$?
	if [ $rc -eq 4 ] && [ $rc2 -eq "${3:-3}" ] && [ ! -s "$T/out" ] && grep -q -F -e "edited.json: $2" "$T/err" &&
		cmp -s "$T/err" "$(sed 's/^evenhand compare/evenhand show/' "$T/err2" >"$T/err3"; echo "$T/err3")"; then
		echo "ok $n - $1: $2"
	else
		echo "not ok $n - $1: codes $rc and $rc2, wanted 4 and ${3:-3} and: $2"
		cat "$T/err" >&2
		bad=1
	fi
}
row() { # a case's id
	printf '/^{.*"id":"%s","measure"/' "$1"
}

edit "$(row triad.f32.64MiB)s/\"samples_ns\":\[[0-9]*/\"samples_ns\":[1/" 'cases[0].derived.'
edit "$(row fma.f64)s/\"samples_ns\":\[\([0-9]*\),[0-9]*/\"samples_ns\":[\1,1/" 'cases[2].derived.'
edit "$(row fma.f64)s/\"samples_ns\":\[[0-9]*,/\"samples_ns\":[/" 'cases[2].executions[0] is valid with 7 samples, but its measurement asks for 8'
edit "$(row fma.f64)s/\"batch\":1,/\"batch\":2,/" 'cases[2].derived.'
edit "$(row fma.f64)s/\"warmup_ns\":\[[0-9]*/\"warmup_ns\":[1/" 'cases[2] (fma.f64) does not have the digest'
for number in median_ns min_ns max_ns q1_ns q3_ns mad_ns rate canary_drift; do
	edit "$(row gemm.f32.256)s/\"$number\":[0-9.e+-]*/\"$number\":12/" \
		"cases[4].derived.$number is 12 but the samples give "
done
edit "$(row gemm.f32.256)s/\"interval_ns\":\[[0-9.]*/\"interval_ns\":[12/" 'cases[4].derived.interval_ns is [12,'
edit "$(row gemm.f32.256)s/\"execution_medians_ns\":\[[0-9.]*/\"execution_medians_ns\":[12/" 'cases[4].derived.execution_medians_ns is [12,'
edit "$(row gemm.f32.256)s/\"n\":40/\"n\":50/" 'cases[4].derived.n is 50 but the samples give 40'
edit "$(row gemm.f32.256)s/\"counted\":40/\"counted\":39/" 'cases[4].derived.counted is 39 but the samples give 40'
edit "$(row gemm.f32.256)s/\"class\":\"[a-z]*\"/\"class\":\"slowdown\"/" 'cases[4].derived.series'
edit "$(row launch.round-trip)s/\"each_ns\":[0-9.]*/\"each_ns\":12/" 'cases[6].derived.each_ns is 12'
edit "$(row gemm.f32.256)s/\"status\":\"valid\"/\"status\":\"invalid\"/" 'cases[4].'
edit "$(row gemm.f32.256)s/\"passed\":true/\"passed\":false/" 'cases[4] (gemm.f32.256) does not have the digest'
edit "$(row gemm.f32.256)s/\"amount\":33554432/\"amount\":33554433/" 'cases[4].work is'
edit "$(row gemm.f32.256)s/\"m\":\"256\"/\"m\":\"512\"/" 'cases[4].parameters is'
edit "$(row gemm.f32.256)d" ''
edit '/^"protocol"/s/"text":"\[protocol\]/"text":"[protocol] /' 'protocol does not have the digest'
malformed '/^"protocol"/s/"digest":"./"digest":"z/' 'protocol.digest is not a SHA-256'
edit '/^"protocol"/s/"digest":"[0-9a-f]\{8\}/"digest":"00000000/' 'protocol.digest is "00000000'
edit '/^"protocol"/s/"seed":42/"seed":43/' 'protocol.digest is'
edit '/^"protocol"/s/"margin":0.01[0-9]*/"margin":0.5/' 'protocol.digest is'
edit '/^"protocol"/s/"deviations":\[\]/"deviations":["none to speak of"]/' 'protocol does not have the digest'
edit '/^"executor"/s/"simulated":false/"simulated":true/' 'executor does not have the digest'
edit '/^"executor"/s/12\.2\.0/13.2.0/' 'executor does not have the digest'
edit '/^"who"/s/"verified":false/"verified":true/' 'who does not have the digest'
edit '/^"harness"/s/"commit":"0/"commit":"1/' 'harness does not have the digest'
edit '/^"run"/s/"started":"2026/"started":"2027/' 'run does not have the digest'
edit '/^"instruments"/s/"launch_ns":4000/"launch_ns":4/' 'instruments does not have the digest'
edit '/^"digests"/s/"who":"./"who":"0/' 'who does not have the digest'
edit 's/^"status": "complete"/"status": "incomplete"/' 'digest is'
edit '/^"digest"/s/"digest": "[0-9a-f]\{8\}/"digest": "00000000/' 'digest is "00000000'
malformed 's/^"format_version": 1/"format_version": 2/;s/"format_version": 1/"format_version": 2/' 'format_version is not 1'

echo "1..$n"
exit $bad
