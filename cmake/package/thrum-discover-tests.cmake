# Asks an executable for its tests, and writes a file that adds each to ctest. Included by a script that
# thrum_discover_tests() makes, at the end of a build or when ctest starts. Takes: thrum, program, options,
# arguments, properties, prefix, suffix, directory, out, timeout_s, result.

function(thrum_write_tests)
  execute_process(COMMAND "${thrum}" check --list-tests "${program}" -- ${arguments}
                  WORKING_DIRECTORY "${directory}" TIMEOUT ${timeout_s}
                  OUTPUT_VARIABLE names ERROR_VARIABLE error RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${program} does not list its tests (${status}): ${error}${names}")
  endif()

  set(text "")
  set(number 0)
  # Line by line, and not as a list: a name may hold what means something in one.
  while(names MATCHES "^([^\n]*)\n?(.*)$")
    set(name "${CMAKE_MATCH_1}")
    set(names "${CMAKE_MATCH_2}")
    if(NOT name STREQUAL "")
      math(EXPR number "${number} + 1")
      # The pattern of this name only.
      string(REPLACE "\\" "\\\\" glob "${name}")
      string(REGEX REPLACE "([*?[])" "[\\1]" glob "${glob}")
      set(words " [==[${thrum}]==] check [==[--test=${glob}]==] --out [==[${out}/${number}]==]")
      foreach(word IN LISTS options)
        string(APPEND words " [==[${word}]==]")
      endforeach()
      string(APPEND words " [==[${program}]==] --")
      foreach(word IN LISTS arguments)
        string(APPEND words " [==[${word}]==]")
      endforeach()
      set(full_name "[==[${prefix}${name}${suffix}]==]")
      string(APPEND text "add_test(${full_name}${words})\n")
      set(more "")
      foreach(word IN LISTS properties)
        string(APPEND more " [==[${word}]==]")
      endforeach()
      string(APPEND text "set_tests_properties(${full_name} PROPERTIES"
                         " WORKING_DIRECTORY [==[${directory}]==]${more})\n")
    endif()
    if(names STREQUAL "")
      break()
    endif()
  endwhile()
  if(number EQUAL 0)
    message(FATAL_ERROR "${program} lists no test")
  endif()
  file(WRITE "${result}" "${text}")
endfunction()

thrum_write_tests()
