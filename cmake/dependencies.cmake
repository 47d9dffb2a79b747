# Libraries that are taken, not written; `scripts/setup` installs their Debian packages.

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(libdw REQUIRED IMPORTED_TARGET libdw)
pkg_check_modules(capstone REQUIRED IMPORTED_TARGET capstone)
pkg_check_modules(libzstd REQUIRED IMPORTED_TARGET libzstd)

# Compiled in as headers: the runtime brings no library into the program under test.
find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)
add_library(xxhash::xxhash INTERFACE IMPORTED)
target_include_directories(xxhash::xxhash SYSTEM INTERFACE ${XXHASH_INCLUDE_DIR})

# BuDDy comes without a file for CMake or pkg-config.
find_library(BUDDY_LIBRARY bdd REQUIRED)
find_path(BUDDY_INCLUDE_DIR bdd.h REQUIRED)
add_library(BuDDy::bdd UNKNOWN IMPORTED)
set_target_properties(BuDDy::bdd PROPERTIES IMPORTED_LOCATION ${BUDDY_LIBRARY}
                                            INTERFACE_SYSTEM_INCLUDE_DIRECTORIES ${BUDDY_INCLUDE_DIR})

# Reads C for `thrum bool from-c`; without it that command is left out.
find_path(LIBCLANG_INCLUDE_DIR clang-c/Index.h PATHS /usr/lib/llvm-19/include NO_DEFAULT_PATH)
find_library(LIBCLANG_LIBRARY NAMES clang-19 clang PATHS /usr/lib/llvm-19/lib NO_DEFAULT_PATH)
if(THRUM_CLANG AND LIBCLANG_INCLUDE_DIR AND LIBCLANG_LIBRARY)
  set(THRUM_HAS_LIBCLANG ON)
  add_library(libclang::libclang UNKNOWN IMPORTED)
  set_target_properties(libclang::libclang PROPERTIES IMPORTED_LOCATION ${LIBCLANG_LIBRARY}
                                                      INTERFACE_INCLUDE_DIRECTORIES ${LIBCLANG_INCLUDE_DIR})
else()
  set(THRUM_HAS_LIBCLANG OFF)
  message(STATUS "libclang 19 is not there (Debian: libclang-19-dev) or not asked for (THRUM_CLANG): "
                 "thrum bool from-c is left out")
endif()

# Clang as a library: reads C for `thrum sequentialize`; without it that command says so.
find_path(CLANG_INCLUDE_DIR clang/AST/ASTContext.h PATHS /usr/lib/llvm-19/include NO_DEFAULT_PATH)
find_path(LLVM_INCLUDE_DIR llvm/ADT/StringRef.h PATHS /usr/lib/llvm-19/include NO_DEFAULT_PATH)
find_library(CLANG_CPP_LIBRARY NAMES clang-cpp PATHS /usr/lib/llvm-19/lib NO_DEFAULT_PATH)
find_library(LLVM_LIBRARY NAMES LLVM-19 LLVM PATHS /usr/lib/llvm-19/lib NO_DEFAULT_PATH)
find_path(CLANG_RESOURCES include/stddef.h PATHS /usr/lib/llvm-19/lib/clang/19 NO_DEFAULT_PATH)
if(THRUM_CLANG AND CLANG_INCLUDE_DIR AND LLVM_INCLUDE_DIR AND CLANG_CPP_LIBRARY AND LLVM_LIBRARY AND CLANG_RESOURCES)
  set(THRUM_HAS_CLANG ON)
  add_library(clang::cpp INTERFACE IMPORTED)
  target_link_libraries(clang::cpp INTERFACE ${CLANG_CPP_LIBRARY} ${LLVM_LIBRARY})
  target_include_directories(clang::cpp SYSTEM INTERFACE ${CLANG_INCLUDE_DIR} ${LLVM_INCLUDE_DIR})
  target_compile_definitions(clang::cpp INTERFACE THRUM_CLANG_RESOURCES="${CLANG_RESOURCES}")
else()
  set(THRUM_HAS_CLANG OFF)
  message(STATUS "Clang 19's library is not there (Debian: libclang-19-dev libclang-cpp19-dev llvm-19-dev) or not "
                 "asked for (THRUM_CLANG): thrum sequentialize is left out")
endif()

# LLVM 19, for src/bitcode: the machine runs its bitcode. Without it `--engine vm` says so.
if(LLVM_INCLUDE_DIR AND LLVM_LIBRARY)
  set(THRUM_HAS_LLVM ON)
  add_library(llvm::llvm INTERFACE IMPORTED)
  target_link_libraries(llvm::llvm INTERFACE ${LLVM_LIBRARY})
  target_include_directories(llvm::llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIR})
else()
  set(THRUM_HAS_LLVM OFF)
  message(STATUS "LLVM 19 is not there (Debian: llvm-19-dev): --engine vm is left out")
endif()

# Z3, for src/solver, which is left out without it.
find_path(Z3_INCLUDE_DIR z3++.h)
find_library(Z3_LIBRARY z3)
if(Z3_INCLUDE_DIR AND Z3_LIBRARY)
  set(THRUM_HAS_Z3 ON)
  add_library(z3::z3 UNKNOWN IMPORTED)
  set_target_properties(z3::z3 PROPERTIES IMPORTED_LOCATION ${Z3_LIBRARY}
                                          INTERFACE_SYSTEM_INCLUDE_DIRECTORIES ${Z3_INCLUDE_DIR})
else()
  set(THRUM_HAS_Z3 OFF)
  message(STATUS "Z3 is not there (Debian: libz3-dev): src/solver is left out")
endif()

if(BUILD_TESTING)
  find_package(GTest REQUIRED)
  include(GoogleTest)
  # The names and numbers of system calls, and a filter that refuses one.
  pkg_check_modules(libseccomp REQUIRED IMPORTED_TARGET libseccomp)
endif()
