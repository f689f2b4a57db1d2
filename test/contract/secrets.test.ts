import { execFile } from "node:child_process"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, expect, test } from "vitest"
import { callAt } from "../support/callAt.ts"
import { front } from "../support/front.ts"
import { type GuardedFolder, guardedFolder } from "../support/guardedFolder.ts"
import { type OtlpSink, startOtlpSink } from "../support/peers/otlpSink.ts"
import { postgresBinaries } from "../support/postgresCluster.ts"
import { describePostgres, type PostgresServer, startPostgres } from "../support/PostgresServer.ts"
import { type Credentials, sharedEncryptionKey, type SpawnedServer, spawnServer } from "../support/spawnServer.ts"
import { exerciseConnections } from "./exerciseConnections.ts"
import { exerciseDestinations } from "./exerciseDestinations.ts"
import { exerciseEnrollments } from "./exerciseEnrollments.ts"
import { exerciseKeys } from "./exerciseKeys.ts"

const prefixLength = 12

describePostgres("a key or another secret", () => {
  let folder: GuardedFolder
  let postgres: PostgresServer
  let sink: OtlpSink
  let server: SpawnedServer
  let credentials: Credentials
  let issued: ReadonlyArray<string>
  let metrics: string
  let dump: string
  beforeAll(async () => {
    folder = await guardedFolder("edp-secrets")
    postgres = await startPostgres({ fsync: false, auth: "password", settings: { log_statement: "all" } })
    sink = await startOtlpSink()
    server = await spawnServer({
      dataDir: join(folder.path, "data"),
      env: {
        DATABASE_URL: postgres.url,
        EDP_LOG: "json",
        OTEL_EXPORTER_OTLP_ENDPOINT: sink.url,
        OTEL_TRACES_SAMPLER_ARG: "1",
        EDP_ALLOW_PRIVATE_DESTINATIONS: "true"
      }
    })
    credentials = server.credentials
    const { managementKey, serverKey, manufacturerKey } = credentials
    issued = [
      managementKey,
      serverKey,
      manufacturerKey,
      ...(await exerciseKeys(await front.of(server.baseUrl), credentials, postgres.url)),
      ...(await exerciseDestinations(await front.of(server.baseUrl), credentials)),
      ...(await exerciseConnections(server.baseUrl, credentials)),
      ...(await exerciseEnrollments(server.baseUrl, credentials)),
      sharedEncryptionKey
    ]
    metrics = (await callAt(server.baseUrl, "GET", "/metrics", { key: managementKey })).text
    const { stdout } = await promisify(execFile)(join(postgresBinaries()!, "pg_dump"), [postgres.url], {
      maxBuffer: 2 ** 28
    })
    dump = stdout
    // The end of the process flushes logs and exports.
    expect(await server.stop()).toBe(0)
  })
  afterAll(async () => {
    await sink.close()
    await postgres.stop()
    await folder.remove()
  })

  const expectNoneIn = (text: string) => {
    for (const key of issued) {
      expect(text.includes(key), `holds ${key}`).toBe(false)
      expect(text.includes(key.slice(prefixLength)), `holds the secret part of ${key}`).toBe(false)
    }
  }

  test("is not in the server's output", () => {
    expect(issued.length).toBeGreaterThan(8)
    expect(server.stdout().split("\n").length).toBeGreaterThan(20)
    expectNoneIn(server.stdout())
    expectNoneIn(server.stderr())
  })

  test("is not in the metrics", () => {
    expect(metrics).toContain("http_server_request_duration_seconds")
    expectNoneIn(metrics)
  })

  test("is not in the database, and not in its log of statements", () => {
    expect(dump).toContain("COPY public.api_keys")
    expect(dump).toMatch(/COPY public\.destinations[^;]+;\nc/)
    expect(dump).toMatch(/COPY public\.accounts[^;]+;\nc/)
    expectNoneIn(dump)
    expect(postgres.log()).toMatch(/api_keys/)
    expectNoneIn(postgres.log())
  })

  test("is not in a trace, and traces have requests and statements, each with the request's id", () => {
    const spans = sink.spans()
    const traced = new Set(
      spans.filter(({ attributes }) => Object.values(attributes).includes("traced-17")).map(({ traceId }) => traceId)
    )
    expect(traced.size).toBe(1)
    const ofRequest = spans.filter(({ traceId }) => traced.has(traceId)).map(({ attributes }) => attributes)
    expect(ofRequest).toContainEqual(expect.objectContaining({ "http.route": "/v1/sites", "url.path": "/v1/sites" }))
    expect(ofRequest).toContainEqual(
      expect.objectContaining({ "db.query.text": expect.stringContaining("FROM sites") })
    )
    for (const attributes of ofRequest) expect(attributes).toMatchObject({ "request.id": "traced-17" })
    expectNoneIn(sink.text())
    expect(sink.text()).not.toContain("Sunny Valley")
  })

  test("is stored only in a file that its owner alone may read", () => {
    const files = readdirSync(server.dataDir, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile()
    )
    const holding = files
      .map(({ parentPath, name }) => join(parentPath, name))
      .filter((path) => readFileSync(path, "utf8").includes(credentials.serverKey))
    expect(holding).toEqual([join(server.dataDir, "credentials.json")])
    expect(statSync(holding[0]!).mode & 0o777).toBe(0o600)
  })

  test("leaves the password of the database out of all output", () => {
    const { password } = new URL(postgres.url)
    expect(password.length).toBeGreaterThan(5)
    for (const text of [server.stdout(), server.stderr(), sink.text(), metrics]) expect(text).not.toContain(password)
  })
})
