# CUDA sources of the room; included only where a CUDA toolkit was found.
target_sources(
  fanin_kernels
  PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/copy_goal.cu
          ${CMAKE_CURRENT_SOURCE_DIR}/graphs.cu
          ${CMAKE_CURRENT_SOURCE_DIR}/launch_nic.cu
          ${CMAKE_CURRENT_SOURCE_DIR}/launch_nvlink.cu
          ${CMAKE_CURRENT_SOURCE_DIR}/machine.cu
          ${CMAKE_CURRENT_SOURCE_DIR}/nic_bench.cu
          ${CMAKE_CURRENT_SOURCE_DIR}/nic_host.cu
          ${CMAKE_CURRENT_SOURCE_DIR}/nic_kernel.cu
          ${CMAKE_CURRENT_SOURCE_DIR}/plan.cu
          ${CMAKE_CURRENT_SOURCE_DIR}/runner.cu
          ${CMAKE_CURRENT_SOURCE_DIR}/world.cu)
target_include_directories(fanin_kernels PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
# CMake 3.25 does not know the dialect flags of nvcc 13.
target_compile_options(fanin_kernels PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20>)
target_link_libraries(fanin_kernels PRIVATE $<BUILD_INTERFACE:CUDA::cudart_static>)
