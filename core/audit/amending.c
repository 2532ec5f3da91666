/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "audit/audit.h"
#include "audit/beside.h"
#include "audit/envelope.h"
#include "audit/held.h"
#include "audit/nearby.h"
#include "base/digest.h"
#include "base/text.h"
#include "record/redact.h"

/* The file of amendments while lines are added to it. */
typedef struct chain {
	char *path;
	text whole;              /* its new content                                                */
	char previous[65];       /* the digest that the next line refers to                        */
	uint64_t count;
} chain;

/* ---- the chain ------------------------------------------------------------------------------- */

static eh_status follow(chain *c, const char *before, eh_error *error)
{
	eh_status status = EH_OK;

	while (*before != '\0' && status == EH_OK) {
		audit_amendment last;

		layout_init(audit_amendment_layout(), &last);
		status = envelope_amendment_next(&before, c->path, &last, error);
		if (status == EH_OK) {
			layout_digest(audit_amendment_layout(), &last, c->previous);
			c->count++;
		}
		layout_clear(audit_amendment_layout(), &last);
	}
	return status;
}

/* *out needs chain_close in any case. */
static eh_status chain_open(const held *h, chain *out, eh_error *error)
{
	char *before = NULL;
	size_t size;
	eh_status status;

	*out = (chain){ .path = memory_format("%s.amendments", h->path) };
	memcpy(out->previous, h->r->record->digest, sizeof(out->previous));
	status = beside_read(h->path, ".amendments", &before, &size, error);
	if (status == EH_OK && before != NULL) {
		text_add_bytes(&out->whole, before, size);
		status = follow(out, before, error);
	}
	free(before);
	return status;
}

static void chain_close(chain *c)
{
	text_free(&c->whole);
	free(c->path);
}

/* The struct has kind, text, and what belongs to the kind. */
static eh_status chain_add(chain *c, const held *h, audit_amendment *entry, const audit_key *key,
                           eh_error *error)
{
	char *line;
	eh_status status;

	entry->format = AUDIT_AMENDMENT;
	entry->format_version = 1;
	entry->sequence = ++c->count;
	text_set(&entry->result, h->r->record->digest);
	text_set(&entry->previous, c->previous);
	status = envelope_seal(&envelope_amendment, entry, key, error);
	if (status != EH_OK)
		return status;
	layout_digest(audit_amendment_layout(), entry, c->previous);
	line = layout_text(audit_amendment_layout(), entry, false);
	text_add(&c->whole, "%s\n", line);
	free(line);
	return EH_OK;
}

static eh_status chain_write(const chain *c, const held *h, eh_error *error)
{
	return held_write_beside(h, ".amendments", c->whole.data, c->whole.size, error);
}

/* ---- notes and disputes ---------------------------------------------------------------------- */

static eh_status add_words(const held *h, const audit_request *q, const audit_key *key, eh_error *error)
{
	audit_amendment entry;
	chain c;
	eh_status status = chain_open(h, &c, error);

	layout_init(audit_amendment_layout(), &entry);
	entry.kind = q->kind;
	text_set(&entry.text, q->words);
	if (status == EH_OK)
		status = chain_add(&c, h, &entry, key, error);
	if (status == EH_OK)
		status = chain_write(&c, h, error);
	layout_clear(audit_amendment_layout(), &entry);
	chain_close(&c);
	return status;
}

/* ---- redactions ------------------------------------------------------------------------------ */

static eh_status announce(chain *c, const held *h, const audit_request *q, const redact_choice *chosen,
                          const char *file_sha256, const audit_key *key, eh_error *error)
{
	eh_status status = EH_OK;

	for (size_t i = 0; i < chosen->members.count && status == EH_OK; i++) {
		audit_amendment entry;

		layout_init(audit_amendment_layout(), &entry);
		entry.kind = AUDIT_REDACT;
		text_set(&entry.text, q->words);
		text_set(&entry.member, chosen->members.items[i]);
		text_set(&entry.file_sha256, file_sha256);
		status = chain_add(c, h, &entry, key, error);
		layout_clear(audit_amendment_layout(), &entry);
	}
	return status;
}

static void say_unfinished(const char *path, eh_status status, const eh_error *why, eh_error *error)
{
	char *word = text_shell_word(path);
	char *remedy = memory_format(": the redaction is announced and not finished; run: evenhand amend %s --finish",
	                             word);

	(void)error_set(error, status, "%s", why->message);
	error_remedy(error, remedy);
	free(remedy);
	free(word);
}

/* Writes the redacted result beside first, so that a full disk fails before anything is announced.
 * The file of amendments decides: behind it a failure leaves what audit/interrupted.h finishes. */
static eh_status replace_both(const held *h, const chain *c, const text *after, eh_error *error)
{
	eh_error why = ERROR_INIT;
	file_writer *out = NULL;
	eh_status status = held_writer(h, &out, error);

	if (status == EH_OK)
		status = file_writer_add(out, after->data, after->size, error);
	if (status == EH_OK)
		status = chain_write(c, h, error);
	if (status != EH_OK) {
		file_writer_abandon(out);
		return status;
	}
	status = file_writer_commit(out, &why);
	if (status != EH_OK)
		say_unfinished(h->path, status, &why, error);
	return status;
}

/* Names of files and of members may be anybody's, and are printed. */
static void clean(const text_list *sentences)
{
	for (size_t i = 0; i < sentences->count; i++)
		text_clean(sentences->items[i]);
}

/* Another name of the file that was replaced keeps its bytes. */
static void look_for_links(const held *h, text_list *sentences)
{
	const size_t others = held_other_names(h);

	if (others > 0)
		text_list_format(sentences, "%zu other name%s (hard links) of the file as it was: find them with "
		                 "find -inum, before what they have is given away", others,
		                 others > 1 ? "s" : "");
}

/* Where the text still stands, in what belongs to the result and in the files of its folder. */
static eh_status look_for_rest(const held *h, const chain *c, const redact_choice *chosen,
                               const char *body, size_t size, audit_amended *out, eh_error *error)
{
	const char *amendments = c->whole.data != NULL ? c->whole.data : "";
	eh_status status = reach_find(&chosen->reach, body, size, h->path, &out->remains, error);

	if (status == EH_OK)
		status = nearby_evidence(&chosen->reach, h->path, amendments, &out->remains, error);
	nearby_files(&chosen->reach, h->path, &out->nearby);
	clean(&out->remains);
	clean(&out->nearby);
	return status;
}

/* The texts are in h, which is not read again. */
static eh_status redact_chosen(const held *h, const audit_request *q, redact_choice *chosen,
                               const audit_key *key, audit_amended *out, eh_error *error)
{
	text after = { 0 };
	char hex[65];
	chain c;
	eh_status status = chain_open(h, &c, error);

	if (status == EH_OK)
		status = redact_text(h->bytes, h->size, h->path, &chosen->members, &after, error);
	if (status == EH_OK) {
		digest_bytes(after.data, after.size, hex);
		status = announce(&c, h, q, chosen, hex, key, error);
	}
	if (status == EH_OK)
		status = replace_both(h, &c, &after, error);
	if (status == EH_OK) {
		out->unsearched = chosen->reach.forms.count == 0;
		out->redacted = chosen->members;
		chosen->members = (text_list){ NULL, 0 };
		look_for_links(h, &out->nearby);
		status = look_for_rest(h, &c, chosen, after.data, after.size, out, error);
	}
	text_free(&after);
	chain_close(&c);
	return status;
}

/* Whether the key has redacted the member for the same reason: the command ended when that was done, and
 * is repeated. */
static bool is_done(const held *h, const audit_request *q, const audit_key *key)
{
	for (size_t i = 0; i < h->evidence->amendments.count; i++) {
		const audit_checked_amendment *a = &h->evidence->amendments.items[i];

		if (a->kind == AUDIT_REDACT && q->member != NULL && strcmp(a->text, q->words) == 0 &&
		    strcmp(text_or_empty(a->member), q->member) == 0 &&
		    strcmp(a->fingerprint, audit_key_public(key)->fingerprint) == 0)
			return true;
	}
	return false;
}

/* The text may stand where it cannot be taken out, all the same. */
static eh_status find_none(const held *h, const redact_choice *chosen, audit_amended *out,
                           eh_error *error)
{
	chain c;
	eh_status status = chain_open(h, &c, error);

	if (status == EH_OK)
		status = look_for_rest(h, &c, chosen, h->bytes, h->size, out, error);
	out->before = true;
	chain_close(&c);
	return status;
}

static eh_status redact_what(const held *h, const audit_request *q, const audit_key *key,
                             audit_amended *out, eh_error *error)
{
	redact_choice chosen = { .members = { NULL, 0 } };
	eh_status status = redact_choose(h->bytes, h->size, h->path, q->member, q->hidden, &chosen, error);

	if (status == EH_OK && reach_holds(&chosen.reach, q->words))
		status = error_set(error, EH_E_USAGE, "the reason has the text that is to be taken out; the "
		                   "reason stays in %s.amendments: word it otherwise", h->path);
	if (status == EH_OK)
		status = chosen.members.count == 0 ? find_none(h, &chosen, out, error)
		                                   : redact_chosen(h, q, &chosen, key, out, error);
	redact_choice_clear(&chosen);
	return status;
}

static eh_status redact(const held *h, const audit_request *q, const audit_key *key,
                        audit_amended *out, eh_error *error)
{
	eh_status status = held_refuse_link(h->path, error);

	out->before = status == EH_OK && is_done(h, q, key);
	return status == EH_OK && !out->before ? redact_what(h, q, key, out, error) : status;
}

/* ---- the whole ------------------------------------------------------------------------------- */

eh_status audit_amend(const char *path, const audit_request *q, const audit_key *key,
                      audit_amended *out, eh_error *error)
{
	held h;
	eh_status status;

	memset(out, 0, sizeof(*out));
	status = held_open(path, key == NULL, &h, error);
	if (status == EH_OK && key != NULL)
		status = q->kind == AUDIT_REDACT ? redact(&h, q, key, out, error)
		                                 : add_words(&h, q, key, error);
	out->finished = h.finished;
	h.finished = (audit_finished){ .announcer = NULL };
	held_close(&h);
	return status;
}

void audit_amended_clear(audit_amended *a)
{
	text_list_clear(&a->redacted);
	audit_finished_clear(&a->finished);
	text_list_clear(&a->remains);
	text_list_clear(&a->nearby);
}
