// Runs an exchange whose rows travel as trains, with whatever a plan says of its path.
#pragma once

#include "fanin/model/simulate.hpp"
#include "train_plan.hpp"

namespace fanin::model {

SimulationResult run_trains(const TrainPlan& plan, const SimulationOptions& options);

}  // namespace fanin::model
