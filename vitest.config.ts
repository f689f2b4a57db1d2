import { basename } from "node:path"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

const minute = 60_000

/** The longest suites of each project, from half a minute on. One of these would run alone at the end if it were begun last. */
const longest: Readonly<Record<string, ReadonlyArray<string>>> = {
  e2e: [
    "documents",
    "outsideAdapter",
    "townDispatch",
    "commandWorkers",
    "accountWorkers",
    "killedCommands",
    "interruptedStart",
    "crashRepeatedRequests",
    "crashImport",
    "crash",
    "crashBulkImport",
    "operators",
    "cliVersions",
    "connectInBrowser",
    "firstKeys"
  ],
  suites: [
    "adapterContract",
    "pages",
    "CommandRunner.crashes",
    "crashes",
    "ConnectPage.browser",
    "Metrics.timezones",
    "isolation",
    "fuzz",
    "EnrollPage.browser",
    "massAssignment",
    "responseWithChanges",
    "packed",
    "generatedClients",
    "FleetSums",
    "audit"
  ]
}

/** The end-to-end suites first, because they take longest. */
const rank = ({ moduleId, project }: TestSpecification) => {
  const names = longest[project.name] ?? []
  const place = names.indexOf(basename(moduleId, ".test.ts"))
  return (project.name === "e2e" ? 0 : 1000) + (place < 0 ? names.length : place)
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
    // Two cores are what CI has. Suites that wait leave them to two more workers; each may hold two embedded databases, a GB in all.
    maxWorkers: 4,
    // The files of a worker share their modules, which would otherwise take two thirds of the time, and an app.
    isolate: false,
    // For a loaded machine. What a test waits for has less, so that the test can tell what did not come.
    testTimeout: 3 * minute,
    hookTimeout: 4 * minute,
    expect: { poll: { timeout: 100_000 } },
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
