# Install: libraries, headers, the Lua module and its files, the program, pkg-config file, CMake package.
include(CMakePackageConfigHelpers)
install(TARGETS moonflow moonflow_static
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
foreach(folder base tensor ops autodiff graph)
  install(DIRECTORY core/${folder} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/moonflow FILES_MATCHING PATTERN "*.h")
endforeach()
install(FILES core/moonflow.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/moonflow)
install(DIRECTORY lua/moonflow DESTINATION ${CMAKE_INSTALL_DATADIR}/lua/5.4 FILES_MATCHING PATTERN "*.lua")
if(TARGET mf_lua_module)
  install(TARGETS mf_lua_module LIBRARY DESTINATION lib/lua/5.4/moonflow)
endif()
if(TARGET moonflow_lua)
  install(TARGETS moonflow_lua LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(FILES lua/moonflow_lua.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/moonflow)
endif()
if(TARGET mf_program)
  install(TARGETS mf_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
# The pkg-config file finds its prefix from where it lies: `cmake --install build --prefix FOLDER` may choose one later.
file(RELATIVE_PATH MF_PREFIX_FROM_PC "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" MF_PREFIX_FROM_PC "${MF_PREFIX_FROM_PC}")
configure_file(cmake/moonflow.pc.in ${CMAKE_BINARY_DIR}/moonflow.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/moonflow.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
configure_package_config_file(cmake/moonflow-config.cmake.in ${CMAKE_BINARY_DIR}/moonflow-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/moonflow
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/moonflow-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/moonflow-config.cmake ${CMAKE_BINARY_DIR}/moonflow-config-version.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/moonflow)
