# SPDX-License-Identifier: Apache-2.0
# Finds LibTorch without its own TorchConfig.cmake, which asks for a CUDA toolkit even when no CUDA code is built.
#
# Looks in RANKSCOPE_LIBTORCH (a folder with include/ and lib/: the `torch` folder of a wheel or an unpacked LibTorch),
# then in the .venv that packaging/setup.sh makes. Defines
#   LibTorch::cpu   libtorch_cpu, libc10 and their headers
#   LibTorch::nccl  libtorch_cuda, libc10_cuda, NCCL; only if the wheel was built with CUDA and the NVIDIA wheels are installed
if(NOT RANKSCOPE_LIBTORCH)
    file(GLOB _venv_torch ${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages/torch)
    list(LENGTH _venv_torch _n)
    if(_n GREATER 0)
        list(GET _venv_torch 0 _torch_dir)
    endif()
else()
    set(_torch_dir ${RANKSCOPE_LIBTORCH})
endif()

find_path(LibTorch_INCLUDE_DIR torch/csrc/distributed/c10d/reducer.hpp PATHS ${_torch_dir}/include NO_DEFAULT_PATH)
find_library(LibTorch_CPU_LIBRARY torch_cpu PATHS ${_torch_dir}/lib NO_DEFAULT_PATH)
find_library(LibTorch_C10_LIBRARY c10 PATHS ${_torch_dir}/lib NO_DEFAULT_PATH)
# The wheel has ProcessGroupGloo.hpp but not Gloo's own headers, which it includes: Debian's serve as declarations.
find_path(Gloo_INCLUDE_DIR gloo/algorithm.h)
# The libraries that libtorch_cpu.so of a CUDA wheel loads on any machine.
file(GLOB _nvidia_lib_dirs ${_torch_dir}/../nvidia/*/lib)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibTorch
    REASON_FAILURE_MESSAGE "run packaging/setup.sh, pass -DRANKSCOPE_LIBTORCH=DIR (a folder with include/ and lib/), or -DRANKSCOPE_TRAINER=OFF"
    REQUIRED_VARS LibTorch_CPU_LIBRARY LibTorch_C10_LIBRARY LibTorch_INCLUDE_DIR Gloo_INCLUDE_DIR)

if(LibTorch_FOUND)
    # from a header, not from a program: LibTorch need not run on this machine
    set(LibTorch_VERSION "")
    foreach(_header headeronly/version.h csrc/api/include/torch/version.h)
        if(EXISTS ${LibTorch_INCLUDE_DIR}/torch/${_header} AND NOT LibTorch_VERSION)
            file(STRINGS ${LibTorch_INCLUDE_DIR}/torch/${_header} _lines REGEX "#define TORCH_VERSION_(MAJOR|MINOR|PATCH) ")
            string(REGEX REPLACE "[^0-9;]" "" _numbers "${_lines}")
            string(REPLACE ";" "." LibTorch_VERSION "${_numbers}")
        endif()
    endforeach()
endif()

if(LibTorch_FOUND AND NOT TARGET LibTorch::cpu)
    add_library(LibTorch::c10 UNKNOWN IMPORTED)
    set_target_properties(LibTorch::c10 PROPERTIES IMPORTED_LOCATION ${LibTorch_C10_LIBRARY})
    add_library(LibTorch::cpu UNKNOWN IMPORTED)
    set_target_properties(LibTorch::cpu PROPERTIES IMPORTED_LOCATION ${LibTorch_CPU_LIBRARY})
    target_include_directories(LibTorch::cpu SYSTEM INTERFACE
        ${LibTorch_INCLUDE_DIR} ${LibTorch_INCLUDE_DIR}/torch/csrc/api/include ${Gloo_INCLUDE_DIR})
    target_compile_definitions(LibTorch::cpu INTERFACE USE_DISTRIBUTED USE_C10D_GLOO)
    target_link_libraries(LibTorch::cpu INTERFACE LibTorch::c10)
    # the wheel's libraries find NVIDIA's by their own RPATH; the linker needs their folders
    foreach(_dir IN LISTS _nvidia_lib_dirs)
        target_link_options(LibTorch::cpu INTERFACE -Wl,-rpath-link,${_dir})
    endforeach()
    get_filename_component(LibTorch_LIB_DIR ${LibTorch_CPU_LIBRARY} DIRECTORY)

    find_library(LibTorch_CUDA_LIBRARY torch_cuda PATHS ${LibTorch_LIB_DIR} NO_DEFAULT_PATH)
    find_library(LibTorch_C10_CUDA_LIBRARY c10_cuda PATHS ${LibTorch_LIB_DIR} NO_DEFAULT_PATH)
    find_path(NCCL_INCLUDE_DIR nccl.h PATHS ${_torch_dir}/../nvidia/nccl/include)
    find_path(CUDART_INCLUDE_DIR cuda_runtime_api.h PATHS ${_torch_dir}/../nvidia/cu13/include NO_DEFAULT_PATH)
    if(LibTorch_CUDA_LIBRARY AND LibTorch_C10_CUDA_LIBRARY AND NCCL_INCLUDE_DIR AND CUDART_INCLUDE_DIR)
        add_library(LibTorch::nccl INTERFACE IMPORTED)
        target_include_directories(LibTorch::nccl SYSTEM INTERFACE ${NCCL_INCLUDE_DIR} ${CUDART_INCLUDE_DIR})
        target_compile_definitions(LibTorch::nccl INTERFACE USE_C10D_NCCL USE_CUDA)
        target_link_libraries(LibTorch::nccl INTERFACE LibTorch::cpu ${LibTorch_CUDA_LIBRARY} ${LibTorch_C10_CUDA_LIBRARY})
    endif()
endif()
mark_as_advanced(LibTorch_INCLUDE_DIR LibTorch_CPU_LIBRARY LibTorch_C10_LIBRARY Gloo_INCLUDE_DIR LibTorch_CUDA_LIBRARY
    LibTorch_C10_CUDA_LIBRARY NCCL_INCLUDE_DIR CUDART_INCLUDE_DIR)
