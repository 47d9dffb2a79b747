# Libraries that are taken, not written; `scripts/setup` installs their Debian packages.

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(libdw REQUIRED IMPORTED_TARGET libdw)

# BuDDy comes without a file for CMake or pkg-config.
find_library(BUDDY_LIBRARY bdd REQUIRED)
find_path(BUDDY_INCLUDE_DIR bdd.h REQUIRED)
add_library(BuDDy::bdd UNKNOWN IMPORTED)
set_target_properties(BuDDy::bdd PROPERTIES IMPORTED_LOCATION ${BUDDY_LIBRARY}
                                            INTERFACE_SYSTEM_INCLUDE_DIRECTORIES ${BUDDY_INCLUDE_DIR})

if(BUILD_TESTING)
  find_package(GTest REQUIRED)
  include(GoogleTest)
endif()
