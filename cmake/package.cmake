# The package that find_package(thrum) finds, in a build tree and in an installed prefix alike.

include(CMakePackageConfigHelpers)
set(THRUM_PACKAGE_DIR lib/cmake/thrum)
set(package_dir ${PROJECT_BINARY_DIR}/${THRUM_PACKAGE_DIR})
write_basic_package_version_file(${package_dir}/thrum-config-version.cmake
                                 VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
foreach(file IN ITEMS thrum-config.cmake thrum-discover-tests.cmake)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/package/${file} ${package_dir}/${file} COPYONLY)
endforeach()
install(DIRECTORY ${package_dir}/ DESTINATION ${THRUM_PACKAGE_DIR})
