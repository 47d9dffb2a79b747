# The version stands in project(), in the public header, and in what the program says of itself: here the other two
# are held against the first one.

function(thrum_expect_version file regex)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${file})
  file(READ ${PROJECT_SOURCE_DIR}/${file} text)
  set(found "")
  if(text MATCHES "${regex}")
    set(found ${CMAKE_MATCH_1})
    foreach(group IN ITEMS "${CMAKE_MATCH_2}" "${CMAKE_MATCH_3}")
      if(NOT group STREQUAL "")
        string(APPEND found ".${group}")
      endif()
    endforeach()
  endif()
  if(NOT found STREQUAL PROJECT_VERSION)
    message(FATAL_ERROR "${file}: has the version '${found}'; that of CMakeLists.txt is ${PROJECT_VERSION}")
  endif()
endfunction()

thrum_expect_version(include/thrum/thrum.h
  "VERSION_MAJOR ([0-9]+)\n#define THRUM_VERSION_MINOR ([0-9]+)\n#define THRUM_VERSION_PATCH ([0-9]+)\n")
thrum_expect_version(src/report/result.hpp "kVersion\\[\\] = \"([0-9.]+)\"")
