import { Effect } from "effect"
import type { AccountReport, AdapterAlert, DeviceObservation } from "@edp/adapter-kit/Account"
import type { DriverAccount, OpenUnit } from "@edp/adapter-kit/modbus/ModbusDriver"
import { batteryCommands } from "./commands.ts"
import type { SunSpecDevice } from "./devices.ts"
import { readMemory, type SunSpecConfig, type SunSpecMemory, type SunSpecUnit } from "./SunSpecConfig.ts"
import { deviceId, eachUnit, readUnit, type UnitMap } from "./units.ts"
import type { DeviceMap, FoundModel } from "./walk.ts"
import { modelValues } from "./modelValues.ts"

type Kind = Pick<AdapterAlert, "type" | "subtype" | "severity" | "title">

const alert = (
  type: Kind["type"],
  severity: Kind["severity"],
  title: string,
  subtype: Kind["subtype"] = null
): Kind => ({
  type,
  subtype,
  severity,
  title
})

/** Bits of `Evt1` in models 101 to 113, and of `Alrm` in model 701, by their place. */
const inverterBits: Readonly<Record<number, Kind>> = {
  0: alert("SAFETY", "CRITICAL", "Ground fault"),
  1: alert("VOLTAGE_FREQUENCY", "WARNING", "DC voltage above its limit"),
  2: alert("GRID_STATUS", "WARNING", "AC disconnect is open"),
  3: alert("HARDWARE_FAULT", "WARNING", "DC disconnect is open"),
  4: alert("GRID_STATUS", "WARNING", "Disconnected from the grid"),
  5: alert("SAFETY", "WARNING", "Cabinet is open"),
  6: alert("SYSTEM_SHUTDOWN", "WARNING", "Shut down by hand", "EXTERNAL_SWITCH_SHUTDOWN"),
  7: alert("TEMPERATURE", "WARNING", "Temperature above its limit"),
  8: alert("VOLTAGE_FREQUENCY", "WARNING", "Grid frequency above its limit", "FREQUENCY_DEVIATION"),
  9: alert("VOLTAGE_FREQUENCY", "WARNING", "Grid frequency below its limit", "FREQUENCY_DEVIATION"),
  10: alert("VOLTAGE_FREQUENCY", "WARNING", "AC voltage above its limit"),
  11: alert("VOLTAGE_FREQUENCY", "WARNING", "AC voltage below its limit"),
  12: alert("HARDWARE_FAULT", "WARNING", "Blown fuse of a solar string", "INVERTER_FAULT"),
  13: alert("TEMPERATURE", "WARNING", "Temperature below its limit"),
  14: alert("HARDWARE_FAULT", "WARNING", "Internal memory or communication error", "INVERTER_FAULT"),
  15: alert("HARDWARE_FAULT", "CRITICAL", "Hardware test failed", "INVERTER_FAULT")
}

/** Bit 16 of `Alrm` in model 701. */
const manufacturerAlarm = alert("HARDWARE_FAULT", "WARNING", "The manufacturer's own alarm", "INVERTER_FAULT")

const battery = (severity: Kind["severity"], title: string) => alert("HARDWARE_FAULT", severity, title, "BATTERY_FAULT")

/** Bits of `Evt1` in model 802. */
const batteryBits: Readonly<Record<number, Kind>> = {
  0: alert("COMMUNICATIONS", "WARNING", "Battery does not communicate"),
  1: alert("TEMPERATURE", "CRITICAL", "Battery is too hot"),
  2: alert("TEMPERATURE", "WARNING", "Battery is getting too hot"),
  3: alert("TEMPERATURE", "CRITICAL", "Battery is too cold"),
  4: alert("TEMPERATURE", "WARNING", "Battery is getting too cold"),
  5: battery("CRITICAL", "Charging current above its limit"),
  6: battery("WARNING", "Charging current near its limit"),
  7: battery("CRITICAL", "Discharging current above its limit"),
  8: battery("WARNING", "Discharging current near its limit"),
  9: alert("VOLTAGE_FREQUENCY", "CRITICAL", "Battery voltage above its limit"),
  10: alert("VOLTAGE_FREQUENCY", "WARNING", "Battery voltage near its upper limit"),
  11: alert("VOLTAGE_FREQUENCY", "CRITICAL", "Battery voltage below its limit"),
  12: alert("VOLTAGE_FREQUENCY", "WARNING", "Battery voltage near its lower limit"),
  13: alert("STATE_OF_ENERGY", "CRITICAL", "Charge below its minimum", "LOW_SOE"),
  14: alert("STATE_OF_ENERGY", "WARNING", "Charge near its minimum", "LOW_SOE"),
  15: alert("STATE_OF_ENERGY", "CRITICAL", "Charge above its maximum"),
  16: alert("STATE_OF_ENERGY", "WARNING", "Charge near its maximum"),
  17: battery("WARNING", "Voltages of the battery's parts differ"),
  18: alert("TEMPERATURE", "CRITICAL", "Temperatures of the battery's parts differ too much"),
  19: alert("TEMPERATURE", "WARNING", "Temperatures of the battery's parts differ"),
  20: alert("HARDWARE_FAULT", "CRITICAL", "Contactor error", "CONTACTOR_FAULT"),
  21: battery("WARNING", "Fan error"),
  22: alert("SAFETY", "CRITICAL", "Ground fault of the battery"),
  23: alert("SAFETY", "WARNING", "Door of the battery is open"),
  24: battery("WARNING", "Currents of the battery's parts differ"),
  25: battery("CRITICAL", "Another alarm of the battery"),
  26: battery("WARNING", "Another warning of the battery"),
  28: alert("CONFIGURATION", "CRITICAL", "Configuration alarm of the battery"),
  29: alert("CONFIGURATION", "WARNING", "Configuration warning of the battery")
}

interface EventSource {
  readonly models: (id: number) => boolean
  /** The device's key in `mapDevices`. */
  readonly device: "inverter" | "battery"
  readonly point: string
  readonly bits: Readonly<Record<number, Kind>>
}

const sources: ReadonlyArray<EventSource> = [
  { models: (id) => id >= 101 && id <= 113, device: "inverter", point: "Evt1", bits: inverterBits },
  { models: (id) => id === 701, device: "inverter", point: "Alrm", bits: { ...inverterBits, 16: manufacturerAlarm } },
  { models: (id) => id === 802, device: "battery", point: "Evt1", bits: batteryBits }
]

/** An event of a device: `inverter:101.Evt1.4`, which stays the same as long as the problem does. */
export type EventKey = string

/** The events that a map reports now. Bits without a meaning are left out. */
const activeEvents = (models: ReadonlyArray<FoundModel>): ReadonlyArray<EventKey> =>
  models.flatMap((model) =>
    sources.flatMap(({ bits, device, models: isSource, point }) => {
      const field = isSource(model.id) ? modelValues(model).number(point) : undefined
      return Object.keys(bits)
        .filter((bit) => field !== undefined && Math.floor(field / 2 ** Number(bit)) % 2 === 1)
        .map((bit) => `${device}:${model.id}.${point}.${bit}`)
    })
  )

/** The meaning of an event; undefined if it has none any more. */
const describeEvent = (key: EventKey) => {
  const [device, code = ""] = key.split(":")
  const [id, point, bit] = code.split(".")
  const source = sources.find((one) => one.device === device && one.point === point && one.models(Number(id)))
  const kind = source?.bits[Number(bit)]
  return source === undefined || kind === undefined ? undefined : { ...kind, device: source.device, providerCode: code }
}

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
