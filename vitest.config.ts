import { basename } from "node:path"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

const minute = 60_000

/** Begun last, one of these would run alone at the end. */
const longest = ["documents", "operators", "unread", "killedCommands", "chaosDeliveries", "crash"]

const rank = ({ moduleId }: TestSpecification) => {
  const place = longest.indexOf(basename(moduleId, ".test.ts"))
  return place < 0 ? longest.length : place
}

class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>) {
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other))
  }
}

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
    sequence: { sequencer: LongestFirst },
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
          // They wait for processes to start and for time to pass more than they compute.
          maxWorkers: 3,
          testTimeout: 10 * minute
        }
      }
    ]
  }
})
