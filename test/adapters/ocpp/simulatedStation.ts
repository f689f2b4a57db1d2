import { createRequire } from "node:module"
import { atEnd, type Login } from "./platform.ts"

/** The part of `em-ocpp-chargepoint-simulator` that is used here. It has no types. */
export interface Chargepoint {
  readonly sendBootnotification: (payload: object) => Promise<{ readonly status: string }>
  readonly sendStatusNotification: (payload: object) => Promise<unknown>
  readonly sendHeartbeat: () => Promise<{ readonly currentTime: string }>
  readonly sendAuthorize: (payload: object) => Promise<{ readonly idTagInfo: { readonly status: string } }>
  readonly startTransaction: (payload: object) => Promise<{ readonly transactionId: number }>
  readonly meterValues: (payload: object) => Promise<unknown>
  readonly stopTransaction: (payload: object) => Promise<unknown>
  readonly answerRemoteStartTransaction: (respond: (request: ServerRequest) => void) => void
  readonly answerRemoteStopTransaction: (respond: (request: ServerRequest) => void) => void
  readonly answerChangeConfiguration: (respond: (request: ServerRequest) => void) => void
  readonly answerGetConfiguration: (respond: (request: ServerRequest) => void) => void
  readonly answerTriggerMessage: (message: string, respond: (request: ServerRequest) => void) => void
  readonly sendResponse: (id: string, payload: object) => void
  readonly close: () => void
}
export interface ServerRequest {
  readonly uniqueId: string
  readonly payload: any
}

const { chargepointFactory } = createRequire(import.meta.url)(
  "em-ocpp-chargepoint-simulator/build/src/chargepoint.js"
) as { readonly chargepointFactory: (url: string, name?: string) => Promise<Chargepoint> }

/** A station on `em-ocpp-chargepoint-simulator`. */
export const simulatedStation = async ({ url }: { readonly url: string }, { password, stationId }: Login) => {
  const station = await chargepointFactory(`${url.replace("//", `//${stationId}:${password}@`)}/ocpp/${stationId}`)
  atEnd(() => station.close())
  return station
}
