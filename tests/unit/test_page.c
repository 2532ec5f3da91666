/* SPDX-License-Identifier: Apache-2.0 */
/* Pages: what a result's strings say is never markup, whatever they are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/base64.h"
#include "golden.h"
#include "base/markup.h"
#include "page/page.h"

static char *put(void (*with)(FILE *out, const char *words), const char *words)
{
	char *body = NULL;
	size_t size;
	FILE *out = open_memstream(&body, &size);

	with(out, words);
	fclose(out);
	return body;
}

static void into_attribute(FILE *out, const char *words)
{
	markup_put(out, "<a title=\"%s\">%zu, %d, %.1f %%, %llu</a>", words, (size_t)3, -4, 0.25, 5ULL);
}

static void expect(void (*with)(FILE *out, const char *words), const char *words, const char *want)
{
	char *body = put(with, words);

	assert_string_equal(body, want);
	free(body);
}

static void escapes(void **state)
{
	(void)state;
	expect(into_attribute, "a \"b\" 'c' <d> & \x1b[31m\xff\n",
	       "<a title=\"a &quot;b&quot; &#39;c&#39; &lt;d&gt; &amp; ?[31m? \">3, -4, 0.2 %, 5</a>");
	expect(markup_text, "a\tb\n<c>\x07", "a\tb\n&lt;c&gt;?");
	expect(markup_json, "{\"a\":\"</script><!--\"}", "{\"a\":\"\\u003c/script>\\u003c!--\"}");
}

static void encodes(void **state)
{
	/* RFC 4648, section 10. */
	static const char *const vectors[][2] = { { "", "" }, { "f", "Zg==" }, { "fo", "Zm8=" }, { "foo", "Zm9v" },
		                                  { "foob", "Zm9vYg==" }, { "foobar", "Zm9vYmFy" } };
	enum { LARGE = 7 << 20 };
	unsigned char *large = memory_get(LARGE);
	char *got;

	(void)state;
	for (size_t i = 0; i < sizeof(vectors) / sizeof(*vectors); i++) {
		got = base64_text(vectors[i][0], strlen(vectors[i][0]));
		assert_string_equal(got, vectors[i][1]);
		free(got);
	}
	/* In pieces: as if it were one. */
	got = base64_text(large, LARGE);
	assert_int_equal(strlen(got), ((size_t)LARGE + 2) / 3 * 4);
	assert_int_equal(strspn(got, "A"), LARGE / 3 * 4 + 2);
	free(got);
	free(large);
}

/* ---- hostile strings ------------------------------------------------------------------------- */

#define EVIL "</script></pre></title><script>document.title=1</script><img src=x onerror=alert(1)>'\"&"

/* Every text that only people read, wherever it is: not the words, digests and names that have to agree. */
static const char *const members[] = { "tester", "sponsor", "vendor", "platform", "maker", "owner", "path", "detail", "tolerance",
	                               "device_time_reason", "flags", "read-by", "intent" };

static bool is_open(const char *key)
{
	for (size_t i = 0; key != NULL && i < sizeof(members) / sizeof(*members); i++)
		if (strcmp(members[i], key) == 0)
			return true;
	return false;
}

static size_t poison(cJSON *item)
{
	size_t count = 0;

	for (cJSON *child = item->child; child != NULL; child = child->next) {
		count += poison(child);
		if (cJSON_IsString(child) && is_open(child->string)) {
			cJSON_SetValuestring(child, EVIL);
			count++;
		}
	}
	return count;
}

static size_t occurrences(const char *body, const char *words)
{
	size_t count = 0;

	for (; (body = strstr(body, words)) != NULL; body++)
		count++;
	return count;
}

static char *page_of(result *r)
{
	comparison *self = contract_compare(r, r, 0);
	eh_error error = ERROR_INIT;
	char *body = NULL;
	size_t size;
	FILE *out = open_memstream(&body, &size);
	char *folder = path_join(getenv("BUILD"), "share/evenhand/page");
	grid g;

	grid_make(&g, self, 1, GRID_ALONE);
	if (page_report(out, &g, folder, &error) != EH_OK)
		fail_msg("%s", error.message);
	grid_clear(&g);
	fclose(out);
	free(folder);
	comparison_free(self);
	return body;
}

static result *golden_result(void (*edit)(cJSON *root))
{
	char *from = golden_path("host-gcc-12.json"), *body = golden_file(from), *to = golden_scratch("page.json");
	cJSON *root = cJSON_Parse(body);
	eh_error error = ERROR_INIT;
	result *r = NULL;

	if (edit != NULL)
		edit(root);
	golden_reseal(root, true);
	assert_int_equal(golden_write(root, to), EH_OK);
	if (result_read(to, &r, &error) != EH_OK)
		fail_msg("%s", error.message);
	cJSON_Delete(root);
	free(to);
	free(body);
	free(from);
	return r;
}

static void make_hostile(cJSON *root)
{
	golden_set(root, "executor/device/name", "\"<b>\"");
	assert_true(poison(golden_at(root, "who")) + poison(golden_at(root, "executor")) +
	            poison(golden_at(root, "cases")) > 30);
}

static void is_never_markup(void **state)
{
	result *plain = golden_result(NULL), *hostile = golden_result(make_hostile);
	char *before = page_of(plain), *after = page_of(hostile);
	static const char *const markup[] = { "<script", "</script", "<img", "<pre", "</pre", "<title", "<b>", "<!--", "<svg", "<style" };

	(void)state;
	assert_true(occurrences(after, "onerror=alert(1)") > 10);
	for (size_t i = 0; i < sizeof(markup) / sizeof(*markup); i++)
		assert_int_equal(occurrences(after, markup[i]), occurrences(before, markup[i]));
	assert_int_equal(occurrences(after, "\x1b"), 0);
	free(after);
	free(before);
	result_free(hostile);
	result_free(plain);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(escapes),
		cmocka_unit_test(encodes),
		cmocka_unit_test(is_never_markup),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
