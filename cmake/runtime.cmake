# The runtime: the shared library that takes libtsan's place inside the compiled program under test.

# Its layers, from the lowest to the highest: each may include those below it.
set(runtime_layers base memory kernel threads judge shortcuts drive libc intercept)
thrum_declare_dependencies(runtime worker races leaks objects)
set(below)
foreach(layer IN LISTS runtime_layers)
  string(JOIN "," others ${below})
  thrum_declare_subfolders(runtime ${layer}:${others})
  list(APPEND below ${layer})
endforeach()
set(runtime_dir ${PROJECT_SOURCE_DIR}/src/runtime)
file(GLOB exports CONFIGURE_DEPENDS ${runtime_dir}/exports.map)
thrum_sources(${runtime_dir} sources tests ${runtime_layers})
if(NOT exports OR NOT sources)
  message(STATUS "src/runtime has no exports.map or no sources: the runtime is left out")
  return()
endif()

# The layers that are linked into it. Without training their components serve, which the program `thrum` and the
# unit tests are made of. With training they are compiled for the library once more, and all is optimised
# together, as the search and the scheduler call each other at every scheduling point (a few percent), and each
# function begins with a line of the cache (faster again).
set(layers support model order races leaks execution search unfolding campaign protocol worker)
if(THRUM_TRAIN)
  foreach(layer IN LISTS layers)
    thrum_sources(${PROJECT_SOURCE_DIR}/src/${layer} layer_sources layer_tests frontier random systematic reduction)
    list(APPEND layer_library_sources ${layer_sources})
  endforeach()
endif()

# Local statics without guards: the guards are the program's, and intercepted here.
set(runtime_options
  "$<$<COMPILE_LANGUAGE:C,CXX>:-fno-exceptions;-fno-sanitize=all;-mfsgsbase>"
  "$<$<COMPILE_LANGUAGE:CXX>:-fno-rtti;-fno-threadsafe-statics>")
if(THRUM_TRAIN)
  set_property(SOURCE ${sources} APPEND PROPERTY COMPILE_OPTIONS ${runtime_options})
endif()
# A static initialisation or a once that throws passes through here.
set_property(SOURCE ${runtime_dir}/intercept/intercept_once.cpp APPEND PROPERTY COMPILE_OPTIONS -fexceptions)
# 16-byte atomics without a library.
set_property(SOURCE ${runtime_dir}/intercept/tsan_atomic.cpp APPEND PROPERTY COMPILE_OPTIONS -mcx16)

# Compiled one by one: what defines the program's functions, or a section of its own.
set(apart ${sources})
list(FILTER apart INCLUDE REGEX "/intercept/|/base/world.cpp")
set_property(SOURCE ${apart} PROPERTY SKIP_UNITY_BUILD_INCLUSION ON)

# Blocks of a known size are cleared and copied in place. By default GCC takes an instruction that is made for
# large ones (rep stos), which takes longer to begin than a few stores.
set(thrum_inline_blocks
  "$<$<CXX_COMPILER_ID:GNU>:-mmemset-strategy=vector_loop:512:noalign,libcall:-1:noalign>"
  "$<$<CXX_COMPILER_ID:GNU>:-mmemcpy-strategy=vector_loop:512:noalign,libcall:-1:noalign>")

# thrum_runtime_library(NAME FOLDER [compile option...]) makes the library NAME of the objects NAME_objects, for
# programs that are linked with FOLDER.
function(thrum_runtime_library name folder)
  add_library(${name}_objects OBJECT ${sources} ${layer_library_sources})
  target_include_directories(${name}_objects PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${name}_objects PRIVATE xxhash::xxhash)
  if(NOT THRUM_TRAIN)
    target_compile_options(${name}_objects PRIVATE ${runtime_options})
    thrum_compile_together(${name}_objects)
  endif()
  target_compile_options(${name}_objects PRIVATE "$<$<COMPILE_LANGUAGE:C,CXX>:-falign-functions=64;${thrum_inline_blocks};${ARGN}>")

  # Its standard library is its own; the unwinder is shared with the program, whose exceptions and
  # cancellations pass through frames of ours.
  add_library(${name} SHARED $<TARGET_OBJECTS:${name}_objects>)
  set_target_properties(${name} PROPERTIES
    OUTPUT_NAME thrum
    LINKER_LANGUAGE CXX
    LINK_DEPENDS ${exports}
    LIBRARY_OUTPUT_DIRECTORY ${folder})
  if(NOT THRUM_TRAIN)
    target_link_libraries(${name} PRIVATE thrum_worker thrum_races thrum_leaks thrum_objects)
  endif()
  target_link_libraries(${name} PRIVATE gcc_s ${CMAKE_DL_LIBS} Threads::Threads)
  # The runtime's own standard library brings a std::random_device, too; ours, which comes first, is meant.
  target_link_options(${name} PRIVATE
    -Wl,-z,muldefs -static-libstdc++ -Wl,--version-script=${exports}
    -Wl,-z,defs -Wl,-z,now -Wl,-z,nodelete -Wl,-Bsymbolic)

  # `-fsanitize=thread` makes g++ link -ltsan. This linker script of that name, found first because the
  # driver passes -L for its folder, hands the linker our library from the same folder.
  file(CONFIGURE OUTPUT ${folder}/libtsan.so CONTENT "INPUT ( libthrum.so )\n" @ONLY)

  # The functions that the runtime wraps, and so the linker's options for them, are those of which it has a
  # definition under their wrapped name.
  add_custom_command(TARGET ${name} POST_BUILD VERBATIM
    COMMAND ${CMAKE_COMMAND} -D NM=${CMAKE_NM} -D LIBRARY=$<TARGET_FILE:${name}>
            -D OUTPUT=${folder}/wrap.options -P ${PROJECT_SOURCE_DIR}/cmake/wrap_options.cmake
    BYPRODUCTS ${folder}/wrap.options)
endfunction()

include(training)
set(folder ${PROJECT_BINARY_DIR}/${THRUM_LIB_DIR})
thrum_runtime_library(thrum_runtime ${folder} ${THRUM_TRAINED_OPTIONS})
# Without training, a build is made to be changed: optimising across files takes minutes at every link.
set_target_properties(thrum_runtime thrum_runtime_objects PROPERTIES INTERPROCEDURAL_OPTIMIZATION ${THRUM_TRAIN})
if(TARGET thrum_training)
  add_dependencies(thrum_runtime_objects thrum_training)
endif()
install(TARGETS thrum_runtime LIBRARY DESTINATION ${THRUM_LIB_DIR})
install(FILES ${folder}/libtsan.so ${folder}/wrap.options DESTINATION ${THRUM_LIB_DIR})

# As an archive, of which unit tests take those parts that do not interpose anything.
add_library(thrum_runtime_parts STATIC $<TARGET_OBJECTS:thrum_runtime_objects>)
set_target_properties(thrum_runtime_parts PROPERTIES LINKER_LANGUAGE CXX INTERPROCEDURAL_OPTIMIZATION ${THRUM_TRAIN})
target_include_directories(thrum_runtime_parts PUBLIC ${PROJECT_SOURCE_DIR}/src)
if(NOT THRUM_TRAIN)
  target_link_libraries(thrum_runtime_parts PUBLIC thrum_worker thrum_races thrum_leaks)
endif()
thrum_unit_tests(runtime thrum_runtime_parts ${tests})
if(BUILD_TESTING)
  target_compile_definitions(runtime_test PRIVATE THRUM_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_link_libraries(runtime_test PRIVATE PkgConfig::libseccomp)
endif()
