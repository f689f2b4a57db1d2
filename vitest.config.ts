import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { messages } from "./packages/dashboard/src/build/messages.ts"
import { isInTurn, longSuites, suiteName } from "./test/support/longSuites.ts"

const minute = 60_000

/** A run of fewer files is one of suites that somebody has named, or of test:deep: it runs them all. */
const wholeRun = 300

const places = new Map(longSuites.map(([name], place) => [name, place]))
const rank = ({ moduleId }: TestSpecification) => places.get(suiteName(moduleId)) ?? longSuites.length

/** Leaves out the long suites that are not in turn. One of the longest would run alone at the end if it were begun last. */
class InTurnLongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>) {
    const run = Number(process.env["EDP_TEST_RUN"])
    const inTurn = files.filter(({ moduleId }) => files.length < wholeRun || isInTurn(moduleId, run))
    if (inTurn.length < files.length) {
      this.ctx.logger.log(`Run ${run}: ${files.length - inTurn.length} of the long suites wait for their turn\n`)
    }
    return (await super.sort(inTurn)).toSorted((one, other) => rank(one) - rank(other))
  }
}

export default defineConfig({
  plugins: [messages()],
  resolve: { conditions: ["@edp/source"] },
  ssr: { resolve: { conditions: ["@edp/source"] } },
  test: {
    pool: "forks",
    // Two cores are what CI has. Suites that wait leave them to three more workers; each may hold two embedded databases, a GB in all.
    maxWorkers: 5,
    // The files of a worker share their modules, which would otherwise take two thirds of the time, and an app.
    isolate: false,
    // For a loaded machine. What a test waits for has less, so that the test can tell what did not come.
    testTimeout: 3 * minute,
    hookTimeout: 4 * minute,
    expect: { poll: { timeout: 100_000 } },
    teardownTimeout: minute / 2,
    reporters: ["default"],
    sequence: { sequencer: InTurnLongestFirst },
    globalSetup: ["test/support/testRun.ts"],
    projects: [
      {
        extends: true,
        test: {
          name: "suites",
          include: ["test/**/*.test.ts"],
          exclude: ["test/e2e/**", "test/bench/**", "test/deep/**", "**/node_modules/**"]
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
