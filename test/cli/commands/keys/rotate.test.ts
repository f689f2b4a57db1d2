import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { newKey, page, refusal, type Routes, run, type SeenRequest } from "../../fakeService.ts"

const oldId = "cmj2k8x4a0q3v7n1r5t9w2y6a"
const newId = "cmj2k8x4a0q3v7n1r5t9w2y6b"
const keys = { management: newKey("MANAGEMENT"), old: newKey("SERVER"), replacement: newKey("SERVER") }

const record = {
  id: oldId,
  name: "Back end",
  type: "SERVER",
  keyPrefix: keys.old.slice(0, 12),
  workspaceId: "cmj2k8x4a0q3v7n1r5t9w2y6c",
  ownerId: "ops",
  manufacturerScope: null,
  scope: null,
  rateLimits: { read: 600, write: null, bulk: null },
  revoked: false,
  expiresAt: "2030-01-01T00:00:00.000Z",
  lastUsedAt: null,
  createdAt: "2026-01-01T00:00:00.000Z"
}

/** Which of the two keys work, as a service with these two would have it. */
const service = (broken: Routes = {}) => {
  const revoked: Array<string> = []
  const routes: Routes = {
    ...broken,
    [`GET /v1/api-keys/${oldId}`]: () => record,
    "POST /v1/api-keys": ({ body }: SeenRequest) => ({
      id: newId,
      key: keys.replacement,
      manufacturerScope: null,
      scope: null,
      createdAt: null,
      ...body
    }),
    "GET /v1/sites": () => page([]),
    [`POST /v1/api-keys/${oldId}/revoke`]: () => {
      revoked.push(oldId)
      return { message: "The API key is revoked" }
    }
  }
  return { revoked, routes: { ...routes, ...broken } }
}

const withFile = <A, E, R>(use: (path: string) => Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "edp-rotate-"))),
    (folder) => {
      const path = join(folder, "credentials.json")
      const credentials = { baseUrl: "http://service.test", managementKey: keys.management, serverKey: keys.old }
      writeFileSync(path, JSON.stringify(credentials), { mode: 0o600 })
      return use(path)
    },
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
  )

const rotate = (profile: string, routes: Routes, ...more: ReadonlyArray<string>) =>
  run(["keys", "rotate", oldId, "--profile", profile, ...more], { routes })

const serverKeyIn = (path: string) => JSON.parse(readFileSync(path, "utf8")).serverKey

describe("edp keys rotate", () => {
  it.effect("copies name, type, scope, limits, owner, expiry and workspace; verifies; stores; then revokes", () =>
    withFile((path) =>
      Effect.gen(function* () {
        const { revoked, routes } = service()
        const result = yield* rotate(path, routes, "--yes")
        expect(result.code).toBe(0)
        expect(result.requests.map(({ method, path: at }) => `${method} ${at}`)).toEqual([
          `GET /v1/api-keys/${oldId}`,
          "POST /v1/api-keys",
          "GET /v1/sites",
          `POST /v1/api-keys/${oldId}/revoke`
        ])
        const { expiresAt, name, ownerId, rateLimits, type, workspaceId } = record
        expect(result.requests[1]?.body).toEqual({ expiresAt, name, ownerId, rateLimits, type, workspaceId })
        expect(result.requests[2]?.key).toBe(keys.replacement)
        expect(result.stdout.split(keys.replacement).length).toBe(2)
        expect(serverKeyIn(path)).toBe(keys.replacement)
        expect(revoked).toEqual([oldId])
      })
    )
  )

  it.effect("with --json prints one document that contains the replacement", () =>
    withFile((path) =>
      Effect.gen(function* () {
        const result = yield* rotate(path, service().routes, "--yes", "--json")
        expect(JSON.parse(result.stdout)).toMatchObject({
          replacement: { id: newId, key: keys.replacement },
          revoked: oldId,
          rewritten: path
        })
      })
    )
  )

  it.effect.each([
    ["verified", { "GET /v1/sites": () => refusal(401, "UNAUTHENTICATED") }, keys.old],
    ["revoked", { [`POST /v1/api-keys/${oldId}/revoke`]: () => refusal(400, "INVALID_STATE") }, keys.replacement]
  ] as const)("leaves both keys working when one can't be %s, and shows the replacement", ([, broken, stored]) =>
    withFile((path) =>
      Effect.gen(function* () {
        const { revoked, routes } = service(broken)
        for (const json of [[], ["--json"]]) {
          const result = yield* rotate(path, routes, "--yes", ...json)
          expect(result.code).toBe(1)
          expect(result.stderr).toContain("Both keys work.")
          expect(result.stderr).toContain(`edp keys revoke ${newId}`)
          expect(result.stdout).toContain(keys.replacement)
        }
        expect(revoked).toEqual([])
        expect(serverKeyIn(path)).toBe(stored)
      })
    )
  )

  it.effect("leaves both keys working when the file can't be written", () =>
    withFile((path) =>
      Effect.gen(function* () {
        const { revoked, routes } = service({
          "GET /v1/sites": () => {
            writeFileSync(path, "no JSON any more")
            return page([])
          }
        })
        const result = yield* rotate(path, routes, "--yes")
        expect(result.code).toBe(1)
        expect(result.stderr).toContain("PROFILE_UNREADABLE: The replacement could not be stored")
        expect(revoked).toEqual([])
      })
    )
  )

  it.effect("changes nothing without a terminal and without --yes", () =>
    withFile((path) =>
      Effect.gen(function* () {
        const result = yield* rotate(path, service().routes)
        expect(result).toMatchObject({ code: 2, requests: [], stdout: "" })
      })
    )
  )

  it.effect("names the variable that still holds the old key", () =>
    Effect.gen(function* () {
      const env = { EDP_URL: "http://service.test", EDP_KEY_MANAGEMENT: keys.management, EDP_KEY_SERVER: keys.old }
      const result = yield* run(["keys", "rotate", oldId, "--yes"], { env, routes: service().routes })
      expect(result.code).toBe(0)
      expect(result.stderr).toContain("EDP_KEY_SERVER still has the old key")
    })
  )

  it.effect.each<ReadonlyArray<string>>([
    ["keys", "rotate", oldId, "--yes"],
    ["vtn", "clients", "rotate", oldId, "--former-hours", "2"]
  ])("gives an OpenADR client a new secret under its id: edp %s %s", (args) =>
    Effect.gen(function* () {
      const secret = newKey("OPENADR_VEN")
      const routes: Routes = {
        [`GET /v1/api-keys/${oldId}`]: () => ({ ...record, type: "OPENADR_VEN" }),
        [`POST /v1/api-keys/${oldId}/rotate`]: () => ({
          id: oldId,
          name: record.name,
          type: "OPENADR_VEN",
          workspaceId: record.workspaceId,
          ownerId: null,
          manufacturerScope: null,
          scope: null,
          rateLimits: null,
          expiresAt: null,
          createdAt: null,
          key: secret,
          previousKeyExpiresAt: "2030-01-01T00:00:00.000Z"
        })
      }
      const env = { EDP_URL: "http://service.test", EDP_KEY_MANAGEMENT: keys.management }
      const result = yield* run(args, { env, routes })
      expect(result.code).toBe(0)
      expect(result.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
        `GET /v1/api-keys/${oldId}`,
        `POST /v1/api-keys/${oldId}/rotate`
      ])
      expect(result.requests[1]?.body).toEqual(args[0] === "vtn" ? { previousValidSeconds: 7200 } : {})
      expect(result.stdout).toContain(secret)
      expect(result.stdout).toContain(oldId)
      expect(result.stderr).toContain("The former one works until 2030-01-01T00:00:00.000Z")
    })
  )

  it.effect.each([
    ["revoked", { revoked: true }],
    ["SCOPED", { type: "SCOPED" }]
  ] as const)("does not rotate a %s key", ([, change]) =>
    withFile((path) =>
      Effect.gen(function* () {
        const { routes } = service({ [`GET /v1/api-keys/${oldId}`]: () => ({ ...record, ...change }) })
        const result = yield* rotate(path, routes, "--yes")
        expect(result.code).toBe(1)
        expect(result.requests.map(({ method }) => method)).toEqual(["GET"])
      })
    )
  )
})
