/* What this build is called: the last release's tag and what came after it, from the Makefile. */
#ifndef REC_BASE_VERSION_H
#define REC_BASE_VERSION_H

extern const char rec_version[];

#endif
