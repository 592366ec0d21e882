# SPDX-License-Identifier: GPL-3.0-or-later
# Imported targets are seen only in the folder that looks for them: every folder that links the window includes this.
find_package(Qt6 6.4 REQUIRED COMPONENTS Core Gui Widgets Svg PrintSupport DBus LinguistTools)
find_package(QCustomPlotQt6 REQUIRED)
set(CMAKE_AUTOMOC ON)
