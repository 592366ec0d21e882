# SPDX-License-Identifier: Apache-2.0
# cpack -G DEB: rankscope, rankscopectl, rankscope-trainer; cpack -G TGZ: everything in one tree that works in any folder.
# LibTorch is in none of them: rankscope-setup installs it (docs/install.md).
set(CPACK_PACKAGE_NAME rankscope)
set(CPACK_PACKAGE_VENDOR "Rankscope")
set(CPACK_PACKAGE_CONTACT "${RANKSCOPE_MAINTAINER}")
set(CPACK_PACKAGE_VERSION ${RANKSCOPE_PACKAGE_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "finds the rank that is holding up a distributed training run")
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_GENERATOR "DEB;TGZ")
# the programs keep the names of their functions: `rankscopectl stacks` shows them
set(CPACK_STRIP_FILES OFF)
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_CURRENT_LIST_DIR}/RankscopeCPackOptions.cmake)
set(CPACK_THREADS 2)

set(CPACK_COMPONENTS_ALL cli data docs)
set(CPACK_COMPONENT_CLI_GROUP ctl)
set(CPACK_COMPONENT_DATA_GROUP ctl)
set(CPACK_COMPONENT_DOCS_GROUP ctl)
if(RANKSCOPE_GUI)
    list(APPEND CPACK_COMPONENTS_ALL workbench)
    set(CPACK_COMPONENT_WORKBENCH_GROUP window)
endif()
if(RANKSCOPE_TRAINER)
    list(APPEND CPACK_COMPONENTS_ALL trainer)
    set(CPACK_COMPONENT_TRAINER_GROUP trainer)
    if(TARGET rankscope-nccl)
        list(APPEND CPACK_COMPONENTS_ALL nccl)
        set(CPACK_COMPONENT_NCCL_GROUP trainer)
    endif()
endif()

set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SOURCE rankscope)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(this "(= ${RANKSCOPE_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")

set(CPACK_DEBIAN_CTL_PACKAGE_NAME rankscopectl)
set(CPACK_DEBIAN_CTL_DESCRIPTION "launches, watches and diagnoses distributed training runs
The command line and the supervisor of Rankscope: watches your own PyTorch
program or starts the ranks of a NeMo NEST recipe, and reports which rank is
holding up the others, in which phase, and how to fix it. Recipes and
documentation are in this package.")
set(CPACK_DEBIAN_CTL_PACKAGE_RECOMMENDS "rankscope-trainer ${this}")
set(CPACK_DEBIAN_CTL_PACKAGE_SUGGESTS rankscope)

set(CPACK_DEBIAN_WINDOW_PACKAGE_NAME rankscope)
set(CPACK_DEBIAN_WINDOW_DESCRIPTION "workbench for distributed training
A window on training runs with PyTorch: shows live which rank of your own
program is holding up the others, in which phase, and how to fix it. It also
edits recipes of NVIDIA NeMo's NEST next to NeMo's defaults, and launches them.")
set(CPACK_DEBIAN_WINDOW_PACKAGE_DEPENDS "rankscopectl ${this}")
set(CPACK_DEBIAN_WINDOW_PACKAGE_RECOMMENDS "rankscope-trainer ${this}, hicolor-icon-theme, shared-mime-info")
set(CPACK_DEBIAN_WINDOW_PACKAGE_SUGGESTS fonts-noto-cjk)

set(CPACK_DEBIAN_TRAINER_PACKAGE_NAME rankscope-trainer)
set(CPACK_DEBIAN_TRAINER_DESCRIPTION "trains one rank of a NEST model
The program that Rankscope's ranks run. It needs LibTorch, which is not in this
package: rankscope-setup installs it from the PyPI wheel, or uses one that is
already there.")
set(CPACK_DEBIAN_TRAINER_PACKAGE_DEPENDS "rankscopectl ${this}, python3, python3-venv")
set(CPACK_DEBIAN_TRAINER_PACKAGE_RECOMMENDS espeak-ng)
set(CPACK_DEBIAN_TRAINER_PACKAGE_CONTROL_EXTRA "${PROJECT_SOURCE_DIR}/packaging/deb/postinst;${PROJECT_SOURCE_DIR}/packaging/deb/postrm")
# dpkg-shlibdeps must find LibTorch to accept it without a Debian package that contains it
if(RANKSCOPE_TRAINER)
    set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${LibTorch_LIB_DIR})
endif()
include(CPack)
cpack_add_component_group(ctl)
cpack_add_component_group(window)
cpack_add_component_group(trainer)
