import { basename } from "node:path"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

const minute = 60_000

/** Begun last, one of these would run alone at the end. */
const longest = ["documents", "crash", "killedCommands", "unread", "operators", "crashImport", "chaosDeliveries"]

/** The end-to-end suites first: while they wait for processes and for time to pass, other suites compute. */
const rank = ({ moduleId, project }: TestSpecification) => {
  const place = longest.indexOf(basename(moduleId, ".test.ts"))
  if (place >= 0) return place
  return longest.length + (project.name === "e2e" ? 0 : 1)
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
    // Two cores are what CI has. Suites that wait leave them to a third worker; each may hold two embedded databases, a GB in all.
    maxWorkers: 3,
    // The files of a worker share their modules, which would otherwise take two thirds of the time, and an app.
    isolate: false,
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
          include: ["test/**/*.test.ts"],
          exclude: ["test/e2e/**", "test/bench/**", "**/node_modules/**"]
        }
      },
      {
        extends: true,
        test: {
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          testTimeout: 10 * minute
        }
      }
    ]
  }
})
