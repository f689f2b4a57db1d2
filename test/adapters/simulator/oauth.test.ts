import { expect, it } from "@effect/vitest"
import { simulatorAdapter } from "@edp/adapter-simulator/simulatorAdapter"
import { Effect, Redacted, Schema } from "effect"
import { TestClock } from "effect/testing"
import { describe } from "vitest"
import { memoryRecords } from "@edp/adapter-kit/testing/TestHost"
import {
  authorizationUrl,
  decide,
  exchange,
  link,
  PUBLIC_URL,
  REDIRECT_URI,
  send,
  startSimulator,
  VERIFIER
} from "./simulator.ts"

const TOKEN_URL = `${PUBLIC_URL}/adapters/simulator/oauth/token`

describe("the sign-in page", () => {
  it.effect("lists the accounts and needs no script", () =>
    Effect.gen(function* () {
      const simulator = yield* startSimulator()
      const response = yield* send(simulator, yield* authorizationUrl(simulator))
      const page = yield* Effect.promise(() => response.text())
      expect(response.status).toBe(200)
      expect(page).toContain("Everything works: a home with a device of each type")
      expect(page).toContain('value="rate-limited"')
      expect(page).not.toContain("<script")
      expect(response.headers.get("content-security-policy")).toContain("default-src 'none'")
      expect(response.headers.get("content-security-policy")).toContain("frame-ancestors 'none'")
      expect(response.headers.get("content-security-policy")).toContain(`form-action 'self' ${PUBLIC_URL};`)
      expect(response.headers.get("referrer-policy")).toBe("no-referrer")
    })
  )

  it.effect("speaks Spanish to who asks for it", () =>
    Effect.gen(function* () {
      const simulator = yield* startSimulator()
      const asked = yield* send(simulator, yield* authorizationUrl(simulator, "state", "es"))
      expect(yield* Effect.promise(() => asked.text())).toContain("Permitir el acceso")
      const url = new URL(yield* authorizationUrl(simulator))
      url.searchParams.delete("ui_locales")
      const accepted = yield* send(simulator, url.href, { headers: { "accept-language": "es-MX,en;q=0.5" } })
      expect(yield* Effect.promise(() => accepted.text())).toContain('<html lang="es">')
    })
  )

  it.effect("shows what a request contains as text", () =>
    Effect.gen(function* () {
      const simulator = yield* startSimulator()
      const response = yield* send(simulator, yield* authorizationUrl(simulator, `"><img src=x onerror=alert(1)>`))
      expect(yield* Effect.promise(() => response.text())).not.toContain("<img")
    })
  )

  it.effect("sends nobody to an address that is not registered", () =>
    Effect.gen(function* () {
      const simulator = yield* startSimulator()
      const original = new URL(yield* authorizationUrl(simulator))
      for (const redirect of [
        "https://attacker.example.com/oauth/callback",
        `${REDIRECT_URI}/`,
        `${REDIRECT_URI}?next=https://attacker.example.com`,
        `${PUBLIC_URL}.attacker.example.com/oauth/callback`
      ]) {
        const url = new URL(original)
        url.searchParams.set("redirect_uri", redirect)
        const shown = yield* send(simulator, url.href)
        expect(shown.status).toBe(400)
        const form = { ...Object.fromEntries(url.searchParams), account: "sunny", decision: "approve" }
        const decided = yield* send(simulator, url.href, { form })
        expect(decided.status).toBe(400)
        expect(decided.headers.get("location")).toBeNull()
      }
    })
  )

  it.effect("refuses requests without a challenge of S256, with a repeated parameter, or of another client", () =>
    Effect.gen(function* () {
      const simulator = yield* startSimulator()
      const original = yield* authorizationUrl(simulator)
      const changed = (name: string, value: string | null) => {
        const url = new URL(original)
        if (value === null) url.searchParams.delete(name)
        else url.searchParams.set(name, value)
        return url.href
      }
      for (const url of [
        changed("code_challenge", null),
        changed("code_challenge_method", "plain"),
        changed("client_id", "another"),
        changed("state", null),
        `${original}&state=second`
      ])
        expect((yield* send(simulator, url)).status, url).toBe(400)
    })
  )

  it.effect("echoes the state and names itself, whatever is decided", () =>
    Effect.gen(function* () {
      const simulator = yield* startSimulator()
      const approved = yield* decide(simulator, "sunny")
      expect(approved.location.href.startsWith(`${REDIRECT_URI}?`)).toBe(true)
      expect(approved.parameters).toMatchObject({ state: "state-1", iss: `${PUBLIC_URL}/adapters/simulator` })
      expect((yield* decide(simulator, "sunny", "deny")).parameters).toMatchObject({
        error: "access_denied",
        state: "state-1"
      })
      expect((yield* decide(simulator, "sunny", "fail")).parameters).toMatchObject({ error: "server_error" })
    })
  )

  it.effect("asks again for an account that does not exist", () =>
    Effect.gen(function* () {
      const simulator = yield* startSimulator()
      const url = yield* authorizationUrl(simulator)
      const form = { ...Object.fromEntries(new URL(url).searchParams), account: "nobody", decision: "approve" }
      const response = yield* send(simulator, url, { form })
      expect(response.status).toBe(422)
      expect(yield* Effect.promise(() => response.text())).toContain("Choose an account that exists")
    })
  )
})

describe("a code", () => {
  it.effect("is exchanged once; when it comes again, the tokens of the first exchange end", () =>
    Effect.gen(function* () {
      const simulator = yield* startSimulator()
      const { parameters } = yield* decide(simulator, "sunny")
      const { credentials } = yield* exchange(simulator, parameters)
      const again = yield* Effect.flip(exchange(simulator, parameters))
      expect(again).toMatchObject({ failure: "grant_lost", upstream: { statusCode: 400, errorCode: "invalid_grant" } })
      const account = { id: "a", externalId: "sunny", credentials, memory: null, http: undefined as never }
      expect(yield* Effect.flip(simulator.readDevices!(account, []))).toMatchObject({ failure: "token_refused" })
      expect(yield* Effect.flip(simulator.refresh!(account))).toMatchObject({ failure: "grant_lost" })
    })
  )

  it.effect("is worth nothing with another verifier, another redirect_uri, or after a minute", () =>
    Effect.gen(function* () {
      const simulator = yield* startSimulator()
      const { parameters } = yield* decide(simulator, "sunny")
      expect(yield* Effect.flip(exchange(simulator, parameters, "b".repeat(43)))).toMatchObject({
        failure: "grant_lost"
      })
      const form = {
        grant_type: "authorization_code",
        client_id: "energy-device-platform",
        code: parameters["code"]!,
        redirect_uri: `${REDIRECT_URI}/other`,
        code_verifier: VERIFIER
      }
      expect((yield* send(simulator, TOKEN_URL, { form })).status).toBe(400)
      yield* TestClock.adjust("61 seconds")
      expect(yield* Effect.flip(exchange(simulator, parameters))).toMatchObject({ failure: "grant_lost" })
    })
  )

  it.effect("leaves no tokens behind if it is exchanged twice at once", () =>
    Effect.gen(function* () {
      const simulator = yield* startSimulator()
      const { parameters } = yield* decide(simulator, "sunny")
      const both = yield* Effect.all(
        [Effect.exit(exchange(simulator, parameters)), Effect.exit(exchange(simulator, parameters))],
        { concurrency: "unbounded" }
      )
      const won = both.flatMap((exit) => (exit._tag === "Success" ? [exit.value] : []))
      expect(won.length).toBeLessThanOrEqual(1)
      for (const { credentials } of won) {
        const account = { id: "a", externalId: "sunny", credentials, memory: null, http: undefined as never }
        expect(yield* Effect.flip(simulator.readDevices!(account, []))).toMatchObject({ failure: "token_refused" })
      }
    })
  )
})

describe("tokens", () => {
  it.effect("rotate: the old ones end, and an old refresh token ends the permission", () =>
    Effect.gen(function* () {
      const simulator = yield* startSimulator()
      const sunny = yield* link(simulator, "sunny")
      const before = sunny.account()
      yield* sunny.refresh
      expect(yield* Effect.flip(simulator.readDevices!(before, []))).toMatchObject({ failure: "token_refused" })
      yield* sunny.read
      expect(yield* Effect.flip(simulator.refresh!(before))).toMatchObject({ failure: "grant_lost" })
      expect(yield* Effect.flip(sunny.read)).toMatchObject({ failure: "token_refused" })
      expect(yield* Effect.flip(sunny.refresh)).toMatchObject({ failure: "grant_lost" })
    })
  )

  it.effect("that were guessed do not end a permission", () =>
    Effect.gen(function* () {
      const simulator = yield* startSimulator()
      const sunny = yield* link(simulator, "sunny")
      const account = sunny.account()
      const guessed = Redacted.value(account.credentials.refreshToken!).replace(/.{43}$/, "x".repeat(43))
      const credentials = { ...account.credentials, refreshToken: Redacted.make(guessed) }
      expect(yield* Effect.flip(simulator.refresh!({ ...account, credentials }))).toMatchObject({
        failure: "grant_lost"
      })
      yield* sunny.read
    })
  )

  it.effect("expire after an hour and are renewed", () =>
    Effect.gen(function* () {
      const simulator = yield* startSimulator()
      const sunny = yield* link(simulator, "sunny")
      yield* TestClock.adjust("61 minutes")
      expect(yield* Effect.flip(sunny.read)).toMatchObject({ failure: "token_refused" })
      yield* sunny.refresh
      yield* sunny.read
    })
  )

  it.effect("end when the platform revokes the permission", () =>
    Effect.gen(function* () {
      const simulator = yield* startSimulator()
      const sunny = yield* link(simulator, "sunny")
      yield* simulator.revoke!(sunny.account())
      expect(yield* Effect.flip(sunny.read)).toMatchObject({ failure: "token_refused" })
      expect(yield* Effect.flip(sunny.refresh)).toMatchObject({ failure: "grant_lost" })
    })
  )

  it.effect("survive their storage as JSON", () =>
    Effect.gen(function* () {
      const simulator = yield* startSimulator()
      const { credentials } = (yield* link(simulator, "sunny")).linked
      const codec = simulatorAdapter.credentials
      const stored = JSON.stringify(yield* Schema.encodeEffect(codec)(credentials))
      const restored = yield* Schema.decodeEffect(codec)(JSON.parse(stored))
      expect(Redacted.value(restored.accessToken)).toBe(Redacted.value(credentials.accessToken))
      expect(restored.expiresAt).toBe(credentials.expiresAt)
    })
  )

  it.effect("and codes are stored as hashes alone", () =>
    Effect.gen(function* () {
      const { records, stored } = memoryRecords()
      const simulator = yield* startSimulator(records)
      const { parameters } = yield* decide(simulator, "sunny")
      const { credentials } = yield* exchange(simulator, parameters)
      const all = [...stored()].flat().join("\n")
      const secrets = [credentials.accessToken, credentials.refreshToken!].map((token) =>
        Redacted.value(token).slice(-43)
      )
      for (const secret of [parameters["code"]!, ...secrets]) expect(all).not.toContain(secret)
    })
  )
})
