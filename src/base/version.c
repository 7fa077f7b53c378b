#include "base/version.h"

const char rec_version[] = REC_VERSION;
