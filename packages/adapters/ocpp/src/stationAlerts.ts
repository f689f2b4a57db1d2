import { keptText } from "./decoding.ts"
import type { alertSubtypes, alertTypes } from "@edp/domain/alerts/Alert"

/** An alert of a station in the domain's types, or its end. */
export interface StationAlert {
  /** The same for the same fault of the same connector. */
  readonly externalId: string
  readonly manufacturerDeviceId: string
  readonly status: "OPEN" | "RESOLVED"
  readonly type: (typeof alertTypes)[number]
  readonly subtype: (typeof alertSubtypes)[number] | null
  readonly severity: "CRITICAL" | "WARNING" | "INFO"
  readonly title: string
  readonly description: string | null
  readonly providerCode: string
  /** Milliseconds since 1970. */
  readonly occurredAt: number
}

type Fault = Pick<StationAlert, "type" | "subtype" | "title">

const fault = (type: StationAlert["type"], title: string, subtype: StationAlert["subtype"] = null): Fault => ({
  type,
  subtype,
  title
})

/** The error codes of StatusNotification of 1.6; components of NotifyEvent of 2.0.1 are mapped to them. */
const faults: Readonly<Record<string, Fault>> = {
  ConnectorLockFailure: fault("HARDWARE_FAULT", "The connector cannot be locked or unlocked"),
  EVCommunicationError: fault("COMMUNICATIONS", "The charger does not understand the vehicle"),
  GroundFailure: fault("SAFETY", "Ground fault at the charger"),
  HighTemperature: fault("TEMPERATURE", "The charger is too hot"),
  InternalError: fault("HARDWARE_FAULT", "Internal error of the charger"),
  LocalListConflict: fault("CONFIGURATION", "The charger's list of tokens is in conflict"),
  OtherError: fault("UNKNOWN", "The charger reports an error"),
  OverCurrentFailure: fault("SAFETY", "Overcurrent at the charger"),
  OverVoltage: fault("VOLTAGE_FREQUENCY", "Overvoltage at the charger"),
  PowerMeterFailure: fault("SENSOR", "The charger's meter cannot be read"),
  PowerSwitchFailure: fault("HARDWARE_FAULT", "The charger's contactor fails", "CONTACTOR_FAULT"),
  ReaderFailure: fault("HARDWARE_FAULT", "The charger's token reader fails"),
  ResetFailure: fault("SOFTWARE_PROCESS", "The charger cannot restart"),
  UnderVoltage: fault("VOLTAGE_FREQUENCY", "Undervoltage at the charger"),
  WeakSignal: fault("COMMUNICATIONS", "The charger has a weak radio signal")
}

const componentFaults: Readonly<Record<string, string>> = {
  ConnectorPlugRetentionLock: "ConnectorLockFailure",
  ElectricalFeed: "UnderVoltage",
  OverCurrentProtection: "OverCurrentFailure",
  OverCurrentProtectionRecloser: "OverCurrentFailure",
  RCD: "GroundFailure",
  GroundIsolationProtection: "GroundFailure",
  PowerContactor: "PowerSwitchFailure",
  TemperatureSensor: "HighTemperature",
  FiscalMetering: "PowerMeterFailure",
  TokenReader: "ReaderFailure"
}

export const componentFault = (component: string) => componentFaults[component] ?? "OtherError"

/** An error that does not stop the connector is a warning. */
export const stationAlert = (
  code: string,
  about: {
    readonly manufacturerDeviceId: string
    readonly stopsCharging: boolean
    readonly info: string | null
    readonly vendorCode: string | null
    readonly occurredAt: number
  }
): StationAlert => ({
  ...(faults[code] ?? fault("UNKNOWN", "The charger reports an error")),
  externalId: `${about.manufacturerDeviceId}:${code}`,
  manufacturerDeviceId: about.manufacturerDeviceId,
  status: "OPEN",
  severity: about.stopsCharging
    ? "CRITICAL"
    : code === "WeakSignal" || code === "LocalListConflict"
      ? "INFO"
      : "WARNING",
  description: about.info === null || about.info === "" ? null : keptText(about.info, 1000),
  providerCode: keptText(about.vendorCode ?? code, 255),
  occurredAt: about.occurredAt
})

/** An alert by its id. */
const alertById = (externalId: string, manufacturerDeviceId: string, stopsCharging: boolean, occurredAt: number) =>
  stationAlert(externalId.slice(manufacturerDeviceId.length + 1), {
    manufacturerDeviceId,
    stopsCharging,
    info: null,
    vendorCode: null,
    occurredAt
  })

/** The end of an alert, by its id. */
export const resolvedAlert = (externalId: string, manufacturerDeviceId: string, occurredAt: number): StationAlert => ({
  ...alertById(externalId, manufacturerDeviceId, false, occurredAt),
  status: "RESOLVED"
})

/** The open alerts of a connector, for a platform that has not heard of them. */
export const openAlerts = (
  { alerts, status }: { readonly alerts: ReadonlyArray<string>; readonly status: string | null },
  manufacturerDeviceId: string,
  occurredAt: number
): ReadonlyArray<StationAlert> =>
  alerts.map((id) => alertById(id, manufacturerDeviceId, status === "Faulted", occurredAt))
