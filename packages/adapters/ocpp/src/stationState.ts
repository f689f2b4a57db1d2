import { keptText } from "./decoding.ts"
import type { Payload } from "./frames.ts"
import type { Session, StationIdentity, Step } from "./Session.ts"
import { deviceId, emit, findConnector, stationDevice, updateConnector, withSession } from "./connectors.ts"
import { enqueue } from "./outgoing.ts"
import { configuration } from "./requests.ts"
import { resolvedAlert, type StationAlert, stationAlert } from "./stationAlerts.ts"

/** The state after a call of the station, and the payload of its response. */
export interface Handled {
  readonly step: Step
  readonly response: Payload
}

export const handled = (step: Step, response: Payload = {}): Handled => ({ step, response })

/** Whether a token may charge. Tokens are compared without regard to case, as both versions have it. */
export const acceptsToken = ({ settings }: Session, token: string): boolean => {
  const same = (other: string) => other.toLowerCase() === token.toLowerCase()
  return settings.acceptedTokens === null || same(settings.remoteToken) || settings.acceptedTokens.some(same)
}

/** Characters of a text of the station that are kept. */
const MAX_TEXT = 255

/**
 * A station has started. Its open transactions stay: it goes on with them, or ends them when it has power again. The status
 * of its connectors is unknown until it reports it.
 */
export const acceptBoot = (step: Step, identity: StationIdentity, now: number): Handled => {
  const { settings, version } = step.session
  const response = { currentTime: new Date(now).toISOString(), interval: settings.heartbeatInterval }
  if (!settings.registered) return handled(step, { ...response, status: "Pending" })
  const bounded = (text: string | null) => (text === null ? null : keptText(text, MAX_TEXT))
  const known = withSession(step, {
    identity: {
      vendor: keptText(identity.vendor, MAX_TEXT),
      model: keptText(identity.model, MAX_TEXT),
      serialNumber: bounded(identity.serialNumber),
      firmwareVersion: bounded(identity.firmwareVersion)
    },
    bootedAt: now
  })
  const unknown = known.session.connectors.reduce(
    (next, { number }) =>
      updateConnector(next, number, { status: null, statusAt: null, power: null, voltage: null, current: null }),
    known
  )
  const devices = unknown.session.connectors.map((connector) => stationDevice(unknown.session, connector))
  const configured = configuration(version, settings.meterInterval).reduce(
    (next, request) => enqueue(next, request),
    emit(unknown, { devices })
  )
  return handled(configured, { ...response, status: "Accepted" })
}

/** A fault of the station as a whole is reported on its first connector. */
const faultyConnector = (session: Session, connector: number) =>
  connector > 0 ? connector : (session.connectors[0]?.number ?? 1)

/** Reports a fault once: while it holds, the same one is left out. */
export const raiseFault = (
  step: Step,
  connector: number,
  code: string,
  about: Omit<Parameters<typeof stationAlert>[1], "manufacturerDeviceId">
): Step => {
  const number = faultyConnector(step.session, connector)
  const alert = stationAlert(code, { manufacturerDeviceId: deviceId(step.session, number), ...about })
  const open = findConnector(step.session, number)?.alerts ?? []
  return open.includes(alert.externalId)
    ? step
    : emit(updateConnector(step, number, { alerts: [...open, alert.externalId] }), { alerts: [alert] })
}

/** Ends the open faults of a connector except one. */
export const resolveFaults = (step: Step, connector: number, except: string | null, at: number): Step => {
  // A station that is well as a whole says nothing about a fault of its connectors.
  if (connector === 0) return step
  const { session } = step
  const id = deviceId(session, connector)
  const open = findConnector(session, connector)?.alerts ?? []
  const kept = except === null ? [] : open.filter((alert) => alert === `${id}:${except}`)
  const ended: ReadonlyArray<StationAlert> = open
    .filter((alert) => !kept.includes(alert))
    .map((alert) => resolvedAlert(alert, id, at))
  return ended.length === 0 ? step : emit(updateConnector(step, connector, { alerts: kept }), { alerts: ended })
}

/** Ends one fault of a connector. */
export const resolveFault = (step: Step, connector: number, code: string, at: number): Step => {
  const number = faultyConnector(step.session, connector)
  const id = deviceId(step.session, number)
  const open = findConnector(step.session, number)?.alerts ?? []
  const ended = `${id}:${code}`
  return open.includes(ended)
    ? emit(updateConnector(step, number, { alerts: open.filter((alert) => alert !== ended) }), {
        alerts: [resolvedAlert(ended, id, at)]
      })
    : step
}
