import { globSync, readFileSync } from "node:fs"
import { defineConfig, mergeConfig } from "vitest/config"
import base from "./vitest.config.ts"

/** Suites that cannot run through a proxy, each with its reason. */
const direct: ReadonlyArray<string> = [
  // its bytes are not HTTP requests: a proxy refuses them itself
  "test/server/app/UnreadableRequests.test.ts"
]

/** The suites that start the service and call it over HTTP. */
const speaking = globSync("test/{server,adapters,adapter-kit,contract}/**/*.test.ts")
  .filter((file) => /useTestApp\(|new TestApp\(|front\.of\(/.test(readFileSync(file, "utf8")))
  .filter((file) => !direct.includes(file))

const { projects: _, ...test } = base.test!

/** Runs these suites with every request through Prism. */
export default mergeConfig(
  { ...base, test },
  defineConfig({
    test: {
      // What the document does not allow is reported by the file in whose app it came.
      isolate: true,
      globalSetup: ["test/support/prism/proxyForAll.ts"],
      setupFiles: ["test/support/prism/throughProxy.ts"],
      include: speaking
    }
  })
)
