import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import type { Transport } from "@edp/adapter-kit/modbus/ModbusClient"
import { describeServer } from "../describeServer.ts"
import { runProgram } from "../launch.ts"

type Table = "holding" | "input"

/** Registers by unit, table and address: `{"1": {"holding": {"40000": [1, 2]}}}`. */
export type ModbusRegisters = Readonly<
  Record<string, Partial<Record<Table, Readonly<Record<string, ReadonlyArray<number>>>>>>
>

export interface ModbusServer {
  readonly port: number
  /** Registers as another client, mbpoll, reads them. */
  readonly read: (unitId: number, address: number, count?: number, table?: Table) => Promise<ReadonlyArray<number>>
  /** Writes holding registers by mbpoll, as the device itself would change them. */
  readonly write: (unitId: number, address: number, words: ReadonlyArray<number>) => Promise<void>
  readonly stop: () => Promise<void>
}

/** The interpreter of Debian's packages: another one that is first on the path has no pymodbus. */
const PYTHON = "/usr/bin/python3"
const script = fileURLToPath(new URL("./modbusServer.py", import.meta.url))

export interface ServedRegisters {
  readonly registers: ModbusRegisters
  readonly port?: number
  readonly transport?: Transport
}

/** Another client of a server of Modbus TCP. Addresses count from 0, and a run is one request. */
const otherClient = (port: number): Pick<ModbusServer, "read" | "write"> => {
  const connection = ["-m", "tcp", "-p", String(port), "-0", "-1", "-q"]
  const mbpoll = (unitId: number, address: number, rest: ReadonlyArray<string>, values: ReadonlyArray<number> = []) =>
    runProgram("mbpoll", [
      ...connection,
      "-a",
      String(unitId),
      "-r",
      String(address),
      ...rest,
      "127.0.0.1",
      ...values.map(String)
    ])
  return {
    read: async (unitId, address, count = 1, table = "holding") => {
      const text = await mbpoll(unitId, address, ["-t", table === "holding" ? "4" : "3", "-c", String(count)])
      // A line is `[40000]: <tab>65535 (-1)`.
      return [...text.matchAll(/^\[\d+\]:\s+(\d+)/gmu)].map(([, value]) => Number(value))
    },
    write: async (unitId, address, words) => void (await mbpoll(unitId, address, ["-t", "4"], words))
  }
}

/** Modbus servers in one process on Debian's pymodbus. It ends with its standard input, so when this process ends at the latest. */
export const startModbusServers = async (
  served: ReadonlyArray<ServedRegisters>,
  certificate: ReadonlyArray<string> = []
): Promise<ReadonlyArray<ModbusServer>> => {
  const child = spawn(PYTHON, [script, ...certificate], { stdio: ["pipe", "pipe", "ignore"] })
  const exited = once(child, "exit")
  const all = served.map(({ port = 0, registers, transport = "tcp" }) => ({ registers, port, transport }))
  child.stdin.write(`${JSON.stringify(all)}\n`)
  const ports = await new Promise<ReadonlyArray<number>>((resolve, reject) => {
    child.stdout.once("data", (text) => resolve(String(text).trim().split(" ").map(Number)))
    void exited.then(() => reject(new Error("pymodbus ended before it listened")))
  })
  const stop = async () => {
    child.kill("SIGKILL")
    await exited
  }
  return ports.map((port) => ({ port, ...otherClient(port), stop }))
}

/** A server of Modbus TCP. */
export const startModbusServer = async (registers: ModbusRegisters, port = 0): Promise<ModbusServer> =>
  (await startModbusServers([{ registers, port }]))[0]!

const isAvailable = (): boolean => {
  try {
    execFileSync(PYTHON, ["-c", "import pymodbus.server"], { stdio: "ignore" })
    execFileSync("mbpoll", ["-V"], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

export const pymodbus = { program: "python3-pymodbus with mbpoll", isAvailable: isAvailable() }

/** A suite with a Modbus server and a second client. */
export const describeModbus = (name: string, suite: () => void): void =>
  describeServer(pymodbus.program, pymodbus.isAvailable, name, suite)
