#include "fanin/calibrate/where.hpp"
