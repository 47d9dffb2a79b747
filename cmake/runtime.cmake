# The runtime: the shared library that takes libtsan's place inside the compiled program under test.

thrum_declare_dependencies(runtime protocol races)
set(runtime_dir ${PROJECT_SOURCE_DIR}/src/runtime)
file(GLOB exports CONFIGURE_DEPENDS ${runtime_dir}/exports.map)
thrum_sources(${runtime_dir} sources tests)
if(NOT exports OR NOT sources)
  message(STATUS "src/runtime has no exports.map or no sources: the runtime is left out")
  return()
endif()

# A static library first, so that unit tests can link those parts that do not interpose anything.
# Local statics without guards: the guards are the program's, and intercepted here.
add_library(thrum_runtime_parts STATIC ${sources})
target_link_libraries(thrum_runtime_parts PUBLIC thrum_protocol thrum_races)
target_compile_options(thrum_runtime_parts PRIVATE
  "$<$<COMPILE_LANGUAGE:C,CXX>:-fno-exceptions;-fno-sanitize=all;-mfsgsbase>"
  "$<$<COMPILE_LANGUAGE:CXX>:-fno-rtti;-fno-threadsafe-statics>")
# A static initialisation or a once that throws passes through here.
set_source_files_properties(${runtime_dir}/intercept_once.cpp PROPERTIES COMPILE_OPTIONS -fexceptions)
# 16-byte atomics without a library.
set_source_files_properties(${runtime_dir}/tsan_atomic.cpp PROPERTIES COMPILE_OPTIONS -mcx16)
thrum_unit_tests(runtime thrum_runtime_parts ${tests})
if(BUILD_TESTING)
  target_compile_definitions(runtime_test PRIVATE THRUM_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
endif()

# Its standard library is its own; the unwinder is shared with the program, whose exceptions and
# cancellations pass through frames of ours.
add_library(thrum_runtime SHARED $<TARGET_OBJECTS:thrum_runtime_parts>)
set_target_properties(thrum_runtime PROPERTIES
  OUTPUT_NAME thrum
  LINKER_LANGUAGE CXX
  LINK_DEPENDS ${exports}
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${THRUM_LIB_DIR})
# The search and the scheduler call each other at every scheduling point, from files of different
# folders: optimised together they are a few percent faster, and faster again where each function begins
# with a line of the cache.
foreach(part IN ITEMS support model races search protocol runtime_parts runtime)
  set_target_properties(thrum_${part} PROPERTIES INTERPROCEDURAL_OPTIMIZATION ON)
  target_compile_options(thrum_${part} PRIVATE $<$<COMPILE_LANGUAGE:C,CXX>:-falign-functions=64>)
endforeach()
target_link_libraries(thrum_runtime PRIVATE
  thrum_protocol thrum_races gcc_s ${CMAKE_DL_LIBS} Threads::Threads)
# The runtime's own standard library brings a std::random_device, too; ours, which comes first, is meant.
target_link_options(thrum_runtime PRIVATE
  -Wl,-z,muldefs -static-libstdc++ -Wl,--version-script=${exports}
  -Wl,-z,defs -Wl,-z,now -Wl,-z,nodelete -Wl,-Bsymbolic)

# `-fsanitize=thread` makes g++ link -ltsan. This linker script of that name, found first because the
# driver passes -L for its folder, hands the linker our library from the same folder.
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/${THRUM_LIB_DIR}/libtsan.so
     CONTENT "INPUT ( libthrum.so )\n" @ONLY)

# The functions that the runtime wraps, and so the linker's options for them, are those of which it has a
# definition under their wrapped name.
set(wrap_options ${PROJECT_BINARY_DIR}/${THRUM_LIB_DIR}/wrap.options)
add_custom_command(TARGET thrum_runtime POST_BUILD VERBATIM
  COMMAND ${CMAKE_COMMAND} -D NM=${CMAKE_NM} -D LIBRARY=$<TARGET_FILE:thrum_runtime>
          -D OUTPUT=${wrap_options} -P ${PROJECT_SOURCE_DIR}/cmake/wrap_options.cmake
  BYPRODUCTS ${wrap_options})

install(TARGETS thrum_runtime LIBRARY DESTINATION ${THRUM_LIB_DIR})
install(FILES ${PROJECT_BINARY_DIR}/${THRUM_LIB_DIR}/libtsan.so ${wrap_options}
        DESTINATION ${THRUM_LIB_DIR})
