# One folder of the repository = one static library fanin::NAME, whose public headers live in
# NAME/include/fanin/NAME. A room sees another room's headers only when it lists it in USES, so an
# arrow that the design does not have does not compile.
add_library(fanin_warnings INTERFACE)
target_compile_options(
  fanin_warnings
  INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion;-Wno-sign-conversion;-Werror>
            # g++ 12 sees overlapping copies in "text" + std::string (its bug 105329)
            $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>
            $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-Wno-unused-parameter;-Werror=all-warnings>)
if(FANIN_SANITIZE)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${FANIN_SANITIZE}>
                      $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize-recover=all>
                      $<$<COMPILE_LANGUAGE:CXX>:-fno-omit-frame-pointer>
                      # g++ sees uninitialised strings in moved variants once they are instrumented
                      $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-maybe-uninitialized>)
  add_link_options(-fsanitize=${FANIN_SANITIZE})
endif()

# fanin_room(NAME SOURCES file... [USES room...] [LIBRARIES target...])
#   USES       rooms whose headers this room's own public headers may include
#   LIBRARIES  third-party targets, private to the implementation files
function(fanin_room name)
  cmake_parse_arguments(arg "" "" "SOURCES;USES;LIBRARIES" ${ARGN})
  add_library(fanin_${name} STATIC ${arg_SOURCES})
  add_library(fanin::${name} ALIAS fanin_${name})
  set_target_properties(fanin_${name} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
  target_compile_features(fanin_${name} PUBLIC cxx_std_20)
  target_include_directories(
    fanin_${name} PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
                         $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  foreach(room IN LISTS arg_USES)
    target_link_libraries(fanin_${name} PUBLIC fanin::${room})
  endforeach()
  target_link_libraries(fanin_${name} PRIVATE $<BUILD_INTERFACE:fanin_warnings>)
  foreach(library IN LISTS arg_LIBRARIES)
    target_link_libraries(fanin_${name} PRIVATE $<BUILD_INTERFACE:${library}>)
  endforeach()
  set_property(GLOBAL APPEND PROPERTY FANIN_ROOMS ${name})
endfunction()

# Compiles every public header of a room alone, so that each one includes what it uses.
function(fanin_check_headers name)
  set(root "${PROJECT_SOURCE_DIR}/${name}/include")
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE "${root}" "${root}/*.hpp")
  set(units)
  foreach(header IN LISTS headers)
    string(REGEX REPLACE "[/.]" "_" unit "${header}")
    set(file "${CMAKE_CURRENT_BINARY_DIR}/headers/${unit}.cpp")
    file(GENERATE OUTPUT "${file}" CONTENT "#include \"${header}\"  // IWYU pragma: keep\n")
    list(APPEND units "${file}")
  endforeach()
  if(units)
    add_library(fanin_headers_${name} OBJECT ${units})
    target_link_libraries(fanin_headers_${name} PRIVATE fanin::${name} fanin_warnings)
  endif()
endfunction()
