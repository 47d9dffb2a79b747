# A script: writes the linker's --wrap options for LIBRARY, one for each definition __wrap_NAME in it, to OUTPUT.
execute_process(COMMAND ${NM} -D --defined-only --format=posix ${LIBRARY}
                OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "(^|\n)__wrap_[^ ]+" names "${symbols}")
if(NOT names)
  message(FATAL_ERROR "${LIBRARY} wraps nothing")
endif()
string(REGEX REPLACE "\n?__wrap_" "" names "${names}")
list(SORT names)
list(TRANSFORM names PREPEND "--wrap=")
list(JOIN names "\n" text)
file(WRITE ${OUTPUT} "${text}\n")
