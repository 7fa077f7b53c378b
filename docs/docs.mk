# What describes the program, and what is installed; included by the Makefile.

# ---- the manual, the completions, the icon -----------------------------------------------------

# `manual` has the program's own tables: what it prints describes this build.
$(BUILD)/manual: $(MANUAL_OBJECTS) $(BUILD)/objects.a
	$(call say,LINK,$@)$(LINK) $^ $(LIBS) -o $@

# For another machine, by the compiler of this one.
MANUAL := $(BUILD)/$(if $(call differ,$(CC),$(HOSTCC)),host/)manual
$(BUILD)/host/manual: $(MANUAL_OBJECTS) $(BUILD)/objects.a
	+@$(MAKE) --no-print-directory BUILD=$(BUILD)/host CC='$(HOSTCC)' AR=ar RANLIB=ranlib \
	  PKG_CONFIG=pkg-config CFLAGS=-O1 CPPFLAGS= LDFLAGS= MPI=0 NVTX=0 \
	  $(foreach have,CUDA FFT PNG JPEG TIFF SDL TTF,$(have)=$($(have))) $@

$(addprefix $(BUILD)/reconstruct,.1 -bench.1 .bash .zsh .fish .desktop): $(BUILD)/%: docs/%.in \
		$(MANUAL)
	$(call say,MAKE,$@)$(EMULATOR) $(MANUAL) $< > $@

$(BUILD)/icon: data/icon.c $(BUILD)/config
	$(call say,CC,$<)$(HOSTCC) $(PLAIN_FLAGS) $< -lm -o $@
$(BUILD)/reconstruct.svg: $(BUILD)/icon
	$(call say,MAKE,$@)$(EMULATOR) $(BUILD)/icon svg > $@
$(BUILD)/icon_pixels.c: $(BUILD)/icon
	$(call say,MAKE,$@)$(EMULATOR) $(BUILD)/icon c > $@
$(BUILD)/icon_pixels.o: $(BUILD)/icon_pixels.c src/view/draw/draw.h
	$(call say,CC,$<)$(CC) $(C_FLAGS) -c $< -o $@

# With FFTW the program is as a whole under its licence. What names the repository needs one.
$(BUILD)/reconstruct.metainfo.xml: $(BUILD)/%: docs/% docs/changelog.md $(BUILD)/config \
		$(BUILD)/places
	@sed -e 's|@LICENCE@|$(if $(filter 1,$(FFTW)),GPL-2.0-or-later,MIT)|; s|@RELEASE@|$(NUMBER)|' \
	  -e "s|@DATE@|$$(sed -n 's/^## $(NUMBER), //p' docs/changelog.md)|" \
	  -e '$(if $(REPOSITORY),s|@REPOSITORY@|$(REPOSITORY)|g,/<url /d; /<screenshots>/,/s>$$/d)' \
	  $< > $@
$(addprefix $(BUILD)/reconstruct,.module -config.cmake -config-version.cmake): $(BUILD)/%: docs/% \
		$(BUILD)/config $(BUILD)/places docs/docs.mk
	@sed 's|@LIB@|$(LIB)|; s|@INCLUDE@|$(INCLUDE)|; s|@LIBS@|$(strip $(CORE_LIBS))|' $< | \
	  sed 's|@RELEASE@|$(NUMBER)|' > $@

# What a kernel of one's own is made with.
MINE := kernels/stencil.h kernels/ladder/exercise.cu \
	kernels/ladder/host/cuda_runtime.h kernels/ladder/host/fibres.cpp \
	kernels/ladder/host/moved.h kernels/ladder/host/seen.h kernels/ladder/host/watch.c \
	kernels/ladder/exercise.c
$(addprefix $(BUILD)/,$(MINE)): $(BUILD)/%: %
	$(call say,COPY,$@)mkdir -p $(@D) && cp $< $@

$(BUILD)/castle-edges.pgm: data/castle-edges.pgm
	$(call say,COPY,$@)cp $< $@
$(BUILD)/LICENSE: LICENSE
	@cp $< $@

# With GLIBC= for this machine alone, which needs no Zig.
GLIBC := 2.28
WHEELS := $(BUILD)/wheel
wheel: $(BUILD)/libreconstruct.so.0 $(BUILD)/libreconstruct.a ## two wheels for pip
	REPOSITORY='$(REPOSITORY)' src/python/wheel.sh $< '$(VERSION)' $(WHEELS) '$(GLIBC)' $(CORE_LIBS)
	$(if $(filter 1,$(FFTW)),+@$(MAKE) --no-print-directory FFT=0 BUILD=$(BUILD)/mit \
	  WHEELS=$(WHEELS) wheel)

# What there is to install: mode, file in the build folder, place below PREFIX.
INSTALLS := 755:reconstruct:$(BIN)/reconstruct 755:reconstruct-bench:$(BIN)/reconstruct-bench \
	644:reconstruct.1:$(MAN)/man1/reconstruct.1 \
	644:reconstruct-bench.1:$(MAN)/man1/reconstruct-bench.1 \
	644:reconstruct.bash:share/bash-completion/completions/reconstruct \
	644:reconstruct.bash:share/bash-completion/completions/reconstruct-bench \
	644:reconstruct.zsh:share/zsh/site-functions/_reconstruct \
	644:reconstruct.fish:share/fish/vendor_completions.d/reconstruct.fish \
	644:reconstruct.fish:share/fish/vendor_completions.d/reconstruct-bench.fish \
	644:reconstruct.module:share/modulefiles/reconstruct 644:LICENSE:share/doc/reconstruct/LICENSE
INSTALLS += $(foreach f,$(MINE) castle-edges.pgm,644:$f:share/reconstruct/$f)
# Mode `link`: a symbolic link to the file's name.
INSTALLS += 644:libreconstruct.so.0:$(LIB)/libreconstruct.so.0 \
	link:libreconstruct.so.0:$(LIB)/libreconstruct.so \
	644:libreconstruct.a:$(LIB)/libreconstruct.a \
	644:reconstruct.pc:$(LIB)/pkgconfig/reconstruct.pc \
	644:reconstruct-config.cmake:$(LIB)/cmake/reconstruct/reconstruct-config.cmake \
	644:reconstruct-config-version.cmake:$(LIB)/cmake/reconstruct/reconstruct-config-version.cmake \
	644:reconstruct.h:include/reconstruct.h 644:reconstruct.3:$(MAN)/man3/reconstruct.3
ifeq ($(MPI),1)
INSTALLS += 755:reconstruct-mpi:$(BIN)/reconstruct-mpi
endif
ifeq ($(SDL),1)
INSTALLS += 644:reconstruct.desktop:share/applications/reconstruct.desktop \
	644:reconstruct.metainfo.xml:share/metainfo/io.github.reconstruct.Reconstruct.metainfo.xml \
	644:reconstruct.svg:share/icons/hicolor/scalable/apps/reconstruct.svg
endif
$(BUILD)/installs: $(foreach i,$(INSTALLS),$(BUILD)/$(word 2,$(subst :, ,$(i)))) \
		$(BUILD)/config $(BUILD)/places Makefile
	@printf '%s\n' $(INSTALLS) | tr : ' ' > $@
