// libstdc++'s makefile links this header to where its sources look for it.
#include <libstdc++-v3/config/locale/gnu/c++locale_internal.h>
