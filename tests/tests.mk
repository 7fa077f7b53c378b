# The tests, included by the Makefile: how their programs are built, and the ways to run them.

.PHONY: unit check asan tsan sanitized-check fuzz fuzz-programs faults kills soak monkey monkey-run sanitize \
	ci ci-compile ci-build

UNIT_TESTS := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(wildcard tests/unit/test_*.c))
FUZZ_TESTS := $(patsubst tests/fuzz/%.c,$(BUILD)/tests/%,$(wildcard tests/fuzz/fuzz_*.c))
TEST_SUPPORT := $(patsubst %.c,$(BUILD)/%.o,$(filter-out tests/unit/test_%,$(wildcard tests/unit/*.c)))

# ---- parts for tests ---------------------------------------------------------------------------

# What the worker and the window tell each other, and what is drawn, is listened to on the way.
ifeq ($(SDL),1)
$(BUILD)/tests/test_window_events: LISTEN := rec_exchange_publish rec_exchange_want \
	rec_job_open rec_job_save \
	SDL_GetRendererOutputSize SDL_RenderPresent rec_solver_mark
endif
$(BUILD)/tests/test_view: LISTEN := rec_job_open_jumper rec_job_save
# Which way iterations take.
$(BUILD)/tests/test_fast_way: LISTEN := rec_cpu_tiles_iterate \
	$(if $(filter 1,$(CUDA)),rec_launch_pixel rec_launch_stream rec_launch_diagonal \
	rec_launch_resident)
# The system reads and writes in ways of the test's own.
$(BUILD)/tests/test_image_raster: LISTEN := pread pwrite
$(BUILD)/tests/test_image_output: LISTEN := open
$(BUILD)/tests/%: $(BUILD)/tests/unit/%.o $(TEST_SUPPORT) $(BUILD)/libreconstruct.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) $(C_FLAGS) $(LISTEN:%=-Wl,--wrap=%) $(filter %.o,$^) $(filter %.a,$^) $(LIBS) -lcmocka \
	  -o $@

$(BUILD)/tests/fuzz_%: $(BUILD)/tests/fuzz/fuzz_%.o $(BUILD)/tests/fuzz/memory_file.o \
		$(if $(FUZZER),,$(BUILD)/tests/fuzz/replay.o) $(BUILD)/libreconstruct.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)$(CC) $(C_FLAGS) $(FUZZER) $^ $(LIBS) -o $@

# ---- tests -------------------------------------------------------------------------------------

# Those that wait most come first.
TESTS = $(if $(filter 1,$(SDL)),$(wildcard tests/window/test_*.sh)) $(wildcard tests/cli/test_*.sh) \
	$(UNIT_TESTS) $(FUZZ_TESTS)
RUN_TESTS = RECONSTRUCT='$(abspath $(BUILD))/reconstruct' CASTLE='$(abspath $(BUILD))/castle' \
	TEST_JOBS='$(patsubst -j%,%,$(filter -j%,$(MAKEFLAGS)))' OMP_WAIT_POLICY=passive \
	tests/run.sh $(TESTS)

unit: $(UNIT_TESTS) $(FUZZ_TESTS) $(BUILD)/castle ## build the unit tests, and the program that draws their pictures

check: ## all tests; what needs a GPU is skipped where there is none
	@$(MAKE) --no-print-directory all ci-build
	@$(RUN_TESTS)

# Leaks are looked for but where a graphics driver is, which keeps memory to the end by design.
ASAN = BUILD=$(BUILD)/asan CFLAGS='-O1 -g -fno-omit-frame-pointer' \
	SANITIZE='-fsanitize=address,undefined -fno-sanitize-recover=all' CUDA=0
asan: ## all tests under the address, leak and undefined-behaviour sanitizers
	@$(MAKE) --no-print-directory $(ASAN) sanitized-check
# With clang, whose OpenMP tells the sanitizer how its threads wait for each other.
TSAN = BUILD=$(BUILD)/tsan CC=clang CFLAGS='-O1 -g' SANITIZE=-fsanitize=thread CUDA=0
THREADED := cpu solver slabs layers marks view window_events inputs history spectral_solver
tsan: ## the tests of what has threads under the thread sanitizer
	@$(MAKE) --no-print-directory $(TSAN) sanitized-check \
	  TESTS='$(THREADED:%=$(BUILD)/tsan/tests/test_%) tests/cli/test_main_job.sh'
sanitized-check: ci-build
	@SANITIZED=1 $(if $(findstring thread,$(SANITIZE)),RECONSTRUCT_TESTS=small) \
	  ASAN_OPTIONS=allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1 \
	  LSAN_OPTIONS=suppressions='$(CURDIR)/tests/leaks':print_suppressions=0 \
	  TSAN_OPTIONS=ignore_noninstrumented_modules=1:allocator_may_return_null=1:exitcode=99 $(RUN_TESTS)

FUZZ = BUILD=$(BUILD)/fuzz CC=clang CFLAGS='-O1 -g' CUDA=0 OPENMP=0 FUZZER=-fsanitize=fuzzer \
	SANITIZE='-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all'
fuzz: ## random inputs for readers and options, under the sanitizers (MINUTES=10 in all)
	@$(MAKE) --no-print-directory $(FUZZ) fuzz-programs
	@tests/fuzz/run.sh '$(MINUTES)' $(BUILD)/fuzz/tests
fuzz-programs: $(FUZZ_TESTS)
KILLS ?= 1000
HOURS ?= 8
faults: all ## each call that can fail fails once: memory, files, threads
	@FAULTS=all TEST_LIMIT=7200 $(RUN_TESTS)
kills: all ## KILLS=1000 runs killed at random moments and started again
	@KILLS=$(KILLS) TEST_LIMIT=7200 $(RUN_TESTS)
soak: all ## window and lists side by side for HOURS=8: nothing grows, nothing is left
	@RECONSTRUCT='$(abspath $(BUILD))/reconstruct' tests/soak.sh '$(HOURS)'
faults: TESTS = tests/cli/test_faults.sh
kills: TESTS = tests/cli/test_kills.sh

# Apart from the tests: it takes as long as it is told.
MINUTES ?= 10
SEED ?=
monkey: ## random keys, mouse, files in the window, under the sanitizers (MINUTES=10 SEED=...)
	@$(MAKE) --no-print-directory $(ASAN) $(BUILD)/asan/reconstruct
	@$(MAKE) --no-print-directory $(ASAN) monkey-run
monkey-run: $(BUILD)/reconstruct
	@RECONSTRUCT='$(abspath $(BUILD))/reconstruct' MONKEY_LOG='$(abspath $(BUILD))/monkey.log' \
	  ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 \
	  UBSAN_OPTIONS=print_stacktrace=1 tests/window/monkey.sh '$(MINUTES)' $(SEED)

sanitize: ## the GPU's kernels under compute-sanitizer (needs a device)
	@$(MAKE) --no-print-directory LINEINFO=1 BUILD=$(BUILD)/lines unit
	@tests/sanitize.sh $(BUILD)/lines/tests

# All tests with gcc; what clang says of everything, and what both say of the least, warnings being
# errors; the tests of the least; then the sanitizers. The kernels are nvcc's whichever of them compiles
# the rest: once is enough. CI is how a step is made.
CI = $(MAKE) --no-print-directory WERROR=1
ci: ## what continuous integration runs
	+@echo '== all tests'; $(CI) BUILD=build/ci check
	+@echo '== clang'; $(CI) CC=clang BUILD=build/ci-clang ci-compile
	+@echo '== gcc, the least'; $(CI) BUILD=build/ci-least CUDA=0 SDL=0 FFT=0 OPENMP=0 ci-compile
	+@echo '== clang, the least'; $(CI) CC=clang BUILD=build/ci-clang-least CUDA=0 SDL=0 FFT=0 check
	+@echo '== address sanitizer'; $(CI) asan
	+@echo '== thread sanitizer'; $(CI) tsan
	+@echo '== fuzzing'; $(CI) MINUTES=1 fuzz
ci-compile: $(filter-out $(BUILD)/kernels/%,$(LIB_OBJECTS)) $(PROGRAM_OBJECTS) $(MANUAL_OBJECTS) \
	$(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/unit/*.c))
ci-build: unit $(BUILD)/reconstruct $(BUILD)/installs

