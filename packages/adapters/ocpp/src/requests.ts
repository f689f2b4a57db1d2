import type { OcppVersion, Payload } from "./frames.ts"

/** Requests of the central system, in the form of either version. A connector is an EVSE in 2.0.1. */
export interface Request {
  readonly action: string
  readonly payload: Payload
}

const request = (action: string, payload: Payload): Request => ({ action, payload })

/** A limit of a connector, in the unit that the station takes. */
export interface Limit {
  readonly unit: "W" | "A"
  readonly value: number
}

/** Starts charging, with a limit for the transaction. In 2.0.1 the station's TransactionEvent names `remoteStartId`. */
export const remoteStart = (
  version: OcppVersion,
  connector: number,
  token: string,
  remoteStartId: number,
  limit?: Limit
): Request => {
  const profile =
    limit === undefined ? {} : { chargingProfile: chargingProfile(version, connector, limit, "TxProfile", {}) }
  return version === "1.6"
    ? request("RemoteStartTransaction", { connectorId: connector, idTag: token, ...profile })
    : request("RequestStartTransaction", {
        evseId: connector,
        remoteStartId,
        idToken: { idToken: token, type: "Central" },
        ...profile
      })
}

export const remoteStop = (version: OcppVersion, transactionId: string): Request =>
  version === "1.6"
    ? request("RemoteStopTransaction", { transactionId: Number(transactionId) })
    : request("RequestStopTransaction", { transactionId })

/** The id of our charging profile on a connector, so that setting it again replaces it. */
const profileId = (connector: number) => 7000 + connector
const STACK_LEVEL = 0

export interface LimitOptions {
  /** The running transaction to which the limit belongs, and with which it ends; without it the limit holds for all. */
  readonly transactionId?: string | null | undefined
  /** Milliseconds since 1970 at which the station forgets the limit by itself. */
  readonly until?: number | undefined
}

const chargingProfile = (
  version: OcppVersion,
  connector: number,
  { unit, value }: Limit,
  purpose: "TxDefaultProfile" | "TxProfile",
  { transactionId = null, until }: LimitOptions
): Payload => {
  const schedule = { chargingRateUnit: unit, chargingSchedulePeriod: [{ startPeriod: 0, limit: value }] }
  const profile = {
    stackLevel: STACK_LEVEL,
    chargingProfilePurpose: purpose,
    chargingProfileKind: "Relative",
    ...(transactionId === null ? {} : { transactionId: version === "1.6" ? Number(transactionId) : transactionId }),
    // A duration would count from the beginning of the transaction.
    ...(until === undefined ? {} : { validTo: new Date(until).toISOString() })
  }
  return version === "1.6"
    ? { chargingProfileId: profileId(connector), ...profile, chargingSchedule: schedule }
    : { id: profileId(connector), ...profile, chargingSchedule: [{ id: 1, ...schedule }] }
}

/** Limits the power or the current of a connector; 0 pauses charging without ending a transaction. */
export const setLimit = (
  version: OcppVersion,
  connector: number,
  limit: Limit,
  options: LimitOptions = {}
): Request => {
  const purpose = (options.transactionId ?? null) === null ? "TxDefaultProfile" : "TxProfile"
  const profile = chargingProfile(version, connector, limit, purpose, options)
  return version === "1.6"
    ? request("SetChargingProfile", { connectorId: connector, csChargingProfiles: profile })
    : request("SetChargingProfile", { evseId: connector, chargingProfile: profile })
}

/** Removes the limit that `setLimit` set. */
export const clearLimit = (version: OcppVersion, connector: number): Request =>
  request(
    "ClearChargingProfile",
    version === "1.6" ? { id: profileId(connector) } : { chargingProfileId: profileId(connector) }
  )

/** Asks for a message; without a connector, for those of all. */
export const triggerMessage = (
  version: OcppVersion,
  message: "BootNotification" | "StatusNotification" | "MeterValues" | "Heartbeat",
  connector?: number
): Request =>
  request("TriggerMessage", {
    requestedMessage: message,
    ...(connector === undefined ? {} : version === "1.6" ? { connectorId: connector } : { evse: { id: connector } })
  })

/** Configuration keys of 1.6. */
export const getConfiguration = (keys: ReadonlyArray<string>): Request =>
  request("GetConfiguration", keys.length === 0 ? {} : { key: keys })

export const changeConfiguration = (key: string, value: string): Request =>
  request("ChangeConfiguration", { key, value })

/** A variable of the device model of 2.0.1. */
export interface Variable {
  readonly component: string
  readonly variable: string
}

export const setVariables = (variables: ReadonlyArray<Variable & { readonly value: string }>): Request =>
  request("SetVariables", {
    setVariableData: variables.map(({ component, value, variable }) => ({
      attributeValue: value,
      component: { name: component },
      variable: { name: variable }
    }))
  })

/** Asks for the inventory of 2.0.1, which comes in NotifyReport messages. */
export const getBaseReport = (requestId: number): Request =>
  request("GetBaseReport", { requestId, reportBase: "FullInventory" })

/** Whether a station of 1.6 takes charging profiles, and in which units. */
export const limitKeys = ["SupportedFeatureProfiles", "ChargingScheduleAllowedChargingRateUnit"] as const

const measurands = "Energy.Active.Import.Register,Power.Active.Import,Voltage,Current.Import"

/** Requests after a station has booted: measured values and their interval (seconds), and the inventory where there is one. */
export const configuration = (version: OcppVersion, meterInterval: number): ReadonlyArray<Request> =>
  version === "1.6"
    ? [
        changeConfiguration("MeterValueSampleInterval", String(meterInterval)),
        changeConfiguration("MeterValuesSampledData", measurands),
        getConfiguration([...limitKeys])
      ]
    : [
        setVariables([
          { component: "SampledDataCtrlr", variable: "TxUpdatedInterval", value: String(meterInterval) },
          { component: "SampledDataCtrlr", variable: "TxUpdatedMeasurands", value: measurands }
        ]),
        getBaseReport(1)
      ]
