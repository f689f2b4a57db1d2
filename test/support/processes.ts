import { readFileSync } from "node:fs"
import { eventually } from "./eventually.ts"
import type { SpawnedServer } from "./spawnServer.ts"

type Service = Pick<SpawnedServer, "pid" | "stdout">

const readOr = (path: string) => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}

/** The ids of the processes that a service has started, by their names, such as `api-1`. */
export const listProcesses = ({ pid }: Service): ReadonlyMap<string, number> => {
  const children = readOr(`/proc/${pid}/task/${pid}/children`).split(" ").filter(Boolean).map(Number)
  const named = children.map((child) => {
    const args = readOr(`/proc/${child}/cmdline`).split("\0")
    return [args[args.indexOf("serve") + 1], child] as const
  })
  return new Map(named.filter((one): one is readonly [string, number] => /^(?:api|worker)-\d+$/u.test(one[0] ?? "")))
}

/** The lines of a log in JSON. */
export const readLines = ({ stdout }: Pick<Service, "stdout">): ReadonlyArray<Record<string, any>> =>
  stdout()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))

/** Waits until another process serves in the place of one that has ended. Returns its id. */
export const replaced = (service: Service, name: string, pid: number): Promise<number> =>
  eventually(`another process ${name} is running`, () => {
    const running = readLines(service).filter(({ message }) => message === `The process ${name} is running`)
    const newest = running.at(-1)?.pid as number | undefined
    return newest === pid ? undefined : newest
  })

/** Kills a process of a service, and waits until another one serves in its place. */
export const killProcess = async (service: Service, name: string) => {
  const pid = listProcesses(service).get(name)!
  process.kill(pid, "SIGKILL")
  await replaced(service, name, pid)
}

/** The setting of a service with several processes, of which suites kill any. */
export const severalProcesses = { EDP_PROCESSES: "2" }
export const processNames = ["api-1", "api-2", "worker-1"] as const
