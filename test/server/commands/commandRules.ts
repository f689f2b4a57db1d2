import { expect } from "vitest"
import { original, type WorldDevice } from "./ModelBattery.ts"

export interface StoredCommand {
  readonly id: string
  readonly deviceId: string
  readonly type: string
  readonly source: string
  readonly status: "pending" | "scheduled" | "delivered" | "completed" | "failed"
  readonly reason: string | null
  readonly issuedAt: Date
  readonly scheduledFor: Date | null
  readonly expiresAt: Date
  readonly deliveredAt: Date | null
  readonly executedAt: Date | null
  readonly lateResult: unknown
  readonly dueAt: Date
  readonly deadline: Date
  readonly isLeased: boolean
  readonly events: ReadonlyArray<string>
}

export interface StoredMode {
  readonly deviceId: string
  readonly commandId: string
  readonly snapshot: unknown
  readonly phase: "starting" | "holding" | "ending" | "ended"
  readonly dueAt: Date
  readonly workDueAt: Date
  readonly shown: object | null
}

const next = {
  pending: ["pending", "delivered", "completed", "failed"],
  scheduled: ["scheduled", "delivered", "completed", "failed"],
  delivered: ["delivered", "completed", "failed"],
  completed: ["completed"],
  failed: ["failed"]
} as const

export const isOpen = ({ status }: StoredCommand) => status !== "completed" && status !== "failed"

/** A command that is scheduled or ends is told of once for each. One of a low rank may end as it is issued. */
const expectEvents = ({ events, executedAt, id, issuedAt, reason, scheduledFor, status }: StoredCommand) => {
  const failure = reason === "overridden" ? "COMMAND_OVERRIDDEN" : "COMMAND_FAILED"
  const ends = { completed: ["COMMAND_SUCCEEDED"], failed: [failure], pending: [], scheduled: [], delivered: [] }[
    status
  ]
  const wasStored = events[0] === "COMMAND_SCHEDULED" || executedAt?.getTime() !== issuedAt.getTime()
  expect(events, id).toEqual([...(scheduledFor !== null && wasStored ? ["COMMAND_SCHEDULED"] : []), ...ends])
}

const expectCommand = (command: StoredCommand, known: StoredCommand | undefined) => {
  const { deliveredAt, executedAt, id, issuedAt, lateResult, reason, status } = command
  if (known !== undefined) {
    expect(next[known.status], id).toContain(status)
    if (!isOpen(known)) expect({ status, reason, executedAt }).toEqual({ ...pick(known) })
    if (known.lateResult !== null) expect(lateResult).toEqual(known.lateResult)
  }
  const times = [issuedAt, deliveredAt, executedAt].filter((at) => at !== null).map((at) => at.getTime())
  expect(times, id).toEqual(times.toSorted((one, other) => one - other))
  expect(executedAt !== null, id).toBe(!isOpen(command))
  expectEvents(command)
  if (lateResult !== null) expect(reason, id).toBe("timeout")
}

const pick = ({ executedAt, reason, status }: StoredCommand) => ({ status, reason, executedAt })

/** A command is sent in its time, and again only when the manufacturer has not taken it, or once after a death. */
const expectCalls = ({ battery }: WorldDevice, commands: ReadonlyMap<string, StoredCommand>) => {
  expect(battery.overlaps).toBe(0)
  for (const [id, calls] of Map.groupBy(battery.calls, (call) => call.id)) {
    const { expiresAt, scheduledFor } = commands.get(id)!
    for (const { at } of calls) {
      expect(at).toBeGreaterThanOrEqual(scheduledFor?.getTime() ?? 0)
      expect(at).toBeLessThan(expiresAt.getTime())
    }
    const ends = calls.map(({ end }) => end)
    const final = ends.findIndex((end) => !["unreachable", "quota", "elsewhere", "died"].includes(end))
    if (final >= 0) expect(ends, id).toHaveLength(final + 1)
    // After the second death it is not known any more how often it took effect.
    const deaths = ends.flatMap((end, index) => (end === "died" ? [index] : []))
    expect(deaths.length, id).toBeLessThanOrEqual(2)
    if (deaths.length === 2) expect(deaths[1], id).toBe(ends.length - 1)
  }
}

/** Changed settings have a record from which they will be restored, at a time or after the end of a command. */
const expectRestorable = (
  device: WorldDevice,
  mode: StoredMode | undefined,
  commands: ReadonlyMap<string, StoredCommand>
) => {
  const { battery, id } = device
  if (mode !== undefined && mode.phase !== "ended") {
    expect(mode.snapshot, id).toEqual(original)
    if (mode.phase === "starting") expect(isOpen(commands.get(mode.commandId)!), id).toBe(true)
    else if (!battery.isOrphaned) expect(mode.workDueAt.getTime(), id).toBeLessThanOrEqual(mode.dueAt.getTime())
  } else {
    expect(battery.settings, id).toEqual(original)
    expect(mode?.shown ?? null, id).toBeNull()
  }
}

/** Checks the rules that hold at any time. */
export const expectAllowed = (seen: {
  readonly before: ReadonlyMap<string, StoredCommand>
  readonly commands: ReadonlyArray<StoredCommand>
  readonly modes: ReadonlyArray<StoredMode>
  readonly devices: ReadonlyArray<WorldDevice>
  readonly now: number
}) => {
  const commands = new Map(seen.commands.map((command) => [command.id, command]))
  const modes = new Map(seen.modes.map((mode) => [mode.deviceId, mode]))
  for (const command of seen.commands) expectCommand(command, seen.before.get(command.id))
  for (const device of seen.devices) {
    expectCalls(device, commands)
    expectRestorable(device, modes.get(device.id), commands)
  }
  for (const { battery } of seen.devices) {
    for (const { id } of battery.calls.slice(battery.checked)) {
      const known = seen.before.get(id)
      if (known !== undefined) expect(isOpen(known), id).toBe(true)
    }
    battery.checked = battery.calls.length
  }
}
