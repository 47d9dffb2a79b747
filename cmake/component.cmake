# A folder is one concept and one target.
#
#   thrum_component(NAME [FOLDER dir] [SUBFOLDERS name[:name,...]...] [DEPENDS component...]
#                   [LOADS component...] [LIBRARIES target...] [EXCLUDE file...] [TESTS_APART])
#
# makes the library thrum_NAME of the sources in src/NAME (or FOLDER), and the program NAME_test of its
# *_test.cpp files, each of whose tests ctest knows by name. SUBFOLDERS names folders in it that belong to the
# same library: each may include what stands in the folder itself, and the subfolders behind its colon. LOADS
# names components that lie in modules: their headers may be included, and they are not linked. EXCLUDE names
# files that belong to another target. TESTS_APART: see
# thrum_test_options. The include root is the folder's parent, so that an include reads "model/plan.hpp". A folder that holds no sources (headers only, or not written yet) is an interface library.

include_guard()
define_property(GLOBAL PROPERTY THRUM_DEPENDENCIES BRIEF_DOCS "Lines `folder: folders it may include`")

function(thrum_component name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "TESTS_APART" "FOLDER" "SUBFOLDERS;DEPENDS;LOADS;LIBRARIES;EXCLUDE")
  if(NOT arg_FOLDER)
    set(arg_FOLDER ${PROJECT_SOURCE_DIR}/src/${name})
    thrum_declare_dependencies(${name} ${arg_DEPENDS} ${arg_LOADS})
    thrum_declare_subfolders(${name} ${arg_SUBFOLDERS})
  endif()
  cmake_path(GET arg_FOLDER PARENT_PATH include_root)
  list(TRANSFORM arg_SUBFOLDERS REPLACE ":.*" "")
  thrum_sources(${arg_FOLDER} sources tests ${arg_SUBFOLDERS})
  list(TRANSFORM arg_EXCLUDE PREPEND ${arg_FOLDER}/)
  list(REMOVE_ITEM sources ${arg_EXCLUDE})

  list(TRANSFORM arg_DEPENDS PREPEND thrum_)
  if(sources)
    add_library(thrum_${name} STATIC ${sources})
    set(scope PUBLIC)
  else()
    add_library(thrum_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(thrum_${name} ${scope} ${include_root})
  target_link_libraries(thrum_${name} ${scope} ${arg_DEPENDS} ${arg_LIBRARIES})

  if(sources)
    thrum_compile_together(thrum_${name})
  endif()

  set(apart)
  if(arg_TESTS_APART)
    set(apart APART)
  endif()
  thrum_unit_tests(${name} thrum_${name} ${apart} ${tests})
endfunction()

# Sorts the sources of `folder`, and of the subfolders named behind the others, into those of the product and
# those of its unit tests.
function(thrum_sources folder sources_out tests_out)
  set(patterns ${folder}/*.cpp ${folder}/*.S)
  foreach(subfolder IN LISTS ARGN)
    list(APPEND patterns ${folder}/${subfolder}/*.cpp ${folder}/${subfolder}/*.S)
  endforeach()
  file(GLOB sources CONFIGURE_DEPENDS ${patterns})
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  set(${sources_out} ${sources} PARENT_SCOPE)
  set(${tests_out} ${tests} PARENT_SCOPE)
endfunction()

# Where reading headers takes most of the time: many sources are one for the compiler, so that headers are read,
# and templates instantiated, once for all. A file whose names clash with those of others has the property
# SKIP_UNITY_BUILD_INCLUSION.
function(thrum_compile_together target)
  if(NOT THRUM_TOGETHER)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 14)
endfunction()

# thrum_test_options(TARGET [APART]): how the sources of tests are compiled: together, or where their names clash,
# APART; and not optimised. The tested code is compiled as ever.
function(thrum_test_options target)
  if("APART" IN_LIST ARGN)
    target_precompile_headers(${target} PRIVATE <gtest/gtest.h>)
  else()
    thrum_compile_together(${target})
  endif()
  target_compile_options(${target} PRIVATE "$<$<CONFIG:Release>:-O0>")
endfunction()

# thrum_unit_tests(NAME LIBRARY [APART] source...)
function(thrum_unit_tests name library)
  set(sources ${ARGN})
  list(REMOVE_ITEM sources APART)
  if(NOT sources OR NOT BUILD_TESTING)
    return()
  endif()
  add_executable(${name}_test ${sources})
  set_target_properties(${name}_test PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  target_link_libraries(${name}_test PRIVATE ${library} GTest::gtest_main Threads::Threads)
  thrum_test_options(${name}_test ${ARGN})
  # The prefix tells the two builds apart in the one list that `scripts/test` runs. Unit tests are quick; the
  # oracle's and other random programs stand in folders of tests/.
  set(prefix ${name}.)
  set(label quick)
  if(CMAKE_CURRENT_SOURCE_DIR MATCHES "/tests$")
    set(label full)
  endif()
  if(THRUM_SANITIZE)
    set(prefix sanitize.${name}.)
  endif()
  gtest_discover_tests(${name}_test DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 120
                       TEST_PREFIX ${prefix} PROPERTIES TIMEOUT 300 LABELS ${label})
endfunction()

# For folders whose target is not made by thrum_component. A folder that another depends on brings its
# subfolders with it.
function(thrum_declare_dependencies name)
  set(all)
  foreach(folder IN LISTS ARGN)
    get_property(subfolders GLOBAL PROPERTY THRUM_SUBFOLDERS_${folder})
    list(APPEND all ${folder} ${subfolders})
  endforeach()
  string(JOIN " " line "${name}:" ${all})
  set_property(GLOBAL APPEND PROPERTY THRUM_DEPENDENCIES "${line}")
endfunction()

# thrum_declare_subfolders(NAME sub:other,another ...): folders in src/NAME, as for SUBFOLDERS. They may also
# include what the folder itself may.
function(thrum_declare_subfolders name)
  foreach(entry IN LISTS ARGN)
    string(REGEX REPLACE "[:,]" ";" others ${entry})
    list(POP_FRONT others subfolder)
    list(TRANSFORM others PREPEND ${name}/)
    string(JOIN " " line "${name}/${subfolder}:" ${name} ${others})
    set_property(GLOBAL APPEND PROPERTY THRUM_DEPENDENCIES "${line}")
    set_property(GLOBAL APPEND PROPERTY THRUM_SUBFOLDERS_${name} ${name}/${subfolder})
  endforeach()
endfunction()

# Writes the declared dependencies where the tidy test reads them.
function(thrum_write_dependencies)
  get_property(lines GLOBAL PROPERTY THRUM_DEPENDENCIES)
  list(JOIN lines "\n" text)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/dependencies.txt CONTENT "${text}\n" @ONLY)
endfunction()

# Adds a folder where it has something to build.
function(thrum_subdirectory folder)
  file(GLOB lists CONFIGURE_DEPENDS ${folder}/CMakeLists.txt)
  if(lists)
    add_subdirectory(${folder})
  endif()
endfunction()
