/* SPDX-License-Identifier: Apache-2.0 */
#include "lz_compilers.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shared/failure.h"
#include "shared/subprocess.h"
#include "shared/wording.h"

enum { VERSION_MS = 10000 };

/* Work-items in regions, OpenCL C 1.2.  The passes are left to the driver's compiler, as Intel's
 * own front end does: some of clang's output has no form in SPIR-V 1.0.  No contraction here,
 * because it would become a `mad` of any precision; the driver may still contract. */
#define CLANG_FLAGS "-cl-std=CL1.2 -target spir64 -Xclang -finclude-default-header " \
	"-ffp-contract=off -O1 -Xclang -disable-llvm-passes"
#define OCLOC_FLAGS "-cl-std=CL1.2"

eh_status lz_compilers_start(lz_compilers *c, const eh_host *host, eh_error *error)
{
	static const char *const words[] = { "auto", "prebuilt", "ocloc", "clang" };
	const char *wanted = host->option(host->ctx, "compiler");

	c->host = host;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (wanted == NULL || strcmp(wanted, words[i]) == 0) {
			c->wanted = (lz_way)i;
			return EH_OK;
		}
	return failure_set(error, EH_E_INVALID_ARGUMENT, "start",
	                   "levelzero.compiler is %.40s, and it can be auto, prebuilt, ocloc or clang.",
	                   wanted);
}

/* The program that a setting names, or the first of that name in PATH. */
static bool find_program(const lz_compilers *c, const char *setting, const char *name,
                         char path[PATH_MAX])
{
	const char *chosen = c->host->option(c->host->ctx, setting);
	const char *rest = getenv("PATH");

	if (chosen != NULL) {
		snprintf(path, PATH_MAX, "%s", chosen);
		return access(path, X_OK) == 0;
	}
	while (rest != NULL && *rest != '\0') {
		const size_t length = strcspn(rest, ":");

		if (length > 0 && rest[0] == '/' &&
		    snprintf(path, PATH_MAX, "%.*s/%s", (int)length, rest, name) < PATH_MAX &&
		    access(path, X_OK) == 0)
			return true;
		rest += length + (rest[length] == ':');
	}
	return false;
}

/* The first line with a digit in the output of a program; false when it does not run. */
static bool ask_version(const char *path, const char *argument, char *version, size_t size)
{
	const char *const argv[] = { path, argument, NULL };
	subprocess p, *list[] = { &p };
	bool ran;

	subprocess_start(&p, argv, -1, NULL, 0);
	subprocess_wait(list, 1, VERSION_MS);
	ran = subprocess_succeeded(&p);
	version[0] = '\0';
	for (const char *line = p.text; ran && line != NULL && *line != '\0';) {
		const size_t length = strcspn(line, "\n");

		if (strcspn(line, "0123456789") < length) {
			snprintf(version, size, "%.*s", (int)length, line);
			wording_tidy(version);
			break;
		}
		line += length + (line[length] == '\n');
	}
	subprocess_free(&p);
	return ran;
}

static bool search_ocloc(lz_compilers *c)
{
	lz_maker *m = &c->runtime;

	if (!find_program(c, "ocloc", "ocloc", m->path) ||
	    !ask_version(m->path, "--version", m->version, sizeof(m->version)))
		return false;
	m->way = LZ_OCLOC;
	snprintf(m->compiler, sizeof(m->compiler), "ocloc");
	snprintf(m->flags, sizeof(m->flags), "%s", OCLOC_FLAGS);
	return true;
}

#define TRANSLATOR "llvm-spirv"

/* The greatest N below `below` for which PATH has llvm-spirv-N, 0 when there is none. */
static unsigned long next_translator(unsigned long below)
{
	static const char stem[] = TRANSLATOR "-";
	const char *rest = getenv("PATH");
	unsigned long best = 0;

	while (rest != NULL && *rest != '\0') {
		const size_t length = strcspn(rest, ":");
		char folder[PATH_MAX];
		const struct dirent *entry;
		DIR *dir = NULL;

		if (rest[0] == '/' &&
		    snprintf(folder, sizeof(folder), "%.*s", (int)length, rest) < PATH_MAX)
			dir = opendir(folder);
		while (dir != NULL && (entry = readdir(dir)) != NULL) {
			const char *digits = entry->d_name + sizeof(stem) - 1;
			unsigned long n;

			if (strncmp(entry->d_name, stem, sizeof(stem) - 1) != 0 || *digits == '\0' ||
			    strspn(digits, "0123456789") != strlen(digits))
				continue;
			n = strtoul(digits, NULL, 10);
			if (n < below && n > best)
				best = n;
		}
		if (dir != NULL)
			(void)closedir(dir);
		rest += length + (rest[length] == ':');
	}
	return best;
}

/* The number after `words` in a program's version text, 0 when there is none. */
static unsigned long major_of(const char *version, const char *words)
{
	const char *at = strstr(version, words);

	return at != NULL ? strtoul(at + strlen(words), NULL, 10) : 0;
}

/* The translator of that name with the clang of the same LLVM, because it refuses the bitcode of
 * another LLVM.  A program that a setting names is taken as it is. */
static bool search_pair(lz_compilers *c, const char *translator)
{
	const bool chosen = c->host->option(c->host->ctx, "clang") != NULL;
	lz_maker *m = &c->runtime;
	char numbered[48];
	unsigned long llvm;

	if (!find_program(c, TRANSLATOR, translator, m->translator_path) ||
	    !ask_version(m->translator_path, "--version", m->translator, sizeof(m->translator)))
		return false;
	llvm = major_of(m->translator, "LLVM version ");
	snprintf(numbered, sizeof(numbered), "clang-%lu", llvm);
	for (int plain = 0; plain < 2; plain++)
		if (find_program(c, "clang", plain != 0 ? "clang" : numbered, m->path) &&
		    ask_version(m->path, "--version", m->version, sizeof(m->version)) &&
		    (chosen || major_of(m->version, "clang version ") == llvm))
			return true;
	return false;
}

static bool search_clang(lz_compilers *c)
{
	lz_maker *m = &c->runtime;
	bool found = false;

	for (unsigned long n = next_translator(ULONG_MAX); n > 0 && !found; n = next_translator(n)) {
		char translator[48];

		snprintf(translator, sizeof(translator), TRANSLATOR "-%lu", n);
		found = search_pair(c, translator);
	}
	if (!found && !search_pair(c, TRANSLATOR))
		return false;
	m->way = LZ_CLANG;
	snprintf(m->compiler, sizeof(m->compiler), "clang + llvm-spirv");
	snprintf(m->flags, sizeof(m->flags), "%s", CLANG_FLAGS);
	return true;
}

static void take_value(const char *line, const char *key, char *out, size_t size)
{
	const size_t n = strlen(key);

	if (strncmp(line, key, n) == 0 && line[n] == '=')
		snprintf(out, size, "%.*s", (int)strcspn(line + n + 1, "\n"), line + n + 1);
}

/* The build's note beside the kernels it compiled. */
static void search_prebuilt(lz_compilers *c)
{
	const char *library = c->host->option(c->host->ctx, "library-dir");
	lz_maker *m = &c->prebuilt;
	char path[PATH_MAX], line[1024];
	FILE *f;

	if (library == NULL ||
	    snprintf(m->path, sizeof(m->path), "%s/spirv", library) >= (int)sizeof(m->path) ||
	    snprintf(path, sizeof(path), "%s/spirv/compiler", library) >= (int)sizeof(path))
		return;
	f = fopen(path, "re");
	if (f == NULL)
		return;
	while (fgets(line, sizeof(line), f) != NULL) {
		take_value(line, "version", m->version, sizeof(m->version));
		take_value(line, "translator", m->translator, sizeof(m->translator));
		take_value(line, "flags", m->flags, sizeof(m->flags));
	}
	(void)fclose(f);
	if (m->version[0] == '\0')
		return;
	m->way = LZ_PREBUILT;
	snprintf(m->compiler, sizeof(m->compiler), "clang + llvm-spirv, when built");
}

void lz_compilers_search(lz_compilers *c)
{
	if (c->searched)
		return;
	c->searched = true;
	if (c->wanted == LZ_ANY || c->wanted == LZ_PREBUILT)
		search_prebuilt(c);
	if ((c->wanted == LZ_ANY || c->wanted == LZ_OCLOC) && search_ocloc(c))
		return;
	memset(&c->runtime, 0, sizeof(c->runtime));
	if ((c->wanted == LZ_ANY || c->wanted == LZ_CLANG) && search_clang(c))
		return;
	memset(&c->runtime, 0, sizeof(c->runtime));
}
