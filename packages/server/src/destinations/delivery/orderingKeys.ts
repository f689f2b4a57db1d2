/**
 * How long a claim lasts unless it is renewed, by the database's clock. What a worker that died had in hand comes back
 * after this time.
 */
export const CLAIM_SECONDS = 10

/** How far a workspace's events have been given to its destinations. */
export interface Cursor {
  readonly workspaceId: string
  /** How many of its destinations are active. */
  readonly destinations: number
  readonly sequence: number
  readonly since: Date
}

export interface Lane {
  readonly destinationId: string
  readonly lane: string
}

/** A lane that a worker has taken, with the newest sequence that it held then. */
export interface TakenLane extends Lane {
  readonly workspaceId: string
  readonly newest: number
}

/** A delivery that is next in a lane. */
export interface Due extends Lane {
  readonly id: string
  readonly eventId: string
  readonly sequence: number
  readonly failures: number
}

/** What a worker leaves of a lane. */
export interface LaneOutcome extends Lane {
  readonly claim: string
  /** Whether everything that the worker saw of it is done or was passed. */
  readonly isEmpty: boolean
  /** When the lane may be taken again, if there is something left; null for at once. */
  readonly dueAt: Date | null
  /** The newest sequence that the worker knows to be done or passed. */
  readonly done: number
}

/** What one look for due lanes may take. */
export interface Room {
  /** Of these destinations alone, or of all others. */
  readonly only?: ReadonlyArray<string>
  readonly except?: ReadonlyArray<string>
  /** How many lanes of destinations are worked on already. */
  readonly busy: ReadonlyArray<{ readonly destinationId: string; readonly count: number }>
  /** At most so many of one destination, those that are worked on included; of some destinations so many. */
  readonly each: number
  readonly more?: { readonly of: ReadonlyArray<string>; readonly each: number }
  /** At most so many of all, and of one workspace so many that it has no more than are free then. */
  readonly all: number
  /** How many lanes of workspaces are worked on already. */
  readonly held: ReadonlyArray<{ readonly workspaceId: string; readonly count: number }>
}

/** A try and what it makes of its delivery. */
export interface Attempt {
  readonly deliveryId: string
  readonly destinationId: string
  readonly attemptedAt: string
  readonly durationMs: number
  readonly statusCode: number | null
  readonly error: string | null
  readonly responseBody: string | null
  readonly status: "succeeded" | "pending" | "failed"
  readonly failures: number
  readonly nextAt: string | null
  /** The lane that it is in from now on. */
  readonly lane: string
  readonly sequence: number
}

/** What a destination's last tries say of itself. */
export interface Health {
  readonly destinationId: string
  readonly succeeded: boolean
}
