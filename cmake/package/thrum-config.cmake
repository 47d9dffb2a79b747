# find_package(thrum): programs that Thrum can check, and ctest tests that check them, with g++ or clang++.
#
#   thrum::instrument    what a target links to be built so that it can be checked; docs/building.md
#   thrum_instrument(target…)
#   thrum_add_test(NAME name SOURCES file… [LIBRARIES target…] [ARGS word…] [check options])
#   thrum_discover_tests(target [ARGS word…] [check options] …)
#
# THRUM_EXECUTABLE is the program `thrum`. The flags are those that the compiler drivers use: it is asked for them.

get_filename_component(_thrum_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(THRUM_EXECUTABLE "${_thrum_prefix}/bin/thrum")
set(_thrum_discovery_script "${CMAKE_CURRENT_LIST_DIR}/thrum-discover-tests.cmake")

# Says that the package is not there, and why; with REQUIRED, CMake makes that an error.
macro(_thrum_not_found)
  set(${CMAKE_FIND_PACKAGE_NAME}_FOUND FALSE)
  string(CONCAT ${CMAKE_FIND_PACKAGE_NAME}_NOT_FOUND_MESSAGE ${ARGN})
  return()
endmacro()

set(_thrum_languages "")
foreach(_thrum_language IN ITEMS C CXX)
  if(NOT CMAKE_${_thrum_language}_COMPILER_LOADED)
    continue()
  endif()
  list(APPEND _thrum_languages ${_thrum_language})
  if(NOT CMAKE_${_thrum_language}_COMPILER_ID MATCHES "^(GNU|Clang)$")
    _thrum_not_found("Thrum instruments with GCC or Clang, and CMAKE_${_thrum_language}_COMPILER is "
                     "${CMAKE_${_thrum_language}_COMPILER} (${CMAKE_${_thrum_language}_COMPILER_ID})")
  endif()
endforeach()
if(NOT _thrum_languages)
  _thrum_not_found("Thrum checks programs in C and C++: enable one of the languages before find_package(thrum)")
endif()

# The flags of a step (compile or link) for a compiler (gcc or clang), as one option of which CMake takes
# nothing apart: it would drop a word that it has seen before. Folders of headers apart.
function(_thrum_flags step compiler result include_dirs)
  execute_process(COMMAND "${THRUM_EXECUTABLE}" flags ${step} --compiler ${compiler}
                  OUTPUT_VARIABLE lines ERROR_VARIABLE error RESULT_VARIABLE status
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_STRIP_TRAILING_WHITESPACE)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${THRUM_EXECUTABLE} does not tell its flags (${status}): ${error}")
  endif()
  string(REPLACE "\n" ";" words "${lines}")
  set(dirs "")
  # An option's -I comes after those of all targets, whose headers some of ours stand in front of.
  if(CMAKE_VERSION VERSION_GREATER_EQUAL 3.23)
    set(dirs "${words}")
    list(FILTER dirs INCLUDE REGEX "^-I")
    list(TRANSFORM dirs REPLACE "^-I" "")
    list(FILTER words EXCLUDE REGEX "^-I")
  endif()
  set(${include_dirs} "${dirs}" PARENT_SCOPE)
  string(REPLACE ";" "\" \"" words "${words}")
  set(${result} "SHELL:\"${words}\"" PARENT_SCOPE)
endfunction()

if(NOT TARGET thrum::instrument)
  # The runtime once more, for programs of which only a static library is instrumented.
  add_library(thrum::runtime SHARED IMPORTED GLOBAL)
  set_target_properties(thrum::runtime PROPERTIES
    IMPORTED_LOCATION "${_thrum_prefix}/lib/thrum/libthrum.so")

  add_library(thrum::instrument INTERFACE IMPORTED GLOBAL)
  set_target_properties(thrum::instrument PROPERTIES
    INTERFACE_LINK_LIBRARIES thrum::runtime
    IMPORTED_NO_SYSTEM TRUE) # else its headers would come after all others
  foreach(_thrum_compiler IN ITEMS GNU:gcc Clang:clang)
    string(REPLACE ":" ";" _thrum_compiler ${_thrum_compiler})
    list(GET _thrum_compiler 0 _thrum_id)
    list(GET _thrum_compiler 1 _thrum_name)
    _thrum_flags(compile ${_thrum_name} _thrum_compile _thrum_include_dirs)
    _thrum_flags(link ${_thrum_name} _thrum_link _thrum_unused)
    foreach(_thrum_language IN ITEMS C CXX)
      set_property(TARGET thrum::instrument APPEND PROPERTY INTERFACE_COMPILE_OPTIONS
        "$<$<COMPILE_LANG_AND_ID:${_thrum_language},${_thrum_id}>:${_thrum_compile}>")
      set_property(TARGET thrum::instrument APPEND PROPERTY INTERFACE_LINK_OPTIONS
        "$<$<LINK_LANG_AND_ID:${_thrum_language},${_thrum_id}>:${_thrum_link}>")
    endforeach()
  endforeach()
  # The same for each compiler.
  set_property(TARGET thrum::instrument PROPERTY INTERFACE_INCLUDE_DIRECTORIES ${_thrum_include_dirs})
endif()

# thrum_instrument(target…) builds targets that this project did not write (FetchContent's, add_subdirectory's)
# so that Thrum sees what they do, without changing what they ask of those who link them.
function(thrum_instrument)
  get_target_property(include_dirs thrum::instrument INTERFACE_INCLUDE_DIRECTORIES)
  get_target_property(compile_options thrum::instrument INTERFACE_COMPILE_OPTIONS)
  get_target_property(link_options thrum::instrument INTERFACE_LINK_OPTIONS)
  foreach(name IN LISTS ARGN)
    if(NOT TARGET ${name})
      message(FATAL_ERROR "thrum_instrument: there is no target ${name}")
    endif()
    get_target_property(target ${name} ALIASED_TARGET)
    if(NOT target)
      set(target ${name})
    endif()
    get_target_property(imported ${target} IMPORTED)
    get_target_property(type ${target} TYPE)
    if(imported)
      message(FATAL_ERROR "thrum_instrument: ${name} is imported: it was compiled elsewhere. Build it in this "
                          "project, or with CXX=thrum-c++")
    elseif(NOT type MATCHES "^(EXECUTABLE|(STATIC|SHARED|MODULE|OBJECT)_LIBRARY)$")
      message(FATAL_ERROR "thrum_instrument: ${name} compiles nothing (it is of type ${type}): instrument the "
                          "targets that use it")
    endif()
    if(include_dirs)
      target_include_directories(${target} BEFORE PRIVATE ${include_dirs})
    endif()
    target_compile_options(${target} PRIVATE ${compile_options})
    target_link_options(${target} PRIVATE ${link_options})
    # Not target_link_libraries(), which must not be called with a keyword here and without one there.
    set_property(TARGET ${target} APPEND PROPERTY LINK_LIBRARIES thrum::runtime)
    if(type MATCHES "^(STATIC|OBJECT)_LIBRARY$")
      set_property(TARGET ${target} APPEND PROPERTY INTERFACE_LINK_LIBRARIES $<LINK_ONLY:thrum::runtime>)
    endif()
  endforeach()
endfunction()

# Options of `thrum check` that are keywords here: STRATEGY icb stands for --strategy icb. Others follow OPTIONS.
set(_thrum_value_keywords STRATEGY BOUND TIME EXECUTIONS STEPS JOBS SEED HEAP RACES OUT)
set(_thrum_flag_keywords KEEP_GOING REQUIRE_EXHAUSTED)

# The words of `thrum check` for the keywords in arg_….
macro(_thrum_check_options result)
  set(${result} "")
  foreach(keyword IN LISTS _thrum_value_keywords _thrum_flag_keywords)
    string(TOLOWER "--${keyword}" option)
    string(REPLACE "_" "-" option "${option}")
    if(keyword IN_LIST _thrum_flag_keywords)
      if(arg_${keyword})
        list(APPEND ${result} ${option})
      endif()
    elseif(DEFINED arg_${keyword})
      list(APPEND ${result} ${option} "${arg_${keyword}}")
    endif()
  endforeach()
  list(APPEND ${result} ${arg_OPTIONS})
endmacro()

macro(_thrum_check_parsed function)
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${function}: '${arg_UNPARSED_ARGUMENTS}' is unknown; options of thrum check that "
                        "are no keywords follow OPTIONS")
  elseif(arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "${function}: ${arg_KEYWORDS_MISSING_VALUES} needs a value")
  endif()
endmacro()

# thrum_add_test(NAME name SOURCES file… [LIBRARIES target…] [ARGS word…]
#                [STRATEGY s] [BOUND b] [TIME seconds] [EXECUTIONS n] [STEPS n] [JOBS n] [SEED n] [HEAP h]
#                [RACES r] [OUT dir] [KEEP_GOING] [REQUIRE_EXHAUSTED] [OPTIONS option…]
#                [INCONCLUSIVE_IS_SKIPPED])
#
# An executable `name` and a test of that name, which fails where a bug is found, and where the search says
# nothing for certain (exit code 3). INCONCLUSIVE_IS_SKIPPED: ctest then shows the test as skipped instead.
function(thrum_add_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "INCONCLUSIVE_IS_SKIPPED;${_thrum_flag_keywords}"
                        "NAME;${_thrum_value_keywords}" "SOURCES;LIBRARIES;ARGS;OPTIONS")
  _thrum_check_parsed(thrum_add_test)
  if(NOT arg_NAME OR NOT arg_SOURCES)
    message(FATAL_ERROR "thrum_add_test: needs NAME and SOURCES")
  endif()
  if(NOT DEFINED arg_OUT)
    set(arg_OUT "${CMAKE_CURRENT_BINARY_DIR}/thrum-out/${arg_NAME}")
  endif()
  _thrum_check_options(options)
  add_executable(${arg_NAME} ${arg_SOURCES})
  target_link_libraries(${arg_NAME} PRIVATE thrum::instrument ${arg_LIBRARIES})
  add_test(NAME ${arg_NAME}
           COMMAND "${THRUM_EXECUTABLE}" check ${options} "$<TARGET_FILE:${arg_NAME}>" -- ${arg_ARGS})
  if(arg_INCONCLUSIVE_IS_SKIPPED)
    set_tests_properties(${arg_NAME} PROPERTIES SKIP_RETURN_CODE 3)
  endif()
endfunction()

# thrum_discover_tests(target [ARGS word…] [check options, as for thrum_add_test]
#                      [TEST_PREFIX prefix] [TEST_SUFFIX suffix] [WORKING_DIRECTORY dir]
#                      [PROPERTIES name value…] [INCONCLUSIVE_IS_SKIPPED]
#                      [DISCOVERY_MODE POST_BUILD|PRE_TEST] [DISCOVERY_TIMEOUT seconds])
#
# As gtest_discover_tests(): makes a ctest test of each test of the executable, which links thrum::instrument.
# They are asked for when it is built, or before ctest runs (PRE_TEST). A test's name is prefix, name, suffix;
# the prefix is the target's name and a dot unless given.
function(thrum_discover_tests target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "INCONCLUSIVE_IS_SKIPPED;${_thrum_flag_keywords}"
    "TEST_PREFIX;TEST_SUFFIX;WORKING_DIRECTORY;DISCOVERY_MODE;DISCOVERY_TIMEOUT;${_thrum_value_keywords}"
    "ARGS;OPTIONS;PROPERTIES")
  _thrum_check_parsed(thrum_discover_tests)
  if(NOT TARGET ${target})
    message(FATAL_ERROR "thrum_discover_tests: there is no target ${target}")
  endif()
  foreach(default IN ITEMS "TEST_PREFIX|${target}." "TEST_SUFFIX|" "DISCOVERY_MODE|POST_BUILD"
                           "DISCOVERY_TIMEOUT|10" "WORKING_DIRECTORY|${CMAKE_CURRENT_BINARY_DIR}"
                           "OUT|${CMAKE_CURRENT_BINARY_DIR}/thrum-out/${target}")
    string(REGEX MATCH "^([A-Z_]+)\\|(.*)$" unused "${default}")
    if(NOT DEFINED arg_${CMAKE_MATCH_1})
      set(arg_${CMAKE_MATCH_1} "${CMAKE_MATCH_2}")
    endif()
  endforeach()
  if(NOT arg_DISCOVERY_MODE MATCHES "^(POST_BUILD|PRE_TEST)$")
    message(FATAL_ERROR "thrum_discover_tests: DISCOVERY_MODE is POST_BUILD or PRE_TEST")
  endif()
  set(out "${arg_OUT}") # a folder below it for each test
  unset(arg_OUT)
  _thrum_check_options(options)
  if(arg_INCONCLUSIVE_IS_SKIPPED)
    list(APPEND arg_PROPERTIES SKIP_RETURN_CODE 3)
  endif()

  # One file asks for the tests and writes them down; another, which ctest reads, includes what was written.
  set(base "${CMAKE_CURRENT_BINARY_DIR}/${target}-thrum")
  get_property(several GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
  if(several)
    string(APPEND base "-$<CONFIG>")
  endif()
  file(GENERATE OUTPUT "${base}-discover.cmake" CONTENT
"set(thrum [==[${THRUM_EXECUTABLE}]==])
set(program [==[$<TARGET_FILE:${target}>]==])
set(options [==[${options}]==])
set(arguments [==[${arg_ARGS}]==])
set(properties [==[${arg_PROPERTIES}]==])
set(prefix [==[${arg_TEST_PREFIX}]==])
set(suffix [==[${arg_TEST_SUFFIX}]==])
set(directory [==[${arg_WORKING_DIRECTORY}]==])
set(out [==[${out}]==])
set(timeout_s [==[${arg_DISCOVERY_TIMEOUT}]==])
set(result [==[${base}-tests.cmake]==])
include([==[${_thrum_discovery_script}]==])
" TARGET ${target})
  set(refresh "")
  if(arg_DISCOVERY_MODE STREQUAL "POST_BUILD")
    add_custom_command(TARGET ${target} POST_BUILD VERBATIM
      COMMAND ${CMAKE_COMMAND} -P "${base}-discover.cmake"
      COMMENT "Asking ${target} for its tests")
  else()
    set(refresh "  include([==[${base}-discover.cmake]==])\n")
  endif()
  file(GENERATE OUTPUT "${base}-include.cmake" CONTENT
"if(EXISTS [==[$<TARGET_FILE:${target}>]==])
${refresh}  include([==[${base}-tests.cmake]==])
else()
  add_test(${target}_NOT_BUILT ${target}_NOT_BUILT)
endif()
" TARGET ${target})
  set(include_file "${base}-include.cmake")
  if(several)
    set(include_file "${CMAKE_CURRENT_BINARY_DIR}/${target}-thrum-include.cmake")
    file(WRITE "${include_file}" "include(\"${CMAKE_CURRENT_BINARY_DIR}/${target}-thrum-\${CTEST_CONFIGURATION_TYPE}-include.cmake\" OPTIONAL)\n")
  endif()
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${include_file}")
endfunction()
