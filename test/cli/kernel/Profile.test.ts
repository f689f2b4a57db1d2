import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { readCredentials, searchCredentials, updateCredentials } from "@edp/cli/kernel/credentialsFile"
import { loadProfile } from "@edp/cli/kernel/Profile"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { describe, expect, it } from "@effect/vitest"
import { ConfigProvider, Effect, Option, Redacted } from "effect"
import { newKey, page, run } from "../fakeService.ts"

const server = newKey("SERVER")
const management = newKey("MANAGEMENT")

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "edp-profile-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

const write = (path: string, credentials: object) => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, JSON.stringify(credentials), { mode: 0o600 })
  return path
}

const load = (flags: { readonly [name in "url" | "profile" | "dataDir"]?: string }, env: Record<string, string> = {}) =>
  loadProfile({
    url: Option.fromUndefinedOr(flags.url),
    profile: Option.fromUndefinedOr(flags.profile),
    dataDir: Option.fromUndefinedOr(flags.dataDir)
  }).pipe(Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env })))

describe("the credentials file", () => {
  it.effect("is found in .edp of the folder or the nearest folder above it", () =>
    Effect.gen(function* () {
      const root = yield* folder
      const deep = join(root, "a", "b")
      mkdirSync(deep, { recursive: true })
      const far = write(join(root, ".edp", "credentials.json"), {})
      expect(yield* searchCredentials(deep)).toEqual(Option.some(far))
      const near = write(join(root, "a", ".edp", "credentials.json"), {})
      expect(yield* searchCredentials(deep)).toEqual(Option.some(near))
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("is replaced as a whole, readable by its owner only, and keeps its other contents", () =>
    Effect.gen(function* () {
      const path = write(join(yield* folder, "credentials.json"), { serverKey: "old", workspaceId: "w", note: "mine" })
      chmodSync(path, 0o644)
      yield* updateCredentials(path, { serverKey: server })
      expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ serverKey: server, workspaceId: "w", note: "mine" })
      expect(statSync(path).mode & 0o777).toBe(0o600)
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("is created with its folder if missing", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "new", "credentials.json")
      yield* updateCredentials(path, { serverKey: server })
      expect(statSync(path).mode & 0o777).toBe(0o600)
      expect(statSync(dirname(path)).mode & 0o777).toBe(0o700)
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("that is not a JSON object is reported by its name", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "credentials.json")
      writeFileSync(path, "not json")
      expect(yield* Effect.flip(readCredentials(path))).toMatchObject({
        code: "PROFILE_UNREADABLE",
        message: expect.stringContaining(path)
      })
    }).pipe(Effect.provide(NodeServices.layer))
  )
})

describe("the profile", () => {
  it.effect("prefers flags to variables, and variables to the file", () =>
    Effect.gen(function* () {
      const dataDir = yield* folder
      const path = write(join(dataDir, "credentials.json"), { baseUrl: "http://file.test", serverKey: server })
      const fromFile = yield* load({ dataDir })
      expect(fromFile).toMatchObject({ baseUrl: "http://file.test", store: path })
      expect(fromFile.keys.get("SERVER")?.source).toBe(path)

      const other = newKey("SERVER")
      const env = { EDP_URL: "http://variable.test/", EDP_KEY_SERVER: other, EDP_DATA_DIR: dataDir }
      const fromVariables = yield* load({}, env)
      expect(fromVariables.baseUrl).toBe("http://variable.test")
      expect(Redacted.value(fromVariables.keys.get("SERVER")?.key ?? Redacted.make(""))).toBe(other)

      expect((yield* load({ url: "http://flag.test" }, env)).baseUrl).toBe("http://flag.test")
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("hides keys when it is printed", () =>
    Effect.gen(function* () {
      const profile = yield* load({}, { EDP_KEY_SERVER: server, EDP_DATA_DIR: "/nonexistent" })
      expect(`${JSON.stringify([...profile.keys])}${String([...profile.keys.values()][0]?.key)}`).not.toContain(server)
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("reports a missing file by the flag and the path", () =>
    Effect.gen(function* () {
      const root = yield* folder
      const env = { EDP_KEY_SERVER: server }
      const file = join(root, "mine.json")
      expect(yield* Effect.flip(load({ profile: file }, env))).toMatchObject({
        code: "PROFILE_NOT_FOUND",
        message: `--profile names ${file}, which does not exist`
      })
      expect(yield* Effect.flip(load({ dataDir: join(root, "nowhere") }, env))).toMatchObject({
        code: "DATA_DIR_NOT_FOUND",
        message: `--data-dir names ${join(root, "nowhere")}, which does not exist`
      })
      expect(yield* Effect.flip(load({ dataDir: root }, env))).toMatchObject({
        code: "PROFILE_NOT_FOUND",
        message: `--data-dir names ${root}, which has no credentials.json`
      })
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("reports a missing file of EDP_DATA_DIR unless a key is in a variable", () =>
    Effect.gen(function* () {
      const env = { EDP_DATA_DIR: "/nonexistent" }
      expect(yield* Effect.flip(load({}, env))).toMatchObject({
        code: "DATA_DIR_NOT_FOUND",
        message: "EDP_DATA_DIR names /nonexistent, which does not exist"
      })
      expect((yield* load({}, { ...env, EDP_KEY_SERVER: server })).keys.size).toBe(1)
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("rejects a key under the wrong name", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(load({}, { EDP_KEY_SERVER: management, EDP_DATA_DIR: "/nonexistent" }))
      expect(error).toMatchObject({ code: "KEY_MALFORMED" })
    }).pipe(Effect.provide(NodeServices.layer))
  )
})

describe("--provision", () => {
  it.effect("creates the missing key once with the management key and stores it in the profile", () =>
    Effect.gen(function* () {
      const profile = join(yield* folder, "own", "profile.json")
      const env = { EDP_URL: "http://service.test", EDP_KEY_MANAGEMENT: management }
      const made = { id: "cmj2k8x4a0q3v7n1r5t9w2y6b", workspaceId: "cmj2k8x4a0q3v7n1r5t9w2y6b", key: server }
      const rest = {
        ownerId: null,
        manufacturerScope: null,
        scope: null,
        rateLimits: null,
        expiresAt: null,
        createdAt: null
      }
      const routes = {
        "GET /v1/alerts": () => page([]),
        "POST /v1/api-keys": ({ body }: { readonly body: object }) => ({ ...made, ...rest, ...body })
      }
      const first = yield* run(["alerts", "list", "--provision", "--profile", profile], { env, routes })
      expect(first.code).toBe(0)
      expect(first.requests.map(({ key, method, path }) => [method, path, key])).toEqual([
        ["POST", "/v1/api-keys", management],
        ["GET", "/v1/alerts", server]
      ])
      expect(first.stdout + first.stderr).not.toContain(server)
      expect(JSON.parse(readFileSync(profile, "utf8"))).toEqual({ baseUrl: "http://service.test", serverKey: server })
      expect(statSync(profile).mode & 0o777).toBe(0o600)

      const again = yield* run(["alerts", "list", "--provision", "--profile", profile], { env, routes })
      expect(again.requests.map(({ path }) => path)).toEqual(["/v1/alerts"])
    })
  )
})
