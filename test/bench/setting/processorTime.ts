import { readdirSync, readFileSync } from "node:fs"
import { Client } from "pg"
import type { PostgresServer } from "../../support/PostgresServer.ts"

/** Microseconds of a tick of `/proc/<pid>/stat`. */
const TICK = 10_000

interface Process {
  readonly parent: number
  /** Ticks of the process, and of its children that have ended. */
  readonly own: number
  readonly ended: number
}

const read = (pid: number): Process | undefined => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8")
    const fields = text
      .slice(text.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number)
    return { parent: fields[1]!, own: fields[11]! + fields[12]!, ended: fields[13]! + fields[14]! }
  } catch {
    return undefined
  }
}

/** The processor time that a process has used, in microseconds. */
export const processorTime = (pid: number): number => (read(pid)?.own ?? 0) * TICK

/** The processor time that a process and its children have used, in microseconds. */
export const familyTime = (pid: number): number =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && (Number(name) === pid || read(Number(name))?.parent === pid))
    .reduce((sum, name) => sum + processorTime(Number(name)), 0)

const findPostmaster = async ({ adminUrl }: PostgresServer): Promise<number> => {
  const client = new Client({ connectionString: adminUrl })
  await client.connect()
  try {
    const { rows } = await client.query<{ data_directory: string }>("SHOW data_directory")
    return Number(readFileSync(`${rows[0]!.data_directory}/postmaster.pid`, "utf8").split("\n", 1)[0])
  } finally {
    await client.end()
  }
}

/** The processor time that all processes of a database server have used, in microseconds. */
export const databaseTime = async (postgres: PostgresServer): Promise<() => number> => {
  const postmaster = await findPostmaster(postgres)
  return () => {
    let ticks = 0
    for (const name of readdirSync("/proc")) {
      const process = /^\d+$/.test(name) ? read(Number(name)) : undefined
      if (Number(name) === postmaster) ticks += process!.own + process!.ended
      else if (process?.parent === postmaster) ticks += process.own
    }
    return ticks * TICK
  }
}

/** The memory of all processes of a database server in MB of 1024 × 1024 bytes, with shared pages counted once. */
export const postgresMegabytes = async (postgres: PostgresServer): Promise<() => number> => {
  const postmaster = await findPostmaster(postgres)
  const proportional = (pid: string) => {
    try {
      return Number(/^Pss:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1] ?? 0)
    } catch {
      return 0
    }
  }
  return () =>
    readdirSync("/proc")
      .filter(
        (name) => /^\d+$/.test(name) && (Number(name) === postmaster || read(Number(name))?.parent === postmaster)
      )
      .reduce((sum, name) => sum + proportional(name), 0) / 1024
}
