/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/grouping.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"

typedef struct grouping {
	stack_difference *d;
	size_t *parent;          /* union-find over the changes                                  */
	const cJSON *a, *b;      /* the records                                                  */
} grouping;

static size_t root_of(const grouping *g, size_t i)
{
	while (g->parent[i] != i)
		i = g->parent[i];
	return i;
}

/* The smaller number leads. */
static void join(const grouping *g, size_t i, size_t k)
{
	i = root_of(g, i);
	k = root_of(g, k);
	if (i < k)
		g->parent[k] = i;
	else
		g->parent[i] = k;
}

static const cJSON *either(const stack_change *c)
{
	return c->to != NULL ? c->to : c->from;
}

static bool of_kind(const stack_change *c, const char *kinds)
{
	const char *kind = json_string(either(c), "layer", "");
	const char *at = strstr(kinds, kind);

	return at != NULL && kind[0] != '\0' && (at == kinds || at[-1] == '|') &&
	       (at[strlen(kind)] == '|' || at[strlen(kind)] == '\0');
}

static bool same_text(const cJSON *x, const cJSON *y, const char *key)
{
	const char *s = json_string(x, key, "");

	return s[0] != '\0' && strcmp(s, json_string(y, key, "")) == 0;
}

static bool same_file(const cJSON *x, const cJSON *y)
{
	return x != NULL && y != NULL && (same_text(x, y, "sha256") || same_text(x, y, "path"));
}

/* ---- what belongs together ------------------------------------------------------------------- */

static bool one_file(const stack_change *x, const stack_change *y)
{
	return same_file(x->from, y->from) || same_file(x->to, y->to);
}

/* Parts that one team released together: the same two versions of the same owner. */
static bool one_release(const stack_change *x, const stack_change *y)
{
	static const char kinds[] = "firmware|driver|runtime|compiler|library";

	return of_kind(x, kinds) && of_kind(y, kinds) && x->owner[0] != '\0' &&
	       strcmp(x->owner, y->owner) == 0 && x->from != NULL && y->from != NULL &&
	       x->to != NULL && y->to != NULL && same_text(x->from, y->from, "version") &&
	       same_text(x->to, y->to, "version");
}

/* Files of one owner that were exchanged, with the layer they are of. */
static bool one_package(const stack_change *x, const stack_change *y)
{
	static const char files[] = "mapped-object|library";

	return x->owner[0] != '\0' && strcmp(x->owner, y->owner) == 0 && of_kind(x, files) &&
	       of_kind(y, files);
}

static bool one_machine(const stack_change *x, const stack_change *y)
{
	return of_kind(x, "hardware|interconnect") && of_kind(y, "hardware|interconnect|firmware");
}

/* The program, its plugins and its workloads come from one build. */
static bool one_build(const stack_change *x, const stack_change *y)
{
	const char *role = json_string(json_path(either(y), "fields.role"), "value", "");

	return of_kind(x, "harness") && (of_kind(y, "harness") || strcmp(role, "workload") == 0);
}

/* ---- another programming interface ------------------------------------------------------------ */

static const char *interface_size(const cJSON *record, size_t *size)
{
	const char *name = json_string(record, "name", "");

	*size = strcspn(name, ":");
	return name;
}

static bool interface_swapped(const cJSON *a, const cJSON *b)
{
	size_t x, y;
	const char *s = interface_size(a, &x), *t = interface_size(b, &y);

	return x != y || strncmp(s, t, x) != 0;
}

/* "15.0.6" after "LLVM ", or as the version of clang: what generates the code; malloc'd or NULL. */
static char *generator_in(const char *s)
{
	const char *at = strstr(s, "LLVM ");
	size_t size = at != NULL ? strspn(at + 5, "0123456789.") : 0;

	return size > 0 ? memory_format("LLVM %.*s", (int)size, at + 5) : NULL;
}

static char *generator_of(const cJSON *record, const cJSON *layer)
{
	const char *name = json_string(layer, "name", ""), *version = json_string(layer, "version", "");
	char *found;

	if (strncmp(name, "clang", 5) == 0)
		return memory_format("LLVM %.*s", (int)strspn(version, "0123456789."), version);
	found = generator_in(version);
	if (found == NULL)
		found = generator_in(json_string(json_path(record, "device"), "name", ""));
	return found;
}

static bool same_generator(const grouping *g, const stack_change *c)
{
	char *x = c->from != NULL ? generator_of(g->a, c->from) : NULL;
	char *y = c->to != NULL ? generator_of(g->b, c->to) : NULL;
	bool same = x != NULL && y != NULL && strcmp(x, y) == 0;

	free(y);
	free(x);
	return same;
}

/* Under another interface nothing below can stay what it was, except what generates the code. */
static void join_stack(const grouping *g)
{
	size_t first = g->d->change_count;

	for (size_t i = 0; i < g->d->change_count; i++) {
		const stack_change *c = &g->d->changes[i];
		bool below = of_kind(c, "driver|runtime|library") ||
		             (of_kind(c, "harness") &&
		              strncmp(json_string(either(c), "name", ""), "backend ", 8) == 0) ||
		             (of_kind(c, "compiler") && same_generator(g, c));

		if (!below)
			continue;
		if (first == g->d->change_count)
			first = i;
		join(g, first, i);
	}
}

/* A compiler that is exchanged with the interface is a change of its own, in whatever file. */
static bool apart(const grouping *g, const stack_change *c, bool swapped)
{
	return swapped && of_kind(c, "compiler") && !same_generator(g, c);
}

static void join_all(const grouping *g)
{
	const stack_difference *d = g->d;
	bool swapped = interface_swapped(g->a, g->b);

	for (size_t i = 0; i < d->change_count; i++)
		for (size_t k = 0; k < d->change_count; k++) {
			const stack_change *x = &d->changes[i], *y = &d->changes[k];

			if (i == k || apart(g, x, swapped) || apart(g, y, swapped))
				continue;
			if (one_file(x, y) || one_release(x, y) || one_package(x, y) || one_machine(x, y) ||
			    (!swapped && one_build(x, y)))
				join(g, i, k);
		}
	if (swapped)
		join_stack(g);
}

/* ---- followers ------------------------------------------------------------------------------- */

static bool one_sided_file(const stack_change *c)
{
	return of_kind(c, "mapped-object") && (c->from == NULL || c->to == NULL);
}

/* What another layer loads or no longer loads is no change of its own, if there is another. */
static void drop_followers(stack_difference *d)
{
	size_t kept = 0, leaders = 0;

	for (size_t i = 0; i < d->change_count; i++)
		leaders += !one_sided_file(&d->changes[i]);
	if (leaders == 0)
		return;
	for (size_t i = 0; i < d->change_count; i++) {
		if (!one_sided_file(&d->changes[i])) {
			d->changes[kept++] = d->changes[i];
			continue;
		}
		free(d->changes[i].what);
		free(d->changes[i].fields);
		d->followers++;
	}
	d->change_count = kept;
}

/* ---- the groups ------------------------------------------------------------------------------ */

/* The layer that people name when they speak of the group. */
static int rank(const stack_change *c)
{
	static const char *const order[] = { "driver", "runtime", "compiler", "hardware", "firmware",
	                                     "library", "interconnect", "harness",
	                                     "operating-system", "host", "site", "mapped-object" };
	int at = 0;

	while (at < 12 && !of_kind(c, order[at]))
		at++;
	/* Our own thread pool leads nothing that a vendor's runtime stands against. */
	return c->to == NULL ? at + 20 : at;
}

static void finish_group(const grouping *g, stack_group *group, size_t number, size_t root)
{
	const stack_change *lead = NULL;

	for (size_t i = 0; i < g->d->change_count; i++) {
		stack_change *c = &g->d->changes[i];

		if (root_of(g, i) != root)
			continue;
		c->group = number;
		group->changes++;
		if (lead == NULL || rank(c) < rank(lead))
			lead = c;
	}
	if (lead == NULL)
		return;
	group->layer = json_string(either(lead), "layer", "");
	group->owner = lead->owner;
	group->title = memory_text(lead->what);
}

/* "everything below the interface: host -> opencl (runtime ...)" */
static void name_stack(const grouping *g)
{
	size_t x, y;
	const char *s = interface_size(g->a, &x), *t = interface_size(g->b, &y);

	for (size_t i = 0; i < g->d->change_count; i++) {
		stack_group *group = &g->d->groups[g->d->changes[i].group];
		char *title;

		if (strncmp(json_string(either(&g->d->changes[i]), "name", ""), "backend ", 8) != 0 ||
		    !of_kind(&g->d->changes[i], "harness"))
			continue;
		title = memory_format("programming interface %.*s -> %.*s with all below it (%s)",
		                      (int)x, s, (int)y, t, group->title);
		free(group->title);
		group->title = title;
		return;
	}
}

void grouping_make(stack_difference *d, const cJSON *a, const cJSON *b)
{
	grouping g = { .d = d, .a = a, .b = b };

	drop_followers(d);
	g.parent = memory_get((d->change_count + 1) * sizeof(*g.parent));
	for (size_t i = 0; i < d->change_count; i++)
		g.parent[i] = i;
	join_all(&g);
	d->groups = memory_get((d->change_count + 1) * sizeof(*d->groups));
	for (size_t i = 0; i < d->change_count; i++)
		if (root_of(&g, i) == i) {
			finish_group(&g, &d->groups[d->group_count], d->group_count, i);
			d->group_count++;
		}
	if (interface_swapped(a, b))
		name_stack(&g);
	free(g.parent);
}
