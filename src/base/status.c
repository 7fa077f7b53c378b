#include "base/status.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A message is one line, and safe to print, whatever a file is called. */
static void disarm(char *message)
{
    for (; *message; message++)
        if ((unsigned char)*message < ' ' || *message == 0x7f)
            *message = '?';
}

rec_status rec_fail(rec_error *error, rec_status status, const char *format, ...)
{
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
        disarm(error->message);
        error->status = status;
    }
    return status;
}

rec_status rec_status_of(int number, rec_status otherwise)
{
    return number == ENOMEM || number == EMFILE || number == ENFILE ? REC_LIMIT : otherwise;
}

rec_status rec_fail_in(rec_error *error, const char *prefix)
{
    if (!error)
        return REC_FAULT;
    char message[sizeof error->message];
    memcpy(message, error->message, sizeof message);
    return rec_fail(error, error->status, "%s: %s", prefix, message);
}
