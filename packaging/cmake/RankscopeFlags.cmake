# SPDX-License-Identifier: Apache-2.0
# One INTERFACE target carries the flags of every target.
add_library(rankscope_flags INTERFACE)
target_compile_features(rankscope_flags INTERFACE cxx_std_20)
target_compile_options(rankscope_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wno-missing-field-initializers)
if(RANKSCOPE_WERROR)
    target_compile_options(rankscope_flags INTERFACE -Werror)
endif()
if(RANKSCOPE_SANITIZE)
    target_compile_options(rankscope_flags INTERFACE -fsanitize=${RANKSCOPE_SANITIZE} -fno-omit-frame-pointer)
    target_link_options(rankscope_flags INTERFACE -fsanitize=${RANKSCOPE_SANITIZE})
endif()
target_include_directories(rankscope_flags INTERFACE ${PROJECT_SOURCE_DIR})

# rankscope_library(NAME SOURCES... [PUBLIC lib...] [PRIVATE lib...]): a static library with the project's flags.
function(rankscope_library name)
    cmake_parse_arguments(arg "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
    add_library(${name} STATIC ${arg_SOURCES})
    target_link_libraries(${name} PUBLIC rankscope_flags ${arg_PUBLIC} PRIVATE ${arg_PRIVATE})
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
endfunction()

# rankscope_test(NAME SOURCES... [LIBS lib...] [LABELS unit|process|gui|gpu|slow] [TIMEOUT s] [ENV k=v...]): a Qt Test program.
function(rankscope_test name)
    cmake_parse_arguments(arg "" "TIMEOUT" "SOURCES;LIBS;LABELS;ENV" ${ARGN})
    add_executable(${name} ${arg_SOURCES})
    target_link_libraries(${name} PRIVATE rankscope_flags Qt6::Test ${arg_LIBS})
    set_target_properties(${name} PROPERTIES AUTOMOC ON)
    add_test(NAME ${name} COMMAND ${name})
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 120)
    endif()
    if(NOT arg_LABELS)
        set(arg_LABELS unit)
    endif()
    set_tests_properties(${name} PROPERTIES TIMEOUT ${arg_TIMEOUT} LABELS "${arg_LABELS}"
        ENVIRONMENT "QT_QPA_PLATFORM=offscreen;${arg_ENV}" SKIP_RETURN_CODE 77)
endfunction()
