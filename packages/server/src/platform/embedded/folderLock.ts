import { randomUUID } from "node:crypto"
import { readFileSync, readlinkSync } from "node:fs"
import { link, readFile, readdir, rename, rm, stat, utimes, writeFile } from "node:fs/promises"
import { hostname } from "node:os"
import { basename, join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { Effect, type Scope } from "effect"
import { StartError } from "../StartError.ts"
import { explainFileError } from "./dataFolder.ts"

/** What tells one run of a process from every other, now and after its id has been given to somebody else. */
interface ProcessIdentity {
  readonly pid: number
  /** In clock ticks since the machine started; null where the system does not tell. */
  readonly startedAt: string | null
  /** Process ids mean something only inside one boot of one machine, and inside one container of it. */
  readonly realm: string
}

export const ownIdentity = (): ProcessIdentity => ({
  pid: process.pid,
  startedAt: statusOf(process.pid)?.startedAt ?? null,
  realm: ownRealm()
})

/** Judges a process of this realm. Without start times an id in use counts as the same process. */
const isRunning = ({ pid, startedAt }: ProcessIdentity): boolean => {
  const status = statusOf(pid)
  if (status === undefined) return hasProcess(pid)
  return status.running && (startedAt === null || status.startedAt === startedAt)
}

const ownRealm = () =>
  [hostname(), readOr(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()), namespaceOf()]
    .filter((part) => part !== undefined)
    .join(" ")

const namespaceOf = () => readOr(() => readlinkSync("/proc/self/ns/pid"))

const statusOf = (pid: number) => {
  const text = readOr(() => readFileSync(`/proc/${pid}/stat`, "utf8"))
  if (text === undefined) return undefined
  // The second field is the program's name in parentheses and may hold anything, spaces and parentheses too.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ")
  const [state, startedAt] = [fields[0], fields[19]]
  // A zombie has ended; only its parent has not asked for the result yet.
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
  /** Different for every attempt to lock. */
  readonly token: string
}

/** A holder renews the file's time this often; who cannot judge its process watches for that much longer, in ms. */
const heartbeat = { every: 1000, watch: 3000 }

/**
 * Keeps a second server off the folder for as long as the scope is open. A lock whose process has ended, however
 * that happened, is taken over.
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
  // Written whole before it gets its name, so that nobody ever reads half of it.
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

/** Gives the draft a second name unless somebody has that name already: only one of many can succeed. */
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
 * Replaces a dead holder's lock. The right to do so is a claim on the one name that belongs to that holder's token,
 * so that of many who saw the same dead holder one goes on; should that one die too, the next claims its succession.
 * False when the lock changed meanwhile and everything has to be looked at again.
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
  const doubt = holder.startedAt === null ? ` (if that process is none, remove ${path})` : ""
  const folder = join(path, "..")
  throw new StartError({ message: `another server (pid ${holder.pid}) uses the data folder ${folder}${doubt}` })
}

/** The holder runs in another container or machine, or did before a restart: only its heartbeat can tell. */
const beats = async (path: string) => {
  const modified = async () => (await stat(path).catch(() => undefined))?.mtimeMs
  const before = await modified()
  await pause(heartbeat.watch)
  return (await modified()) !== before
}

/** A lock that holds nothing readable was cut off by a crash of the machine: its holder is gone. */
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
