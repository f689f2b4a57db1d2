import { isDeepStrictEqual } from "node:util"
import type { DeviceType } from "@edp/domain/devices/DeviceType"
import type { Coordinates } from "@edp/domain/shared/Address"
import type { DeviceObservation } from "@edp/adapter-kit/Account"
import type { AccountDevice } from "../../devices/linkedDeviceRow.ts"
import type { DeviceFieldChanges } from "../devices/importedFields.ts"
import {
  type Checked,
  checkCommands,
  checkCoordinates,
  checkInterventions,
  checkState,
  checkStaticState
} from "../devices/observedValues.ts"
import { MOST_AHEAD } from "../../readings/ingest/readingBatch.ts"

/** The source's word on a device beside its state. A device that has just given a state was reached. */
export type ReportedStatus = "asleep" | "unreachable" | null

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
  /** Devices whose interventions are the stored ones, and were seen again. */
  readonly seenAgain: ReadonlyArray<{ readonly id: string; readonly at: Date }>
  /** Devices without a new reading of which the source says something else than before. */
  readonly statuses: ReadonlyArray<{ readonly id: string; readonly status: ReportedStatus }>
  /** Sentences about values that were left out. */
  readonly problems: ReadonlyArray<string>
}

const YEAR_2000 = Date.UTC(2000)

/** Whether a reading of a time is kept. */
export const isTimely = (at: number, now: number, keptFrom: number) =>
  Number.isFinite(at) && at >= Math.max(YEAR_2000, keptFrom) && at <= now + MOST_AHEAD

/** How far the stored time of interventions that are seen again may lag, in milliseconds: not each report is written. */
const LAG = 60_000

const nothing: Checked<never> = { value: undefined, problems: [] }

const findChange = (device: AccountDevice, observation: DeviceObservation, now: number) => {
  const { commands, interventions, interventionsAt = now, staticState } = observation
  const checked = {
    staticState: staticState === null ? nothing : checkStaticState(device.type, staticState),
    commands: commands === null ? nothing : checkCommands(commands),
    interventions: interventions === null ? nothing : checkInterventions(interventions)
  }
  const list = checked.interventions.value
  const [newStatic, newCommands] = [checked.staticState.value, checked.commands.value]
  const isNewList = list !== undefined && !isDeepStrictEqual(list, device.interventions ?? [])
  const isSeenAgain = !isNewList && list !== undefined && list.length > 0
  const change: DeviceFieldChanges = {
    id: device.id,
    ...(newStatic !== undefined && !isDeepStrictEqual(newStatic, device.staticState) && { staticState: newStatic }),
    ...(newCommands !== undefined && !isDeepStrictEqual(newCommands, device.commands) && { commands: newCommands }),
    ...(isNewList && { interventions: list.length === 0 ? null : list, interventionsAt })
  }
  return {
    seenAgainAt:
      isSeenAgain && interventionsAt - (device.interventionsAt?.getTime() ?? 0) >= LAG ? interventionsAt : undefined,
    change: Object.keys(change).length > 1 ? change : undefined,
    problems: [checked.staticState, checked.commands, checked.interventions].flatMap(({ problems }) => problems)
  }
}

/**
 * Compares observations with what is stored of the devices. A state of the same time as the newest reading is that reading.
 * Observations of devices that are not connected are left out: a person did not choose them, or has deleted them.
 *
 * @param keptFrom Older readings of a type are not kept: milliseconds since 1970.
 */
export const reportedChanges = (
  observations: ReadonlyArray<DeviceObservation>,
  devices: ReadonlyMap<string, AccountDevice>,
  now: number,
  keptFrom: (deviceType: string) => number
): ReportedChanges => {
  const readings: Array<NewReading> = []
  const changes: Array<DeviceFieldChanges> = []
  const seenAgain: Array<{ readonly id: string; readonly at: Date }> = []
  const statuses: Array<{ readonly id: string; readonly status: ReportedStatus }> = []
  const problems: Array<string> = []
  for (const observation of observations) {
    const device = devices.get(observation.manufacturerDeviceId)
    if (device === undefined || !device.isConnected) continue
    const add = (more: ReadonlyArray<string>) =>
      problems.push(...more.map((each) => `${device.manufacturerDeviceId}: ${each}`))
    add(observation.problems)
    const { change, problems: wrong, seenAgainAt } = findChange(device, observation, now)
    add(wrong)
    if (seenAgainAt !== undefined) seenAgain.push({ id: device.id, at: new Date(seenAgainAt) })
    if (change !== undefined) changes.push(change)

    const status = observation.asleep ? "asleep" : observation.isUnreachable === true ? "unreachable" : null
    const at = Math.round(observation.observedAt)
    const isNew = observation.state !== null && at !== device.lastAt?.getTime()
    const reading = isNew ? checkState(device.type, observation.state) : nothing
    add(reading.problems)
    if (reading.value !== undefined && !isTimely(at, now, keptFrom(device.type))) {
      add([`observedAt: ${new Date(Number.isFinite(at) ? at : 0).toISOString()} is too old or ahead`])
    } else if (reading.value !== undefined) {
      const coordinates = observation.coordinates === null ? nothing : checkCoordinates(observation.coordinates)
      add(coordinates.problems)
      readings.push({
        deviceId: device.id,
        type: device.type,
        at,
        state: reading.value,
        reportedStatus: observation.asleep ? "asleep" : null,
        location: coordinates.value ?? null
      })
      continue
    }
    if (device.lastAt === null) continue
    if (status !== device.reportedStatus) statuses.push({ id: device.id, status })
  }
  return { readings, changes, seenAgain, statuses, problems }
}
