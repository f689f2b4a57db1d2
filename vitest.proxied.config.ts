import { globSync, readFileSync } from "node:fs"
import { defineConfig, mergeConfig } from "vitest/config"
import base from "./vitest.config.ts"

/** Suites that can't say through a proxy what they have to say, each with its reason. */
const direct: ReadonlyArray<string> = [
  // bytes that are no request of HTTP: a proxy refuses them itself
  "test/server/app/unreadable.test.ts"
]

/** The suites that start the service and speak HTTP to it. */
const speaking = globSync("test/{server,contract}/**/*.test.ts")
  .filter((file) => /useTestApp\(|new TestApp\(|front\.of\(/.test(readFileSync(file, "utf8")))
  .filter((file) => !direct.includes(file))

const { projects: _, ...test } = base.test!

/** They run once more, each request through Prism. */
export default mergeConfig(
  { ...base, test },
  defineConfig({
    test: {
      globalSetup: ["test/support/prism/proxyForAll.ts"],
      setupFiles: ["test/support/prism/throughProxy.ts"],
      include: speaking
    }
  })
)
