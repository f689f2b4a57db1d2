import { Effect } from "effect"
import type { AccountReport, AdapterAlert, DeviceObservation } from "@edp/adapter-kit/Account"
import type { DriverAccount, OpenUnit } from "@edp/adapter-kit/modbus/ModbusDriver"
import { batteryCommands } from "./commands.ts"
import type { SunSpecDevice } from "./devices.ts"
import { activeEvents, describeEvent } from "./events.ts"
import { readMemory, type SunSpecConfig, type SunSpecMemory, type SunSpecUnit } from "./SunSpecConfig.ts"
import { deviceId, eachUnit, readUnit, type UnitMap } from "./units.ts"
import type { DeviceMap } from "./walk.ts"

type UnitResult = UnitMap & { readonly unit: SunSpecUnit }

export const reportedStatic = ({ observation: { staticState } }: SunSpecDevice): object | null =>
  Object.keys(staticState).length === 0 ? null : staticState

export const supportedCommands = ({ key }: SunSpecDevice, { models }: DeviceMap) =>
  key === "battery" ? batteryCommands(models) : []

/** Alerts of the events that are active, and the end of those that were. */
const eventAlerts = (externalId: string, { map, unit }: UnitResult, before: ReadonlyArray<string> = []) => {
  const active = activeEvents(map.models)
  const alerts = [...active, ...before.filter((key) => !active.includes(key))].flatMap(
    (key): ReadonlyArray<AdapterAlert> => {
      const event = describeEvent(key)
      if (event === undefined) return []
      const { device, ...kind } = event
      const manufacturerDeviceId = deviceId(externalId, unit, device)
      return [
        {
          ...kind,
          manufacturerDeviceId,
          externalId: `${manufacturerDeviceId}:${kind.providerCode}`,
          description: null,
          resolved: !active.includes(key)
        }
      ]
    }
  )
  return { active, alerts }
}

const observed = (externalId: string, { devices, map, unit }: UnitResult, observedAt: number) =>
  devices.map((device): DeviceObservation => {
    const { missing, problems, state } = device.observation
    return {
      manufacturerDeviceId: deviceId(externalId, unit, device.key),
      observedAt,
      // A state without one of the contract's required fields is no reading: what is not known is left out, never 0.
      state: missing.length === 0 ? state : null,
      asleep: false,
      coordinates: null,
      staticState: reportedStatic(device),
      commands: supportedCommands(device, map),
      interventions: [],
      problems
    }
  })

/** Whether the installation does nothing: inverters at night. */
const isIdle = (observations: ReadonlyArray<DeviceObservation>) =>
  observations.every(({ state }) => state === null || ("power" in state && state.power === 0))

/** The state of an installation. */
export const read = Effect.fnUntraced(function* (
  open: OpenUnit,
  account: DriverAccount<SunSpecConfig>,
  observedAt: number
) {
  const { config, externalId } = account
  const memory = readMemory(account.memory)
  const results = yield* eachUnit(config.units, (unit) =>
    readUnit(open, config, unit, memory.models[String(unit.unitId)])
  )
  const events = results.map((result) => ({
    unitId: String(result.unit.unitId),
    ...eventAlerts(externalId, result, memory.events[String(result.unit.unitId)])
  }))
  const unknown = results.flatMap(({ map, unit }) => map.unknownModels.map(({ id }) => `${unit.unitId}/${id}`))
  const news = unknown.filter((one) => !memory.reported.includes(one))
  const notes = [
    ...results.flatMap(({ map }) => map.problems),
    ...(news.length === 0 ? [] : [`SunSpec models that are not read (unit/model): ${news.join(", ")}`])
  ]
  const [first, ...rest] = results.flatMap((result) => observed(externalId, result, observedAt))
  const observations = first === undefined ? [] : [{ ...first, problems: [...first.problems, ...notes] }, ...rest]
  const next: SunSpecMemory = {
    models: {
      ...memory.models,
      ...Object.fromEntries(
        results.map(({ map, unit }) => [
          String(unit.unitId),
          map.models.map(({ address, id, length }) => ({ id, address, length }))
        ])
      )
    },
    reported: [...memory.reported, ...news],
    events: { ...memory.events, ...Object.fromEntries(events.map(({ active, unitId }) => [unitId, active])) }
  }
  return {
    observations,
    alerts: events.flatMap(({ alerts }) => alerts),
    devices: null,
    activity: isIdle(observations) ? "idle" : "normal",
    memory: JSON.stringify(next) === JSON.stringify(memory) ? undefined : next
  } satisfies AccountReport
})
