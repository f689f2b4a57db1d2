import { type ChildProcess, fork } from "node:child_process"
import { randomInt } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { freePort } from "../../support/freePort.ts"

const program = fileURLToPath(new URL("matterDevices.ts", import.meta.url))

type PartName = "grid" | "hall" | "pack" | "roof" | "station" | "stationSensor" | "tank"

/** A node of matter.js with energy devices, in a process of its own. */
export interface MatterHome {
  /** The id of the node, as the adapter makes it. */
  readonly identity: string
  readonly manualCode: string
  readonly qrCode: string
  /** A manual code with another passcode for the same device. */
  readonly wrongCode: string
  readonly set: (part: PartName, cluster: string, values: Readonly<Record<string, unknown>>) => Promise<void>
  readonly get: (part: PartName, cluster: string) => Promise<any>
  /** Whether the charging station takes commands and does nothing. */
  readonly stick: (isStuck: boolean) => Promise<void>
  /** The number of controllers that the node has. */
  readonly fabrics: () => Promise<number>
  /** Makes the node ready for one more controller, and gives its code. */
  readonly openWindow: () => Promise<string>
  /** Removes its controllers from the node, as a person does at the device. */
  readonly reset: () => Promise<void>
  /** Ends the process at once. */
  readonly kill: () => Promise<void>
  readonly restart: () => Promise<void>
  readonly close: () => Promise<void>
}

interface Response {
  readonly id: number
  readonly error?: string
  readonly value?: unknown
}

const permutations = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
  [1, 5, 7, 6, 2, 8, 3, 0, 9, 4],
  [5, 8, 0, 3, 7, 9, 6, 1, 4, 2],
  [8, 9, 1, 6, 0, 4, 3, 5, 2, 7],
  [9, 4, 5, 3, 1, 2, 6, 8, 7, 0],
  [4, 2, 8, 6, 5, 7, 3, 9, 0, 1],
  [2, 7, 9, 3, 8, 0, 6, 4, 1, 5],
  [7, 0, 4, 6, 9, 1, 3, 2, 5, 8]
]

const multiply = (a: number, b: number) =>
  a < 5 ? (b < 5 ? (a + b) % 5 : ((a + b) % 5) + 5) : b < 5 ? ((a - b + 5) % 5) + 5 : (a - b + 5) % 5

/** The check digit of a manual code. */
const checkDigit = (digits: string) => {
  const sum = [...digits]
    .toReversed()
    .reduce((c, digit, i) => multiply(c, permutations[(i + 1) % 8]![Number(digit)]!), 0)
  return sum < 5 ? (5 - sum) % 5 : sum
}

/** A manual code of 11 digits, by the specification's layout of bits. */
export const manualCode = (passcode: number, discriminator: number): string => {
  const short = discriminator >> 8
  const digits =
    String(short >> 2) +
    String(((short & 3) << 14) | (passcode & 0x3fff)).padStart(5, "0") +
    String(passcode >> 14).padStart(4, "0")
  return digits + String(checkDigit(digits))
}

export const startMatterHome = async (): Promise<MatterHome> => {
  const folder = mkdtempSync(join(tmpdir(), "edp-matter-home-"))
  const port = await freePort()
  const passcode = randomInt(20_000_000, 90_000_000)
  const discriminator = randomInt(0, 4096)
  let child: ChildProcess
  let codes = { manualPairingCode: "", qrPairingCode: "" }
  let requests = 0
  const waiting = new Map<number, (message: Response) => void>()

  const start = async () => {
    child = fork(program, [folder, String(port), String(passcode), String(discriminator)], {
      execArgv: ["--conditions=@edp/source"],
      stdio: ["ignore", "ignore", "inherit", "ipc"]
    })
    codes = await new Promise((resolve, reject) => {
      child.once("message", (message) => resolve(message as typeof codes))
      child.once("exit", (code) => reject(new Error(`The Matter devices ended with ${code}`)))
    })
    child.on("message", (message: Response) => waiting.get(message.id)?.(message))
  }
  const ask = (request: object) =>
    new Promise<unknown>((resolve, reject) => {
      const id = ++requests
      waiting.set(id, ({ error, value }) => {
        waiting.delete(id)
        if (error === undefined) resolve(value)
        else reject(new Error(error))
      })
      child.send({ id, ...request })
    })
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise((resolve) => child.once("exit", resolve))
    child.kill("SIGKILL")
    await ended
  }
  await start()
  return {
    identity: `65521-32768-home-${port}`,
    manualCode: codes.manualPairingCode,
    qrCode: codes.qrPairingCode,
    wrongCode: manualCode(passcode === 20_202_021 ? 30_303_031 : 20_202_021, discriminator),
    set: async (part, cluster, values) => void (await ask({ set: [part, cluster, values] })),
    get: (part, cluster) => ask({ get: [part, cluster] }),
    stick: async (stuck) => void (await ask({ stuck })),
    fabrics: async () => Number(await ask({ fabrics: true })),
    openWindow: async () => {
      await ask({ window: true })
      return codes.manualPairingCode
    },
    reset: async () => void (await ask({ reset: true })),
    kill,
    restart: start,
    close: async () => {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
