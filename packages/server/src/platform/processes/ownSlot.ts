import cluster from "node:cluster"
import { openChannel } from "./channel.ts"
import { readSlot } from "./slots.ts"

/** The slot of this process, which a supervisor has started; undefined in a process that runs alone. */
export const ownSlot = cluster.isWorker ? readSlot(process.argv.slice(2)) : undefined

let tellFigures: () => Promise<string> = async () => ""

const channel =
  ownSlot === undefined
    ? undefined
    : openChannel(
        { send: (message) => process.send?.(message), onMessage: (listen) => process.on("message", listen) },
        { alive: () => true, figures: () => tellFigures() }
      )

const ask = async (name: string, body?: unknown) => channel?.ask(name, body)

/** The counts of a window with one more request of each key, which the supervisor keeps for all processes. */
export interface Counted {
  readonly window: number
  readonly counts: ReadonlyArray<number>
}

/** The questions of a process to its supervisor. */
export const supervisor = {
  /** Reports that this process serves. Resolves when all do, with whether this one is to announce the start. */
  ready: async (madeKeys: boolean) => (await ask("ready", madeKeys)) === true,
  /** Reports the end of this process; resolves when the supervisor knows it. */
  failed: (text: string) => ask("failed", text),
  count: (keys: ReadonlyArray<string>) => ask("count", keys) as Promise<Counted>,
  /** The figures of all processes, as Prometheus text. */
  figures: async () => ((await ask("figures")) ?? "") as string,
  /** Sets how this process tells its own figures. */
  tellFigures: (tell: () => Promise<string>) => {
    tellFigures = tell
  }
}

/** Elsewhere the kernel can't distribute connections among sockets of one port, and the supervisor's socket is shared. */
const kernelDistributes = ["linux", "freebsd", "aix", "sunos"].includes(process.platform)

/** Options of `listen` with which processes share a port. */
export const sharedPort = ownSlot === undefined || !kernelDistributes ? {} : { reusePort: true }
