/* The reader of an earlier bench's rows. */
#include "bench/rung.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bench_report baseline;
    rec_error error = {0};
    const rec_status status = bench_read_json(fuzz_file(data, size), &baseline, &error);
    FUZZ_REQUIRE(!status || (error.status == status && error.message[0]));
    if (!status)
        free(baseline.results);
    return 0;
}
