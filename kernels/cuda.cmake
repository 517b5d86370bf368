# CUDA sources of the room; included only where a CUDA toolkit was found.
# Each CUDA source on a line of its own:
target_link_libraries(fanin_kernels PRIVATE $<BUILD_INTERFACE:CUDA::cudart_static>)
