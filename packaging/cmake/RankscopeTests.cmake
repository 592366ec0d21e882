# SPDX-License-Identifier: Apache-2.0
# Tests: one program per folder (tests/support/test_runner.h), one ctest entry per test file.
# Tests run for seconds only, so they are compiled with little optimization. Benchmarks are compiled as the product is.
add_library(rankscope_test_flags INTERFACE)
# -fPIC: only code compiled with the same flags can use a precompiled header, in libraries and programs alike
target_compile_options(rankscope_test_flags INTERFACE -O1 -fPIC -Winvalid-pch
    -UQT_TESTCASE_BUILDDIR -UQT_TESTCASE_SOURCEDIR) # Qt defines them per folder, but only its own main functions use them
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # with little optimization GCC 12 warns about copies beyond the end of a std::string that do not happen
    target_compile_options(rankscope_test_flags INTERFACE -Wno-array-bounds -Wno-stringop-overflow)
endif()
target_link_libraries(rankscope_test_flags INTERFACE rankscope_flags)

set(headers <QTest> <QDir> <QFile> <QFileInfo> <QJsonArray> <QJsonDocument> <QJsonObject> <QProcess> <QRegularExpression>
    <QSet> <QSignalSpy> <QTemporaryDir> <QTextStream> <QThread> <algorithm> <chrono> <cmath> <filesystem> <fstream>
    <functional> <map> <memory> <optional> <random> <set> <span> <string> <thread> <vector>
    <nlohmann/json.hpp> <tl/expected.hpp>)
add_library(rankscope_test_runner STATIC ${PROJECT_SOURCE_DIR}/tests/support/test_runner.cpp)
target_link_libraries(rankscope_test_runner PUBLIC rankscope_test_flags Qt6::Test PRIVATE rankscope_base)
target_precompile_headers(rankscope_test_runner PRIVATE ${headers})
# Qt's keywords `slots` and `signals` are ordinary names in core/telemetry and LibTorch: only tests of the window enable them
target_compile_definitions(rankscope_test_runner PRIVATE QT_NO_KEYWORDS)
if(RANKSCOPE_GUI)
    file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/window_headers.cpp CONTENT "")
    add_library(rankscope_window_test_headers OBJECT ${CMAKE_CURRENT_BINARY_DIR}/window_headers.cpp)
    target_link_libraries(rankscope_window_test_headers PRIVATE rankscope_test_runner rankscope_widgets)
    target_precompile_headers(rankscope_window_test_headers PRIVATE ${headers} <QAbstractItemModelTester> <QApplication>
        <QClipboard> <QComboBox> <QLabel> <QLineEdit> <QListView> <QMenu> <QPainter> <QPlainTextEdit> <QPushButton> <QTableView>
        <QToolButton> <QTreeView>)
endif()

# rankscope_test_program(NAME [WINDOW|BARE] [SOURCES file...] [TORCH file...] [LIBS lib...] [DEFINITIONS d...] [DEPENDS target...]):
# the program to which the following rankscope_test() calls add their files. WINDOW: tests of the window. BARE: without
# precompiled headers. SOURCES: helpers of the tests. TORCH: test files and helpers that read LibTorch's headers; they are
# compiled together.
function(rankscope_test_program name)
    cmake_parse_arguments(arg "WINDOW;BARE" "" "SOURCES;TORCH;LIBS;DEFINITIONS;DEPENDS" ${ARGN})
    add_executable(${name} ${arg_SOURCES})
    target_link_libraries(${name} PRIVATE rankscope_test_runner ${arg_LIBS})
    target_compile_definitions(${name} PRIVATE ${arg_DEFINITIONS})
    target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}) # moc's output
    set_target_properties(${name} PROPERTIES AUTOMOC OFF)
    if(arg_WINDOW)
        target_link_libraries(${name} PRIVATE rankscope_widgets)
        target_precompile_headers(${name} REUSE_FROM rankscope_window_test_headers)
    else()
        target_compile_definitions(${name} PRIVATE QT_NO_KEYWORDS)
        if(NOT arg_BARE)
            # the headers were precompiled without the parts of Qt Test that these macros enable
            target_compile_options(${name} PRIVATE -UQT_GUI_LIB -UQT_NETWORK_LIB)
            target_precompile_headers(${name} REUSE_FROM rankscope_test_runner)
        endif()
    endif()
    if(arg_DEPENDS)
        add_dependencies(${name} ${arg_DEPENDS})
    endif()
    if(arg_TORCH)
        add_library(${name}_torch OBJECT ${arg_TORCH})
        target_link_libraries(${name}_torch PUBLIC rankscope_test_runner ${arg_LIBS})
        target_compile_definitions(${name}_torch PRIVATE QT_NO_KEYWORDS ${arg_DEFINITIONS})
        target_include_directories(${name}_torch PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
        set_target_properties(${name}_torch PROPERTIES AUTOMOC OFF)
        rankscope_unity(${name}_torch 3)
        target_link_libraries(${name} PRIVATE ${name}_torch)
    endif()
    set(RANKSCOPE_TEST_PROGRAM ${name} PARENT_SCOPE)
    set(RANKSCOPE_TEST_TORCH "${arg_TORCH}" PARENT_SCOPE)
    list(TRANSFORM arg_DEFINITIONS PREPEND -D)
    set(RANKSCOPE_TEST_DEFINITIONS "${arg_DEFINITIONS}" PARENT_SCOPE)
endfunction()

# rankscope_test([FOLDER/]NAME [FILE file] [LABELS unit|process|gui|gpu|slow] [TIMEOUT s] [ENV k=v...] [RUN_BY command]):
# adds a test file, FOLDER/NAME.cpp if no other is given, to the program above it, and NAME to ctest. RUN_BY: the command that
# runs the program, which is passed to it as its arguments. Only unit tests run beside others: to those that wait for
# processes or for a window, others make a difference. Their OpenMP threads sleep while they wait: if they spin, as they
# do by default, two tests of the model that share two cores take up to a hundred times as long as one.
function(rankscope_test test)
    cmake_parse_arguments(arg "" "TIMEOUT;FILE;RUN_BY" "LABELS;ENV" ${ARGN})
    if(NOT arg_FILE)
        set(arg_FILE ${test}.cpp)
    endif()
    get_filename_component(name ${test} NAME)
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 240)
    endif()
    if(NOT arg_LABELS)
        set(arg_LABELS unit)
    endif()
    get_filename_component(stem ${arg_FILE} NAME_WE)
    get_target_property(sources ${RANKSCOPE_TEST_PROGRAM} SOURCES)
    set(moc ${CMAKE_CURRENT_BINARY_DIR}/${stem}.moc)
    if(NOT moc IN_LIST sources)
        # not AUTOMOC: it lets moc read all headers that a test includes, even LibTorch's, and a test class needs none of them
        add_custom_command(OUTPUT ${moc} DEPENDS ${arg_FILE} VERBATIM
            COMMAND Qt6::moc ${RANKSCOPE_TEST_DEFINITIONS} ${CMAKE_CURRENT_SOURCE_DIR}/${arg_FILE} -o ${moc})
        if(arg_FILE IN_LIST RANKSCOPE_TEST_TORCH)
            target_sources(${RANKSCOPE_TEST_PROGRAM}_torch PRIVATE ${moc})
        else()
            target_sources(${RANKSCOPE_TEST_PROGRAM} PRIVATE ${arg_FILE} ${moc})
        endif()
    endif()
    add_test(NAME ${name} COMMAND ${arg_RUN_BY} $<TARGET_FILE:${RANKSCOPE_TEST_PROGRAM}> ${stem})
    set_tests_properties(${name} PROPERTIES TIMEOUT ${arg_TIMEOUT} LABELS "${arg_LABELS}"
        ENVIRONMENT "QT_QPA_PLATFORM=offscreen;${arg_ENV}" SKIP_RETURN_CODE 77)
    if(arg_LABELS STREQUAL unit)
        set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT OMP_WAIT_POLICY=passive)
    else()
        set_tests_properties(${name} PROPERTIES RUN_SERIAL ON)
    endif()
endfunction()
