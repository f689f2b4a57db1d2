import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describeServer } from "../describeServer.ts"
import { launch, runProgram } from "../launch.ts"

/** The folder into which `.ci/foreign-clients` installs. */
const folder = process.env["EDP_FOREIGN_CLIENTS"] ?? "/opt/edp-foreign-clients"
const python = `${folder}/python`
const script = fileURLToPath(new URL("./foreignClients.py", import.meta.url))

export type ForeignClient =
  | "aioshelly"
  | "apsystems_ez1"
  | "goodwe"
  | "hatasmota"
  | "homewizard_energy"
  | "iotawattpy"
  | "p1monitor"
  | "youless_api"

/** The report of a library about a device. */
export interface ForeignReading {
  /** Figures by device and field, in the platform's names and units. */
  readonly figures: Readonly<Record<string, Readonly<Record<string, number>>>>
  readonly identity?: Readonly<Record<string, unknown>>
}

const parse = (output: string) => JSON.parse(output.trim().split("\n").at(-1)!) as ForeignReading

/** Lets a library read a device, in a process of its own. */
export const readByForeignClient = async (client: ForeignClient, values: object): Promise<ForeignReading> =>
  parse(await runProgram(python, [script, client, JSON.stringify(values)]))

/** Lets a library wait for a device, which `connect` starts as soon as the library listens. */
export const awaitByForeignClient = async (
  client: ForeignClient,
  values: object,
  connect: () => Promise<unknown>
): Promise<ForeignReading> => {
  const program = await launch(python, [script, client, JSON.stringify(values)])
  await program.printed(/^listening$/mu)
  await connect()
  const { code } = await program.exited
  if (code !== 0) throw new Error(program.stderr())
  return parse(program.stdout())
}

/** Versions of the installed packages, as `python3-goodwe 0.4.8-2`. */
export const foreignVersions = (): ReadonlyArray<string> =>
  readFileSync(`${folder}/versions`, "utf8").trim().split("\n")

/** A suite with client libraries of other authors. */
export const describeForeignClients = (name: string, suite: () => void): void =>
  describeServer("the set of client libraries of .ci/foreign-clients", existsSync(python), name, suite)
