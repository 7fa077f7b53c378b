#include "base/text.h"

const char rec_version[] = REC_VERSION;
const char rec_build[] = REC_BUILD;
