# The build tree is laid out as an installed prefix is, so that `thrum` finds its parts in the same way
# in both, by paths relative to its own executable:
#
#   bin/thrum  bin/thrum-c++  bin/thrum-cc  bin/thrum-gcc-ar …
#   lib/thrum/thrum-vm (with LLVM)
#   lib/thrum/libthrum.so  lib/thrum/libtsan.so  lib/thrum/wrap.options
#   include/thrum/ (what programs include), include/thrum/detail/ (what these headers and the drivers use)
#   share/thrum/libraries/ (what becomes bitcode on the user's machine)
#   lib/cmake/thrum/
#   share/man/man1/thrum.1  share/bash-completion/completions/thrum
#
# The folders are not GNUInstallDirs' because the drivers rely on these names.

set(THRUM_BIN_DIR bin)
set(THRUM_LIB_DIR lib/thrum)
set(THRUM_MAN_DIR share/man/man1)
set(THRUM_COMPLETION_DIR share/bash-completion/completions)

file(CREATE_LINK ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include SYMBOLIC)
install(DIRECTORY include/thrum DESTINATION include OPTIONAL)

set(THRUM_SHARE_DIR share/thrum)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/${THRUM_SHARE_DIR})
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/libraries ${PROJECT_BINARY_DIR}/${THRUM_SHARE_DIR}/libraries SYMBOLIC)
install(DIRECTORY libraries DESTINATION ${THRUM_SHARE_DIR})
