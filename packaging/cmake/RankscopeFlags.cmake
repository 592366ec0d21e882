# SPDX-License-Identifier: Apache-2.0
# One INTERFACE target carries the flags of every target.
add_library(rankscope_flags INTERFACE)
target_compile_features(rankscope_flags INTERFACE cxx_std_20)
target_compile_options(rankscope_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # GCC 12 warns about overlaps in std::string that do not exist (GCC bug 105651)
    target_compile_options(rankscope_flags INTERFACE -Wno-restrict)
endif()
if(RANKSCOPE_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # a source of a unity build looks like a header to GCC, which then warns about types in its anonymous namespace
    target_compile_options(rankscope_flags INTERFACE -Wno-subobject-linkage)
endif()
if(RANKSCOPE_WERROR)
    target_compile_options(rankscope_flags INTERFACE -Werror)
endif()
# Guards against memory errors that an attacker could use. Sanitizers have stronger ones of their own.
if(NOT RANKSCOPE_SANITIZE)
    target_compile_options(rankscope_flags INTERFACE -fstack-protector-strong
        $<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE> $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=2>)
    target_link_options(rankscope_flags INTERFACE LINKER:-z,relro LINKER:-z,now LINKER:-z,noexecstack)
endif()
# Messages name source files as seen from the project's folder.
target_compile_options(rankscope_flags INTERFACE -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)
if(RANKSCOPE_SANITIZE)
    target_compile_options(rankscope_flags INTERFACE -fsanitize=${RANKSCOPE_SANITIZE} -fno-omit-frame-pointer)
    target_link_options(rankscope_flags INTERFACE -fsanitize=${RANKSCOPE_SANITIZE})
endif()
target_include_directories(rankscope_flags INTERFACE ${PROJECT_SOURCE_DIR})

# rankscope_unity(TARGET FILES): compiles the sources of a target FILES at a time if RANKSCOPE_UNITY is on. A compiler spends
# most of its time on headers, which such a batch reads once.
function(rankscope_unity target files)
    if(RANKSCOPE_UNITY)
        set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${files})
    endif()
endfunction()

# rankscope_library(NAME [SOURCES file...] [PUBLIC lib...] [PRIVATE lib...]): a static library with the project's flags. Its
# shelves are added by rankscope_shelf.
function(rankscope_library name)
    cmake_parse_arguments(arg "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
    add_library(${name} STATIC ${arg_SOURCES})
    target_link_libraries(${name} PUBLIC rankscope_flags ${arg_PUBLIC} PRIVATE ${arg_PRIVATE})
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    rankscope_unity(${name} 12)
endfunction()

# rankscope_shelf(LIBRARY FOLDER [USES target...] [SOURCES file...] [PLAIN file...] [LINKS lib...]): adds a folder, "." for the
# current one, to an existing library or program. The sources are compiled in the library's batches, so that a shelf costs no
# build time. PLAIN sources read none of LibTorch's headers and are compiled separately, in LIBRARY_plain.
#
# A shelf is a link target, LIBRARY_FOLDER. Its sources may include those of the shelves declared above it in the same library, of
# the libraries and shelves that it and they USE, and what these may include; tst_layers checks it. LINKS: other libraries that
# its sources need.
function(rankscope_shelf library folder)
    cmake_parse_arguments(arg "" "" "USES;SOURCES;PLAIN;LINKS" ${ARGN})
    set(shelf ${library}_${folder})
    file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
    if(folder STREQUAL ".")
        set(shelf ${library}_shelf)
    else()
        string(APPEND path /${folder})
        list(TRANSFORM arg_SOURCES PREPEND ${folder}/ REGEX "^[^/]+$")
        list(TRANSFORM arg_PLAIN PREPEND ${folder}/)
    endif()

    get_property(may_include GLOBAL PROPERTY RANKSCOPE_FOLDERS_OF_${library})
    set(libraries "")
    foreach(used ${arg_USES})
        get_property(folders GLOBAL PROPERTY RANKSCOPE_FOLDERS_OF_${used})
        if(NOT folders)
            message(FATAL_ERROR "${path} uses ${used}, which is neither a library with shelves nor a shelf declared before it")
        endif()
        list(APPEND may_include ${folders})
        get_property(owner GLOBAL PROPERTY RANKSCOPE_LIBRARY_OF_${used})
        list(APPEND libraries ${owner})
    endforeach()
    list(APPEND may_include ${path})
    list(REMOVE_DUPLICATES may_include)
    foreach(name ${library} ${shelf})
        set_property(GLOBAL PROPERTY RANKSCOPE_FOLDERS_OF_${name} ${may_include})
        set_property(GLOBAL PROPERTY RANKSCOPE_LIBRARY_OF_${name} ${library})
    endforeach()
    set_property(GLOBAL APPEND PROPERTY RANKSCOPE_SHELVES ${shelf})
    set_property(GLOBAL PROPERTY RANKSCOPE_PATH_OF_${shelf} ${path})

    add_library(${shelf} INTERFACE)
    target_link_libraries(${shelf} INTERFACE ${libraries})
    target_sources(${shelf} INTERFACE ${arg_SOURCES})
    get_target_property(type ${library} TYPE)
    if(type STREQUAL "INTERFACE_LIBRARY")
        return() # headers only
    endif()
    set(visible PUBLIC)
    if(type STREQUAL "EXECUTABLE")
        set(visible PRIVATE)
    endif()
    target_link_libraries(${library} ${visible} ${libraries})
    target_link_libraries(${library} PRIVATE ${shelf} ${arg_LINKS})
    if(arg_PLAIN)
        if(NOT TARGET ${library}_plain)
            rankscope_library(${library}_plain)
            target_link_libraries(${library} PUBLIC ${library}_plain)
        endif()
        target_sources(${library}_plain PRIVATE ${arg_PLAIN})
    endif()
    if(TARGET ${library}_plain)
        target_link_libraries(${library}_plain PUBLIC ${libraries} PRIVATE ${arg_LINKS})
    endif()
endfunction()

# Writes FILE, which tst_layers reads: a line for each shelf with its path, the parts of Qt that its library links, and the
# folders that its sources may include.
function(rankscope_write_shelves file)
    get_property(shelves GLOBAL PROPERTY RANKSCOPE_SHELVES)
    set(text "")
    foreach(shelf ${shelves})
        get_property(path GLOBAL PROPERTY RANKSCOPE_PATH_OF_${shelf})
        get_property(library GLOBAL PROPERTY RANKSCOPE_LIBRARY_OF_${shelf})
        get_property(folders GLOBAL PROPERTY RANKSCOPE_FOLDERS_OF_${shelf})
        get_target_property(links ${library} LINK_LIBRARIES)
        set(needs "")
        foreach(need Qt6::Core Qt6::Widgets)
            if(need IN_LIST links)
                list(APPEND needs ${need})
            endif()
        endforeach()
        list(JOIN needs " " needs)
        list(JOIN folders " " folders)
        string(APPEND text "${path}|${needs}|${folders}\n")
    endforeach()
    file(CONFIGURE OUTPUT ${file} CONTENT "${text}" @ONLY)
endfunction()
