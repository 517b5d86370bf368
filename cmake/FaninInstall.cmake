# `cmake --install build` and find_package(fanin).
include(CMakePackageConfigHelpers)
get_property(rooms GLOBAL PROPERTY FANIN_ROOMS)
foreach(room IN LISTS rooms)
  install(TARGETS fanin_${room} EXPORT faninTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  if(EXISTS "${PROJECT_SOURCE_DIR}/${room}/include")
    install(DIRECTORY "${PROJECT_SOURCE_DIR}/${room}/include/" DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  endif()
endforeach()
install(TARGETS fanin RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY "${PROJECT_SOURCE_DIR}/hw/profiles/" DESTINATION ${CMAKE_INSTALL_DATADIR}/fanin/profiles)
install(EXPORT faninTargets NAMESPACE fanin:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/fanin)
configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/faninConfig.cmake.in" "${PROJECT_BINARY_DIR}/faninConfig.cmake"
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/fanin)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/faninConfigVersion.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/faninConfig.cmake" "${PROJECT_BINARY_DIR}/faninConfigVersion.cmake"
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/fanin)
