const roles = ["all", "api", "worker"] as const

export type Role = (typeof roles)[number]

/** The task of a process beside the others of its machine. */
export interface Slot {
  /** For example `api-1`: named in logs and in the list of the system's processes. */
  readonly name: string
  readonly role: Exclude<Role, "all">
  /** Whether it listens on the ports of the service. */
  readonly listens: boolean
}

const MOST = 64

/** Workers mostly wait for PostgreSQL and for manufacturers, so one is enough beside this number of API processes. */
const API_PROCESSES_PER_WORKER = 4

/** Reads `EDP_PROCESSES`; undefined for anything but a number of processes and `auto`. */
export const parseProcesses = (text: string): number | "auto" | undefined => {
  if (text === "auto") return text
  const count = Number(text)
  return Number.isInteger(count) && count >= 1 && count <= MOST ? count : undefined
}

interface Settings {
  readonly processes: string
  readonly role: string
  readonly isEmbedded: boolean
  readonly cores: number
}

/** The processes that a supervisor starts. None where one process does everything, or will refuse the settings. */
export const planSlots = ({ cores, isEmbedded, processes, role: given }: Settings): ReadonlyArray<Slot> => {
  const parsed = parseProcesses(processes) ?? 1
  const count = parsed === "auto" ? Math.min(cores, MOST) : parsed
  const role = roles.find((one) => one === (given || "all"))
  if (count === 1 || isEmbedded || role === undefined) return []
  const makeSlots = (own: Slot["role"], length: number, listens: boolean) =>
    Array.from({ length }, (_, index): Slot => ({ name: `${own}-${index + 1}`, role: own, listens }))
  if (role !== "all") return makeSlots(role, count, true)
  return [...makeSlots("api", count, true), ...makeSlots("worker", Math.ceil(count / API_PROCESSES_PER_WORKER), false)]
}

const APART = "apart"

/** The arguments by which a process learns its slot. */
export const slotArguments = ({ listens, name }: Slot): ReadonlyArray<string> =>
  listens ? ["serve", name] : ["serve", name, APART]

export const readSlot = ([, name = "", apart]: ReadonlyArray<string>): Slot => ({
  name,
  role: name.startsWith("api") ? "api" : "worker",
  listens: apart !== APART
})
