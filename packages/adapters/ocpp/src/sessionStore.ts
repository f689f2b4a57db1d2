import { Effect } from "effect"
import type { AdapterRecords } from "@edp/adapter-kit/AdapterHost"
import { type Holder, makeConnectionHolders } from "@edp/adapter-kit/inbound/connectionHolders"
import type { Connector, Session } from "./Session.ts"

/** Counts changes of the stored form. A session in another form is begun anew. */
const FORMAT = 1

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

/** Sessions of stations in the records of the platform, and which instance holds the connection of each. */
export const makeSessionStore = (records: AdapterRecords, instance: string) => ({
  ...makeConnectionHolders(records, instance),
  load: (stationId: string): Effect.Effect<LoadedSession> =>
    Effect.map(records.get(sessionKey(stationId)), (found) => {
      if (found === undefined) return nothing
      const { format, holder, session } = found.value as StoredSession
      return { version: found.version, holder, session: format === FORMAT ? session : null }
    }),
  /** Whether the session was written: false if somebody else has written it since it was read. */
  save: (stationId: string, version: number, holder: Holder | null, session: Session): Effect.Effect<boolean> =>
    records.put(sessionKey(stationId), version, { format: FORMAT, holder, session } satisfies StoredSession),
  remove: (stationId: string): Effect.Effect<void> => records.remove(sessionKey(stationId))
})
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
