#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "fanin/hw/error.hpp"
#include "fanin/hw/profile.hpp"

namespace fanin::hw {
namespace {

namespace fs = std::filesystem;

/// Where names are looked up, the first that has one wins.
std::vector<fs::path> folders() {
  std::vector<fs::path> list;
  if (const char* own = std::getenv("FANIN_PROFILES"); own != nullptr && *own != '\0')
    list.emplace_back(own);
  list.emplace_back(FANIN_SOURCE_PROFILES);
  // An installed tree may have been moved as a whole, so look beside the program first.
  std::error_code failure;
  const fs::path program = fs::read_symlink("/proc/self/exe", failure);
  if (!failure)
    list.push_back(program.parent_path().parent_path() / "share" / "fanin" / "profiles");
  list.emplace_back(FANIN_INSTALLED_PROFILES);
  return list;
}

}  // namespace

std::vector<std::string> profile_names() {
  std::vector<std::string> names;
  for (const fs::path& folder : folders()) {
    std::error_code failure;
    for (fs::directory_iterator it(folder, failure), end; !failure && it != end;
         it.increment(failure)) {
      if (it->path().extension() == ".json") names.push_back(it->path().stem().string());
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

Profile find_profile(const std::string& path_or_name) {
  const bool path = path_or_name.find('/') != std::string::npos || path_or_name.ends_with(".json");
  if (path) return read_profile(path_or_name);
  for (const fs::path& folder : folders()) {
    const fs::path file = folder / (path_or_name + ".json");
    std::error_code ignored;
    if (!path_or_name.empty() && fs::exists(file, ignored)) return read_profile(file.string());
  }
  std::string known;
  for (const std::string& name : profile_names()) known += (known.empty() ? "" : " ") + name;
  throw InputError("profile '" + path_or_name + "'", "not found",
                   "a path, or one of " + (known.empty() ? "none" : known));
}

}  // namespace fanin::hw
