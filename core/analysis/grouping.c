/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/grouping.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/stacks.h"
#include "base/text.h"
#include "record/setting.h"

/* A set of kinds of layers. */
#define KIND(name) (1U << RECORD_LAYER_##name)

static const record_layer *either(const grouping_change *c)
{
	return c->to != NULL ? c->to : c->from;
}

static bool of_kind(const grouping_change *c, unsigned int kinds)
{
	return (kinds >> c->words.layer & 1) != 0;
}

/* ---- what belongs together ------------------------------------------------------------------- */

static bool same_text(const char *x, const char *y)
{
	return x != NULL && y != NULL && x[0] != '\0' && strcmp(x, y) == 0;
}

static bool same_maker(const grouping_change *x, const grouping_change *y)
{
	return same_text(x->words.maker, y->words.maker);
}

static bool same_file(const record_layer *x, const record_layer *y)
{
	return x != NULL && y != NULL &&
	       (same_text(x->sha256, y->sha256) || same_text(x->path, y->path));
}

static bool one_file(const grouping_change *x, const grouping_change *y)
{
	return same_file(x->from, y->from) || same_file(x->to, y->to);
}

/* Parts that were released together: the same two versions of the same maker. */
static bool one_release(const grouping_change *x, const grouping_change *y)
{
	const unsigned int kinds = KIND(FIRMWARE) | KIND(DRIVER) | KIND(RUNTIME) | KIND(COMPILER) |
	                           KIND(LIBRARY);

	return of_kind(x, kinds) && of_kind(y, kinds) && same_maker(x, y) &&
	       x->words.kind == STACK_CHANGED && y->words.kind == STACK_CHANGED &&
	       same_text(x->from->version, y->from->version) &&
	       same_text(x->to->version, y->to->version);
}

/* Files of one maker. */
static bool one_package(const grouping_change *x, const grouping_change *y)
{
	const unsigned int files = KIND(MAPPED_OBJECT) | KIND(LIBRARY);

	return of_kind(x, files) && of_kind(y, files) && same_maker(x, y);
}

/* What was bought comes with its hardware. */
static bool one_machine(const grouping_change *x, const grouping_change *y)
{
	return of_kind(x, KIND(HARDWARE) | KIND(INTERCONNECT)) &&
	       of_kind(y, KIND(HARDWARE) | KIND(INTERCONNECT) | KIND(FIRMWARE) | KIND(PROCUREMENT));
}

/* Whether all fields of x, but the kernel and who picked it, are the same in y. */
static bool same_but_kernel(const record_layer *x, const record_layer *y)
{
	for (size_t i = 0; i < x->fields.count; i++) {
		const record_field *f = &x->fields.items[i], *other = record_layer_field(y, f->name);

		if (strcmp(f->name, "kernel") != 0 && strcmp(f->name, "picked") != 0 &&
		    (other == NULL || !scalar_same(&f->value, &other->value)))
			return false;
	}
	return true;
}

static bool is_of_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Whether the field `picked` of a library's layer, "openblas_get_corename (OPENBLAS_CORETYPE)", has
 * the name as a word. */
static bool picked_by(const record_layer *library, const char *name)
{
	const char *picked = stacks_field_text(library, "picked"), *at = picked;
	size_t size = strlen(name);

	while (size > 0 && (at = strstr(at, name)) != NULL) {
		if ((at == picked || !is_of_name(at[-1])) && !is_of_name(at[size]))
			return true;
		at += size;
	}
	return false;
}

/* A setting, and another kernel of the same file of a library, which says that the setting decided; a
 * library that differs in more than that is a change of its own. */
static bool one_choice(const grouping_change *setting, const grouping_change *library)
{
	return of_kind(setting, KIND(CONFIGURATION)) && of_kind(library, KIND(LIBRARY)) &&
	       library->words.kind == STACK_CHANGED && same_text(library->from->sha256, library->to->sha256) &&
	       same_but_kernel(library->from, library->to) &&
	       same_but_kernel(library->to, library->from) &&
	       (picked_by(library->from, either(setting)->name) ||
	        picked_by(library->to, either(setting)->name));
}

/* Files for all users that a package brings: the settings of its objects. */
static bool one_installation(const grouping_change *x, const grouping_change *y)
{
	const unsigned int files = KIND(MAPPED_OBJECT) | KIND(LIBRARY) | KIND(DRIVER) |
	                           KIND(RUNTIME) | KIND(COMPILER);

	return of_kind(x, files) && of_kind(y, KIND(CONFIGURATION)) && same_maker(x, y) &&
	       strncmp(either(y)->name, "/usr/share/", 11) == 0;
}

/* A variable that the worker was not started with. */
static bool is_made(const grouping_change *c)
{
	return of_kind(c, KIND(CONFIGURATION)) &&
	       stacks_field_text(either(c), "set-by")[0] != '\0';
}

/* The program, its plugins and its workloads come from one build, and it sets variables. */
static bool one_build(const grouping_change *x, const grouping_change *y)
{
	return of_kind(x, KIND(HARNESS)) &&
	       (of_kind(y, KIND(HARNESS)) ||
	        strcmp(stacks_field_text(either(y), "role"), "workload") == 0 ||
	        is_made(y));
}

/* ---- another programming interface ----------------------------------------------------------- */

/* Its length at the start of the executor's name. */
static int interface_size(const record_executor *e)
{
	return (int)strcspn(e->name, ":");
}

static bool interface_differs(const grouping *g)
{
	int size = interface_size(g->a);

	return size != interface_size(g->b) || strncmp(g->a->name, g->b->name, (size_t)size) != 0;
}

/* malloc'd "LLVM 15.0.6" where the text has it; else NULL. */
static char *generator_in(const char *s)
{
	const char *at = strstr(s, "LLVM ");
	size_t size = at != NULL ? strspn(at + 5, "0123456789.") : 0;

	return size > 0 ? memory_format("LLVM %.*s", (int)size, at + 5) : NULL;
}

/* malloc'd: what generates the code of a compiler; NULL where it is not known. */
static char *generator_of(const record_executor *e, const record_layer *compiler)
{
	const char *version = text_or_empty(compiler->version);
	char *found;

	if (strncmp(compiler->name, "clang", 5) == 0)
		return memory_format("LLVM %.*s", (int)strspn(version, "0123456789."), version);
	found = generator_in(version);
	return found != NULL ? found : generator_in(text_or_empty(e->device.name));
}

static bool same_generator(const grouping *g, const grouping_change *c)
{
	char *x = c->from != NULL ? generator_of(g->a, c->from) : NULL;
	char *y = c->to != NULL ? generator_of(g->b, c->to) : NULL;
	bool same = same_text(x, y);

	free(y);
	free(x);
	return same;
}

static bool is_backend(const grouping_change *c)
{
	return of_kind(c, KIND(HARNESS)) && strncmp(either(c)->name, "backend ", 8) == 0;
}

/* All below the interface changes with it, except what generates the code. */
static bool below_interface(const grouping *g, const grouping_change *c)
{
	return of_kind(c, KIND(DRIVER) | KIND(RUNTIME) | KIND(LIBRARY)) || is_backend(c) ||
	       (of_kind(c, KIND(COMPILER)) && same_generator(g, c));
}

/* A compiler that is exchanged with the interface is a change of its own, in whatever file. */
static bool apart(const grouping *g, const grouping_change *c)
{
	return of_kind(c, KIND(COMPILER)) && !same_generator(g, c);
}

/* Whether two changes are one. */
static bool together(const grouping *g, const grouping_change *x, const grouping_change *y)
{
	if (!interface_differs(g))
		return one_file(x, y) || one_release(x, y) || one_package(x, y) ||
		       one_choice(x, y) || one_installation(x, y) || one_machine(x, y) || one_build(x, y);
	if (apart(g, x) || apart(g, y))
		return false;
	return one_file(x, y) || one_release(x, y) || one_package(x, y) ||
	       one_installation(x, y) || one_machine(x, y) ||
	       (below_interface(g, x) && below_interface(g, y));
}

/* ---- the groups ------------------------------------------------------------------------------ */

static size_t leader_of(const grouping *g, size_t i)
{
	while (g->changes[i].leader != i)
		i = g->changes[i].leader;
	return i;
}

/* Union-find: the smaller index leads. */
static void join(grouping *g, size_t i, size_t k)
{
	i = leader_of(g, i);
	k = leader_of(g, k);
	if (i < k)
		g->changes[k].leader = i;
	else
		g->changes[i].leader = k;
}

/* The order in which a group is named after its layers. */
static size_t rank(const grouping_change *c)
{
	enum { GONE = 1 << CHAR_BIT };

	/* A layer that went away names a group only when nothing else does. */
	return record_layer_traits_of(c->words.layer)->lead + (c->to == NULL ? (size_t)GONE : 0);
}

/* malloc'd ", LLVM 14.0.6 -> 15.0.6" where the compiler of the group generates code with another
 * version of LLVM, and the group is not named after it; else "". */
static char *generator_words(const grouping *g, size_t first, const grouping_change *lead)
{
	char *words = memory_text("");

	for (size_t i = first; i < g->count; i++) {
		const grouping_change *c = &g->changes[i];
		char *x = NULL, *y = NULL;

		if (c != lead && leader_of(g, i) == first && of_kind(c, KIND(COMPILER)) &&
		    c->words.kind == STACK_CHANGED && !same_generator(g, c)) {
			x = generator_of(g->a, c->from);
			y = generator_of(g->b, c->to);
		}
		if (x != NULL && y != NULL) {
			free(words);
			words = memory_format(", %s -> %s", x, y + strlen("LLVM "));
		}
		free(y);
		free(x);
	}
	return words;
}

/* malloc'd ", OpenBLAS kernel: Nehalem -> Haswell" where the group is named after the setting that picked
 * another kernel; else "". */
static char *kernel_words(const grouping *g, size_t first, const grouping_change *lead)
{
	for (size_t i = first; i < g->count; i++) {
		const grouping_change *c = &g->changes[i];
		const char *from, *to;

		if (leader_of(g, i) != first || !one_choice(lead, c))
			continue;
		from = stacks_field_text(c->from, "kernel");
		to = stacks_field_text(c->to, "kernel");
		if (strcmp(from, to) != 0)
			return memory_format(", %s kernel: %s -> %s", c->to->name, from, to);
	}
	return memory_text("");
}

/* "programming interface host -> opencl with all below it (runtime ...)" */
static char *title_of(const grouping *g, size_t first, const grouping_change *lead, bool with_backend)
{
	char *generator = generator_words(g, first, lead), *kernel = kernel_words(g, first, lead), *all;

	if (with_backend && interface_differs(g))
		all = memory_format("programming interface %.*s -> %.*s with all below it (%s%s)",
		                    interface_size(g->a), g->a->name, interface_size(g->b), g->b->name,
		                    lead->words.what, generator);
	else
		all = memory_format("%s%s%s", lead->words.what, generator, kernel);
	free(kernel);
	free(generator);
	return all;
}

/* Of the changes that follow the one at `first`. */
static void add_group(grouping *g, size_t first, stack_group_list *groups)
{
	stack_group *group = layout_append(stack_group_layout(), groups);
	const grouping_change *lead = &g->changes[first];
	bool with_backend = false;

	for (size_t i = first; i < g->count; i++) {
		const grouping_change *c = &g->changes[i];

		if (leader_of(g, i) != first)
			continue;
		/* The setting that picked a kernel leads, although its layer comes later. */
		if (rank(c) < rank(lead) ? !one_choice(lead, c) : one_choice(c, lead))
			lead = c;
		with_backend = with_backend || is_backend(c);
		*(stack_change *)layout_append(stack_change_layout(), &group->changes) = c->words;
	}
	group->layer = lead->words.layer;
	group->maker = memory_text(lead->words.maker);
	group->owner = memory_text(lead->words.owner);
	group->title = title_of(g, first, lead, with_backend);
}

/* Files on one side only, and settings that the stack made itself or that no object of the other side
 * reads. */
static bool is_follower(const grouping *g, const grouping_change *c)
{
	const record_executor *other = c->to == NULL ? g->b : g->a;

	return c->words.kind != STACK_CHANGED &&
	       (of_kind(c, KIND(MAPPED_OBJECT)) ||
	        (of_kind(c, KIND(CONFIGURATION)) &&
	         (is_made(c) || !setting_is_read(either(c), &other->layers))));
}

/* Drops the followers, which come with another layer, where there is another change; returns their
 * number. */
static uint64_t drop_followers(grouping *g)
{
	size_t kept = 0, count = g->count;

	for (size_t i = 0; i < count; i++)
		kept += !is_follower(g, &g->changes[i]);
	if (kept == 0)
		return 0;
	g->count = 0;
	for (size_t i = 0; i < count; i++) {
		if (is_follower(g, &g->changes[i])) {
			layout_clear(stack_change_layout(), &g->changes[i].words);
		} else {
			g->changes[g->count] = g->changes[i];
			g->changes[g->count].leader = g->count;
			g->count++;
		}
	}
	return count - kept;
}

uint64_t grouping_make(grouping *g, stack_group_list *groups)
{
	uint64_t followers = drop_followers(g);

	for (size_t i = 0; i < g->count; i++)
		for (size_t k = 0; k < g->count; k++)
			if (i != k && together(g, &g->changes[i], &g->changes[k]))
				join(g, i, k);
	for (size_t i = 0; i < g->count; i++)
		if (leader_of(g, i) == i)
			add_group(g, i, groups);
	return followers;
}
