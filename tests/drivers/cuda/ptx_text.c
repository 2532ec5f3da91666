/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a module: directives, declarations, and the instructions of every kernel. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "ptx_inside.h"

static void *grow(void *array, size_t count, size_t size)
{
	void *grown = array;

	if ((count & (count - 1)) == 0)
		grown = realloc(array, (count == 0 ? 1 : count * 2) * size);
	if (grown == NULL)
		abort();
	return grown;
}

static const char *skip(const char *p)
{
	return p + strspn(p, " \t\r\n");
}

static bool starts(const char *p, const char *word)
{
	const size_t length = strlen(word);

	return strncmp(p, word, length) == 0 && !isalnum((unsigned char)p[length]) &&
	       p[length] != '_';
}

/* The text with every comment blank. */
static char *without_comments(const char *text)
{
	char *copy = strdup(text);

	if (copy == NULL)
		abort();
	for (char *p = copy; *p != '\0'; p++) {
		if (p[0] == '/' && p[1] == '/') {
			for (; *p != '\0' && *p != '\n'; p++)
				*p = ' ';
			p--;
		} else if (p[0] == '/' && p[1] == '*') {
			char *end = strstr(p + 2, "*/");

			for (end = end == NULL ? p + strlen(p) : end + 2; p < end; p++)
				if (*p != '\n')
					*p = ' ';
			p--;
		} else if (p[0] == '"') {
			p = strchr(p + 1, '"');
			if (p == NULL)
				break;
		}
	}
	return copy;
}

typedef struct declaration {
	const ptx_type *type;
	char name[PTX_NAME];
	uint64_t align, count, bytes;
	bool array;
	const char *after;
} declaration;

/* ".align 8 .b8 name[16]" or ".u64 .ptr .align 16 name". */
static bool read_declaration(const char *p, declaration *d)
{
	char word[16];
	size_t length;

	memset(d, 0, sizeof(*d));
	d->count = 1;
	for (p = skip(p); *p == '.'; p = skip(p)) {
		length = strcspn(p + 1, " \t\r\n");
		if (length >= sizeof(word))
			return false;
		memcpy(word, p + 1, length);
		word[length] = '\0';
		p = skip(p + 1 + length);
		if (strcmp(word, "align") == 0) {
			char *end = NULL;

			d->align = strtoull(p, &end, 10);
			p = end;
		} else if (ptx_type_of(word) != NULL) {
			d->type = ptx_type_of(word);
		} else if (strcmp(word, "ptr") != 0 && strcmp(word, "global") != 0 &&
		           strcmp(word, "attribute") != 0) {
			return false;
		}
	}
	length = strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$%");
	if (d->type == NULL || length == 0 || length >= sizeof(d->name))
		return false;
	memcpy(d->name, p, length);
	p = skip(p + length);
	while (*p == '[') {
		char *end = NULL;

		d->count *= strtoull(p + 1, &end, 10);
		d->array = true;
		if (*end != ']')
			return false;
		p = skip(end + 1);
	}
	if (d->align < d->type->bytes)
		d->align = d->type->bytes;
	d->bytes = d->count * d->type->bytes;
	d->after = p;
	return true;
}

static void add_symbol(ptx_text *t, const declaration *d, ptx_space space, uint64_t offset,
                       int scope)
{
	ptx_symbol *s;

	t->symbols = grow(t->symbols, t->symbol_count, sizeof(*s));
	s = &t->symbols[t->symbol_count++];
	memset(s, 0, sizeof(*s));
	memcpy(s->name, d->name, sizeof(s->name));
	s->space = space;
	s->offset = offset;
	s->bytes = d->bytes;
	s->scope = scope;
}

static uint32_t place(uint32_t *used, const declaration *d)
{
	const uint64_t align = d->align > 0 ? d->align : 1;
	const uint32_t at = (uint32_t)((*used + align - 1) / align * align);

	*used = at + (uint32_t)d->bytes;
	return at;
}

static void read_parameters(ptx_text *t, const char *p, const char *end)
{
	ptx_kernel *k = t->kernel;
	declaration d;

	for (p = skip(p); p < end; p = skip(p)) {
		if (!starts(p, ".param") || !read_declaration(p + 6, &d) ||
		    k->param_count == PTX_PARAMS) {
			ptx_fail(t, "parameter at \"%.60s\"", p);
			return;
		}
		k->params[k->param_count].bytes = (uint32_t)d.bytes;
		k->params[k->param_count].offset = place(&k->param_bytes, &d);
		add_symbol(t, &d, PTX_SPACE_PARAM, k->params[k->param_count++].offset, 0);
		p = d.after + (*d.after == ',');
	}
}

static void read_registers(ptx_text *t, const char *p)
{
	const ptx_type *type;
	char word[16] = "";

	if (sscanf(p, " .%15[a-z0-9]", word) != 1 || (type = ptx_type_of(word)) == NULL) {
		ptx_fail(t, "registers at \"%.60s\"", p);
		return;
	}
	p = skip(skip(p) + 1 + strlen(word));
	while (*p != '\0' && *p != ';') {
		const size_t length = strcspn(p, "<,; \t\r\n");
		ptx_registers *r;

		t->registers = grow(t->registers, t->register_count, sizeof(*r));
		r = &t->registers[t->register_count++];
		memset(r, 0, sizeof(*r));
		if (length == 0 || length >= sizeof(r->name)) {
			ptx_fail(t, "registers at \"%.60s\"", p);
			return;
		}
		memcpy(r->name, p, length);
		r->type = type;
		r->scope = t->scope;
		r->first = t->kernel->registers;
		p += length;
		if (*p == '<') {
			char *end = NULL;

			r->count = (uint32_t)strtoul(p + 1, &end, 10);
			p = end + (*end == '>');
		}
		t->kernel->registers += r->count == 0 ? 1 : r->count;
		p = skip(p);
		p = skip(p + (*p == ','));
	}
}

static void cut_instruction(ptx_text *t, ptx_instruction *i)
{
	char *p = i->cut, *out;
	int depth = 0;

	snprintf(i->cut, sizeof(i->cut), "%s", i->text);
	if (*p == '@') {
		size_t length;

		i->guard_negated = p[1] == '!';
		p += 1 + i->guard_negated;
		length = strcspn(p, " \t");
		snprintf(i->guard, sizeof(i->guard), "%.*s", (int)length, p);
		p += length;
		p += strspn(p, " \t");
	}
	out = p + strcspn(p, " \t");
	snprintf(i->op, sizeof(i->op), "%.*s", (int)(out - p), p);
	if (*out != '\0')
		*out++ = '\0';
	for (char *save = NULL, *word = strtok_r(p, ".", &save); word != NULL;
	     word = strtok_r(NULL, ".", &save)) {
		if (i->token_count == PTX_TOKENS) {
			ptx_fail(t, "opcode %s is not known to this test driver", i->op);
			return;
		}
		i->tokens[i->token_count++] = word;
	}
	while (*out != '\0') {
		char *begin, *end;

		out += strspn(out, " \t");
		for (begin = out; *out != '\0' && (depth > 0 || *out != ','); out++)
			depth += strchr("[{(", *out) != NULL ? 1 : strchr("]})", *out) != NULL ? -1 : 0;
		end = out;
		if (*out != '\0')
			*out++ = '\0';
		while (end > begin && isspace((unsigned char)end[-1]))
			*--end = '\0';
		if (*begin == '\0')
			continue;
		if (i->operand_count == PTX_OPERANDS) {
			ptx_fail(t, "operands in \"%s\"", i->text);
			return;
		}
		i->operands[i->operand_count++] = begin;
	}
}

static ptx_instruction *new_instruction(ptx_text *t)
{
	ptx_instruction *i;

	/* Instructions point into themselves: they never move. */
	if (t->instruction_count == t->instruction_room) {
		ptx_fail(t, "kernel %s has more than %zu instructions", t->kernel->name,
		         t->instruction_room);
		return NULL;
	}
	i = &t->instructions[t->instruction_count++];
	memset(i, 0, sizeof(*i));
	i->scope = t->scope;
	i->falls = true;
	return i;
}

static void read_statement(ptx_text *t, const char *p, size_t length)
{
	ptx_instruction *i;

	if (length >= PTX_TEXT) {
		ptx_fail(t, "statement too long: \"%.60s\"", p);
		return;
	}
	i = new_instruction(t);
	if (i == NULL)
		return;
	for (size_t k = 0; k < length; k++)
		i->text[k] = (char)(isspace((unsigned char)p[k]) ? ' ' : p[k]);
	cut_instruction(t, i);
	if (i->token_count == 0) {
		ptx_fail(t, "statement \"%s\"", i->text);
		return;
	}
	if (strcmp(i->tokens[0], "bar") == 0 || strcmp(i->tokens[0], "barrier") == 0)
		i->barrier = ++t->kernel->barriers;
	if (i->guard[0] == '\0')
		i->falls = strcmp(i->tokens[0], "bra") != 0 && strcmp(i->tokens[0], "ret") != 0 &&
		           strcmp(i->tokens[0], "exit") != 0;
}

static int open_scope(ptx_text *t, int parent)
{
	t->scope_parents = grow(t->scope_parents, (size_t)t->scope_count, sizeof(int));
	t->scope_parents[t->scope_count] = parent;
	return t->scope_count++;
}

static void read_local(ptx_text *t, const char *p)
{
	const bool shared = starts(p, ".shared");
	declaration d;

	if (!read_declaration(p + strcspn(p, " \t"), &d) || *skip(d.after) != ';')
		ptx_fail(t, "declaration at \"%.60s\"", p);
	else if (shared)
		add_symbol(t, &d, PTX_SPACE_SHARED, place(&t->kernel->shared_bytes, &d), t->scope);
	else
		add_symbol(t, &d, PTX_SPACE_LOCAL, place(&t->kernel->local_bytes, &d), t->scope);
}

/* The body from behind its first brace; returns what follows the last. */
static const char *read_body(ptx_text *t, const char *p)
{
	for (p = skip(p); *p != '\0' && !t->failed; p = skip(p)) {
		const size_t length = strcspn(p, ";");
		const size_t label = strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
		                               "0123456789_$");

		if (*p == '{') {
			t->scope = open_scope(t, t->scope);
			p++;
		} else if (*p == '}') {
			t->scope = t->scope_parents[t->scope];
			p++;
			if (t->scope < 0)
				return p;
		} else if (label > 0 && *skip(p + label) == ':') {
			ptx_instruction *i = new_instruction(t);

			if (i == NULL)
				break;
			snprintf(i->label, sizeof(i->label), "%.*s", (int)label, p);
			p = skip(p + label) + 1;
		} else if (starts(p, ".loc") || starts(p, ".file")) {
			p += strcspn(p, "\n");
		} else {
			if (starts(p, ".reg"))
				read_registers(t, p + 4);
			else if (starts(p, ".shared") || starts(p, ".local"))
				read_local(t, p);
			else if (*p == '.' && !starts(p, ".pragma"))
				ptx_fail(t, "directive %.*s is not known to this test driver",
				         (int)strcspn(p, " \t\n"), p);
			else if (*p != '.')
				read_statement(t, p, length);
			p += length + (p[length] == ';');
		}
	}
	ptx_fail(t, "kernel %s has no end", t->kernel->name);
	return p;
}

static const char *read_entry(ptx_text *t, const char *p)
{
	ptx_module *m = t->module;
	const size_t length = strcspn(p, "( \t\r\n");
	const char *open = p + length, *body, *end;
	unsigned size[3] = { 1, 1, 1 };

	m->kernels = grow(m->kernels, m->kernel_count, sizeof(*m->kernels));
	t->kernel = &m->kernels[m->kernel_count++];
	memset(t->kernel, 0, sizeof(*t->kernel));
	body = strchr(p, '{');
	if (length >= PTX_NAME || body == NULL) {
		ptx_fail(t, "kernel at \"%.60s\"", p);
		return p;
	}
	memcpy(t->kernel->name, p, length);
	t->kernel->shared_bytes = t->module_shared;
	t->register_count = 0;
	t->instruction_count = 0;
	t->scope_count = 0;
	t->scope = open_scope(t, -1);
	while (t->symbol_count > 0 && t->symbols[t->symbol_count - 1].scope >= 0)
		t->symbol_count--;
	open = skip(open);
	if (*open == '(') {
		end = strchr(open, ')');
		if (end == NULL || end > body)
			ptx_fail(t, "kernel at \"%.60s\"", p);
		else
			read_parameters(t, open + 1, end);
		open = end == NULL ? open : end + 1;
	}
	for (open = skip(open); open < body && !t->failed; open = skip(open)) {
		if (sscanf(open, ".maxntid %u , %u , %u", &size[0], &size[1], &size[2]) >= 1)
			t->kernel->max_items = size[0] * size[1] * size[2];
		else if (!starts(open, ".minnctapersm") && !starts(open, ".maxnreg") &&
		         !starts(open, ".reqntid"))
			ptx_fail(t, "directive %.*s is not known to this test driver",
			         (int)strcspn(open, " \t\n"), open);
		open += 1 + strcspn(open + 1, ".{");
	}
	if (t->failed)
		return p;
	p = read_body(t, body + 1);
	if (!t->failed)
		ptx_kernel_emit(t, m->kernel_count - 1);
	return p;
}

static const char *read_variable(ptx_text *t, const char *p, ptx_space space)
{
	ptx_module *m = t->module;
	ptx_variable *v;
	declaration d;
	const char *after;

	if (!read_declaration(p, &d)) {
		ptx_fail(t, "variable at \"%.60s\"", p);
		return p;
	}
	after = d.after;
	if (space == PTX_SPACE_SHARED) {
		add_symbol(t, &d, space, d.bytes == 0 ? 0 : place(&t->module_shared, &d), -1);
		return after + (*after == ';');
	}
	m->variables = grow(m->variables, m->variable_count, sizeof(*v));
	v = &m->variables[m->variable_count];
	memset(v, 0, sizeof(*v));
	memcpy(v->name, d.name, sizeof(v->name));
	v->bytes = d.bytes;
	add_symbol(t, &d, space, m->variable_count++, -1);
	if (*after == '=') {
		uint64_t at = 0;

		v->data = calloc(1, d.bytes + 8);
		if (v->data == NULL)
			abort();
		for (after = skip(after + 1); *after != ';' && *after != '\0'; after++) {
			char *end = NULL;
			uint64_t number;

			if (*after == '{' || *after == '}' || *after == ',' || isspace((unsigned char)*after))
				continue;
			if (after[0] == '0' && strchr("fFdD", after[1]) != NULL && after[1] != '\0')
				number = strtoull(after + 2, &end, 16);
			else
				number = strtoull(after, &end, 0);
			if (end == after || at >= d.count) {
				ptx_fail(t, "value of %s at \"%.40s\"", d.name, after);
				return after;
			}
			memcpy(v->data + at++ * d.type->bytes, &number, d.type->bytes);
			after = end - 1;
		}
	}
	return after + (*after == ';');
}

static void read_module(ptx_text *t, const char *p)
{
	bool external = false;

	for (p = skip(p); *p != '\0' && !t->failed; p = skip(p)) {
		if (starts(p, ".version") || starts(p, ".target") || starts(p, ".address_size") ||
		    starts(p, ".file")) {
			p += strcspn(p, "\n");
		} else if (starts(p, ".visible") || starts(p, ".weak")) {
			p += strcspn(p, " \t\r\n");
		} else if (starts(p, ".extern")) {
			external = true;
			p += 7;
		} else if (starts(p, ".entry")) {
			p = read_entry(t, skip(p + 6));
		} else if (starts(p, ".global") && !external) {
			p = read_variable(t, p + 7, PTX_SPACE_GLOBAL);
		} else if (starts(p, ".const") && !external) {
			p = read_variable(t, p + 6, PTX_SPACE_CONST);
		} else if (starts(p, ".shared")) {
			p = read_variable(t, p + 7, PTX_SPACE_SHARED);
			external = false;
		} else {
			ptx_fail(t, "directive %.*s is not known to this test driver",
			         (int)strcspn(p, " \t\r\n"), p);
		}
	}
}

bool ptx_translate(const char *text, char **c, ptx_module *module, char *error, size_t size)
{
	ptx_text t = { .module = module, .error = error, .error_size = size };
	char *clean = without_comments(text), *written = NULL;
	size_t written_size = 0;

	memset(module, 0, sizeof(*module));
	t.out = open_memstream(&written, &written_size);
	t.instruction_room = strlen(text) / 4 + 1;
	t.instructions = malloc(t.instruction_room > 60000 ? 60000 * sizeof(*t.instructions)
	                                                   : t.instruction_room * sizeof(*t.instructions));
	if (t.instruction_room > 60000)
		t.instruction_room = 60000;
	if (t.out == NULL || t.instructions == NULL)
		abort();
	fputs(ptx_prelude_text, t.out);
	read_module(&t, clean);
	if (fclose(t.out) != 0)
		abort();
	free(clean);
	free(t.instructions);
	free(t.registers);
	free(t.symbols);
	free(t.scope_parents);
	if (t.failed) {
		free(written);
		ptx_module_free(module);
		return false;
	}
	*c = written;
	return true;
}

void ptx_module_free(ptx_module *module)
{
	for (size_t i = 0; i < module->variable_count; i++)
		free(module->variables[i].data);
	free(module->variables);
	free(module->kernels);
	memset(module, 0, sizeof(*module));
}
