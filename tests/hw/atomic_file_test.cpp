#include "fanin/hw/atomic_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "fanin/hw/error.hpp"
#include "temporary_folder.hpp"

namespace fanin {
namespace {

std::size_t files_in(const TemporaryFolder& folder) {
  const std::filesystem::directory_iterator all(folder.path(""));
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

TEST(AtomicFile, WritesAndReadsBytes) {
  const TemporaryFolder folder;
  const std::string bytes("a\0b\r\n\xFF", 6);
  write_file(folder.path("x"), bytes);
  EXPECT_EQ(read_file(folder.path("x")), bytes);
  write_file(folder.path("x"), "");
  EXPECT_EQ(read_file(folder.path("x")), "");
  EXPECT_EQ(files_in(folder), 1U);
}

TEST(AtomicFile, WithoutCommitNothingChanges) {
  const TemporaryFolder folder;
  write_file(folder.path("x"), "old");
  {
    AtomicFile file(folder.path("x"));
    file.write("new");
    EXPECT_EQ(read_file(folder.path("x")), "old");
  }
  EXPECT_EQ(read_file(folder.path("x")), "old");
  EXPECT_EQ(files_in(folder), 1U);
}

TEST(AtomicFile, CommitReplaces) {
  const TemporaryFolder folder;
  write_file(folder.path("x"), "old");
  AtomicFile file(folder.path("x"));
  file.write("new ");
  file.write("text");
  file.commit();
  EXPECT_EQ(read_file(folder.path("x")), "new text");
}

TEST(AtomicFile, FailuresNameThePath) {
  const TemporaryFolder folder;
  EXPECT_THROW(AtomicFile("/no/such/folder/x"), InputError);
  EXPECT_THROW(AtomicFile(folder.path("")), InputError);
  EXPECT_THROW(read_file(folder.path("")), InputError);
  try {
    read_file("/no/such/file");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "/no/such/file: cannot be opened: No such file or directory");
  }
}

}  // namespace
}  // namespace fanin
