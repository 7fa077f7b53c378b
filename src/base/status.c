#include "base/status.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

atomic_int rec_signal_received, rec_call_interrupted;

/* ---- text that is safe to print ---- */

size_t rec_utf8_length(const unsigned char *at)
{
    const size_t length = at[0] < 0x80   ? 1
                          : at[0] < 0xc2 ? 0
                          : at[0] < 0xe0 ? 2
                          : at[0] < 0xf0 ? 3
                          : at[0] < 0xf5 ? 4
                                         : 0;
    for (size_t i = 1; i < length; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    const int overlong = (at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xf0 && at[1] < 0x90);
    const int beyond = at[0] == 0xf4 && at[1] >= 0x90, surrogate = at[0] == 0xed && at[1] >= 0xa0;
    return overlong || beyond || surrogate ? 0 : length;
}

/* No control characters, those of Latin-1 among them (U+0080 to U+009F), and no bytes that are no
 * UTF-8, which a terminal may take for such. */
static void disarm(char *text, size_t count)
{
    for (size_t i = 0, length; i < count; i += length) {
        const unsigned char *at = (unsigned char *)text + i;
        length = rec_utf8_length(at);
        if (!length || at[0] < ' ' || at[0] == 0x7f || (at[0] == 0xc2 && at[1] < 0xa0)) {
            length = 1;
            text[i] = '?';
        }
    }
}

void rec_say(FILE *stream, const char *format, ...)
{
    char *text;
    va_list arguments;
    va_start(arguments, format);
    const int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0)
        return; /* without memory there is no place for words either */
    disarm(text, (size_t)length - (length && text[length - 1] == '\n'));
    fputs(text, stream);
    free(text);
}

/* ---- failures ---- */

/* A text that is too long loses its middle: both ends of a long file name identify it, and the
 * reason follows it. There is a byte left for the mark of a format. */
static void fill(rec_error *error, rec_status status, const char *format, va_list arguments)
{
    static const char gap[] = " ... ";
    const size_t room = sizeof error->message - 2;
    const size_t head = (room - strlen(gap)) / 2, tail = room - strlen(gap) - head;
    char *text = NULL, *message = error->message;
    va_list again;
    va_copy(again, arguments);
    const int length = vasprintf(&text, format, arguments);
    if (length < 0) {
        text = NULL;
        vsnprintf(message, room + 1, format, again);
    } else if ((size_t)length <= room) {
        memcpy(message, text, (size_t)length + 1);
    } else {
        memcpy(message, text, head);
        memcpy(message + head, gap, strlen(gap));
        memcpy(message + head + strlen(gap), text + (size_t)length - tail, tail + 1);
    }
    free(text);
    va_end(again);
    /* The mark of a format becomes "; "; no argument in front of it is taken for it. */
    char *mark = strchr(format, '\v') ? strrchr(message, '\v') : NULL;
    error->advice = mark ? (size_t)(mark - message) : strlen(message);
    if (mark) {
        memmove(mark + 2, mark + 1, strlen(mark));
        memcpy(mark, "; ", 2);
    }
    disarm(message, strlen(message));
    error->status = status;
}

rec_status rec_fail(rec_error *error, rec_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (error)
        fill(error, status, format, arguments);
    va_end(arguments);
    return status;
}

rec_status rec_fail_system(rec_error *error, rec_status status, int number, const char *format, ...)
{
    const int stopped = number == EINTR && (rec_signal_received || rec_call_interrupted);
    const rec_status found = stopped ? REC_SIGNALLED
                             : number == ENOMEM || number == EMFILE || number == ENFILE ? REC_LIMIT
                             : number == ENOSPC || number == EDQUOT                     ? REC_IO
                                                                                        : status;
    rec_error what = {0};
    va_list arguments;
    va_start(arguments, format);
    fill(&what, found, format, arguments);
    va_end(arguments);
    return rec_fail(error, found, "%s: %s", what.message,
                    stopped ? "stopped by a signal" : strerror(number ? number : EIO));
}

rec_status rec_fail_in(rec_error *error, const char *prefix)
{
    if (!error)
        return REC_FAULT;
    const rec_error old = *error;
    rec_fail(error, old.status, "%s: %s", prefix, old.message);
    error->advice -= strlen(old.message + old.advice);
    return old.status;
}
