// main() of the gtest binaries: after a failed case, the command that repeats it.
#include <gtest/gtest.h>

#include <cstdio>

namespace {

class Repeats : public testing::EmptyTestEventListener {
 public:
  explicit Repeats(const char* program) : program_(program) {}
  void OnTestEnd(const testing::TestInfo& test) override {
    if (!test.result()->Failed()) return;
    std::printf("  again: %s --gtest_filter='%s.%s'\n", program_, test.test_suite_name(),
                test.name());
  }

 private:
  const char* program_;
};

}  // namespace

int main(int count, char** arguments) {
  testing::InitGoogleTest(&count, arguments);
  testing::UnitTest::GetInstance()->listeners().Append(new Repeats(arguments[0]));
  return RUN_ALL_TESTS();
}
