import type { BrokerDevice } from "@edp/adapter-kit/broker/BrokerDevice"
import type { MessagePlan, ReadTopic } from "@edp/adapter-kit/decoding/messages"
import { type Observation, observe, type TypedDevice } from "@edp/adapter-kit/decoding/observation"
import { withoutNoise } from "@edp/adapter-kit/decoding/units"
import { setPointTopics, victronSetPoint } from "./victronSetPoint.ts"
import {
  fieldValue,
  toSettings,
  valueIn,
  valueTopic,
  type VictronField,
  type VictronService,
  writeValue
} from "./victronServices.ts"

const phases = (path: (phase: string) => string) => ["L1", "L2", "L3"].map(path)
/** kWh to Wh. */
const KILO = 1000

const energy = (field: string, path: string): VictronField => ({ field, paths: [path], factor: KILO })
const direct = (field: string, path: string): VictronField => ({ field, paths: [path] })

/** Positive is charging there. */
const chargeRate: VictronField = { field: "chargeRate", paths: ["Dc/Battery/Power"], factor: -1 }
const gridPower: VictronField = { field: "gridPower", paths: phases((phase) => `Ac/Grid/${phase}/Power`) }

/** The measurements of the services of a GX device, as D-Bus names them: https://github.com/victronenergy/venus/wiki/dbus. */
const measured = {
  grid: [
    direct("power", "Ac/Power"),
    energy("importedEnergy", "Ac/Energy/Forward"),
    energy("exportedEnergy", "Ac/Energy/Reverse")
  ],
  pvinverter: [direct("power", "Ac/Power"), energy("lifetimeEnergyGenerated", "Ac/Energy/Forward")],
  solarcharger: [direct("power", "Yield/Power"), energy("lifetimeEnergyGenerated", "Yield/System")],
  evcharger: [
    direct("chargerWattage", "Ac/Power"),
    direct("chargerCurrent", "Current"),
    energy("lifetimeEnergyCharged", "Ac/Energy/Forward")
  ],
  system: [
    direct("chargePercentage", "Dc/Battery/Soc"),
    chargeRate,
    gridPower,
    { field: "loadPower", paths: phases((phase) => `Ac/Consumption/${phase}/Power`) }
  ]
} satisfies Readonly<Record<string, ReadonlyArray<VictronField>>>

/** The services of which devices are made. */
export const deviceServices = ["grid", "pvinverter", "solarcharger", "evcharger", "system"] as const
type DeviceService = (typeof deviceServices)[number]

const types = {
  grid: "meter",
  pvinverter: "inverter",
  solarcharger: "inverter",
  evcharger: "charger",
  system: "battery"
} as const satisfies Readonly<Record<DeviceService, TypedDevice>>

const BATTERY_STATE = "Dc/Battery/State"
const batteryStates: Readonly<Record<number, string>> = { 0: "idle", 1: "charging", 2: "discharging" }

const CHARGER_STATUS = "Status"
/** 0: no vehicle; 1: connected; 2: it charges; 3: it is charged; 4 to 7: it waits for sun, a card, a start, or the battery; 24: it stops. */
const chargerStatus = (status: unknown) => {
  if (status === 0) return { chargingState: "idle", isPluggedIn: false }
  if (status === 2) return { chargingState: "charging", isPluggedIn: true }
  const isConnected = status === 24 || (typeof status === "number" && status >= 1 && status <= 7)
  return isConnected ? { chargingState: "idle", isPluggedIn: true } : {}
}

const START_STOP = "StartStop"
const MINIMUM_CHARGE = "Settings/CGwacs/BatteryLife/MinimumSocLimit"
const CONNECTED = "Connected"

/** The facts of a service that do not change from second to second. */
export interface ServiceDescription {
  readonly service: VictronService & { readonly name: DeviceService }
  readonly customName: string | undefined
  readonly productName: string | undefined
  readonly serialNumber: string | undefined
  /** Whether a charging station takes a start and a stop: in its automatic mode it follows the sun instead. */
  readonly isManual: boolean
}

/** The battery as the person who linked it has described it: a GX device reports percent alone, and no rated power. */
export interface VictronBattery {
  /** Wh; null: there is none, or it is not wanted. */
  readonly capacity: number | null
  /** The greatest power with which it may be charged and discharged, W; null: its power is not controlled. */
  readonly power: number | null
}

/** Topics of a service that are no plain measurement. */
const furtherTopics = (service: ServiceDescription["service"]): ReadonlyArray<string> => {
  if (service.name === "system") {
    return [valueTopic(service, BATTERY_STATE), valueTopic(toSettings(service), MINIMUM_CHARGE)]
  }
  return service.name === "evcharger" ? [valueTopic(service, CHARGER_STATUS), valueTopic(service, START_STOP)] : []
}

const observeService = (
  service: ServiceDescription["service"],
  { capacity, power }: VictronBattery,
  isControlled: boolean,
  read: ReadTopic
): Observation => {
  const type = types[service.name]
  const state: Record<string, unknown> = {}
  for (const one of measured[service.name]) {
    const value = fieldValue(service, one, read)
    state[one.field] = typeof value === "number" ? withoutNoise(value) : value
  }
  // At night an inverter draws some watts, which is no generation.
  if (type === "inverter" && typeof state["power"] === "number") state["power"] = Math.max(0, state["power"])
  if (type === "charger") Object.assign(state, chargerStatus(valueIn(read(valueTopic(service, CHARGER_STATUS)))))
  if (type !== "battery") return observe(type, state)
  const code = valueIn(read(valueTopic(service, BATTERY_STATE)))
  state["chargingState"] = typeof code === "number" ? batteryStates[code] : undefined
  state["backupReserve"] = valueIn(read(valueTopic(toSettings(service), MINIMUM_CHARGE))) ?? undefined
  if (capacity === null) return observe(type, state)
  return observe(type, state, {
    capacity,
    ...(power !== null && { maxChargeRate: power, maxDischargeRate: power }),
    ...(isControlled && { takesTargetPower: true })
  })
}

const plan = (
  { isManual, service }: ServiceDescription,
  slug: string,
  inputs: Readonly<Record<string, unknown>>
): MessagePlan => {
  const { chargePercentage, operatingMode } = inputs
  if (slug === "battery:set-reserve" && service.name === "system" && typeof chargePercentage === "number") {
    return { messages: [writeValue(toSettings(service), MINIMUM_CHARGE, chargePercentage)] }
  }
  if (slug === "charger:set-operating-mode" && service.name === "evcharger" && isManual) {
    if (operatingMode === "start-charging") return { messages: [writeValue(service, START_STOP, 1)] }
    if (operatingMode === "stop-charging") return { messages: [writeValue(service, START_STOP, 0)] }
    return { refused: `The charging station does not take the mode ${String(operatingMode)}` }
  }
  return { refused: `The device does not support ${slug}` }
}

const commandsFor = ({ isManual, service }: ServiceDescription, isControlled: boolean) => {
  if (service.name === "system") {
    return isControlled
      ? (["battery:set-reserve", "battery:set-operating-mode"] as const)
      : (["battery:set-reserve"] as const)
  }
  return service.name === "evcharger" && isManual ? (["charger:set-operating-mode"] as const) : []
}

const switchState = (service: VictronService, read: ReadTopic) => {
  const value = valueIn(read(valueTopic(service, START_STOP)))
  return value === 1 ? true : value === 0 ? false : undefined
}

/** The device of a service. `hub4` is the service of the ESS; undefined if there is none. */
export const victronDevice = (
  description: ServiceDescription,
  battery: VictronBattery,
  hub4: VictronService | undefined
): BrokerDevice => {
  const { customName, productName, serialNumber, service } = description
  const { instance, name, portal } = service
  const isSystem = name === "system"
  const ess =
    isSystem && hub4 !== undefined && battery.power !== null
      ? { system: service, hub4, gridPower, chargeRate, power: battery.power }
      : undefined
  const model = isSystem ? "GX battery" : (productName ?? "Unknown")
  return {
    id: `${portal}-${name}-${instance}`,
    name: customName ?? (isSystem ? "Battery" : (productName ?? `${name} ${instance}`)),
    model,
    manufacturerName: "Victron Energy",
    serialNumber: serialNumber ?? null,
    type: types[name],
    commands: commandsFor(description, ess !== undefined),
    topics: [
      ...measured[name].flatMap(({ paths }) => paths.map((path) => valueTopic(service, path))),
      ...furtherTopics(service),
      ...(ess === undefined ? [] : setPointTopics(ess))
    ],
    availabilityTopics: isSystem ? [] : [valueTopic(service, CONNECTED)],
    problems: [],
    observe: (read) => observeService(service, battery, ess !== undefined, read),
    isReachable: (read) => {
      const value = isSystem ? undefined : valueIn(read(valueTopic(service, CONNECTED)))
      return value === 1 ? true : value === 0 ? false : undefined
    },
    plan: (slug, inputs) => plan(description, slug, inputs),
    isSwitchedOn: (read) => (name === "evcharger" ? switchState(service, read) : undefined),
    ...(ess !== undefined && { setPoint: victronSetPoint(ess) })
  }
}
