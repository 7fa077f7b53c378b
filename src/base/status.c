#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

rec_status rec_fail(rec_error *error, rec_status status, const char *format, ...)
{
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
        error->status = status;
    }
    return status;
}

rec_status rec_fail_in(rec_error *error, const char *prefix)
{
    if (!error)
        return REC_FAULT;
    char message[sizeof error->message];
    memcpy(message, error->message, sizeof message);
    return rec_fail(error, error->status, "%s: %s", prefix, message);
}
