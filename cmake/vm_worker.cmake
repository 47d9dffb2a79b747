# thrum-vm, which `thrum check --engine vm` starts: the worker that interprets the program's bitcode.

if(NOT THRUM_HAS_LLVM)
  thrum_declare_dependencies(vm_worker worker bitcode)
  return()
endif()
thrum_component(vm_worker DEPENDS worker bitcode EXCLUDE main.cpp)
add_executable(thrum-vm ${PROJECT_SOURCE_DIR}/src/vm_worker/main.cpp)
target_link_libraries(thrum-vm PRIVATE thrum_vm_worker)
set_target_properties(thrum-vm PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${THRUM_LIB_DIR})
if(TARGET thrum)
  add_dependencies(thrum thrum-vm)
endif()
install(TARGETS thrum-vm RUNTIME DESTINATION ${THRUM_LIB_DIR})
