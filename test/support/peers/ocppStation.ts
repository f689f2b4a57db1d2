import type { OcppVersion } from "@edp/adapter-ocpp/frames"
import {
  type Incoming,
  type NewCommand,
  newSession,
  type Session,
  type StationSettings
} from "@edp/adapter-ocpp/Session"
import { step } from "@edp/adapter-ocpp/step"

export const T0 = Date.parse("2026-03-01T12:00:00Z")
export const MINUTE = 60_000
export const iso = (time: number) => new Date(time).toISOString()

export const settings: StationSettings = {
  stationId: "CP-1",
  registered: true,
  respondWithin: 30_000,
  heartbeatInterval: 300,
  meterInterval: 60,
  remoteToken: "EDP",
  acceptedTokens: null
}

/** A station as a test plays it: it keeps the session between steps and collects what came of them. */
export const playStation = (version: OcppVersion, overrides: Partial<StationSettings> = {}) => {
  let session: Session = newSession(version, { ...settings, ...overrides })
  let now = T0
  let id = 0
  const take = (incoming: Incoming) => {
    const { session: next, ...effects } = step(session, incoming, now)
    // The session has to survive being stored.
    session = JSON.parse(JSON.stringify(next))
    return effects
  }
  const say = (text: string) => take({ _tag: "Message", text })
  const station = {
    session: () => session,
    now: () => now,
    wait: (milliseconds: number) => void (now += milliseconds),
    take,
    say,
    connect: () => take({ _tag: "Connected", version }),
    disconnect: () => take({ _tag: "Disconnected" }),
    call: (action: string, payload: unknown) => say(JSON.stringify([2, `s-${++id}`, action, payload])),
    /** Responds to the request that waits. */
    respond: (payload: unknown) => say(JSON.stringify([3, session.pending!.call.id, payload])),
    /** Responds to every waiting request until none is left, as a station does after its start. */
    respondAll: () => {
      while (session.pending !== null) station.respond({ status: "Accepted" })
    },
    command: (commandId: string, mode: "start-charging" | "stop-charging", more: Partial<NewCommand> = {}) =>
      take({ _tag: "Command", id: commandId, connector: 1, mode, ...more })
  }
  return station
}
