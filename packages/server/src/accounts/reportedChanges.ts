import { isDeepStrictEqual } from "node:util"
import type { DeviceType } from "@edp/domain/devices/DeviceType"
import type { Coordinates } from "@edp/domain/shared/Address"
import type { DeviceObservation } from "../adapters/Account.ts"
import type { AccountDevice } from "./accountRow.ts"
import type { DeviceFieldChanges } from "./importedFields.ts"
import {
  type Checked,
  checkCommands,
  checkCoordinates,
  checkInterventions,
  checkState,
  checkStaticState
} from "./observedValues.ts"

/** A reading that has yet to get its id. */
export interface NewReading {
  readonly deviceId: string
  readonly type: DeviceType
  readonly at: number
  readonly state: string
  readonly reportedStatus: "asleep" | null
  readonly location: Coordinates | null
}

/** The changes that follow from a report. */
export interface ReportedChanges {
  readonly readings: ReadonlyArray<NewReading>
  readonly changes: ReadonlyArray<DeviceFieldChanges>
  /** Devices without a new reading that fell asleep, or woke up. */
  readonly asleep: ReadonlyArray<string>
  readonly awake: ReadonlyArray<string>
  /** Sentences about values that were left out. */
  readonly problems: ReadonlyArray<string>
}

/** The latest time that a reading may have before now, and after. */
const AHEAD = 5 * 60_000
const YEAR_2000 = Date.UTC(2000)

const isTimely = (at: number, now: number, keptFrom: number) =>
  Number.isFinite(at) && at >= Math.max(YEAR_2000, keptFrom) && at <= now + AHEAD

const nothing: Checked<never> = { value: undefined, problems: [] }

const findChange = (device: AccountDevice, observation: DeviceObservation) => {
  const { commands, interventions, staticState } = observation
  const checked = {
    staticState: staticState === null ? nothing : checkStaticState(device.type, staticState),
    commands: commands === null ? nothing : checkCommands(commands),
    interventions: interventions === null ? nothing : checkInterventions(interventions)
  }
  const list = checked.interventions.value
  const [newStatic, newCommands] = [checked.staticState.value, checked.commands.value]
  const change: DeviceFieldChanges = {
    id: device.id,
    ...(newStatic !== undefined && !isDeepStrictEqual(newStatic, device.staticState) && { staticState: newStatic }),
    ...(newCommands !== undefined && !isDeepStrictEqual(newCommands, device.commands) && { commands: newCommands }),
    ...(list !== undefined &&
      !isDeepStrictEqual(list, device.interventions ?? []) && { interventions: list.length === 0 ? null : list })
  }
  return {
    change: Object.keys(change).length > 1 ? change : undefined,
    problems: [checked.staticState, checked.commands, checked.interventions].flatMap(({ problems }) => problems)
  }
}

/**
 * Compares observations with what is stored of the devices. A state of the same time as the newest reading is that reading.
 * Observations of devices that are not connected are left out: a person did not choose them, or has deleted them.
 *
 * @param keptFrom Older readings are not kept: milliseconds since 1970.
 */
export const reportedChanges = (
  observations: ReadonlyArray<DeviceObservation>,
  devices: ReadonlyMap<string, AccountDevice>,
  now: number,
  keptFrom: number
): ReportedChanges => {
  const readings: Array<NewReading> = []
  const changes: Array<DeviceFieldChanges> = []
  const [asleep, awake, problems]: ReadonlyArray<Array<string>> = [[], [], []]
  for (const observation of observations) {
    const device = devices.get(observation.manufacturerDeviceId)
    if (device === undefined || !device.isConnected) continue
    const add = (more: ReadonlyArray<string>) =>
      problems!.push(...more.map((each) => `${device.manufacturerDeviceId}: ${each}`))
    add(observation.problems)
    const { change, problems: wrong } = findChange(device, observation)
    add(wrong)
    if (change !== undefined) changes.push(change)

    const at = Math.round(observation.observedAt)
    const isNew = observation.state !== null && at !== device.lastAt?.getTime()
    const reading = isNew ? checkState(device.type, observation.state) : nothing
    add(reading.problems)
    if (reading.value !== undefined && !isTimely(at, now, keptFrom)) {
      add([`observedAt: ${new Date(Number.isFinite(at) ? at : 0).toISOString()} is too old or ahead`])
    } else if (reading.value !== undefined) {
      const place = observation.coordinates === null ? nothing : checkCoordinates(observation.coordinates)
      add(place.problems)
      readings.push({
        deviceId: device.id,
        type: device.type,
        at,
        state: reading.value,
        reportedStatus: observation.asleep ? "asleep" : null,
        location: place.value ?? null
      })
      continue
    }
    if (device.lastAt === null) continue
    if (observation.asleep && device.reportedStatus !== "asleep") asleep!.push(device.id)
    if (!observation.asleep && device.reportedStatus === "asleep") awake!.push(device.id)
  }
  return { readings, changes, asleep: asleep!, awake: awake!, problems: problems! }
}
