/* The window of a build without SDL2: it says so. */
#include "view/view.h"

int rec_view_has_display(void) { return 0; }

rec_status rec_view_show(rec_jobs *jobs, rec_error *error)
{
    return rec_fail(error, REC_UNAVAILABLE,
                    "this build has no window (SDL2)\vuse --headless -o FILE");
}
