# The Lua side: the module moonflow.core, libmoonflow_lua for C hosts, and the program.
# Lua files are found relative to the library: <libdir>/../share/lua/5.4; in the build tree that is a link to the sources.
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/share/lua/5.4)
file(CREATE_LINK ${CMAKE_SOURCE_DIR}/lua/moonflow ${CMAKE_BINARY_DIR}/share/lua/5.4/moonflow SYMBOLIC)

file(GLOB MF_BIND_SOURCES CONFIGURE_DEPENDS lua/bind/*.c)
if(MF_BIND_SOURCES)
  add_library(mf_bind OBJECT ${MF_BIND_SOURCES})
  add_dependencies(mf_bind mf_op_table)
  target_include_directories(mf_bind PRIVATE ${MF_INCLUDES} ${CMAKE_SOURCE_DIR}/lua ${CMAKE_SOURCE_DIR}/lua/bind)
  target_link_libraries(mf_bind PRIVATE mf_dependencies PkgConfig::LUA)

  # Lua's own symbols come from the program that loads the module.
  add_library(mf_lua_module MODULE $<TARGET_OBJECTS:mf_bind>)
  set_target_properties(mf_lua_module PROPERTIES PREFIX "" OUTPUT_NAME core
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/lua/5.4/moonflow
    BUILD_RPATH "${CMAKE_BINARY_DIR}/lib;${MF_OPENBLAS_DIR}" INSTALL_RPATH "$ORIGIN/../../..;${MF_OPENBLAS_DIR}")
  target_link_libraries(mf_lua_module PRIVATE moonflow mf_dependencies)
  target_link_options(mf_lua_module PRIVATE -Wl,-z,nodelete)

  file(GLOB MF_LUA_HOST_SOURCES CONFIGURE_DEPENDS lua/*.c)
  if(MF_LUA_HOST_SOURCES)
    add_library(moonflow_lua SHARED $<TARGET_OBJECTS:mf_bind> ${MF_LUA_HOST_SOURCES})
if(MF_SANITIZE MATCHES "thread")
  target_sources(moonflow_lua PRIVATE ${CMAKE_SOURCE_DIR}/tests/c/tsan_longjmp.c)
endif()
    target_include_directories(moonflow_lua PRIVATE ${MF_INCLUDES} ${CMAKE_SOURCE_DIR}/lua/bind
      PUBLIC $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/lua>)
    target_link_libraries(moonflow_lua PUBLIC moonflow PRIVATE mf_dependencies PkgConfig::LUA)
    target_link_options(moonflow_lua PRIVATE -Wl,-z,nodelete)
    set_target_properties(moonflow_lua PROPERTIES SOVERSION 0 VERSION ${PROJECT_VERSION}
      BUILD_RPATH "${CMAKE_BINARY_DIR}/lib;${MF_OPENBLAS_DIR}" INSTALL_RPATH "$ORIGIN;${MF_OPENBLAS_DIR}")

    file(GLOB MF_CLI_SOURCES CONFIGURE_DEPENDS lua/cli/*.c)
    if(MF_CLI_SOURCES)
      add_executable(mf_program ${MF_CLI_SOURCES})
      set_target_properties(mf_program PROPERTIES OUTPUT_NAME moonflow ENABLE_EXPORTS ON
        BUILD_RPATH "${CMAKE_BINARY_DIR}/lib;${MF_OPENBLAS_DIR}"
        INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR};${MF_OPENBLAS_DIR}")
      target_include_directories(mf_program PRIVATE ${MF_INCLUDES} ${CMAKE_SOURCE_DIR}/lua ${CMAKE_SOURCE_DIR}/lua/bind)
      target_link_libraries(mf_program PRIVATE moonflow_lua moonflow mf_dependencies PkgConfig::LUA)
      if(EDIT_FOUND)
        target_compile_definitions(mf_program PRIVATE MF_HAVE_EDIT=1)
        target_link_libraries(mf_program PRIVATE PkgConfig::EDIT)
      endif()
    endif()
  endif()
endif()
