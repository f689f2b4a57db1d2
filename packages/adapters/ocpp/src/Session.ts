import type { ChargerReading } from "@edp/domain/devices/DeviceState"
import type { Call, CallError, CallResult, OcppVersion } from "./frames.ts"
import type { StationAlert } from "./stationAlerts.ts"

/** The settings of a station's session. */
export interface StationSettings {
  /** The name in the path of the station's WebSocket; part of its devices' ids. */
  readonly stationId: string
  /** Whether the operator has accepted the station; until then it may only announce itself. */
  readonly registered: boolean
  /** Milliseconds in which the station has to respond to a request. */
  readonly respondWithin: number
  /** Seconds between heartbeats. */
  readonly heartbeatInterval: number
  /** Seconds between meter values during a transaction. */
  readonly meterInterval: number
  /** The token under which commands start transactions; at most 20 characters. */
  readonly remoteToken: string
  /** Tokens that may charge; null accepts every token, as at a home. */
  readonly acceptedTokens: ReadonlyArray<string> | null
}

/** The status of a connector in the words of 1.6; those of 2.0.1 are mapped to them. */
export type ConnectorStatus =
  | "Available"
  | "Preparing"
  | "Charging"
  | "SuspendedEV"
  | "SuspendedEVSE"
  | "Finishing"
  | "Reserved"
  | "Unavailable"
  | "Faulted"
  | "Occupied"

/** A connector of a 1.6 station, an EVSE of a 2.0.1 station. It is one device. Times are milliseconds since 1970. */
export interface Connector {
  readonly number: number
  readonly status: ConnectorStatus | null
  readonly statusAt: number | null
  /** When the status arrived, by our clock; absent in sessions that were stored without it. */
  readonly statusSeenAt?: number | null
  readonly transactionId: string | null
  /** W, V and A of the newest meter value; null where it had none. */
  readonly power: number | null
  readonly voltage: number | null
  readonly current: number | null
  readonly measuredAt: number | null
  /** Wh, cumulative over the life of the meter; its newest value survives reboots. */
  readonly importedEnergy: number | null
  /** When that was measured; absent before. */
  readonly registerAt?: number
  /** W, the rated power that the station reports in its inventory. */
  readonly maxPower: number | null
  /** Ids of open alerts. */
  readonly alerts: ReadonlyArray<string>
  /** The occupied socket of an EVSE that has several; 2.0.1 only. */
  readonly plug: number | null
  /** Whether we hold its power at 0 by a charging profile. */
  readonly paused: boolean
  /** The transaction with which that profile ends; absent or null for a profile that outlives transactions. */
  readonly pausedTransaction?: string | null
  /** W to which our charging profile limits it until the transaction ends; absent or null without one. */
  readonly limit?: number | null
  /** W per ampere of one phase, as it was measured while it charged: the voltage of all phases. Absent before. */
  readonly wattsPerAmpere?: number
}

export interface Transaction {
  /** An integer of ours in 1.6, a text of the station in 2.0.1. */
  readonly id: string
  readonly connector: number
  readonly startedAt: number | null
  /** Wh, the register when it began. */
  readonly meterStart: number | null
  /** The newest sequence number of 2.0.1, and the newest time of its events. */
  readonly seqNo: number | null
  readonly eventAt: number | null
  /** Whether the station says in its events if it charges. Otherwise its measured values tell. */
  readonly tellsState: boolean
}

export type ChargingMode = "start-charging" | "stop-charging"

/** A command between its arrival and its result. */
export interface OpenCommand {
  readonly id: string
  readonly mode: ChargingMode
  readonly connector: number
  readonly issuedAt: number
  /** Seconds after which the station itself ends a pause; absent where it is to last. */
  readonly revertAfter?: number
  /** W, only with start-charging; the greatest power without it. */
  readonly targetPowerW?: number
  /** The connector charged already, so that only the station's response indicates whether it keeps to the new power. */
  readonly awaitsResponse?: boolean
  /** The limit from before, which holds if the station refuses this one. */
  readonly limitBefore?: number | null
  /** The status before it was sent; absent in sessions of an earlier version. */
  readonly statusBefore?: ConnectorStatus | null
  /** W with which it charged before; null if it did not charge, absent if the power is not known. */
  readonly powerBefore?: number | null
}

export interface NewCommand extends Omit<
  OpenCommand,
  "issuedAt" | "awaitsResponse" | "limitBefore" | "statusBefore" | "powerBefore"
> {
  /** The settings from before are not stored, since nothing was to be sent: then nothing may be sent. */
  readonly unsaved?: boolean
}

/** A request of ours: at most one waits for its response, as the standard demands; the others are queued. */
export interface OutgoingRequest {
  readonly call: Call
  readonly commandId: string | null
  readonly sentAt: number | null
}

/** The state of a station, plain data that can be stored as JSON. It outlives connections and reboots. */
export interface Session {
  readonly version: OcppVersion
  readonly settings: StationSettings
  readonly connected: boolean
  /** When the present connection began; absent in sessions that were stored without it. */
  readonly connectedAt?: number
  readonly lastMessageAt: number | null
  readonly bootedAt: number | null
  readonly identity: StationIdentity | null
  /** The unit in which it takes limits; absent or null if it takes none, or has not reported it yet. */
  readonly limitUnit?: "W" | "A" | null
  readonly connectors: ReadonlyArray<Connector>
  readonly transactions: ReadonlyArray<Transaction>
  /** Responses of recent StartTransaction by their content, for stations that repeat one. */
  readonly starts: ReadonlyArray<{ readonly content: string; readonly transactionId: string }>
  /** Ids of transactions that ended recently. */
  readonly ended: ReadonlyArray<string>
  readonly nextTransactionId: number
  readonly nextMessageId: number
  readonly pending: OutgoingRequest | null
  readonly queue: ReadonlyArray<OutgoingRequest>
  readonly commands: ReadonlyArray<OpenCommand>
}

export interface StationIdentity {
  readonly vendor: string
  readonly model: string
  readonly serialNumber: string | null
  readonly firmwareVersion: string | null
}

export type Incoming =
  | { readonly _tag: "Connected"; readonly version: OcppVersion }
  | { readonly _tag: "Disconnected" }
  | { readonly _tag: "Message"; readonly text: string }
  | ({ readonly _tag: "Command" } & NewCommand)
  /** Nobody waits for a command any more: its request is not sent unless it already was. */
  | { readonly _tag: "Withdraw"; readonly id: string }
  /** Time has passed: unanswered requests end. */
  | { readonly _tag: "Tick" }

/** A reading of one connector. */
export interface StationReading {
  readonly manufacturerDeviceId: string
  /** Milliseconds since 1970, of the station where it gave a plausible time. */
  readonly observedAt: number
  readonly state: typeof ChargerReading.Type
}

export interface StationDevice {
  readonly manufacturerDeviceId: string
  readonly connector: number
  readonly serialNumber: string | null
  readonly rawType: string
  readonly rawModel: string | null
  readonly staticState: Readonly<Record<string, string | number>>
}

/** The reasons for which this adapter fails or shortens a command. */
export type CommandReason =
  | "unreachable"
  | "refused"
  | "precondition_not_plugged_in"
  | "precondition_unmet"
  | "contradicted_by_state"
  | "already_so"

export interface CommandOutcome {
  readonly commandId: string
  readonly status: "delivered" | "completed" | "failed"
  readonly reason: CommandReason | null
  readonly upstream: {
    readonly statusCode: null
    readonly errorCode: string | null
    readonly errorMessage: string | null
    readonly requestId: string | null
  } | null
}

export interface Effects {
  /** Responses to the station, to be sent first. */
  readonly replies: ReadonlyArray<CallResult | CallError>
  /** Requests of ours, to be sent after the responses. */
  readonly requests: ReadonlyArray<Call>
  readonly readings: ReadonlyArray<StationReading>
  readonly alerts: ReadonlyArray<StationAlert>
  /** Devices that are new or whose description changed. */
  readonly devices: ReadonlyArray<StationDevice>
  readonly outcomes: ReadonlyArray<CommandOutcome>
}

export interface Step extends Effects {
  readonly session: Session
}

export const noEffects: Effects = { replies: [], requests: [], readings: [], alerts: [], devices: [], outcomes: [] }

export const newSession = (version: OcppVersion, settings: StationSettings): Session => ({
  version,
  settings,
  connected: false,
  lastMessageAt: null,
  bootedAt: null,
  identity: null,
  connectors: [],
  transactions: [],
  starts: [],
  ended: [],
  nextTransactionId: 1,
  nextMessageId: 1,
  pending: null,
  queue: [],
  commands: []
})
