// Marks functions that host and device code share; nothing where no CUDA compiler reads the header.
#pragma once

#ifdef __CUDACC__
#define FANIN_HOST_DEVICE __host__ __device__
#else
#define FANIN_HOST_DEVICE
#endif
