import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { newKey, page, refusal, run } from "../fakeService.ts"

const env = { EDP_KEY_SERVER: newKey("SERVER"), EDP_URL: "http://service.test" }
const id = "cmj2k8x4a0q3v7n1r5t9w2y6b"
const moment = "2026-01-01T00:00:00.000Z"
const secret = "whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0"
const destination = {
  id,
  workspaceId: id,
  label: "Back end",
  destinationType: "WEBHOOK",
  deviceType: null,
  eventTypes: ["ALERT_CREATED"],
  url: "https://example.com/events",
  email: null,
  phoneNumber: null,
  secret,
  headers: { Authorization: "Bearer of good news" },
  includeWeather: null,
  kafkaConfig: null,
  manufacturer: null,
  deactivated: false,
  deactivatedAt: null,
  deactivatedReason: null,
  failingSince: null,
  createdAt: moment,
  updatedAt: moment
}
const delivery = {
  id,
  destinationId: id,
  eventId: id,
  eventType: "ALERT_CREATED",
  status: "failed",
  nextAttemptAt: null,
  attempts: [{ attemptedAt: moment, statusCode: 500, durationMs: 12, error: "Answered 500", responseBody: "no" }],
  createdAt: moment,
  completedAt: moment
}
const sent = { succeeded: true, statusCode: 204, durationMs: 12, error: null, responseBody: null }

describe("edp destinations", () => {
  it.effect("list sends its filters and shows the target of each", () =>
    Effect.gen(function* () {
      const off = { ...destination, deactivated: true, url: "https://example.com/off" }
      const args = ["destinations", "list", "--type", "WEBHOOK", "--workspace", "w1"]
      const failing = { ...destination, failingSince: moment, url: "https://example.com/down" }
      const routes = { "GET /v1/destinations": () => page([destination, off, failing]) }
      const { requests, stdout } = yield* run(args, { env, routes })
      expect(requests[0]?.query).toEqual({ destinationType: "WEBHOOK", workspaceId: "w1" })
      expect(stdout).toMatch(/active +https:\/\/example\.com\/events/)
      expect(stdout).toMatch(/failing +https:\/\/example\.com\/down/)
      expect(stdout).toMatch(/deactivated +https:\/\/example\.com\/off/)
    })
  )

  it.effect("create sends the given fields, and shows the secret", () =>
    Effect.gen(function* () {
      const routes = { "POST /v1/destinations": () => destination }
      const made = yield* run(
        [
          "destinations",
          "create",
          "--url-to",
          destination.url,
          "--event",
          "ALERT_CREATED",
          "--event",
          "SITE_CREATED",
          "--header",
          "X-Team: a: b",
          "--weather",
          "--devices",
          "BATTERIES",
          "--label",
          "Back end"
        ],
        { env, routes }
      )
      expect(made.requests[0]?.body).toEqual({
        destinationType: "WEBHOOK",
        url: destination.url,
        eventTypes: ["ALERT_CREATED", "SITE_CREATED"],
        headers: { "X-Team": "a: b" },
        includeWeather: true,
        deviceType: "BATTERIES",
        label: "Back end"
      })
      expect([made.code, made.stdout.includes(secret)]).toEqual([0, true])
      const kafka = { brokers: ["kafka-1.example.com:9092"], topic: "events" }
      const args = ["destinations", "create", "--type", "KAFKA", "--event", "SITE_CREATED", "--kafka"]
      const cluster = yield* run([...args, JSON.stringify(kafka)], { env, routes })
      expect(cluster.requests[0]?.body).toMatchObject({ destinationType: "KAFKA", kafkaConfig: kafka })
    })
  )

  it.effect("create and update reject invalid headers and clusters, and an update without a change", () =>
    Effect.gen(function* () {
      for (const args of [
        ["create", "--header", "no colon"],
        ["create", "--kafka", "kafka-1:9092"],
        ["update", id],
        ["update", id, "--label", "x", "--clear", "label"]
      ]) {
        expect(yield* run(["destinations", ...args], { env, routes: {} })).toMatchObject({ code: 2, requests: [] })
      }
    })
  )

  it.effect("show hides the secret and the values of headers by default", () =>
    Effect.gen(function* () {
      const routes = { "GET /v1/destinations/*": () => destination }
      const hidden = yield* run(["destinations", "show", id], { env, routes })
      expect([hidden.stdout.includes(secret), hidden.stdout.includes("good news")]).toEqual([false, false])
      expect(hidden.stdout).toContain("Authorization")
      const shown = yield* run(["destinations", "show", id, "--secret"], { env, routes })
      expect([shown.stdout.includes(secret), shown.stdout.includes("good news")]).toEqual([true, true])
    })
  )

  it.effect("update sends only the given fields, and null for cleared ones", () =>
    Effect.gen(function* () {
      const routes = { "PATCH /v1/destinations/*": () => destination }
      const args = ["destinations", "update", id, "--event", "SITE_CREATED", "--clear", "headers", "--clear", "devices"]
      const { requests } = yield* run(args, { env, routes })
      expect(requests[0]?.body).toEqual({ eventTypes: ["SITE_CREATED"], headers: null, deviceType: null })
    })
  )

  it.effect("rotate-secret shows the new secret, and activate shows the destination", () =>
    Effect.gen(function* () {
      const routes = { "POST /v1/destinations/*": () => destination }
      const rotated = yield* run(["destinations", "rotate-secret", id], { env, routes })
      expect([rotated.requests[0]?.path, rotated.stdout.includes(secret)]).toEqual([
        `/v1/destinations/${id}/rotate-secret`,
        true
      ])
      const activated = yield* run(["destinations", "activate", id], { env, routes })
      expect([activated.requests[0]?.path, activated.code]).toEqual([`/v1/destinations/${id}/activate`, 0])
    })
  )

  it.effect("test shows the response, and fails when the sample is not accepted", () =>
    Effect.gen(function* () {
      const args = ["destinations", "test", id]
      const taken = yield* run(args, { env, routes: { "POST /v1/destinations/*": () => sent } })
      expect([taken.code, /took +12 ms/.test(taken.stdout)]).toEqual([0, true])
      const failed = { ...sent, succeeded: false, statusCode: 500, error: "Answered 500", responseBody: "no" }
      const refused = yield* run(args, { env, routes: { "POST /v1/destinations/*": () => failed } })
      expect([refused.code, refused.stderr]).toEqual([1, "NOT_DELIVERED: Answered 500"])
    })
  )

  it.effect("test and trigger send a sample of the requested type", () =>
    Effect.gen(function* () {
      const routes = { "POST /v1/destinations/*": () => sent }
      const tested = yield* run(["destinations", "test", id, "--type", "SITE_CREATED"], { env, routes })
      expect(tested.requests[0]).toMatchObject({
        path: `/v1/destinations/${id}/test`,
        body: { type: "SITE_CREATED" }
      })
      const plain = yield* run(["destinations", "test", id], { env, routes })
      expect(plain.requests[0]?.body).toEqual({})
      const triggered = yield* run(["trigger", "SITE_DELETED", "--destination", id], { env, routes })
      expect(triggered.requests.map(({ body }) => body)).toEqual([{ type: "SITE_DELETED" }])
    })
  )

  it.effect("delete requires --yes without a terminal", () =>
    Effect.gen(function* () {
      const routes = { "GET /v1/destinations/*": () => destination, "DELETE /v1/destinations/*": () => undefined }
      expect(yield* run(["destinations", "delete", id], { env, routes })).toMatchObject({ code: 2, stdout: "" })
      const done = yield* run(["destinations", "delete", id, "--yes"], { env, routes })
      expect(done).toMatchObject({ code: 0, stdout: 'The destination "Back end" is deleted.' })
    })
  )
})

describe("edp deliveries", () => {
  it.effect("list shows the outcome of each", () =>
    Effect.gen(function* () {
      const routes = { "GET /v1/destinations/*": () => page([delivery]) }
      const { requests, stdout } = yield* run(["deliveries", "list", id, "--status", "failed"], { env, routes })
      expect([requests[0]?.path, requests[0]?.query]).toEqual([
        `/v1/destinations/${id}/deliveries`,
        { status: "failed" }
      ])
      expect(stdout).toMatch(/ALERT_CREATED +failed +1 +Answered 500/)
    })
  )

  it.effect("show prints every attempt: time, status, duration, error and response", () =>
    Effect.gen(function* () {
      const late = {
        attemptedAt: moment,
        statusCode: null,
        durationMs: 10_000,
        error: "No response",
        responseBody: null
      }
      const routes = { "GET /v1/destinations/*": () => ({ ...delivery, attempts: [late, ...delivery.attempts] }) }
      const { requests, stdout } = yield* run(["deliveries", "show", id, id, "--workspace", "w1"], { env, routes })
      expect([requests[0]?.path, requests[0]?.query]).toEqual([
        `/v1/destinations/${id}/deliveries/${id}`,
        { workspaceId: "w1" }
      ])
      expect(stdout).toMatch(/^status +failed$/mu)
      expect(stdout.split("\n\n")[1]!.split("\n")).toEqual([
        "TIME                      STATUS      TOOK  ERROR         RESPONSE",
        `${moment}       -  10000 ms  No response   -`,
        `${moment}     500     12 ms  Answered 500  no`
      ])
      const json = yield* run(["deliveries", "show", id, id, "--json"], { env, routes })
      expect(JSON.parse(json.stdout).attempts).toHaveLength(2)
    })
  )

  it.effect("retry resends single deliveries, or those of a time span", () =>
    Effect.gen(function* () {
      const routes = {
        "POST /v1/destinations/*": ({ path }: { readonly path: string }) =>
          path.endsWith("/replay") ? { deliveries: 12 } : { ...delivery, status: "pending" }
      }
      const single = yield* run(["deliveries", "retry", id, id, id], { env, routes })
      const path = `/v1/destinations/${id}/deliveries/${id}/redeliver`
      expect(single.requests.map((request) => request.path)).toEqual([path, path])
      const span = yield* run(["deliveries", "retry", id, "--from", moment], { env, routes })
      expect(span.requests[0]).toMatchObject({
        path: `/v1/destinations/${id}/replay`,
        body: { from: moment, failedOnly: true }
      })
      expect(span.stdout).toBe("12 deliveries are queued again.")
      const all = yield* run(["deliveries", "retry", id, "--from", moment, "--to", moment, "--everything"], {
        env,
        routes
      })
      expect(all.requests[0]?.body).toEqual({ from: moment, to: moment, failedOnly: false })
    })
  )

  it.effect("retry requires either ids or a span, and reports an error of the service", () =>
    Effect.gen(function* () {
      for (const args of [[id], [id, id, "--from", moment], [id, id, "--everything"]]) {
        expect(yield* run(["deliveries", "retry", ...args], { env, routes: {} })).toMatchObject({
          code: 2,
          requests: []
        })
      }
      const routes = { "POST /v1/destinations/*": () => refusal(400, "INVALID_STATE") }
      const refused = yield* run(["deliveries", "retry", id, id], { env, routes })
      expect([refused.code, refused.stderr]).toEqual([1, "INVALID_STATE: INVALID_STATE it is"])
    })
  )
})
