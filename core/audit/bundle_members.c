/* SPDX-License-Identifier: Apache-2.0 */
/* What a bundle may hold.  Writer and reader add members by one function, so what is written is
 * accepted. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "audit/bundle.h"
#include "base/digest.h"
#include "base/limits.h"
#include "base/text.h"

enum { FIRST_SLOTS = 64 };
static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._@+-";

/* ---- names ----------------------------------------------------------------------------------- */

/* The kinds of members: each is in a folder of its own, but those of the manifest. */
static const struct { const char *folder, *suffix; } kinds[] = {
	{ "results/", ".json" }, { "results/", ".json.sig" }, { "results/", ".json.amendments" },
	{ "protocols/", ".ini" }, { "kernels/", ".k" },
};
static const char *const singles[] = {
	BUNDLE_MANIFEST, BUNDLE_MANIFEST ".sig", "kernels/dialect.h", "journal/run.journal",
};

/* A name that stays within its folder on every system. */
static bool is_name(const char *name)
{
	return name[0] != '\0' && name[0] != '.' && strlen(name) <= BUNDLE_NAME_MOST &&
	       name[strspn(name, letters)] == '\0';
}

static bool ends_with(const char *name, const char *suffix)
{
	size_t size = strlen(name), end = strlen(suffix);

	return size > end && strcmp(name + size - end, suffix) == 0;
}

static bool name_ok(const char *name)
{
	bool known = false;

	for (size_t i = 0; i < sizeof(singles) / sizeof(*singles); i++)
		if (strcmp(name, singles[i]) == 0)
			return true;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds) && !known; i++) {
		size_t size = strlen(kinds[i].folder);

		known = strncmp(name, kinds[i].folder, size) == 0 && is_name(name + size) &&
		        ends_with(name + size, kinds[i].suffix);
	}
	return known;
}

char *bundle_file_name(const char *path, const char *suffix)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash != NULL ? slash + 1 : path;
	size_t stem = strlen(base) - (ends_with(base, suffix) ? strlen(suffix) : 0);
	char *name = memory_format("%.*s%s", (int)(stem < BUNDLE_STEM_MOST ? stem : BUNDLE_STEM_MOST), base,
	                           suffix);

	for (char *c = name; *c != '\0'; c++)
		if (strchr(letters, *c) == NULL || (c == name && *c == '.'))
			*c = '_';
	return name;
}

/* ---- members by name ------------------------------------------------------------------------- */

/* The same for names that differ in the case of letters only.  By SHA-256, so that nobody makes names
 * that all have the same. */
static size_t hash(const char *name)
{
	char *lower = memory_text(name), hex[65];

	for (char *c = lower; *c != '\0'; c++)
		*c = (char)(*c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : *c);
	digest_bytes(lower, strlen(lower), hex);
	free(lower);
	hex[15] = '\0';
	return (size_t)strtoull(hex, NULL, 16);
}

static void index_one(bundle *b, size_t member)
{
	size_t at = b->members[member].hash % b->slot_count;

	while (b->slots[at] != 0)
		at = (at + 1) % b->slot_count;
	b->slots[at] = member + 1;
}

void bundle_index(bundle *b)
{
	size_t wanted = FIRST_SLOTS;

	while (wanted < 2 * (b->count + 1))
		wanted *= 2;
	free(b->slots);
	b->slots = memory_get(wanted * sizeof(*b->slots));
	b->slot_count = wanted;
	for (size_t i = 0; i < b->count; i++)
		index_one(b, i);
}

static const bundle_member *find_hashed(const bundle *b, const char *name, size_t hashed)
{
	size_t at = b->slot_count > 0 ? hashed % b->slot_count : 0;

	for (; b->slot_count > 0 && b->slots[at] != 0; at = (at + 1) % b->slot_count)
		if (strcasecmp(b->members[b->slots[at] - 1].name, name) == 0)
			return &b->members[b->slots[at] - 1];
	return NULL;
}

const bundle_member *bundle_find_like(const bundle *b, const char *name)
{
	return find_hashed(b, name, hash(name));
}

const bundle_member *bundle_find(const bundle *b, const char *name)
{
	const bundle_member *like = bundle_find_like(b, name);

	return like != NULL && strcmp(like->name, name) == 0 ? like : NULL;
}

static bool is_result(const char *name)
{
	return strncmp(name, "results/", 8) == 0 && ends_with(name, ".json");
}

bool bundle_is_result(const bundle_member *m)
{
	return is_result(m->name);
}

bool bundle_is_text(const char *name)
{
	return !is_result(name) && strncmp(name, "journal/", 8) != 0;
}

/* ---- adding ---------------------------------------------------------------------------------- */

static eh_status check_text(const bundle *b, const char *path, const char *name, size_t size, eh_error *error)
{
	if (strncmp(name, "kernels/", 8) == 0 && size > LIMIT_KERNEL)
		return error_set(error, EH_E_NO_MEMORY, "%s: %s has more than %zu MiB, which no kernel text needs",
		                 path, name, LIMIT_KERNEL / LIMIT_MIB);
	if (bundle_is_text(name) && size > LIMIT_MEMBERS - b->texts)
		return error_set(error, EH_E_NO_MEMORY, "%s: %s and the members before it that are no results "
		                 "have more than %zu MiB, which no bundle needs", path, name,
		                 LIMIT_MEMBERS / LIMIT_MIB);
	return EH_OK;
}

static eh_status check(const bundle *b, const char *path, const char *name, size_t hashed, uint64_t size,
                       eh_error *error)
{
	const bundle_member *like;

	if (!name_ok(name))
		return error_set(error, EH_E_FORMAT, "%s: this member's name is not allowed in a bundle: "
		                 "\"%.60s\"", path, name);
	like = find_hashed(b, name, hashed);
	if (like != NULL && strcmp(like->name, name) == 0)
		return error_set(error, EH_E_FORMAT, "%s: %s is there twice", path, name);
	if (like != NULL)
		return error_set(error, EH_E_FORMAT, "%s: %s and %s differ only in the case of letters",
		                 path, like->name, name);
	if (b->count == BUNDLE_MEMBERS_MOST)
		return error_set(error, EH_E_FORMAT, "%s: more than %d members", path, BUNDLE_MEMBERS_MOST);
	if (size > LIMIT_FILE - b->total)
		return error_set(error, EH_E_NO_MEMORY, "%s: more than %zu GiB unpacked", path,
		                 LIMIT_FILE / LIMIT_GIB);
	return check_text(b, path, name, (size_t)size, error);
}

eh_status bundle_add(bundle *b, const char *path, const char *name, uint64_t size, bundle_member **out,
                     eh_error *error)
{
	size_t hashed = hash(name);
	eh_status status = check(b, path, name, hashed, size, error);

	if (status != EH_OK)
		return status;
	/* There is room for the next power of two. */
	if ((b->count & (b->count - 1)) == 0)
		b->members = memory_grow(b->members, (b->count > 0 ? 2 * b->count : 1) * sizeof(*b->members));
	*out = &b->members[b->count++];
	**out = (bundle_member){ .name = memory_text(name), .hash = hashed };
	b->total += (size_t)size;
	b->texts += bundle_is_text(name) ? (size_t)size : 0;
	if (2 * (b->count + 1) > b->slot_count)
		bundle_index(b);
	else
		index_one(b, b->count - 1);
	return EH_OK;
}

/* A signature or amendments of a result that is not there would become those of another. */
eh_status bundle_check_beside(const bundle *b, const char *path, eh_error *error)
{
	for (size_t i = 0; i < b->count; i++) {
		const char *name = b->members[i].name, *dot = strrchr(name, '.');
		bool beside = strcmp(dot, ".sig") == 0 || strcmp(dot, ".amendments") == 0;
		char *of = memory_format("%.*s", (int)(dot - name), name);
		bool there = !beside || bundle_find(b, of) != NULL;

		free(of);
		if (!there)
			return error_set(error, EH_E_FORMAT, "%s: %s is beside no member that it could belong to",
			                 path, name);
	}
	return EH_OK;
}

void bundle_free(bundle *b)
{
	for (size_t i = 0; i < b->count; i++) {
		free(b->members[i].name);
		free(b->members[i].data);
	}
	free(b->members);
	free(b->slots);
	spill_close(&b->large);
	memset(b, 0, sizeof(*b));
}
