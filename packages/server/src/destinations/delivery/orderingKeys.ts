import { Schema } from "effect" /**
 * Deliveries of one destination with the same ordering key are sent one after the other. The key is the event's subject,
 * or the delivery's own id once later events have overtaken it. The tables call it `lane`.
 */
export const OrderingKey = Schema.Struct({ destinationId: Schema.String, orderingKey: Schema.String })
export type OrderingKey = typeof OrderingKey.Type

/** The lease of a key. */
export const KeyLease = Schema.Struct({ ...OrderingKey.fields, claim: Schema.String })
export type KeyLease = typeof KeyLease.Type

export const keyName = ({ destinationId, orderingKey }: OrderingKey): string => `${destinationId} ${orderingKey}`

/** A key on which this process has a lease, with the newest sequence that it held when it was claimed. */
export const ClaimedKey = Schema.Struct({ ...OrderingKey.fields, workspaceId: Schema.String, newest: Schema.Finite })
export type ClaimedKey = typeof ClaimedKey.Type

/** A pending delivery of a claimed key. */
export const DueDelivery = Schema.Struct({
  ...OrderingKey.fields,
  id: Schema.String,
  eventId: Schema.String,
  sequence: Schema.Finite,
  failures: Schema.Finite
})
export type DueDelivery = typeof DueDelivery.Type

/** The end of a claim. */
export interface ReleasedKey extends KeyLease {
  /** Whether every delivery that was read is finished or was overtaken. */
  readonly isEmpty: boolean
  /** When the rest may be claimed; null for at once. */
  readonly dueAt: Date | null
  /** The newest sequence that is certainly finished or overtaken. */
  readonly done: number
}

/** The limits of one claim. */
export interface ClaimLimits {
  /** Only these destinations, or all but these. */
  readonly only?: ReadonlyArray<string>
  readonly except?: ReadonlyArray<string>
  /** Keys that this process has of each destination. */
  readonly byDestination: ReadonlyArray<{ readonly destinationId: string; readonly count: number }>
  /** Keys of one destination, those that this process has included; more for some destinations. */
  readonly each: number
  readonly more?: { readonly of: ReadonlyArray<string>; readonly each: number }
  /** Keys in total. One workspace gets at most as many as stay free after it. */
  readonly all: number
  /** Keys that this process has of each workspace. */
  readonly byWorkspace: ReadonlyArray<{ readonly workspaceId: string; readonly count: number }>
}
