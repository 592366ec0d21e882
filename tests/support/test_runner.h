// SPDX-License-Identifier: Apache-2.0
// One program contains all test files of a folder, so that a change relinks only a few programs. ctest still runs each
// file by its name in a separate process: PROGRAM FILE [arguments of Qt Test].
//
// A test file ends with one of the three macros below in place of Qt Test's QTEST_MAIN, QTEST_GUILESS_MAIN and
// QTEST_APPLESS_MAIN. What must happen before the application exists goes into a static initMain() of the class.
#pragma once

#include <QCoreApplication>
#include <QTest>
#if defined(QT_WIDGETS_LIB)
#include <QApplication>
#elif defined(QT_GUI_LIB)
#include <QGuiApplication>
#endif

namespace rankscope::test {

using TestMain = int (*)(int argc, char** argv);

/// Adds a test to the program under the name of its source file, without folder and suffix.
class RegisteredTest {
public:
    RegisteredTest(const char* sourceFile, TestMain run);
};

template <class Test> int execute(int argc, char** argv, const char* sourceFile) {
    Test test;
    QTest::setMainSourcePath(sourceFile);
    return QTest::qExec(&test, argc, argv);
}

template <class Test> void prepare() {
    if constexpr (requires { Test::initMain(); })
        Test::initMain();
}

template <class Test, class Application> int runWith(int argc, char** argv, const char* sourceFile) {
    prepare<Test>();
    Application application(argc, argv);
    application.setAttribute(Qt::AA_Use96Dpi, true); // the same geometry on every machine
    return execute<Test>(argc, argv, sourceFile);
}

template <class Test> int runWithout(int argc, char** argv, const char* sourceFile) {
    prepare<Test>();
    return execute<Test>(argc, argv, sourceFile);
}

} // namespace rankscope::test

#define RANKSCOPE_REGISTER_TEST(Class, ...)                                                                            \
    static const rankscope::test::RegisteredTest registered##Class(                                                    \
        __FILE__, [](int argc, char** argv) { return rankscope::test::__VA_ARGS__(argc, argv, __FILE__); });

#if defined(QT_WIDGETS_LIB)
/// Runs the test with a QApplication, or with a QGuiApplication in a program without widgets.
#define RANKSCOPE_GUI_TEST(Class) RANKSCOPE_REGISTER_TEST(Class, runWith<Class, QApplication>)
#elif defined(QT_GUI_LIB)
#define RANKSCOPE_GUI_TEST(Class) RANKSCOPE_REGISTER_TEST(Class, runWith<Class, QGuiApplication>)
#endif
/// Runs the test with a QCoreApplication.
#define RANKSCOPE_CORE_TEST(Class) RANKSCOPE_REGISTER_TEST(Class, runWith<Class, QCoreApplication>)
/// Runs the test without an application object.
#define RANKSCOPE_TEST(Class) RANKSCOPE_REGISTER_TEST(Class, runWithout<Class>)
