import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { VERSION } from "@edp/cli/kernel/environment"
import { expect, test } from "vitest"

const checkout = fileURLToPath(new URL("../..", import.meta.url))
const PATH = `${checkout}node_modules/.bin:${process.env["PATH"]}`

test("the tool of the image runs", () => {
  const env = { PATH, EDP_CHECKOUT: checkout }
  expect(execFileSync("sh", [`${checkout}deploy/edp`, "--version"], { env, encoding: "utf8" })).toContain(VERSION)
})

test("the service of the daily export runs its command", () => {
  const unit = readFileSync(`${checkout}deploy/systemd/edp-export@.service`, "utf8")
  const [program, ...args] = /^ExecStart=(.*) \$\{DESTINATION\}$/mu
    .exec(unit)![1]!
    .replace("/opt/edp/", checkout)
    .split(" ")
  const help = execFileSync(program!, [...args, "--help"], { cwd: checkout, encoding: "utf8" })
  expect(help).toContain("edp export days")
})
