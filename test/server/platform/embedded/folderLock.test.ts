import { lockFolder, ownIdentity } from "@edp/server/platform/embedded/folderLock"
import { Effect, Exit, Scope } from "effect"
import { chmod, mkdir, readdir, readFile, utimes, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type GuardedFolder, guardedFolder } from "../../../support/guardedFolder.ts"
import { launchScript } from "./children/launchScript.ts"
import { atOnce } from "../../../support/races.ts"

let root: GuardedFolder
let count = 0
beforeAll(async () => {
  root = await guardedFolder("edp-lock")
})
afterAll(() => root.remove())

const newFolder = async () => {
  const folder = join(root.path, `folder-${++count}`)
  await mkdir(folder)
  return folder
}

/** Locks in this process and unlocks at once: undefined when that worked, otherwise the reason. */
const refusal = (folder: string): Promise<string | undefined> =>
  Effect.runPromise(
    Effect.match(Effect.scoped(lockFolder(folder)), { onSuccess: () => undefined, onFailure: ({ message }) => message })
  )

const lockWithout = (folder: string, holder: object) =>
  writeFile(join(folder, "lock"), JSON.stringify({ ...ownIdentity(), token: "an-old-token", ...holder }))

const held = async (folder: string) => {
  const holder = await launchScript("lockHolder.ts", folder)
  await holder.printed(/locked/)
  return holder
}

/** Process ids end at 2^22 on Linux. */
const deadPid = 2 ** 22 + 1

describe("the lock of a data folder", () => {
  it("names the process that holds it, and is released when that process stops", async () => {
    const folder = await newFolder()
    const holder = await held(folder)
    expect(await refusal(folder)).toBe(`another server (pid ${holder.pid}) uses the data folder ${folder}`)
    holder.kill("SIGTERM")
    expect(await holder.exited).toEqual({ code: 0, signal: null })
    expect(await readdir(folder)).toEqual([])
    expect(await refusal(folder)).toBeUndefined()
  })

  it("is taken over from a process that was killed", async () => {
    const folder = await newFolder()
    const holder = await held(folder)
    holder.kill("SIGKILL")
    await holder.exited
    expect(await readdir(folder)).toEqual(["lock"])
    expect(await refusal(folder)).toBeUndefined()
  })

  it("cannot be acquired twice in one process", async () => {
    const folder = await newFolder()
    const scope = Scope.makeUnsafe()
    await Effect.runPromise(Scope.provide(lockFolder(folder), scope))
    expect(await refusal(folder)).toContain(`(pid ${process.pid})`)
    await Effect.runPromise(Scope.close(scope, Exit.void))
    expect(await refusal(folder)).toBeUndefined()
  })

  it("is taken over if the process id is unused", async () => {
    const folder = await newFolder()
    await lockWithout(folder, { pid: deadPid })
    expect(await refusal(folder)).toBeUndefined()
  })

  it.runIf(process.platform === "linux")("is taken over if another process has the process id now", async () => {
    const folder = await newFolder()
    await lockWithout(folder, { pid: process.pid, startedAt: "1" })
    expect(await refusal(folder)).toBeUndefined()
  })

  it("is refused if the process id is in use and start times are not available", async () => {
    const folder = await newFolder()
    await lockWithout(folder, { startedAt: null })
    expect(await refusal(folder)).toContain(`remove ${join(folder, "lock")}`)
  })

  it.concurrent("is refused while a holder in another namespace renews it", async () => {
    const folder = await newFolder()
    await lockWithout(folder, { pid: deadPid, realm: "another container" })
    const beat = setInterval(() => void utimes(join(folder, "lock"), new Date(), new Date()), 200)
    const reason = await refusal(folder)
    clearInterval(beat)
    expect(reason).toContain(`another server (pid ${deadPid})`)
  })

  it.concurrent("is taken over from a holder in another namespace that does not renew it", async () => {
    const folder = await newFolder()
    await lockWithout(folder, { pid: process.pid, realm: "a container of yesterday" })
    expect(await refusal(folder)).toBeUndefined()
  })

  it.concurrent("is taken over when it is empty after a crash of the machine", async () => {
    const folder = await newFolder()
    await writeFile(join(folder, "lock"), "")
    expect(await refusal(folder)).toBeUndefined()
  })

  it("is taken over from a process that died during its own takeover", async () => {
    const folder = await newFolder()
    await lockWithout(folder, { pid: deadPid })
    await writeFile(
      join(folder, "lock.after-an-old-token"),
      JSON.stringify({ ...ownIdentity(), pid: deadPid, token: "the-next-token" })
    )
    const holder = await held(folder)
    expect(await readdir(folder)).toEqual(["lock"])
    expect(JSON.parse(await readFile(join(folder, "lock"), "utf8")).pid).toBe(holder.pid)
    holder.kill("SIGKILL")
    await holder.exited
  })

  it("is taken over by one of many processes that start concurrently", async () => {
    for (let round = 0; round < 3; round++) {
      const folder = await newFolder()
      await lockWithout(folder, { pid: deadPid })
      const starters = await atOnce(4, () => launchScript("lockHolder.ts", folder))
      const outcomes = await Promise.all(
        starters.map((starter) => Promise.race([starter.printed(/locked/).then(() => "locked"), ended(starter)]))
      )
      expect(outcomes.toSorted()).toEqual(["locked", "refused", "refused", "refused"])
      for (const starter of starters) starter.kill("SIGKILL")
      await Promise.all(starters.map((starter) => starter.exited))
    }
  })

  it("is acquired by one of many concurrent attempts in one process", async () => {
    const folder = await newFolder()
    await lockWithout(folder, { pid: deadPid })
    const scope = Scope.makeUnsafe()
    const attempts = Array.from({ length: 50 }, () => Effect.exit(Scope.provide(lockFolder(folder), scope)))
    const exits = await Effect.runPromise(Effect.all(attempts, { concurrency: "unbounded" }))
    expect(exits.filter(Exit.isSuccess)).toHaveLength(1)
    await Effect.runPromise(Scope.close(scope, Exit.void))
    expect(await readdir(folder)).toEqual([])
  })

  it.skipIf(process.getuid?.() === 0)("is refused in a folder without write permission", async () => {
    const folder = await newFolder()
    await chmod(folder, 0o500)
    expect(await refusal(folder)).toBe(`cannot lock the data folder ${folder}: permission denied`)
  })
})

const ended = async (starter: Awaited<ReturnType<typeof launchScript>>) => {
  await starter.exited
  expect(starter.stderr()).toContain("another server (pid ")
  return "refused"
}
