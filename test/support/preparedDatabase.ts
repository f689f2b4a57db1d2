import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { TestProject } from "vitest/node"

declare module "vitest" {
  interface ProvidedContext {
    /** A data folder with a migrated database, for test files to copy. */
    readonly preparedFolder: string
  }
}

const main = fileURLToPath(new URL("../../packages/server/src/main.ts", import.meta.url))

/** Runs once before all test files: an embedded database is made and migrated once, and then copied. */
export default (project: TestProject) => {
  const folder = mkdtempSync(join(tmpdir(), "edp-prepared-"))
  execFileSync(process.execPath, ["--conditions=@edp/source", main, "migrate"], {
    env: { PATH: process.env["PATH"] ?? "", EDP_DATA_DIR: folder },
    stdio: ["ignore", "ignore", "inherit"]
  })
  project.provide("preparedFolder", folder)
  return () => {
    if (existsSync(folder)) rmSync(folder, { recursive: true, force: true })
  }
}
