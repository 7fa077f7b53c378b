/* The reader of stencil files: what it takes is a stencil that can be used. */
#include <math.h>

#include "image/stencil.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static rec_stencil stencil;
    rec_error error = {0};
    const rec_status status = rec_stencil_read(&stencil, fuzz_file(data, size), &error);
    FUZZ_REQUIRE(!status || (error.status == status && error.message[0]));
    if (status)
        return 0;
    FUZZ_REQUIRE(stencil.width % 2 && stencil.height % 2 && stencil.width <= REC_STENCIL_SIDE &&
                 stencil.height <= REC_STENCIL_SIDE && stencil.scale != 0);
    FUZZ_REQUIRE(isfinite(rec_stencil_sum(&stencil)));
    return 0;
}
