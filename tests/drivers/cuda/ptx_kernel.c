/* SPDX-License-Identifier: Apache-2.0 */
/* One kernel to C: which registers live across a barrier, and the function that runs a block. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ptx_inside.h"

enum { WORD = 64 };

typedef struct lives {
	size_t words;
	uint64_t *in;    /* of every instruction                                               */
	uint64_t *uses;
	uint64_t *kills;
} lives;

static void set(uint64_t *bits, int64_t number)
{
	if (number >= 0)
		bits[number / WORD] |= UINT64_C(1) << (number % WORD);
}

/* Every register that the operand names. */
static void mark(const ptx_text *t, const ptx_instruction *i, const char *operand, uint64_t *bits)
{
	char name[PTX_NAME];
	const ptx_type *type = NULL;

	for (const char *p = operand; *p != '\0';) {
		size_t length = 0;

		while (isalnum((unsigned char)p[length]) || (p[length] != '\0' && strchr("%_$.", p[length])))
			length++;
		if (length > 0 && length < sizeof(name)) {
			memcpy(name, p, length);
			name[length] = '\0';
			set(bits, ptx_register(t, i->scope, name, &type));
		}
		p += length > 0 ? length : 1;
	}
}

static int64_t label_at(const ptx_text *t, const char *label)
{
	for (size_t k = 0; k < t->instruction_count; k++)
		if (strcmp(t->instructions[k].label, label) == 0)
			return (int64_t)k;
	return -1;
}

static void *zeros(size_t count, size_t size)
{
	void *memory = calloc(count == 0 ? 1 : count, size);

	if (memory == NULL)
		abort();
	return memory;
}

static void find_lives(const ptx_text *t, lives *l)
{
	const size_t n = t->instruction_count;
	int64_t *jumps = zeros(n, sizeof(*jumps));
	bool changed = true;

	l->words = t->kernel->registers / WORD + 1;
	l->in = zeros((n + 1) * l->words, sizeof(uint64_t));
	l->uses = zeros(n * l->words, sizeof(uint64_t));
	l->kills = zeros(n * l->words, sizeof(uint64_t));
	for (size_t k = 0; k < n; k++) {
		const ptx_instruction *i = &t->instructions[k];
		uint64_t *uses = l->uses + k * l->words;

		jumps[k] = -1;
		if (i->label[0] != '\0')
			continue;
		mark(t, i, i->guard, uses);
		for (int o = 0; o < i->operand_count; o++) {
			const bool is_result = o == 0 && ptx_has_result(i);

			if (!is_result)
				mark(t, i, i->operands[o], uses);
			else if (i->guard[0] == '\0')
				mark(t, i, i->operands[o], l->kills + k * l->words);
		}
		if (strcmp(i->tokens[0], "bra") == 0 && i->operand_count == 1)
			jumps[k] = label_at(t, i->operands[0]);
	}
	while (changed) {
		changed = false;
		for (size_t k = n; k-- > 0;)
			for (size_t w = 0; w < l->words; w++) {
				const uint64_t below = t->instructions[k].falls ? l->in[(k + 1) * l->words + w] : 0;
				const uint64_t there = jumps[k] >= 0 ? l->in[(size_t)jumps[k] * l->words + w] : 0;
				const uint64_t in = ((below | there) & ~l->kills[k * l->words + w]) |
				                    l->uses[k * l->words + w];

				changed = changed || in != l->in[k * l->words + w];
				l->in[k * l->words + w] = in;
			}
	}
	free(jumps);
}

static const ptx_type *type_of(const ptx_text *t, uint32_t number)
{
	for (size_t k = 0; k < t->register_count; k++) {
		const ptx_registers *r = &t->registers[k];

		if (number >= r->first && number < r->first + (r->count == 0 ? 1 : r->count))
			return r->type;
	}
	return t->registers[0].type;
}

/* SAVE_n and LOAD_n: the registers that live behind barrier n. */
static void emit_barrier(ptx_text *t, const lives *l, size_t at)
{
	const uint32_t number = t->instructions[at].barrier;

	for (int load = 0; load < 2; load++) {
		uint32_t slot = 0;

		fprintf(t->out, "#define %s_%u", load ? "LOAD" : "SAVE", number);
		for (uint32_t r = 0; r < t->kernel->registers; r++) {
			if (!(l->in[(at + 1) * l->words + r / WORD] >> (r % WORD) & 1))
				continue;
			if (load)
				fprintf(t->out, " memcpy(&r%u, keep_ + %u, sizeof(r%u));", r, slot, r);
			else
				fprintf(t->out, " memcpy(keep_ + %u, &r%u, sizeof(r%u));", slot, r, r);
			slot++;
		}
		fputs("\n", t->out);
		if (slot > t->kernel->saved_words)
			t->kernel->saved_words = slot;
	}
}

static void emit_body(ptx_text *t)
{
	for (size_t k = 0; k < t->instruction_count && !t->failed; k++) {
		const ptx_instruction *i = &t->instructions[k];

		if (i->label[0] != '\0') {
			fprintf(t->out, "L%s:;\n", i->label);
			continue;
		}
		if (strcmp(i->tokens[0], "bra") == 0 &&
		    (i->operand_count != 1 || label_at(t, i->operands[0]) < 0)) {
			ptx_fail(t, "target of \"%s\"", i->text);
			return;
		}
		if (i->guard[0] != '\0') {
			char guard[64];

			ptx_read(t, i, i->guard, ptx_type_of("pred"), guard, sizeof(guard));
			fprintf(t->out, "if (%s%s) ", i->guard_negated ? "!" : "", guard);
		}
		fputs("{ ", t->out);
		ptx_instruction_emit(t, i);
		fputs(" }\n", t->out);
		if (i->barrier != 0)
			fprintf(t->out, "R%u:;\n", i->barrier);
	}
}

void ptx_kernel_emit(ptx_text *t, size_t index)
{
	ptx_kernel *k = t->kernel;
	lives l = { 0 };

	if (k->barriers > 0) {
		find_lives(t, &l);
		for (size_t at = 0; at < t->instruction_count; at++)
			if (t->instructions[at].barrier != 0)
				emit_barrier(t, &l, at);
		free(l.in);
		free(l.uses);
		free(l.kills);
	}
	fprintf(t->out, "static inline void thread_%zu(struct ptx_block *b, uint32_t item)\n{\n", index);
	fputs("const uint32_t tid_x = item % b->ntid[0], tid_y = item / b->ntid[0] % b->ntid[1], "
	      "tid_z = item / b->ntid[0] / b->ntid[1];\n", t->out);
	for (uint32_t r = 0; r < k->registers; r++)
		fprintf(t->out, "%s r%u = 0;\n", type_of(t, r)->c, r);
	if (k->barriers > 0) {
		fprintf(t->out, "uint64_t *keep_ = b->saved + (uint64_t)item * %u;\n", k->saved_words);
		fputs("switch (b->at[item]) {\n", t->out);
		for (uint32_t n = 1; n <= k->barriers; n++)
			fprintf(t->out, "case %u: LOAD_%u goto R%u;\n", n, n, n);
		fputs("}\n", t->out);
	}
	emit_body(t);
	fprintf(t->out, "ended:;\n%s}\n", k->barriers > 0 ? "b->at[item] = -1;\n" : "");
	for (uint32_t n = 1; n <= k->barriers; n++)
		fprintf(t->out, "#undef SAVE_%u\n#undef LOAD_%u\n", n, n);
	fprintf(t->out, "void ptx_run_%zu(struct ptx_block *b)\n{\nint live;\n"
	        "do {\nlive = 0;\nfor (uint32_t n = 0; n < b->items; n++) {\n"
	        "const uint32_t item = b->reversed ? b->items - 1 - n : n;\n", index);
	if (k->barriers > 0)
		fprintf(t->out, "if (b->at[item] < 0) continue;\nthread_%zu(b, item);\n"
		        "live |= b->at[item] >= 0;\n", index);
	else
		fprintf(t->out, "thread_%zu(b, item);\n", index);
	fputs("}\n} while (live);\n}\n", t->out);
}
