import { globSync, readFileSync } from "node:fs"
import { defineConfig, mergeConfig } from "vitest/config"
import base from "./vitest.config.ts"

process.env["EDP_TEST_ROUNDS"] ??= "10"

/** The suites of random choices and kills, and those that only run here. */
const deep = globSync("test/**/*.test.ts", { exclude: (name) => name.endsWith("node_modules") }).filter(
  (file) => file.startsWith("test/deep/") || readFileSync(file, "utf8").includes("/support/rounds.ts")
)

const { projects: _, ...test } = base.test!
const hour = 3_600_000

/** Runs these suites, with many rounds and seeds of their own. */
export default mergeConfig({ ...base, test }, defineConfig({ test: { include: deep, testTimeout: 4 * hour } }))
