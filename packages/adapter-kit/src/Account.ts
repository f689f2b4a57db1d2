import type { Alert } from "@edp/domain/alerts/Alert"
import type { CommandSlug, DeviceType } from "@edp/domain/devices/DeviceType"
import type { Intervention } from "@edp/domain/devices/Intervention"
import type { Coordinates } from "@edp/domain/shared/Address"
import type { HttpClient } from "effect/http"

/** A linked account, for a call of the adapter. */
export interface Account<Credentials> {
  /** The platform's id. */
  readonly id: string
  readonly externalId: string
  readonly credentials: Credentials
  /** Memory of the adapter from its last report, null at first. JSON. */
  readonly memory: unknown
  /** Calls are counted against the quotas, guarded, limited in time and size, and traced. */
  readonly http: HttpClient.HttpClient
}

export interface DiscoveredDevice {
  /** Unique among the manufacturer's devices of a workspace, and stable. */
  readonly manufacturerDeviceId: string
  readonly type: DeviceType
  readonly name: string
  readonly model: string
  readonly serialNumber: string | null
  readonly rawType: string | null
  readonly rawModel: string | null
  readonly modelYear: number | null
  /** In the form of the contract for the type; null if unknown. */
  readonly staticState: object | null
  readonly commands: ReadonlyArray<CommandSlug>
  /** Why the platform cannot read the device, as shown to users; null for a usable one. */
  readonly incompatible: string | null
  /** Obstacles that are known before the first reading, so that the person who connects the device sees them at once. */
  readonly interventions?: ReadonlyArray<Intervention>
}

/** A device of the account that the platform has stored. */
export interface LinkedDevice {
  readonly id: string
  readonly manufacturerDeviceId: string
  readonly type: DeviceType
}

/** A device as it was seen. */
export interface DeviceObservation {
  readonly manufacturerDeviceId: string
  /** Milliseconds since 1970: the manufacturer's time of the state, not that of the call. */
  readonly observedAt: number
  /** A complete reading in the contract's fields, units and signs; null if there is none, such as of an offline device. */
  readonly state: object | null
  readonly asleep: boolean
  /** The device does not respond to its manufacturer, and so is offline whenever its newest reading was taken. */
  readonly isUnreachable?: boolean
  /** The place of a vehicle, if its owner shares it. */
  readonly coordinates: Coordinates | null
  /** Null leaves the stored value. */
  readonly staticState: object | null
  readonly commands: ReadonlyArray<CommandSlug> | null
  /** Null leaves the stored interventions; an empty list says that there are none. */
  readonly interventions: ReadonlyArray<Intervention> | null
  /** Milliseconds since 1970: when the interventions were met, if not now, such as by an earlier command. */
  readonly interventionsAt?: number
  /** Values that the adapter did not understand, a sentence each. They are logged and raise one alert. */
  readonly problems: ReadonlyArray<string>
}

/** A reading of the past, such as one of a meter that the utility shows a day later. */
export interface PastReading {
  readonly manufacturerDeviceId: string
  /** Milliseconds since 1970: the time of the measurement. */
  readonly at: number
  /** A complete reading in the contract's fields, units and signs. */
  readonly state: object
}

export interface AdapterAlert {
  readonly manufacturerDeviceId: string | null
  /** The same problem has the same id, so that a repeated report updates its alert. */
  readonly externalId: string
  readonly type: Alert["type"]
  readonly subtype: Alert["subtype"]
  readonly severity: Alert["severity"]
  readonly title: string
  readonly description: string | null
  readonly providerCode: string | null
  /** True once the problem has ended. */
  readonly resolved: boolean
}

/** An account's devices as the adapter saw them. */
export interface AccountReport {
  readonly observations: ReadonlyArray<DeviceObservation>
  /**
   * Readings that become history, in any order. One at a time that has a reading already is left out, as is one that is older than
   * what is kept. The memory is stored after them: what is reported again after a crash changes nothing.
   */
  readonly history?: ReadonlyArray<PastReading>
  readonly alerts: ReadonlyArray<AdapterAlert>
  /** All devices of the account, if the adapter asked for them; null leaves the stored ones. */
  readonly devices: ReadonlyArray<DiscoveredDevice> | null
  /** How much happens, for the time of the next reading. */
  readonly activity: "busy" | "normal" | "idle" | "asleep"
  /** Replaces the account's memory unless undefined. JSON. */
  readonly memory?: unknown
}
