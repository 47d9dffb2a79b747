# A script: searches PROGRAM with the runtime that lies in TRAINING, and leaves in TRAINING/profile what its objects
# in FROM were seen to do, as if it was said of those in TO.
file(REMOVE_RECURSE ${TRAINING}/profile ${TRAINING}/bin)
file(MAKE_DIRECTORY ${TRAINING}/bin)
set(thrum ${TRAINING}/bin/thrum)  # finds the runtime beside itself
file(CREATE_LINK ${THRUM} ${thrum} COPY_ON_ERROR)

# Where a command fails, the script ends: the runtime can do without.
macro(run)
  execute_process(COMMAND ${ARGV} WORKING_DIRECTORY ${TRAINING}
                  RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT code EQUAL 0)
    file(REMOVE_RECURSE ${TRAINING}/profile)
    string(REPLACE ";" " " command "${ARGV}")
    message(WARNING "the runtime is not trained, and some percent slower: ${command}: ${code}\n${output}")
    return()
  endif()
endmacro()

run(${thrum} c++ -std=c++20 -O2 ${PROGRAM} -o program)
foreach(part IN ITEMS hand_over count push look take_turns read_shared)
  foreach(strategy IN ITEMS dfs dpor auto)
    foreach(races IN ITEMS report ignore)
      run(${thrum} check --jobs 1 --time 0 --executions 20000 --strategy ${strategy} --races ${races} program -- ${part})
    endforeach()
  endforeach()
endforeach()

file(GLOB counts ${TRAINING}/profile/*.gcda)
if(NOT counts)
  message(WARNING "the runtime is not trained, and some percent slower: it left no counts")
  return()
endif()
foreach(file IN LISTS counts)
  string(REPLACE ${FROM} ${TO} renamed ${file})
  file(RENAME ${file} ${renamed})
endforeach()
file(TOUCH ${TRAINING}/trained)
