/* SPDX-License-Identifier: Apache-2.0 */
/* What reading a file may cost.  Files come from anybody, so everything that grows with them has a
 * bound.  A file beyond one of these is refused with a sentence and exit code 5; docs/result-format.md
 * lists them for people who write files. */
#ifndef BASE_LIMITS_H
#define BASE_LIMITS_H

#include <stddef.h>

#define LIMIT_MIB ((size_t)1 << 20)
#define LIMIT_GIB ((size_t)1 << 30)

/* A file, or a bundle unpacked: results are at most a few hundred MB, those of 10,000 cases with 1,000
 * samples each. */
#define LIMIT_FILE LIMIT_GIB
/* A result without its cases.  A plan has about 1 KB a case. */
#define LIMIT_HEAD (160 * LIMIT_MIB)
/* A line of a journal: the plan, which is in the head of a result, is the longest. */
#define LIMIT_LINE LIMIT_HEAD
/* What its structs may take.  A plan of 100,000 cases takes 107 MiB. */
#define LIMIT_HEAD_MEMORY (128 * LIMIT_MIB)
/* One case: 5 executions of 1,000,000 samples by two clocks. */
#define LIMIT_ROW (128 * LIMIT_MIB)
/* What its structs may take; they are the larger part of what a case takes while it is checked. */
#define LIMIT_ROW_MEMORY (160 * LIMIT_MIB)
/* Samples of one case: those of 5 executions of 1,000,000, each of which takes about 65 bytes. */
#define LIMIT_SAMPLES ((size_t)5000000)
/* The text of the cases that are read side by side; a larger one is read alone. */
#define LIMIT_BATCH (4 * LIMIT_MIB)
/* The text of a result whose rows are kept in memory; the numbers of a larger one are in a temporary
 * file. */
#define LIMIT_KEPT (8 * LIMIT_MIB)
/* Layers of a stack.  A stack has about 50, and each execution is held against all of them. */
#define LIMIT_LAYERS 1000
/* Fields of a layer.  A layer has about 20, the memory of a host two for each NUMA node, and each is
 * looked for among those of the layer that it is compared with. */
#define LIMIT_FIELDS 1000
/* A text within a record or a line.  The longest is that of a protocol, of at most 1 MiB. */
#define LIMIT_TEXT (4 * LIMIT_MIB)
/* A journal, which has the results of all executors of a run. */
#define LIMIT_JOURNAL (16 * LIMIT_FILE)
/* Cases: a hundred times those that a protocol can declare. */
#define LIMIT_ROWS ((size_t)1000000)
/* Executions of all cases together: four times those of 10,000 cases with 100, the most that a protocol
 * can ask for. */
#define LIMIT_EXECUTIONS ((size_t)4000000)
/* The signatures of a result, or its amendments: a signature has 700 bytes, a redacted member 1 KB. */
#define LIMIT_BESIDE (4 * LIMIT_MIB)
/* Signatures of one file.  Checking one takes 0.2 ms. */
#define LIMIT_SIGNATURES ((size_t)1000)
/* Agreements to the protocol of a run: a team has one. */
#define LIMIT_AGREEMENTS ((size_t)64)
/* The files beside a redacted result that are searched for its text, together: a few seconds of ASCII,
 * a dozen of anything else. */
#define LIMIT_SEARCHED LIMIT_GIB
/* The members of a bundle that are neither results nor its journal, together: texts of a few KB each. */
#define LIMIT_MEMBERS (64 * LIMIT_MIB)
/* The results and the journal of a bundle that are in memory, together.  The others are in a temporary file. */
#define LIMIT_MEMBER_MEMORY (2 * LIMIT_MIB)
/* A kernel text of a bundle: the longest are 40 KB. */
#define LIMIT_KERNEL LIMIT_MIB
/* Beyond LIMIT_FILE, how many times its size a bundle's kernel texts are hashed: once for each case, about 10. */
#define LIMIT_HASHED 100
/* How many times its size a bundle may unpack to, beyond the first bytes.  Results unpack to about 10
 * times, and gzip can do 1,000. */
#define LIMIT_RATIO 200
#define LIMIT_BLOWN_UP (64 * LIMIT_MIB)
/* A text with an error in its brackets is read as a whole to tell the error's place. */
#define LIMIT_EXPLAINED (32 * LIMIT_MIB)
/* Findings that are listed.  Nobody reads more. */
#define LIMIT_FINDINGS ((size_t)10000)

#endif
