import { readFileSync } from "node:fs"
import { VERSION } from "@edp/cli/kernel/environment"
import { expect, it } from "vitest"

it("the tool prints the version of its package", () => {
  const path = new URL("../../../packages/cli/package.json", import.meta.url)
  expect(VERSION).toBe(JSON.parse(readFileSync(path, "utf8")).version)
})
