# How everything is compiled, except for what cmake/runtime.cmake adds for the runtime.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS ON) # GNU asm is used.
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
# Cheap assertions stay on in release builds, hence no NDEBUG. Symbols cost nothing at run time; those that stacks
# need take three quarters of the time to build that all take; for a debugger, put -g here.
foreach(language IN ITEMS C CXX ASM)
  set(CMAKE_${language}_FLAGS_RELEASE "-O2 -g1")
  set(CMAKE_${language}_FLAGS_DEBUG "-O0 -g")
endforeach()

# The lower layers are linked into the runtime, a shared library that exports only what it
# interposes; so every object is position independent and hides its names.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

add_compile_options("$<$<COMPILE_LANGUAGE:C,CXX>:-Wall;-Wextra;-Wconversion;-Wshadow;-Werror>")

if(THRUM_SANITIZE)
  # To optimise what the sanitizers add takes longer than the tests do without that.
  foreach(language IN ITEMS C CXX)
    set(CMAKE_${language}_FLAGS_RELEASE "-O1 -g1")
  endforeach()
  # Without the checks of pointers that UBSan adds to each access and each call: they double the time to compile.
  # Where such a pointer is used, ASan or the processor says so; -Wreturn-type is an error as it is.
  add_compile_options(
    -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
    -fno-sanitize=null,alignment,object-size,vptr,pointer-overflow,nonnull-attribute,returns-nonnull-attribute,return)
  add_link_options(-fsanitize=address,undefined)
else()
  # The search runs on the fibers of the program under test. The guard value of a stack protector is
  # read through the thread pointer, which may change between a function's entry and its exit.
  add_compile_options("$<$<COMPILE_LANGUAGE:C,CXX>:-fno-stack-protector>")
endif()
