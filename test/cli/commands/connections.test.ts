import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { newKey, page, refusal, run } from "../fakeService.ts"

const env = {
  EDP_KEY_SERVER: newKey("SERVER"),
  EDP_KEY_MANAGEMENT: newKey("MANAGEMENT"),
  EDP_URL: "http://service.test"
}
const id = "cmj2k8x4a0q3v7n1r5t9w2y6b"
const moment = "2026-01-01T00:00:00.000Z"
const session = {
  id,
  status: "SUCCESS",
  customerId: id,
  siteId: id,
  manufacturer: "simulator",
  tags: ["pilot"],
  referenceId: "user-1",
  redirectUrl: "https://example.com/connected",
  mode: "standard",
  params: { plan: "flex" },
  createdAt: moment,
  updatedAt: moment,
  expiresAt: moment
}
const detail = {
  ...session,
  transitions: [
    { status: "PENDING", at: moment },
    { status: "SUCCESS", at: "2026-01-01T00:05:00.000Z" }
  ],
  lastError: { code: "access_denied", message: "The person did not grant access", at: moment },
  consent: { version: "1", language: "es", manufacturer: "simulator", at: moment },
  accountId: id,
  deviceIds: [id],
  interventions: [
    {
      deviceId: id,
      code: "storm_mode",
      blocks: ["battery:set-reserve"],
      title: "Storm mode is on",
      steps: ["Wait for the storm to end"],
      actor: "owner"
    }
  ],
  disconnectedAt: null
}
const url = "https://energy.test/connect/token"

describe("edp connections", () => {
  it.effect("create shows the manufacturer that the link is for, which the person has not selected yet", () =>
    Effect.gen(function* () {
      const routes = {
        "POST /v1/connections": () => ({ ...session, status: "PENDING", manufacturer: null, url }),
        "GET /v1/connections/*": () => ({ ...detail, manufacturer: null })
      }
      const create = (...names: ReadonlyArray<string>) =>
        run(["connections", "create", ...names.flatMap((name) => ["--manufacturer", name])], { env, routes })
      expect((yield* create("simulator")).stdout).toMatch(/^manufacturer +simulator$/mu)
      expect((yield* create("simulator", "tesla")).stdout).toMatch(
        /^manufacturer +not selected yet, of simulator, tesla$/mu
      )
      expect((yield* create()).stdout).toMatch(/^manufacturer +not selected yet$/mu)
      const shown = yield* run(["connections", "show", id], { env, routes })
      expect(shown.stdout).toMatch(/^manufacturer +not selected yet$/mu)
    })
  )

  it.effect("create sends what is known of the person, and shows the link first", () =>
    Effect.gen(function* () {
      const person = `--customer ${id} --site ${id} --customer-info {"firstName":"Ada"} --params {"plan":"flex"}`
      const flags = `--reference user-1 --redirect https://example.com/connected --manufacturer simulator --type battery
        --type meter --tag pilot ${person} --mode headless --language es --color-scheme dark`
      const args = ["connections", "create", "--client-name", "Sunny Homes", ...flags.split(/\s+/)]
      const routes = { "POST /v1/connections": () => ({ ...session, status: "PENDING", url }) }
      const { requests, stdout } = yield* run(args, { env, routes })
      expect(requests[0]?.body).toEqual({
        referenceId: "user-1",
        redirectUrl: "https://example.com/connected",
        clientName: "Sunny Homes",
        manufacturerFilters: { manufacturers: ["simulator"], deviceTypes: ["battery", "meter"] },
        tags: ["pilot"],
        customerId: id,
        siteId: id,
        customerInfo: { firstName: "Ada" },
        params: { plan: "flex" },
        mode: "headless",
        language: "es",
        colorScheme: "dark"
      })
      expect(stdout.split("\n")[0]?.split(/ +/)).toEqual(["link", url])
      const without = yield* run(["connections", "create", "--json"], { env, routes })
      expect(without.requests[0]?.body).toEqual({})
      expect(JSON.parse(without.stdout).url).toBe(url)
    })
  )

  it.effect("create refuses customer information that is no JSON object", () =>
    Effect.gen(function* () {
      const { code, requests, stderr } = yield* run(["connections", "create", "--customer-info", "Ada"], { env })
      expect([code, requests]).toEqual([2, []])
      expect(stderr).toContain("--customer-info must be a JSON object")
    })
  )

  it.effect("list sends its filters", () =>
    Effect.gen(function* () {
      const args = ["--status", "ERROR", "--reference", "user-1", "--manufacturer", "simulator"]
      const { requests, stdout } = yield* run(["connections", "list", ...args, "--customer", id], {
        env,
        routes: { "GET /v1/connections": () => page([session]) }
      })
      expect(requests[0]?.query).toEqual({
        status: "ERROR",
        referenceId: "user-1",
        manufacturer: "simulator",
        customerId: id
      })
      expect(stdout).toMatch(/SUCCESS +simulator +user-1/)
    })
  )

  it.effect("show has the status changes, the latest error, the consent and the interventions", () =>
    Effect.gen(function* () {
      const routes = { [`GET /v1/connections/${id}`]: () => detail }
      const { stdout } = yield* run(["connections", "show", id], { env, routes })
      for (const part of [
        /^error +access_denied: The person did not grant access, 2026-01-01T00:00:00\.000Z$/m,
        /^consent +version 1 in es, 2026-01-01T00:00:00\.000Z$/m,
        /^2026-01-01T00:05:00\.000Z +SUCCESS$/m,
        /storm_mode +owner +Storm mode is on\. Wait for the storm to end$/m
      ])
        expect(stdout).toMatch(part)
      const json = yield* run(["connections", "show", id, "--json"], { env, routes })
      expect(JSON.parse(json.stdout)).toEqual(detail)
    })
  )

  it.effect("disconnect asks first, and says what ends", () =>
    Effect.gen(function* () {
      const routes = { [`GET /v1/connections/${id}`]: () => detail, [`DELETE /v1/connections/${id}`]: () => undefined }
      const unasked = yield* run(["connections", "disconnect", id], { env, routes })
      expect(unasked.code).toBe(2)
      expect(unasked.requests.map(({ method }) => method)).toEqual(["GET"])
      const { requests, stdout } = yield* run(["connections", "disconnect", id, "--yes"], { env, routes })
      expect(requests.map(({ method }) => method)).toEqual(["GET", "DELETE"])
      expect(stdout).toBe("The account at simulator is disconnected.")
      const gone = yield* run(["connections", "disconnect", id, "--yes"], {
        env,
        routes: { [`GET /v1/connections/${id}`]: () => refusal(404, "NOT_FOUND") }
      })
      expect(gone.code).toBe(1)
      expect(gone.stderr).toContain("NOT_FOUND")
    })
  )

  it.effect("funnel shows each step with its share, and the errors", () =>
    Effect.gen(function* () {
      const funnel = {
        from: moment,
        to: "2026-01-31T00:00:00.000Z",
        sessions: 8,
        manufacturers: [
          {
            manufacturer: "simulator",
            sessions: 6,
            medianConnectSeconds: 95,
            steps: [
              { status: "PENDING", sessions: 6, medianSeconds: 12.4 },
              { status: "SUCCESS", sessions: 3, medianSeconds: null }
            ],
            errors: [{ code: "access_denied", sessions: 2 }]
          },
          {
            manufacturer: null,
            sessions: 2,
            medianConnectSeconds: null,
            steps: [{ status: "PENDING", sessions: 2, medianSeconds: null }],
            errors: []
          }
        ]
      }
      const args = ["connections", "funnel", "--from", moment, "--to", "2026-01-31T00:00:00Z", "--workspace", id]
      const { requests, stderr, stdout } = yield* run(args, {
        env,
        routes: { "GET /dashboard/api/connect-funnel": () => funnel }
      })
      expect(requests[0]?.query).toEqual({ from: moment, to: "2026-01-31T00:00:00Z", workspaceId: id })
      expect(stdout.split("\n").map((line) => line.replaceAll(/ +/g, " "))).toEqual([
        "MANUFACTURER STEP SESSIONS SHARE MEDIAN",
        "simulator PENDING 6 100 % 12 s",
        "simulator SUCCESS 3 50 % -",
        "simulator failed: access_denied 2 33 % -",
        "not selected PENDING 2 100 % -"
      ])
      expect(stderr).toContain("8 sessions from 2026-01-01 00:00Z to 2026-01-31 00:00Z")
    })
  )
})
