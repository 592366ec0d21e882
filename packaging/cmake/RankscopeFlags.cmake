# SPDX-License-Identifier: Apache-2.0
# One INTERFACE target carries the flags of every target.
add_library(rankscope_flags INTERFACE)
target_compile_features(rankscope_flags INTERFACE cxx_std_20)
target_compile_options(rankscope_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # GCC 12 sees overlaps in std::string that are not there (GCC bug 105651)
    target_compile_options(rankscope_flags INTERFACE -Wno-restrict)
endif()
if(RANKSCOPE_WERROR)
    target_compile_options(rankscope_flags INTERFACE -Werror)
endif()
if(RANKSCOPE_SANITIZE)
    target_compile_options(rankscope_flags INTERFACE -fsanitize=${RANKSCOPE_SANITIZE} -fno-omit-frame-pointer)
    target_link_options(rankscope_flags INTERFACE -fsanitize=${RANKSCOPE_SANITIZE})
endif()
target_include_directories(rankscope_flags INTERFACE ${PROJECT_SOURCE_DIR})

# rankscope_unity(TARGET FILES): compiles the sources of a target FILES at a time, where RANKSCOPE_UNITY is on. Most of the
# time of a compiler goes into headers, which such a batch reads once.
function(rankscope_unity target files)
    if(RANKSCOPE_UNITY)
        set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${files})
    endif()
endfunction()

# rankscope_library(NAME SOURCES... [PUBLIC lib...] [PRIVATE lib...]): a static library with the project's flags.
function(rankscope_library name)
    cmake_parse_arguments(arg "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
    add_library(${name} STATIC ${arg_SOURCES})
    target_link_libraries(${name} PUBLIC rankscope_flags ${arg_PUBLIC} PRIVATE ${arg_PRIVATE})
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    rankscope_unity(${name} 12)
endfunction()
