#include "trace_file.hpp"

#include <algorithm>
#include <map>

#include "fanin/hw/atomic_file.hpp"
#include "output.hpp"

namespace fanin::experiments {
namespace {

using model::TraceEvent;

struct Track {
  int process = 0;
  int thread = 0;
};

/// Numbers for GPUs and tracks in order of name, and the events that name them.
class Tracks {
 public:
  explicit Tracks(const std::vector<TraceEvent>& events) {
    std::map<std::string, std::map<std::string, int>> by_gpu;
    for (const TraceEvent& event : events) by_gpu[gpu_of(event.track)][event.track] = 0;
    int process = 0;
    for (const auto& [gpu, tracks] : by_gpu) {
      ++process;
      names_.push_back(
          {{"ph", "M"}, {"name", "process_name"}, {"pid", process}, {"args", {{"name", gpu}}}});
      int thread = 0;
      for (const auto& [track, unused] : tracks) {
        ++thread;
        tracks_[track] = {process, thread};
        names_.push_back(
            {{"ph", "M"},
             {"name", "thread_name"},
             {"pid", process},
             {"tid", thread},
             {"args", {{"name", track.substr(std::min(track.size(), gpu.size() + 1))}}}});
      }
    }
  }
  const Track& of(const TraceEvent& event) const { return tracks_.at(event.track); }
  const std::vector<Json>& names() const { return names_; }

 private:
  static std::string gpu_of(const std::string& track) { return track.substr(0, track.find('/')); }
  std::map<std::string, Track> tracks_;
  std::vector<Json> names_;
};

Json slice(const TraceEvent& event, const Track& track) {
  return {{"ph", "X"},           {"name", event.name},     {"pid", track.process},
          {"tid", track.thread}, {"ts", event.start.us()}, {"dur", event.duration.us()}};
}

/// A point of an arrow, in the middle of its slice so that the viewer binds it to that slice.
Json arrow(const char* phase, const TraceEvent& event, const Track& track) {
  Json json = {{"ph", phase},
               {"name", "signal"},
               {"cat", "signal"},
               {"id", event.flow_id},
               {"pid", track.process},
               {"tid", track.thread},
               {"ts", event.start.us() + event.duration.us() / 2.0}};
  if (*phase == 'f') json["bp"] = "e";
  return json;
}

}  // namespace

void write_trace(const std::string& path, const std::vector<TraceEvent>& events) {
  const Tracks tracks(events);
  AtomicFile file(path);
  file.write("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
  bool first = true;
  const auto write = [&](const Json& json) {
    file.write((first ? "" : ",\n") + json.dump());
    first = false;
  };
  for (const Json& name : tracks.names()) write(name);
  std::map<std::int64_t, std::vector<const TraceEvent*>> flows;
  for (const TraceEvent& event : events) {
    write(slice(event, tracks.of(event)));
    if (event.flow_id >= 0) flows[event.flow_id].push_back(&event);
  }
  for (auto& [id, points] : flows) {
    if (points.size() < 2) continue;
    std::stable_sort(points.begin(), points.end(), [](const TraceEvent* a, const TraceEvent* b) {
      return a->start + a->duration < b->start + b->duration;
    });
    for (std::size_t i = 0; i < points.size(); ++i) {
      const char* phase = i == 0 ? "s" : i + 1 == points.size() ? "f" : "t";
      Json point = arrow(phase, *points[i], tracks.of(*points[i]));
      // A wait ends when its signal comes, so that is where the arrow belongs.
      if (i + 1 == points.size()) point["ts"] = (points[i]->start + points[i]->duration).us();
      write(point);
    }
  }
  file.write("\n]}\n");
  file.commit();
}

}  // namespace fanin::experiments
