# GPUs: the plug-ins libmoonflow_cuda.so (nvcc, cuBLAS) and libmoonflow_cudaemu.so (the same sources on the CPU), and their tests.
# libmoonflow loads them at run time and does not need them to be built. Also used alone by tests/cuda/CMakeLists.txt.
#   MF_CUDA       build for NVIDIA GPUs; needs the CUDA 13 toolkit. Off by default: nvcc takes minutes
#   MF_CUDA_EMU   build the emulator and its tests; needs a C++ compiler
#   MF_SANITIZE   "address,undefined" or "thread": the emulated kernels are instrumented, the emulator is told
option(MF_CUDA "Build the CUDA plug-in (needs nvcc)" OFF)
if(NOT DEFINED MF_TESTS)
  set(MF_TESTS ON)
endif()
option(MF_CUDA_EMU "Build the CUDA emulator and test the CUDA kernels with it (needs a C++ compiler)" ${MF_TESTS})
option(MF_CUDA_ALL "Build the CUDA plug-in for all supported architectures instead of compute capability 9.0" OFF)

get_filename_component(MF_CUDA_ROOT ${CMAKE_CURRENT_LIST_DIR}/.. ABSOLUTE)
set(MF_CUDA_DIR ${MF_CUDA_ROOT}/kernels/cuda)
set(MF_CUDA_INCLUDES ${MF_CUDA_DIR} ${MF_CUDA_ROOT}/kernels ${MF_CUDA_ROOT}/core)
set(MF_CUDA_TEST_DIR ${MF_CUDA_ROOT}/tests/cuda)
file(GLOB MF_CUDA_SOURCES CONFIGURE_DEPENDS ${MF_CUDA_DIR}/*.cu)
file(GLOB MF_CUDA_EMU_SOURCES CONFIGURE_DEPENDS ${MF_CUDA_DIR}/emu/*.cpp)
enable_testing()

include(CheckLanguage)
check_language(CXX)
if(NOT CMAKE_CXX_COMPILER)
  message(STATUS "No C++ compiler: neither the CUDA plug-in nor its emulator is built")
  return()
endif()
enable_language(CXX)

set(MF_CUDA_CXX_FLAGS -Wall -Wextra -Wshadow -Werror)
set(MF_CUDA_INSTRUMENT "")
set(MF_CUDA_EMU_DEFINES "")
if(MF_SANITIZE)
  set(MF_CUDA_INSTRUMENT -fsanitize=${MF_SANITIZE} -fno-sanitize-recover=undefined -fno-omit-frame-pointer -g1)
  if(MF_SANITIZE MATCHES "address")
    set(MF_CUDA_EMU_DEFINES CEMU_ASAN=1)
  elseif(MF_SANITIZE MATCHES "thread")
    set(MF_CUDA_EMU_DEFINES CEMU_TSAN=1)
  else()
    set(MF_CUDA_EMU_DEFINES CEMU_UBSAN=1)
  endif()
endif()

# COMPILE_OPTIONS are set, not added to: the C warnings of the rest of the product do not fit C++, and the emulator switches
# stacks, which instrumented code does not survive.
function(mf_cuda_target target)
  target_include_directories(${target} PRIVATE ${MF_CUDA_INCLUDES})
  target_compile_definitions(${target} PRIVATE _GNU_SOURCE)
  set_target_properties(${target} PROPERTIES CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON CUDA_STANDARD 17
    POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden CUDA_VISIBILITY_PRESET hidden)
  set_target_properties(${target} PROPERTIES COMPILE_OPTIONS "${ARGN}")
endfunction()

# The one C file: core's call structures to the kernels' own.
function(mf_cuda_bridge target)
  add_library(${target} OBJECT ${MF_CUDA_DIR}/bridge.c)
  mf_cuda_target(${target} -Wall -Wextra -Wshadow -Wconversion -Wmissing-prototypes -Wstrict-prototypes -Werror
    -fvisibility=hidden ${ARGN})
  set_target_properties(${target} PROPERTIES C_STANDARD 11)
endfunction()

# ---- the emulator
if(MF_CUDA_EMU)
  find_package(Threads REQUIRED)
  # A .cu file is C++ here: compiled through a file that includes it.
  set(wrapped)
  foreach(source ${MF_CUDA_SOURCES} ${MF_CUDA_TEST_DIR}/test_emulator.cu)
    get_filename_component(name ${source} NAME_WE)
    set(wrapper ${CMAKE_BINARY_DIR}/cuda-emu/${name}.cpp)
    file(CONFIGURE OUTPUT ${wrapper} CONTENT "#include \"${source}\"\n" @ONLY)
    list(APPEND wrapped ${wrapper})
  endforeach()
  list(FILTER wrapped EXCLUDE REGEX "/(blas_cublas|test_emulator)\\.cpp$")
  add_library(mf_cuda_emulator OBJECT ${MF_CUDA_EMU_SOURCES})
  mf_cuda_target(mf_cuda_emulator ${MF_CUDA_CXX_FLAGS} -O2 -g1)
  target_compile_definitions(mf_cuda_emulator PRIVATE ${MF_CUDA_EMU_DEFINES})
  mf_cuda_bridge(mf_cuda_emu_bridge ${MF_CUDA_INSTRUMENT})

  add_library(moonflow_cudaemu SHARED ${wrapped} $<TARGET_OBJECTS:mf_cuda_emulator> $<TARGET_OBJECTS:mf_cuda_emu_bridge>)
  mf_cuda_target(moonflow_cudaemu ${MF_CUDA_CXX_FLAGS} ${MF_CUDA_INSTRUMENT} -O1)
  target_link_options(moonflow_cudaemu PRIVATE ${MF_CUDA_INSTRUMENT} -Wl,-z,nodelete)
  target_link_libraries(moonflow_cudaemu PRIVATE Threads::Threads)

  add_executable(test_emulator ${CMAKE_BINARY_DIR}/cuda-emu/test_emulator.cpp $<TARGET_OBJECTS:mf_cuda_emulator>)
  mf_cuda_target(test_emulator ${MF_CUDA_CXX_FLAGS} ${MF_CUDA_INSTRUMENT} -O1)
  target_link_options(test_emulator PRIVATE ${MF_CUDA_INSTRUMENT})
  target_link_libraries(test_emulator PRIVATE Threads::Threads)
  add_test(NAME cuda.emulator COMMAND test_emulator)
  set_tests_properties(cuda.emulator PROPERTIES TIMEOUT 300)
endif()

# ---- the plug-in for GPUs
if(MF_CUDA)
  check_language(CUDA)
  if(NOT CMAKE_CUDA_COMPILER)
    message(FATAL_ERROR "MF_CUDA=ON: nvcc was not found (install the CUDA 13 toolkit, or put nvcc into PATH)")
  endif()
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 90-real 90-virtual)
    if(MF_CUDA_ALL)
      set(CMAKE_CUDA_ARCHITECTURES 75-real 80-real 86-real 89-real 90-real 100-real 120-real 120-virtual)
    endif()
  endif()
  enable_language(CUDA)
  find_package(CUDAToolkit REQUIRED)
  mf_cuda_bridge(mf_cuda_bridge)
  add_library(moonflow_cuda SHARED ${MF_CUDA_SOURCES} $<TARGET_OBJECTS:mf_cuda_bridge>)
  mf_cuda_target(moonflow_cuda -O3 -Xptxas=-warn-spills -Xcompiler=-Wall,-Wextra)
  set_target_properties(moonflow_cuda PROPERTIES CUDA_RUNTIME_LIBRARY Static
    INSTALL_RPATH "${CUDAToolkit_LIBRARY_DIR}")
  target_link_libraries(moonflow_cuda PRIVATE CUDA::cublas)
  target_link_options(moonflow_cuda PRIVATE -Wl,-z,nodelete)
endif()

if(TARGET moonflow_cuda AND CMAKE_INSTALL_LIBDIR)
  install(TARGETS moonflow_cuda LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()

# ---- tests of the kernels: one program, which is told the plug-in to load
if(NOT MF_TESTS)
  return()
endif()
file(GLOB MF_CUDA_TESTS CONFIGURE_DEPENDS ${MF_CUDA_TEST_DIR}/*.c)
list(FILTER MF_CUDA_TESTS EXCLUDE REGEX "/test_plugin\\.c$")
add_executable(test_cuda_kernels ${MF_CUDA_TESTS} ${MF_CUDA_ROOT}/core/base/status.c
  ${MF_CUDA_ROOT}/core/base/memory.c)
mf_cuda_target(test_cuda_kernels -Wall -Wextra -Wshadow -Werror -O1 ${MF_CUDA_INSTRUMENT})
set_target_properties(test_cuda_kernels PROPERTIES C_STANDARD 11)
target_link_options(test_cuda_kernels PRIVATE ${MF_CUDA_INSTRUMENT})
target_link_libraries(test_cuda_kernels PRIVATE m ${CMAKE_DL_LIBS})
if(MF_CUDA_EMU)
  add_test(NAME cuda.kernels.emulated COMMAND test_cuda_kernels $<TARGET_FILE:moonflow_cudaemu>)
  set_tests_properties(cuda.kernels.emulated PROPERTIES TIMEOUT 300)
endif()
if(TARGET moonflow AND MF_CUDA_EMU)
  add_executable(test_cuda_plugin ${MF_CUDA_TEST_DIR}/test_plugin.c)
  mf_cuda_target(test_cuda_plugin -Wall -Wextra -Wshadow -Werror ${MF_CUDA_INSTRUMENT})
  target_link_libraries(test_cuda_plugin PRIVATE moonflow)
  add_test(NAME cuda.plugin COMMAND test_cuda_plugin $<TARGET_FILE:moonflow_cudaemu>)
  # LeakSanitizer crashes on the thread-local blocks of a library that was closed: here it leaves them out.
  set_tests_properties(cuda.plugin PROPERTIES
    ENVIRONMENT "LSAN_OPTIONS=use_tls=0:suppressions=${MF_CUDA_ROOT}/scripts/check.d/lsan.supp:print_suppressions=0")
endif()
if(TARGET mf_program AND MF_CUDA_EMU)
  add_test(NAME cuda.ops COMMAND mf_program ${MF_CUDA_ROOT}/tests/lua/run.lua ${MF_CUDA_TEST_DIR}/ops_gpu_test.lua
    WORKING_DIRECTORY ${MF_CUDA_ROOT})
  set_tests_properties(cuda.ops PROPERTIES TIMEOUT 600 ENVIRONMENT "MOONFLOW_CUDA=$<TARGET_FILE:moonflow_cudaemu>")
endif()
