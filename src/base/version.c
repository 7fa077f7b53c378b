#include "base/text.h"

const char rec_version[] = REC_VERSION;
