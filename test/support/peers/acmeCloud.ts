import { Effect } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"

export const ACME_KEY = "canary-acme-key-4711"

/** The made-up manufacturer's API, in the shape of its recorded responses. */
export const acmeCloud = () => {
  let reserve = 20
  let mode = "self"
  let isRefused = false
  let isThrottled = false
  const responses: Readonly<Record<string, () => unknown>> = {
    "GET /v1/profile": () => ({ id: "customer-7", name: "Ada's home" }),
    "GET /v1/systems": () => ({
      systems: [{ id: "b 1", name: "Garage", model: "Acme 10", serial: "S-1", capacityKwh: 10 }]
    }),
    "GET /v1/systems/b%201/live": () => ({
      at: "2026-05-02T14:30:10Z",
      stateOfCharge: 63,
      batteryKw: 1.2,
      reserve,
      mode
    })
  }
  const respond = (request: Request) => {
    const { pathname } = new URL(request.url)
    const error = (status: number, code: string, headers: Readonly<Record<string, string>> = {}) =>
      Response.json({ error: { code, message: `${code} for ${ACME_KEY.slice(0, 6)}` } }, { status, headers })
    if (isRefused || request.headers.get("authorization") !== `Bearer ${ACME_KEY}`) return error(401, "bad_key")
    if (isThrottled) return error(429, "slow_down", { "retry-after": "120" })
    if (request.method === "PUT") return Response.json({})
    const found = responses[`${request.method} ${pathname}`]
    return found === undefined ? error(404, "not_found") : Response.json(found())
  }
  const http = HttpClient.make((request, url) =>
    Effect.sync(() => {
      if (request.method === "PUT" && request.body._tag === "Uint8Array") {
        reserve = JSON.parse(new TextDecoder().decode(request.body.body)).percent
      }
      return HttpClientResponse.fromWeb(
        request,
        respond(new Request(url, { method: request.method, headers: { ...request.headers } }))
      )
    })
  )
  return {
    http,
    sendUnknownValues: () => (mode = "quantum"),
    refuse: () => (isRefused = true),
    throttle: () => (isThrottled = true),
    unthrottle: () => (isThrottled = false)
  }
}
