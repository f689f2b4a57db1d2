import { defineConfig } from "vitest/config"

const minute = 60_000

export default defineConfig({
  resolve: { conditions: ["@edp/source"] },
  ssr: { resolve: { conditions: ["@edp/source"] } },
  test: {
    pool: "forks",
    // Each file may hold an embedded database of about 450 MB, and two cores are what CI has.
    maxWorkers: 2,
    testTimeout: minute,
    hookTimeout: 2 * minute,
    teardownTimeout: minute / 2,
    reporters: ["default"],
    globalSetup: ["test/support/testRun.ts"],
    projects: [
      {
        extends: true,
        test: {
          name: "suites",
          // Files of a worker share their modules: loaded and warmed up once they take two thirds of the time.
          isolate: false,
          include: ["test/**/*.test.ts"],
          exclude: ["test/e2e/**", "test/bench/**", "**/node_modules/**"]
        }
      },
      {
        extends: true,
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          // Whole processes that are started and killed: after everything else.
          sequence: { groupOrder: 1 },
          testTimeout: 10 * minute
        }
      }
    ]
  }
})
