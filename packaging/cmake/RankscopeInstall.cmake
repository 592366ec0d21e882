# SPDX-License-Identifier: Apache-2.0
# What is installed, by component:
#   workbench  the window, its desktop entry             cli   rankscopectl      trainer  ranks, rankscope-setup
#   nccl       the NCCL plug-in, if it is built          data  recipes, the script that makes the sample speech
#   docs       README in both languages, LICENSE, docs/ with the texts of the licenses
# The programs find everything relative to their own folder, so an installed tree can be moved as a whole.
set(RANKSCOPE_SHARE_DIR ${CMAKE_INSTALL_DATADIR}/rankscope)
set(packaging ${PROJECT_SOURCE_DIR}/packaging)
find_program(GZIP_PROGRAM gzip REQUIRED)

# rankscope_gzipped(COMPONENT DESTINATION FILE [NAME]): installs the file compressed, without its timestamp
set(RANKSCOPE_GZIPPED "")
function(rankscope_gzipped component destination file)
    get_filename_component(name ${file} NAME)
    if(ARGC GREATER 3)
        set(name ${ARGV3})
    endif()
    set(out ${PROJECT_BINARY_DIR}/packaging/${name}.gz)
    if(NOT out IN_LIST RANKSCOPE_GZIPPED)
        add_custom_command(OUTPUT ${out} COMMAND ${GZIP_PROGRAM} -9nc ${file} > ${out} DEPENDS ${file} VERBATIM)
        set(RANKSCOPE_GZIPPED ${RANKSCOPE_GZIPPED} ${out} PARENT_SCOPE)
    endif()
    install(FILES ${out} DESTINATION ${destination} COMPONENT ${component})
endfunction()

configure_file(${packaging}/deb/changelog.in ${PROJECT_BINARY_DIR}/packaging/changelog.Debian @ONLY)
function(rankscope_debian_papers component package) # the files that Debian requires in every package
    install(FILES ${packaging}/deb/copyright ${PROJECT_SOURCE_DIR}/docs/licenses/notices.txt DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${component})
    rankscope_gzipped(${component} ${CMAKE_INSTALL_DATADIR}/doc/${package} ${PROJECT_SOURCE_DIR}/docs/CHANGELOG.md changelog)
    rankscope_gzipped(${component} ${CMAKE_INSTALL_DATADIR}/doc/${package} ${PROJECT_BINARY_DIR}/packaging/changelog.Debian)
    set(overrides ${packaging}/deb/lintian-overrides)
    if(EXISTS ${overrides}.${package})
        set(overrides ${overrides}.${package})
    endif()
    install(FILES ${overrides} DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides RENAME ${package} COMPONENT ${component})
    set(RANKSCOPE_GZIPPED ${RANKSCOPE_GZIPPED} PARENT_SCOPE)
endfunction()

set(man ${CMAKE_INSTALL_MANDIR}/man1)
set(bash ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
set(zsh ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
set(fish ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

rankscope_gzipped(cli ${man} ${packaging}/man/rankscopectl.1)
install(FILES ${packaging}/completion/rankscopectl.bash DESTINATION ${bash} RENAME rankscopectl COMPONENT cli)
install(FILES ${packaging}/completion/_rankscopectl DESTINATION ${zsh} COMPONENT cli)
install(FILES ${packaging}/completion/rankscopectl.fish DESTINATION ${fish} COMPONENT cli)
rankscope_debian_papers(cli rankscopectl)

file(GLOB recipes ${PROJECT_SOURCE_DIR}/configs/*.yaml)
install(FILES ${recipes} DESTINATION ${RANKSCOPE_SHARE_DIR}/configs COMPONENT data)
set(sample ${PROJECT_SOURCE_DIR}/resources/sample)
install(PROGRAMS ${sample}/make.sh DESTINATION ${RANKSCOPE_SHARE_DIR}/resources/sample COMPONENT data)
install(FILES ${sample}/make_sample.py ${sample}/sentences.txt ${sample}/LABEL.md
    DESTINATION ${RANKSCOPE_SHARE_DIR}/resources/sample COMPONENT data)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/ DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/rankscope/docs COMPONENT docs)
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/README.zh-CN.md ${PROJECT_SOURCE_DIR}/LICENSE
    DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/rankscope COMPONENT docs)

if(RANKSCOPE_TRAINER)
    configure_file(${packaging}/rankscope-setup.in ${PROJECT_BINARY_DIR}/packaging/rankscope-setup @ONLY)
    install(PROGRAMS ${PROJECT_BINARY_DIR}/packaging/rankscope-setup DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT trainer)
    set(wheels ${packaging}/wheels/${LibTorch_VERSION}.txt)
    if(NOT EXISTS ${wheels})
        set(wheels ${packaging}/wheels/2.11.0.txt)
    endif()
    install(FILES ${wheels} DESTINATION ${RANKSCOPE_SHARE_DIR} RENAME wheels.txt COMPONENT trainer)
    file(WRITE ${PROJECT_BINARY_DIR}/packaging/libtorch-version "${LibTorch_VERSION}\n")
    install(FILES ${PROJECT_BINARY_DIR}/packaging/libtorch-version DESTINATION ${RANKSCOPE_PRIVATE_DIR} COMPONENT trainer)
    rankscope_gzipped(trainer ${man} ${packaging}/man/rankscope-trainer.1)
    rankscope_gzipped(trainer ${man} ${packaging}/man/rankscope-setup.1)
    rankscope_debian_papers(trainer rankscope-trainer)
endif()

if(RANKSCOPE_GUI)
    set(desktop ${packaging}/desktop)
    install(FILES ${desktop}/rankscope.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications COMPONENT workbench)
    install(FILES ${desktop}/rankscope.metainfo.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/metainfo COMPONENT workbench)
    install(FILES ${desktop}/rankscope-mime.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages RENAME rankscope.xml
        COMPONENT workbench)
    set(icons ${CMAKE_INSTALL_DATADIR}/icons/hicolor)
    install(FILES ${PROJECT_SOURCE_DIR}/resources/icons/rankscope.svg DESTINATION ${icons}/scalable/apps COMPONENT workbench)
    foreach(size 16 24 32 48 64 128 256)
        install(FILES ${PROJECT_SOURCE_DIR}/resources/icons/hicolor/${size}.png
            DESTINATION ${icons}/${size}x${size}/apps RENAME rankscope.png COMPONENT workbench)
    endforeach()
    rankscope_gzipped(workbench ${man} ${packaging}/man/rankscope.1)
    install(FILES ${packaging}/completion/rankscope.bash DESTINATION ${bash} RENAME rankscope COMPONENT workbench)
    install(FILES ${packaging}/completion/_rankscope DESTINATION ${zsh} COMPONENT workbench)
    install(FILES ${packaging}/completion/rankscope.fish DESTINATION ${fish} COMPONENT workbench)
    rankscope_debian_papers(workbench rankscope)
endif()
add_custom_target(rankscope_papers ALL DEPENDS ${RANKSCOPE_GZIPPED})

add_custom_target(packaged) # everything that is installed, without the tests
foreach(target rankscope_papers rankscopectl rankscope_rank rankscope rankscope-trainer rankscope-trainer-starter rankscope-nccl)
    if(TARGET ${target})
        add_dependencies(packaged ${target})
    endif()
endforeach()
