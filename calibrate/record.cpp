#include "fanin/calibrate/record.hpp"
