import { Effect } from "effect"
import type { AdapterRecords } from "@edp/adapter-kit/AdapterHost"
import type { Connector, Session } from "./Session.ts"

/** Counts changes of the stored form. A session in another form is begun anew. */
const FORMAT = 1

/** The connection of a station that may write its session. */
export interface Holder {
  /** The process. */
  readonly instance: string
  readonly connection: string
}

interface StoredSession {
  readonly format: number
  /** Null while the station is not connected. */
  readonly holder: Holder | null
  readonly session: Session
}

/** A session as it was read, with the version that the next write replaces: 0 if there is none. */
export interface LoadedSession {
  readonly version: number
  readonly holder: Holder | null
  readonly session: Session | null
}

const nothing: LoadedSession = { version: 0, holder: null, session: null }

const sessionKey = (stationId: string) => `station/${stationId}`
const instanceKey = (instance: string) => `instance/${instance}`

/** An instance that has not been heard of for so long has died, and its connections with it. */
const INSTANCE_DIES_AFTER_MS = 60_000
const FORGET_INSTANCES_AFTER_MS = 3_600_000

/** Sessions of stations in the records of the platform, and which instance holds the connection of each. */
export const makeSessionStore = (records: AdapterRecords, instance: string) => {
  let heartbeat = 0

  const readInstance = (other: string) =>
    Effect.map(
      records.get(instanceKey(other)),
      (found) => (found?.value as { readonly seenAt: number } | undefined)?.seenAt
    )

  return {
    instance,
    load: (stationId: string): Effect.Effect<LoadedSession> =>
      Effect.map(records.get(sessionKey(stationId)), (found) => {
        if (found === undefined) return nothing
        const { format, holder, session } = found.value as StoredSession
        return { version: found.version, holder, session: format === FORMAT ? session : null }
      }),
    /** Whether the session was written: false if somebody else has written it since it was read. */
    save: (stationId: string, version: number, holder: Holder | null, session: Session): Effect.Effect<boolean> =>
      records.put(sessionKey(stationId), version, { format: FORMAT, holder, session } satisfies StoredSession),
    remove: (stationId: string): Effect.Effect<void> => records.remove(sessionKey(stationId)),
    /** Shows the other instances that this one runs. */
    beat: (now: number): Effect.Effect<void> =>
      Effect.map(records.put(instanceKey(instance), heartbeat, { seenAt: now }), (written) => {
        if (written) heartbeat += 1
      }),
    isAlive: (other: string, now: number): Effect.Effect<boolean> =>
      Effect.map(readInstance(other), (seenAt) => seenAt !== undefined && now - seenAt < INSTANCE_DIES_AFTER_MS),
    leave: records.remove(instanceKey(instance)),
    /** Removes what instances that have died left behind. */
    forgetInstances: (now: number): Effect.Effect<void> =>
      Effect.flatMap(records.list(instanceKey(""), 100), (all) =>
        Effect.forEach(
          all.filter(({ value }) => now - (value as { readonly seenAt: number }).seenAt > FORGET_INSTANCES_AFTER_MS),
          ({ key }) => records.remove(key),
          { discard: true }
        )
      )
  }
}
export type SessionStore = ReturnType<typeof makeSessionStore>

/** The values of a connector that are worth a write of their own. Measured ones are not: the station sends new ones. */
const storedConnector = ({
  alerts,
  maxPower,
  number,
  paused,
  pausedTransaction,
  plug,
  status,
  transactionId
}: Connector) => [number, status, transactionId, maxPower, alerts, plug, paused, pausedTransaction]

const stored = ({ bootedAt, commands, connectors, ended, identity, starts, transactions, version }: Session) =>
  JSON.stringify([version, bootedAt, identity, connectors.map(storedConnector), transactions, starts, ended, commands])

/** Whether a session has to be written again. */
export const isWorthStoring = (before: Session, after: Session): boolean =>
  before !== after && stored(before) !== stored(after)
