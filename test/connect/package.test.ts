import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { runProgram } from "../support/launch.ts"

const top = fileURLToPath(new URL("../..", import.meta.url))

describe("the packed @edp/connect", () => {
  const folder = mkdtempSync(join(tmpdir(), "edp-kit-package-"))
  const installed = join(folder, "node_modules/@edp/connect")
  beforeAll(async () => {
    await runProgram("npx", ["-y", "pnpm@12", "--filter", "@edp/connect", "pack", "--pack-destination", folder], {
      cwd: top,
      env: { ...process.env, npm_config_prefer_offline: "true", pnpm_config_verify_deps_before_run: "false" }
    })
    const [tarball] = readdirSync(folder)
    writeFileSync(
      join(folder, "package.json"),
      JSON.stringify({ private: true, type: "module", dependencies: { "@edp/connect": `file:${tarball}` } })
    )
    await runProgram("npm", ["install", "--offline", "--no-audit", "--no-fund"], { cwd: folder, env: process.env })
  }, 120_000)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test("has no dependencies and runs without a build", async () => {
    const manifest = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"))
    expect(manifest.dependencies).toBeUndefined()
    const kit = await import(pathToFileURL(join(installed, "dist/connect.js")).href)
    expect(Object.keys(kit).sort()).toEqual(["finishConnect", "openConnect", "withConnectKey"])
  })

  test("compiles in a strict project", async () => {
    writeFileSync(
      join(folder, "page.ts"),
      `import { openConnect, withConnectKey, type ConnectResult } from "@edp/connect"
export const connect = (): Promise<ConnectResult> => openConnect(withConnectKey("https://a.example", "connect_1", {}))
`
    )
    const strict = ["--strict", "--noEmit", "--module", "nodenext", "--target", "es2022", "--lib", "es2022,dom"]
    const options = [...strict, "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess", "--types", ""]
    await runProgram(join(top, "node_modules/.bin/tsc"), [...options, "page.ts"], { cwd: folder, env: process.env })
  })
})
