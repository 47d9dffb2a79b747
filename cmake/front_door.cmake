# The program `thrum`: src/cli/main.cpp is the executable, the rest of src/cli a library for its tests.

thrum_component(verdict DEPENDS supervisor report LIBRARIES fmt::fmt nlohmann_json::nlohmann_json)
thrum_component(cli DEPENDS verdict causality boolprog bitcode_section LOADS sequentialize solver
                LIBRARIES CLI11::CLI11 fmt::fmt nlohmann_json::nlohmann_json PkgConfig::libzstd
                EXCLUDE main.cpp)
# Neither is on the hot path of a search. With -O1, cli compiles in two thirds of the time.
target_compile_options(thrum_cli PRIVATE "$<$<CONFIG:Release>:-O1>")
target_compile_options(thrum_verdict PRIVATE "$<$<CONFIG:Release>:-O1>")
if(TARGET cli_test)
  target_compile_definitions(cli_test PRIVATE THRUM_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
endif()
# Read once for all files: they take most of the time to compile one.
target_precompile_headers(thrum_cli PRIVATE <CLI/CLI.hpp> <fmt/format.h> <nlohmann/json.hpp>)
if(NOT EXISTS ${PROJECT_SOURCE_DIR}/src/cli/main.cpp)
  message(STATUS "src/cli/main.cpp does not exist: the program thrum is left out")
  return()
endif()

add_executable(thrum ${PROJECT_SOURCE_DIR}/src/cli/main.cpp)
target_link_libraries(thrum PRIVATE thrum_cli Threads::Threads ${CMAKE_DL_LIBS})
set_target_properties(thrum PROPERTIES
  RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${THRUM_BIN_DIR})
install(TARGETS thrum RUNTIME DESTINATION ${THRUM_BIN_DIR})

# The man page and the completion for bash, made from the tables of options.
set(man_page ${PROJECT_BINARY_DIR}/${THRUM_MAN_DIR}/thrum.1)
set(completion ${PROJECT_BINARY_DIR}/${THRUM_COMPLETION_DIR}/thrum)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/${THRUM_MAN_DIR} ${PROJECT_BINARY_DIR}/${THRUM_COMPLETION_DIR})
add_custom_command(TARGET thrum POST_BUILD
  COMMAND thrum options --man > ${man_page}
  COMMAND thrum options --bash > ${completion}
  VERBATIM)
install(FILES ${man_page} DESTINATION ${THRUM_MAN_DIR})
install(FILES ${completion} DESTINATION ${THRUM_COMPLETION_DIR})

# `thrum` loads these where it reads C: src/boolprog/from_c.hpp, src/sequentialize/module.hpp.
function(thrum_module name component)
  string(REPLACE "-" "_" target thrum_${name})
  if(TARGET ${target})
    set(target ${target}_module)
  endif()
  add_library(${target} MODULE ${PROJECT_SOURCE_DIR}/src/${component}/module.cpp)
  target_link_libraries(${target} PRIVATE thrum_${component})
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME thrum-${name} LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${THRUM_LIB_DIR})
  add_dependencies(thrum ${target})
  install(TARGETS ${target} LIBRARY DESTINATION ${THRUM_LIB_DIR})
endfunction()
if(THRUM_HAS_LIBCLANG)
  thrum_module(from-c cprogram)
endif()
if(THRUM_HAS_CLANG)
  thrum_module(sequentialize sequentialize)
endif()
if(THRUM_HAS_Z3)
  thrum_module(solver solver)
endif()

# The compiler drivers, and the archivers that go with them, are the same program, which looks at the name it
# is called by.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/${THRUM_BIN_DIR})
foreach(driver IN ITEMS thrum-c++ thrum-cc thrum-gcc-ar thrum-gcc-ranlib thrum-gcc-nm thrum-llvm-ar
                        thrum-llvm-ranlib)
  set(link ${PROJECT_BINARY_DIR}/${THRUM_BIN_DIR}/${driver})
  file(CREATE_LINK thrum ${link} SYMBOLIC)
  install(FILES ${link} DESTINATION ${THRUM_BIN_DIR})
endforeach()
