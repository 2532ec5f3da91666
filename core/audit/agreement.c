/* SPDX-License-Identifier: Apache-2.0 */
#include "audit/agreement.h"

#include <stdlib.h>
#include <string.h>

#include "audit/beside.h"
#include "audit/envelope.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/fresh.h"
#include "base/limits.h"
#include "base/text.h"

/* ---- reading --------------------------------------------------------------------------------- */

bool agreement_holds(const record_agreement *a)
{
	return audit_name_ok(a->team) && clock_is_wall_text(a->time) &&
	       envelope_holds(&envelope_agreement, a);
}

static eh_status check(const record_agreement *a, const char *path, eh_error *error)
{
	eh_status status = envelope_version(a->format_version, path, error);

	if (status == EH_OK && !agreement_holds(a))
		status = error_set(error, EH_E_ALTERED, "%s: the signature of the agreement does not hold: it was "
		                   "altered; get the file again from the team that signed it", path);
	return status;
}

eh_status agreement_read(const char *path, record_agreement *out, eh_error *error)
{
	char *body = NULL;
	size_t size = 0;
	eh_status status = file_read_most(path, LIMIT_MIB, &body, &size, error);

	if (status == EH_OK)
		status = beside_check(path, body, size, error);
	if (status == EH_OK)
		status = layout_read(record_agreement_layout(), body, size, path, out, error);
	if (status == EH_OK)
		status = check(out, path, error);
	free(body);
	return status;
}

/* ---- signing --------------------------------------------------------------------------------- */

/* A file that is there is the same agreement, or is refused. */
static eh_status take_present(const char *path, const agreement_subject *s, const audit_key *key,
                              record_agreement *out, eh_error *error)
{
	eh_error why = ERROR_INIT;

	if (agreement_read(path, out, &why) != EH_OK)
		return error_set(error, EH_E_USAGE, "%s is there and is no agreement that holds, and nothing is "
		                 "overwritten: move it away, or name another file with -o", path);
	if (strcmp(out->digest, s->digest) == 0 && strcmp(out->team, s->team) == 0 &&
	    strcmp(out->public_key, audit_key_public(key)->key) == 0)
		return EH_OK;
	return error_set(error, EH_E_USAGE, "%s is there and is another agreement, of %s to %s@%llu with the "
	                 "digest %.12s by the key %.12s, and is not overwritten: name another file with -o",
	                 path, out->team, out->protocol, (unsigned long long)out->version, out->digest,
	                 out->fingerprint);
}

static eh_status sign(const agreement_subject *s, const audit_key *key, record_agreement *out,
                      eh_error *error)
{
	out->format = RECORD_AGREEMENT;
	out->format_version = 1;
	text_set(&out->protocol, s->protocol);
	out->version = s->version;
	text_set(&out->digest, s->digest);
	text_set(&out->team, s->team);
	return envelope_seal(&envelope_agreement, out, key, error);
}

eh_status agreement_sign(const char *path, const agreement_subject *s, const audit_key *key,
                         record_agreement *out, bool *already, eh_error *error)
{
	char *body, *object;
	eh_status status;

	*already = file_exists(path);
	if (*already)
		return take_present(path, s, key, out, error);
	status = sign(s, key, out, error);
	if (status != EH_OK)
		return status;
	object = layout_text(record_agreement_layout(), out, true);
	body = memory_format("%s\n", object);
	status = audit_key_file(path, fresh_mode(0666), body, strlen(body), error);
	free(body);
	free(object);
	return status;
}

/* ---- teams ----------------------------------------------------------------------------------- */

/* The key of that name; it may be there twice, as an own one and as another's. */
static eh_status find_key(const audit_keyring *ring, const char *name, audit_public *out, eh_error *error)
{
	bool found = false;

	for (size_t i = 0; i < ring->keys.count; i++) {
		const audit_known_key *known = &ring->keys.items[i];
		audit_public key;

		if (strcmp(known->name, name) != 0 || !audit_public_of(known->public_key, &key))
			continue;
		if (found && strcmp(key.key, out->key) != 0)
			return error_set(error, EH_E_USAGE, "both a key of yours and a trusted one are called %s, so "
			                 "nothing says which is the team's: `evenhand key distrust %s`, and trust it "
			                 "under another name", name, name);
		*out = key;
		found = true;
	}
	if (found)
		return EH_OK;
	return error_set(error, EH_E_NOT_FOUND, "no key is called '%.64s' here, and a team is the name of a key: "
	                 "`evenhand key trust FILE --name TEAM` with the team's public key, after comparing its "
	                 "fingerprint with the team", name);
}

static eh_status refuse_same(const audit_team_list *before, const audit_team *t, eh_error *error)
{
	for (size_t i = 0; i < before->count; i++) {
		const audit_team *b = &before->items[i];

		if (strcmp(b->name, t->name) == 0)
			return error_set(error, EH_E_USAGE, "the team %s is named twice", t->name);
		if (strcmp(b->key.key, t->key.key) == 0)
			return error_set(error, EH_E_USAGE, "%s and %s are one key here, and one key cannot agree for "
			                 "two teams: `evenhand key list`", b->name, t->name);
	}
	return EH_OK;
}

eh_status audit_teams_find(const audit_keyring *ring, char *const *names, audit_team_list *out,
                           eh_error *error)
{
	audit_team_list found = { NULL, 0 };
	eh_status status = EH_OK;

	for (size_t i = 0; names[i] != NULL && status == EH_OK; i++) {
		audit_team t = { .name = names[i] };

		status = find_key(ring, t.name, &t.key, error);
		if (status == EH_OK)
			status = refuse_same(&found, &t, error);
		found.items = memory_grow(found.items, (found.count + 1) * sizeof(*found.items));
		found.items[found.count++] = t;
	}
	if (status == EH_OK)
		*out = found;
	else
		free(found.items);
	return status;
}

/* ---- judging --------------------------------------------------------------------------------- */

static enum audit_agreement_state state_of(const record_result *r, const audit_team *team,
                                           const record_agreement *a)
{
	if (strcmp(a->team, team->name) != 0)
		return AUDIT_AGREEMENT_ABSENT;
	if (strcmp(a->fingerprint, team->key.fingerprint) != 0)
		return AUDIT_AGREEMENT_OTHER_KEY;
	if (!agreement_holds(a))
		return AUDIT_AGREEMENT_BROKEN;
	if (strcmp(a->digest, r->protocol.digest) != 0)
		return AUDIT_AGREEMENT_OTHER;
	return strcmp(a->time, r->run.started) > 0 ? AUDIT_AGREEMENT_LATE : AUDIT_AGREED;
}

/* malloc'd; a is NULL where there is none. */
static char *sentence_of(const record_result *r, const audit_team *team, enum audit_agreement_state state,
                         const record_agreement *a)
{
	const record_protocol *p = &r->protocol;
	char *what = memory_format("%.64s@%llu (digest %.12s)", p->name, (unsigned long long)p->version,
	                           p->digest);
	char *out = NULL;

	if (a == NULL || state == AUDIT_AGREEMENT_ABSENT)
		out = memory_format("%s had not agreed to %s when the run began: the result has no agreement of it",
		                    team->name, what);
	else if (state == AUDIT_AGREEMENT_OTHER_KEY)
		out = memory_format("the agreement to %s in the name of %s is signed by the key %.12s, and %s is the "
		                    "key %.12s here", what, team->name, a->fingerprint, team->name,
		                    team->key.fingerprint);
	else if (state == AUDIT_AGREEMENT_BROKEN)
		out = memory_format("the signature of %s's agreement to %s does not hold: it was altered",
		                    team->name, what);
	else if (state == AUDIT_AGREEMENT_OTHER)
		out = memory_format("%s agreed to another protocol, with the digest %.12s, and the run measured %s",
		                    team->name, a->digest, what);
	else if (state == AUDIT_AGREEMENT_LATE)
		out = memory_format("%s agreed to %s at %s, after the run began at %s", team->name, what, a->time,
		                    r->run.started);
	else
		out = memory_format("%s agreed to %s at %s", team->name, what, a->time);
	free(what);
	return out;
}

void agreement_judge(const record_result *r, const audit_team *team, audit_checked_agreement *out)
{
	const record_agreement_list *all = &r->run.agreements;
	const record_agreement *best = NULL;

	out->state = AUDIT_AGREEMENT_ABSENT;
	for (size_t i = 0; i < all->count && i < LIMIT_AGREEMENTS; i++) {
		enum audit_agreement_state state = state_of(r, team, &all->items[i]);

		if (state <= out->state)
			continue;
		out->state = state;
		best = &all->items[i];
	}
	if (best != NULL)
		text_set(&out->time, best->time);
	out->sentence = sentence_of(r, team, out->state, best);
}
