# SPDX-License-Identifier: Apache-2.0
# Asks git, when CMake configures, which build this is:
#   RANKSCOPE_BUILD            "0.1.0 (commit 4f9db22e1b)": what --version prints; "with changes" if files differ from
#                              that commit, and only the number for a tag v0.1.0 and for sources without git
#   RANKSCOPE_PACKAGE_VERSION  0.1.0~git202611241530.4f9db22e1b: packages of a later commit are upgrades of earlier ones,
#                              and 0.1.0 itself is later than all of them
#   RANKSCOPE_COMMITTED        date of the commit, as Debian writes it
#   RANKSCOPE_MAINTAINER       unless it is set: the commit's author
# The programs include build_version.h, which is written only when it changes.
set(RANKSCOPE_BUILD ${PROJECT_VERSION})
set(RANKSCOPE_PACKAGE_VERSION ${PROJECT_VERSION})
string(TIMESTAMP RANKSCOPE_COMMITTED "%a, %d %b %Y %H:%M:%S +0000" UTC)
set(author "The Rankscope contributors")
find_package(Git QUIET)

function(rankscope_git out) # the output of git in this checkout; empty if this is not a checkout
    execute_process(COMMAND ${CMAKE_COMMAND} -E env TZ=UTC ${GIT_EXECUTABLE} -C ${PROJECT_SOURCE_DIR} ${ARGN}
        OUTPUT_VARIABLE text OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
    if(failed)
        set(text "")
    endif()
    set(${out} "${text}" PARENT_SCOPE)
endfunction()

if(Git_FOUND)
    rankscope_git(above rev-parse --show-cdup) # empty only at the top of a checkout, not inside another project's
    rankscope_git(commit log -1 --abbrev=10 --format=%h)
    rankscope_git(time log -1 --format=%cd --date=format-local:%Y%m%d%H%M)
    rankscope_git(tags tag --points-at HEAD)
    rankscope_git(changes status --porcelain --untracked-files=no)
    rankscope_git(committed log -1 --format=%cD)
    rankscope_git(by log -1 "--format=%an <%ae>")
    string(REPLACE "\n" ";" tags "${tags}")
    if(commit AND above STREQUAL "")
        set(RANKSCOPE_COMMITTED ${committed})
        set(author ${by})
    endif()
    if(commit AND above STREQUAL "" AND (changes OR NOT v${PROJECT_VERSION} IN_LIST tags))
        set(with "")
        if(changes)
            set(with " with changes")
        endif()
        set(RANKSCOPE_BUILD "${PROJECT_VERSION} (commit ${commit}${with})")
        set(RANKSCOPE_PACKAGE_VERSION ${PROJECT_VERSION}~git${time}.${commit})
    endif()
endif()
set(RANKSCOPE_MAINTAINER "${author}" CACHE STRING "Maintainer of the packages, as 'Name <mail>'")
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/build_version.h
    CONTENT "#pragma once
#define RANKSCOPE_BUILD \"@RANKSCOPE_BUILD@\"
#define RANKSCOPE_PACKAGE_VERSION \"@RANKSCOPE_PACKAGE_VERSION@\"
" @ONLY)
