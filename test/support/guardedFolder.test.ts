import { existsSync } from "node:fs"
import { expect, it } from "vitest"
import { guardedFolder } from "./guardedFolder.ts"
import { launch } from "./launch.ts"

/** A process with a guarded folder and a child in it, which prints both. */
const holder = `
  import { guardedFolder } from "${new URL("guardedFolder.ts", import.meta.url).href}"
  import { launch } from "${new URL("launch.ts", import.meta.url).href}"
  const folder = await guardedFolder("edp-guard-test")
  const child = await launch("sleep", ["600"])
  folder.protect(child.pid)
  console.log("holds " + child.pid + " " + folder.path + ".")
`

const gone = (pid: number) => {
  try {
    process.kill(pid, 0)
    return false
  } catch {
    return true
  }
}

it("a guarded folder and its server do not outlive a killed process", async () => {
  const parent = await launch(process.execPath, ["--input-type=module", "-e", holder])
  await parent.printed(/holds .*\./)
  const [, pid, path] = /holds (\d+) (\S+)\./.exec(parent.stdout())!
  expect(existsSync(path!)).toBe(true)
  parent.kill("SIGKILL")
  await expect.poll(() => [existsSync(path!), gone(Number(pid))]).toEqual([false, true])
})

it("removing a guarded folder leaves a forgotten process alone", async () => {
  const folder = await guardedFolder("edp-guard-test")
  const child = await launch("sleep", ["600"])
  folder.protect(child.pid)
  folder.forget()
  await folder.remove()
  expect([existsSync(folder.path), child.running()]).toEqual([false, true])
  child.kill("SIGKILL")
  await child.exited
})
