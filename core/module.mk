# The program: every room of core/.  CORE_OBJECTS is what the unit tests link, all but main.
core_sources := $(sort $(wildcard $(srcdir)/core/*/*.c))
CORE_OBJECTS := $(filter-out obj/core/cli/main.o,$(call objects,$(core_sources)))
OBJECTS += $(call objects,$(core_sources))
# Made before anything includes it; the dependency files know who does.
$(call objects,$(core_sources)): | version.h

DATA += share/evenhand/makers.ini
share/evenhand/makers.ini: $(srcdir)/core/executor/makers.ini
	$(folder)
	$(copy)

bin/evenhand: $(call objects,$(core_sources))
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(ALL_LDFLAGS) -o $@ $(inputs) $(LIBRARY_LIBS) $(LIBS)
