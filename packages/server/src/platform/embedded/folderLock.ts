import { randomUUID } from "node:crypto"
import { readFileSync, readlinkSync } from "node:fs"
import { link, readFile, readdir, rename, rm, stat, utimes, writeFile } from "node:fs/promises"
import { hostname } from "node:os"
import { basename, join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { Effect, type Scope } from "effect"
import { StartError } from "../StartError.ts"
import { explainFileError } from "./dataFolder.ts"

/** Identifies one run of a process, also after its id has been reused. */
interface ProcessIdentity {
  readonly pid: number
  /** In clock ticks since the machine started; null on systems that do not report it. */
  readonly startedAt: string | null
  /** The machine, its boot and its container: process ids are unique only within them. */
  readonly realm: string
}

export const ownIdentity = (): ProcessIdentity => ({
  pid: process.pid,
  startedAt: processStatus(process.pid)?.startedAt ?? null,
  realm: ownRealm()
})

/** Whether a process of this realm is running. Without start times a process with the same id counts as the same process. */
const isRunning = ({ pid, startedAt }: ProcessIdentity): boolean => {
  const status = processStatus(pid)
  if (status === undefined) return hasProcess(pid)
  return status.running && (startedAt === null || status.startedAt === startedAt)
}

const ownRealm = () =>
  [hostname(), readOr(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()), pidNamespace()]
    .filter((part) => part !== undefined)
    .join(" ")

const pidNamespace = () => readOr(() => readlinkSync("/proc/self/ns/pid"))

const processStatus = (pid: number) => {
  const text = readOr(() => readFileSync(`/proc/${pid}/stat`, "utf8"))
  if (text === undefined) return undefined
  // The second field is the program's name in parentheses, which may contain spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ")
  const [state, startedAt] = [fields[0], fields[19]]
  // A zombie has ended; only its parent has not read its status yet.
  return startedAt === undefined ? undefined : { running: state !== "Z" && state !== "X", startedAt }
}

const hasProcess = (pid: number) => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"
  }
}

const readOr = (read: () => string): string | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}

interface Holder extends ProcessIdentity {
  /** Unique for each attempt to lock. */
  readonly token: string
}

/** Milliseconds between renewals of the file's time, and for which a lock of another realm is watched. */
const heartbeat = { every: 1000, watch: 3000 }

/**
 * Keeps other servers off the folder until the scope closes. A lock whose process has ended is taken over.
 */
export const lockFolder = (folder: string): Effect.Effect<void, StartError, Scope.Scope> =>
  Effect.asVoid(
    Effect.acquireRelease(
      Effect.tryPromise({ try: () => acquire(folder), catch: explainFileError(`lock the data folder ${folder}`) }),
      (lock) => Effect.promise(() => lock.release())
    )
  )

const acquire = async (folder: string) => {
  const own: Holder = { ...ownIdentity(), token: randomUUID() }
  const path = join(folder, "lock")
  const draft = `${path}.draft-${own.token}`
  // Written under another name first, so that an incomplete lock is never read.
  await writeFile(draft, JSON.stringify(own), { flag: "wx", mode: 0o600 })
  try {
    while (!((await claim(draft, path)) || (await takeOver(draft, path, own)))) continue
  } finally {
    await rm(draft, { force: true })
  }
  await removeLeftovers(folder, own)
  const beat = setInterval(() => utimes(path, new Date(), new Date()).catch(() => undefined), heartbeat.every).unref()
  return {
    release: async () => {
      clearInterval(beat)
      if ((await read(path))?.token === own.token) await rm(path, { force: true })
    }
  }
}

/** Links the draft to the path unless it exists: of several attempts only one succeeds. */
const claim = async (draft: string, path: string) => {
  try {
    await link(draft, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false
    throw error
  }
}

/**
 * Replaces the lock of a holder that has ended. Processes that see the same holder compete for one file named by its token, so only
 * one succeeds; if that one ends too, the next competes for a file named by the successor's token. False if the lock has changed
 * meanwhile and must be read again.
 */
const takeOver = async (draft: string, path: string, own: Holder) => {
  const holder = await read(path)
  if (holder === undefined) return false
  let [predecessor, predecessorPath] = [holder, path]
  for (;;) {
    await refuseLiving(predecessor, predecessorPath, own)
    const claimed = `${path}.after-${predecessor.token}`
    if (await claim(draft, claimed)) {
      if ((await read(path))?.token === holder.token) {
        await rename(claimed, path)
        return true
      }
      await rm(claimed, { force: true })
      return false
    }
    const successor = await read(claimed)
    if (successor === undefined) return false
    ;[predecessor, predecessorPath] = [successor, claimed]
  }
}

const refuseLiving = async (holder: Holder, path: string, own: Holder) => {
  const alive = holder.realm === own.realm ? isRunning(holder) : await beats(path)
  if (!alive) return
  const doubt = holder.startedAt === null ? ` (if no such process is running, remove ${path})` : ""
  const folder = join(path, "..")
  throw new StartError({ message: `another server (pid ${holder.pid}) uses the data folder ${folder}${doubt}` })
}

/** For a holder in another container, machine or boot, whose process cannot be looked up: whether it renews its lock. */
const beats = async (path: string) => {
  const modified = async () => (await stat(path).catch(() => undefined))?.mtimeMs
  const before = await modified()
  await pause(heartbeat.watch)
  return (await modified()) !== before
}

/** A lock that cannot be parsed was damaged by a crash of the machine, so its holder has ended. */
const unreadable: Holder = { pid: 0, startedAt: "", realm: "", token: "unreadable" }

const read = async (path: string): Promise<Holder | undefined> => {
  try {
    const text = await readFile(path, "utf8")
    return text.startsWith("{") && text.endsWith("}") ? JSON.parse(text) : unreadable
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined
    throw error
  }
}

const removeLeftovers = async (folder: string, own: Holder) => {
  for (const name of await readdir(folder)) {
    if (!/^lock\.(draft|after)-/.test(basename(name))) continue
    const path = join(folder, name)
    const holder = await read(path)
    if (holder !== undefined && holder.realm === own.realm && !isRunning(holder)) await rm(path, { force: true })
  }
}
