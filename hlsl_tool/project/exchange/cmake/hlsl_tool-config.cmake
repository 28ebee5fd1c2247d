# The CMake package of hlsl_tool: find_package(hlsl_tool), with hlsl_tool_DIR from `hlsl_tool generate cmake-dir`.
#
#   hlsl_shaders(TARGET CONFIG path... [ROOT folder] [OUTPUT_DIR folder] [VARIANT name] [SET NAME=value...]
#                [DEFINES NAME[=value]...] [ALLOW_OUTSIDE])
#
# builds the shaders of configurations (files, folders or patterns, from ROOT, which is the folder of the CMakeLists.txt
# if it is not given).  If TARGET exists, it depends on the shaders, and finds their headers; else it becomes a target
# that builds them.  <TARGET>_OUTPUT_DIR and <TARGET>_OUTPUTS are set for the caller.

cmake_minimum_required(VERSION 3.20)

# From site-packages/hlsl_tool/project/exchange/cmake to the programs of the same installation.
find_program(
  HLSL_TOOL_EXECUTABLE hlsl_tool
  HINTS
    "${CMAKE_CURRENT_LIST_DIR}/../../../../../../../bin"
    "${CMAKE_CURRENT_LIST_DIR}/../../../../../../Scripts"
  DOC "The program hlsl_tool")

if(NOT HLSL_TOOL_EXECUTABLE)
  set(hlsl_tool_FOUND FALSE)
  set(hlsl_tool_NOT_FOUND_MESSAGE "there is no program hlsl_tool: set HLSL_TOOL_EXECUTABLE")
  return()
endif()

function(hlsl_shaders target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "ALLOW_OUTSIDE" "ROOT;OUTPUT_DIR;VARIANT" "CONFIG;SET;DEFINES")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "hlsl_shaders(${target}): unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_CONFIG)
    message(FATAL_ERROR "hlsl_shaders(${target}): CONFIG names no configuration")
  endif()
  get_filename_component(
    root "${arg_ROOT}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
  set(words --root "${root}")
  foreach(path IN LISTS arg_CONFIG)
    list(APPEND words --config "${path}")
  endforeach()
  foreach(value IN LISTS arg_SET)
    list(APPEND words --set "${value}")
  endforeach()
  foreach(value IN LISTS arg_DEFINES)
    list(APPEND words --define "${value}")
  endforeach()
  if(arg_VARIANT)
    list(APPEND words --variant "${arg_VARIANT}")
  endif()
  if(arg_OUTPUT_DIR)
    list(APPEND words --output-dir "${arg_OUTPUT_DIR}")
  endif()
  if(arg_ALLOW_OUTSIDE)
    list(APPEND words --allow-outside)
  endif()
  set(file "${CMAKE_CURRENT_BINARY_DIR}/hlsl_tool/${target}.cmake")
  execute_process(
    COMMAND "${HLSL_TOOL_EXECUTABLE}" generate cmake ${words} -o "${file}"
    WORKING_DIRECTORY "${root}"
    RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    # The next configuration has to come even if nothing but a configuration changes.
    foreach(path IN LISTS arg_CONFIG)
      get_filename_component(path "${path}" ABSOLUTE BASE_DIR "${root}")
      if(EXISTS "${path}")
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${path}")
      endif()
    endforeach()
    message(FATAL_ERROR "hlsl_shaders(${target}): hlsl_tool reports errors above")
  endif()
  include("${file}")
  if(TARGET "${target}")
    set(shaders "${target}_shaders")
    add_custom_target("${shaders}" DEPENDS "${hlsl_stamp}")
    add_dependencies("${target}" "${shaders}")
    get_target_property(type "${target}" TYPE)
    if(type STREQUAL "INTERFACE_LIBRARY")
      target_include_directories("${target}" INTERFACE "${hlsl_output_dir}")
    elseif(NOT type STREQUAL "UTILITY")
      target_include_directories("${target}" PRIVATE "${hlsl_output_dir}")
    endif()
  else()
    add_custom_target("${target}" ALL DEPENDS "${hlsl_stamp}")
  endif()
  set("${target}_OUTPUT_DIR" "${hlsl_output_dir}" PARENT_SCOPE)
  set("${target}_OUTPUTS" "${hlsl_outputs}" PARENT_SCOPE)
endfunction()
