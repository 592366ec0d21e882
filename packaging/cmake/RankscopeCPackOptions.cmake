# SPDX-License-Identifier: Apache-2.0
# Read by cpack, once for each generator.
if(CPACK_GENERATOR STREQUAL "DEB")
    set(CPACK_DEB_COMPONENT_INSTALL ON)
    set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # each package's own description begins with its summary
    set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
    set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
else()
    set(CPACK_ARCHIVE_COMPONENT_INSTALL ON) # only our components, none from the install rules of libraries
    set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
    set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
    set(CPACK_PACKAGING_INSTALL_PREFIX /)
endif()
