import { makeClient } from "@edp/domain/Client"
import type { ClientOptions } from "@edp/domain/client/retries"
import { Effect, Redacted } from "effect"
import { HttpClient, HttpClientError, type HttpClientRequest, HttpClientResponse } from "effect/http"

export const SECRET = "server_secret"
const key = Redacted.make(SECRET)

export const id = "cmj2k8x4a0q3v7n1r5t9w2y6b"

export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}) =>
  (): Response =>
    new Response(body === undefined ? null : JSON.stringify(body), {
      status,
      headers: { "content-type": "application/json", ...headers }
    })

export const emptyPage = { data: [], page: 1, perPage: 10, totalItems: 0, totalPages: 0 }
export const workspace = {
  id,
  organizationId: id,
  name: "Pilot",
  deletionProtection: false,
  logoUrl: null,
  accentColor: null,
  contactEmail: null,
  contactPhone: null,
  contactUrl: null,
  temperatureUnit: "F",
  distanceUnit: "mi",
  connectRedirects: [],
  pausedAt: null,
  timezone: "UTC",
  createdAt: "2026-01-01T00:00:00.000Z",
  updatedAt: "2026-01-01T00:00:00.000Z"
}

export const limited = json(429, { code: "RATE_LIMITED", message: "slow down", retryAfter: 7 }, { "retry-after": "7" })
export const unknown = json(500, { code: "UNKNOWN_ERROR", message: "oops" })
export const unavailable = json(502, { code: "SERVICE_UNAVAILABLE", message: "later" })
export const missing = json(404, { code: "DEVICE_NOT_FOUND", message: "none" })

export const refused = (): Response => {
  throw new TypeError("fetch failed")
}

/** A service that gives these responses one after another, the last one again and again; and a client of it. */
export const answering = (
  responses: ReadonlyArray<() => Response>,
  options: Partial<Omit<ClientOptions, "key">> = {}
) => {
  const seen: Array<HttpClientRequest.HttpClientRequest> = []
  const http = HttpClient.make((request) => {
    seen.push(request)
    const respond = responses[Math.min(seen.length, responses.length) - 1]!
    return Effect.try({
      try: () => HttpClientResponse.fromWeb(request, respond()),
      catch: (cause) =>
        new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request, cause }) })
    })
  })
  const client = makeClient({ baseUrl: "http://service.test", key, ...options }).pipe(
    Effect.provideService(HttpClient.HttpClient, http)
  )
  return { client, seen }
}
