# SPDX-License-Identifier: Apache-2.0
# Tests: one program per folder (tests/support/test_runner.h), one ctest entry per test file.
# Tests are compiled with little optimisation: they run for seconds. Benchmarks are compiled as the product is.
add_library(rankscope_test_flags INTERFACE)
target_compile_options(rankscope_test_flags INTERFACE -O1)
target_link_libraries(rankscope_test_flags INTERFACE rankscope_flags)

add_library(rankscope_test_runner STATIC ${PROJECT_SOURCE_DIR}/tests/support/test_runner.cpp)
target_link_libraries(rankscope_test_runner PUBLIC rankscope_test_flags Qt6::Test)

# rankscope_test_program(NAME [SOURCES file...] [TORCH file...] [LIBS lib...] [DEFINITIONS d...] [DEPENDS target...]):
# the program that the rankscope_test() calls behind it add their files to. SOURCES: helpers of the tests. TORCH: test files
# and helpers that read LibTorch's headers; they are compiled together.
function(rankscope_test_program name)
    cmake_parse_arguments(arg "" "" "SOURCES;TORCH;LIBS;DEFINITIONS;DEPENDS" ${ARGN})
    add_executable(${name} ${arg_SOURCES})
    target_link_libraries(${name} PRIVATE rankscope_test_runner ${arg_LIBS})
    target_compile_definitions(${name} PRIVATE ${arg_DEFINITIONS})
    set_target_properties(${name} PROPERTIES AUTOMOC ON)
    if(arg_DEPENDS)
        add_dependencies(${name} ${arg_DEPENDS})
    endif()
    if(arg_TORCH)
        add_library(${name}_torch OBJECT ${arg_TORCH})
        target_link_libraries(${name}_torch PUBLIC rankscope_test_runner ${arg_LIBS})
        # Qt's word `slots` is also a name in LibTorch
        target_compile_definitions(${name}_torch PRIVATE QT_NO_KEYWORDS ${arg_DEFINITIONS})
        set_target_properties(${name}_torch PROPERTIES AUTOMOC ON)
        rankscope_unity(${name}_torch 6)
        target_link_libraries(${name} PRIVATE ${name}_torch)
    endif()
    set(RANKSCOPE_TEST_PROGRAM ${name} PARENT_SCOPE)
    set(RANKSCOPE_TEST_TORCH "${arg_TORCH}" PARENT_SCOPE)
endfunction()

# rankscope_test(NAME [FILE file] [LABELS unit|process|gui|gpu|slow] [TIMEOUT s] [ENV k=v...] [SERIAL]): adds a test file,
# NAME.cpp if no other is given, to the program above it, and an entry of ctest.
function(rankscope_test name)
    cmake_parse_arguments(arg "SERIAL" "TIMEOUT;FILE" "LABELS;ENV" ${ARGN})
    if(NOT arg_FILE)
        set(arg_FILE ${name}.cpp)
    endif()
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 120)
    endif()
    if(NOT arg_LABELS)
        set(arg_LABELS unit)
    endif()
    get_target_property(sources ${RANKSCOPE_TEST_PROGRAM} SOURCES)
    if(NOT arg_FILE IN_LIST RANKSCOPE_TEST_TORCH AND NOT arg_FILE IN_LIST sources)
        target_sources(${RANKSCOPE_TEST_PROGRAM} PRIVATE ${arg_FILE})
    endif()
    get_filename_component(stem ${arg_FILE} NAME_WE)
    add_test(NAME ${name} COMMAND ${RANKSCOPE_TEST_PROGRAM} ${stem})
    set_tests_properties(${name} PROPERTIES TIMEOUT ${arg_TIMEOUT} LABELS "${arg_LABELS}"
        ENVIRONMENT "QT_QPA_PLATFORM=offscreen;${arg_ENV}" SKIP_RETURN_CODE 77)
    if(arg_SERIAL)
        set_tests_properties(${name} PROPERTIES RUN_SERIAL ON)
    endif()
endfunction()
