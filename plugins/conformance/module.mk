# The conformance suite: a plugin that `evenhand plugin check` loads, and the same objects with a
# main() as a static library, for programs that link a backend and its tests (docs/writing-a-backend.md).
conformance_main := $(srcdir)/plugins/conformance/conformance_main.c
conformance_sources := $(filter-out $(conformance_main),$(sort $(wildcard $(srcdir)/plugins/conformance/*.c)))
$(eval $(call plugin_rule,conformance,$(conformance_sources),conformance,,-lm $(LIBS)))

# In the library everything but the entry is local, so that no name clashes with a backend's.
obj/plugins/conformance/suite.o: $(call objects,$(conformance_sources)) links
	$(call say,LD,$@)$(CC) $(CFLAGS) -r -nostdlib -o $@ $(inputs) && $(OBJCOPY) --localize-hidden $@
OBJECTS += $(call objects,$(conformance_main))
$(call objects,$(conformance_main)): private CORE_CPPFLAGS := $(LIBRARY_CFLAGS)
lib/libevenhand-conformance.a: obj/plugins/conformance/suite.o $(call objects,$(conformance_main))
	$(folder)
	$(call say,AR,$@)rm -f $@ && umask 022 && $(AR) rcs $@ $(inputs)
ARCHIVES += lib/libevenhand-conformance.a
