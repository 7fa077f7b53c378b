/* What this build is called: the last release's tag and what came after it, from the Makefile. */
#pragma once

extern const char rec_version[];
