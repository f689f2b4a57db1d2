import { readFileSync } from "node:fs"
import { expect, onTestFinished, test } from "vitest"
import { spawnServer } from "../support/spawnServer.ts"

const isLinux = process.platform === "linux"

test.runIf(isLinux)("the service runs with settings of the allocator in the process that was started", async () => {
  const server = await spawnServer({ setsAllocator: true })
  onTestFinished(async () => void (await server.stop()))
  const environment = readFileSync(`/proc/${server.pid}/environ`, "utf8").split("\0")
  expect(environment).toContain("MALLOC_MMAP_THRESHOLD_=16384")
  expect(environment).toContain("MALLOC_TRIM_THRESHOLD_=131072")
})

test.runIf(isLinux)("settings of the environment stay as they are", async () => {
  const server = await spawnServer({ env: { MALLOC_TRIM_THRESHOLD_: "65536" } })
  onTestFinished(async () => void (await server.stop()))
  const environment = readFileSync(`/proc/${server.pid}/environ`, "utf8").split("\0")
  expect(environment.filter((line) => line.startsWith("MALLOC_"))).toEqual(["MALLOC_TRIM_THRESHOLD_=65536"])
})
