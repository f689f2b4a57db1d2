/**
 * How long a claim lasts unless it is renewed, by the database's clock. The work of a process that died is claimed again
 * after this time.
 */
export const LEASE_SECONDS = 10

/**
 * Deliveries of one destination with the same ordering key are sent one after the other. The key is the event's subject,
 * or the delivery's own id once later events have overtaken it. The tables call it `lane`.
 */
export interface OrderingKey {
  readonly destinationId: string
  readonly orderingKey: string
}

/** A key on which this process has a lease, with the newest sequence that it held when it was claimed. */
export interface ClaimedKey extends OrderingKey {
  readonly workspaceId: string
  readonly newest: number
}

/** A pending delivery of a claimed key. */
export interface DueDelivery extends OrderingKey {
  readonly id: string
  readonly eventId: string
  readonly sequence: number
  readonly failures: number
}

/** The end of a claim. */
export interface ReleasedKey extends OrderingKey {
  readonly claim: string
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
