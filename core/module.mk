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

# What goes into the pages that `report` and `archive publish` write: files of ours, and a chart library from outside.
page_files := page.css page.js $(if $(DYGRAPHS),dygraph.min.css dygraph.min.js)
DATA += $(addprefix share/evenhand/page/,$(page_files))
share/evenhand/page/page.%: $(srcdir)/core/page/page.%
	$(folder)
	$(copy)
# Without the place of its source map, which a page does not have.
share/evenhand/page/dygraph.%: $(DYGRAPHS)/dygraph.%
	$(folder)
	@umask 022; sed '/^.*# sourceMappingURL=[a-z.]* *[*/]*$$/d' $< > $@

bin/evenhand: $(call objects,$(core_sources))
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) $(ALL_LDFLAGS) -o $@ $(inputs) $(LIBRARY_LIBS) $(LIBS)
