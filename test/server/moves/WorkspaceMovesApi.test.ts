import { createHash } from "node:crypto"
import { existsSync, mkdirSync, rmdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gunzipSync, gzipSync } from "node:zlib"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { makeCli } from "../../cli/realService.ts"
import { describeKeyChecks } from "../../support/describeKeyChecks.ts"
import { expectError } from "../../support/expectError.ts"
import { showSites } from "../vtn/enrolled-sites/arrangeScopes.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeEnrollments } from "../enrollments/arrangeEnrollments.ts"
import { idle, rule } from "../schedules/arrangeSchedules.ts"

const source = useTestApp()
const target = useTestApp({ own: true })

describeKeyChecks(source, [
  { method: "POST", path: "/dashboard/api/workspace-exports", allowed: ["MANAGEMENT"] },
  { method: "GET", path: "/dashboard/api/workspace-exports/any", allowed: ["MANAGEMENT"] },
  { method: "DELETE", path: "/dashboard/api/workspace-exports/any", allowed: ["MANAGEMENT"] },
  { method: "POST", path: "/dashboard/api/workspace-imports", allowed: ["MANAGEMENT"] },
  { method: "PUT", path: "/dashboard/api/workspace-imports/any/parts", allowed: ["MANAGEMENT"] },
  { method: "PUT", path: "/dashboard/api/workspace-imports/any/finish", allowed: ["MANAGEMENT"] },
  { method: "DELETE", path: "/dashboard/api/workspace-imports/any", allowed: ["MANAGEMENT"] }
])

const passphrase = "correct horse battery staple"
const hour = 3_600_000
const midnight = Math.floor(Date.now() / (24 * hour)) * 24 * hour
const span = `from=${new Date(midnight - 60 * 24 * hour).toISOString()}&to=${new Date(midnight).toISOString()}`

const cliAt = (app: typeof source, key: string, more: Readonly<Record<string, string>> = {}) =>
  makeCli(
    app,
    { keys: {} as never },
    { EDP_DATA_DIR: "/nonexistent", EDP_URL: app.url, EDP_KEY_MANAGEMENT: key, EDP_PASSPHRASE: passphrase, ...more }
  )

/** A workspace with something in every list. */
const fill = async () => {
  const place = await arrangeEnrollments(source)
  const { customerId, deviceId, siteId } = await place.home({
    commands: ["battery:set-reserve", "battery:set-operating-mode"],
    tags: ["pilot"]
  })
  const now = Date.now()
  const state = (charge: number) => ({
    chargingState: "idle",
    charge,
    chargePercentage: 50,
    whConsumed: 1.1,
    chargeRate: -0.30000000000000004
  })
  const battery = deviceId
  await place.readings(
    battery,
    ...Array.from({ length: 500 }, (_, n) => ({ at: new Date(now - 40 * 24 * hour + n * hour), state: state(n) }))
  )
  const { body: meter } = await place.call(
    "POST",
    "/devices",
    {
      deviceModelId: (
        await place.required(
          201,
          "POST",
          "/v1/device-models",
          { manufacturer: "generic", name: `Meter ${now}`, type: "meter" },
          "MANAGEMENT"
        )
      ).id,
      manufacturerDeviceId: "meter-1",
      serialNumber: "SN-1",
      siteId,
      staticState: {}
    },
    "MANUFACTURER"
  )
  const pushed = await place.call(
    "POST",
    `/devices/${meter.id}/telemetry`,
    { timestamp: new Date(now - hour).toISOString(), state: { power: 1200, importedEnergy: 1234567.25 } },
    "MANUFACTURER"
  )
  expect(pushed.status).toBeLessThan(300)
  const instance = await place.instance()
  const enrollment = await place.enroll(instance.id, customerId, {
    siteId,
    tags: ["north"],
    metadata: { wave: 2 },
    acceptedTerms: { version: 1 }
  })
  await place.moved(enrollment.id, "approve")
  const scoped = { name: "Aggregator", type: "OPENADR_VEN", scope: { enrollmentIds: [enrollment.id] } }
  await place.required(201, "POST", "/v1/api-keys", scoped, "MANAGEMENT")
  await showSites(source)
  await place.required(201, "POST", "/v1/alerts", {
    siteId,
    deviceId: battery,
    sourceSystem: "night-watch",
    type: "HARDWARE_FAULT",
    severity: "WARNING",
    title: "Fan"
  })
  await place.required(201, "POST", "/v1/collections", {
    name: "All",
    collectionType: "DEVICE",
    criteria: { attribute: "type", operator: "eq", value: "battery" }
  })
  await place.required(201, "POST", "/v1/destinations", {
    destinationType: "WEBHOOK",
    eventTypes: ["CUSTOMER_CREATED"],
    url: "https://hooks.example.com/secret",
    headers: { "x-token": "t0k3n" }
  })
  await place.required(201, "POST", `/v1/devices/${battery}/commands`, {
    type: "battery:set-reserve",
    input: { chargePercentage: 30 }
  })
  await place.required(201, "POST", "/v1/schedules", {
    name: "Nights",
    target: { deviceId: battery },
    rules: [rule("22:00", "06:00", idle)]
  })
  return { ...place, battery, meter: meter.id as string, instance: instance.id as string, customerId, siteId }
}

/** The entries of an archive by name. */
const readTar = (bytes: Buffer) => {
  const entries = new Map<string, Buffer>()
  for (let at = 0; bytes[at] !== 0;) {
    const name = bytes.toString("utf8", at, at + 100).replace(/\0.*$/s, "")
    const size = Number.parseInt(bytes.toString("latin1", at + 124, at + 135), 8)
    entries.set(name, bytes.subarray(at + 512, at + 512 + size))
    at += 512 + Math.ceil(size / 512) * 512
  }
  return entries
}

type Filled = Awaited<ReturnType<typeof fill>>

/** Everything that the API shows of the workspace. */
const reads = ({ battery, instance, meter }: Filled) => [
  ...[
    "devices",
    "sites",
    "customers",
    "alerts",
    "collections",
    "destinations",
    "commands",
    "schedules",
    "events",
    "tags",
    "programInstances",
    "openadr/vens"
  ].map((list) => `/v1/${list}?perPage=100`),
  `/v1/devices/${battery}/history?from=2020-01-01T00:00:00Z&perPage=100&page=3`,
  `/v1/devices/${meter}/history?from=2020-01-01T00:00:00Z&perPage=100`,
  `/v1/devices/${battery}/commands?perPage=100`,
  `/v1/programInstances/${instance}/enrollments?perPage=100`,
  `/v1/programInstances/${instance}/report?${span}`,
  `/v1/metrics/storage?${span}&period=day`,
  `/v1/metrics/consumption?${span}&period=week&groupBy=device`
]

/** Figures that tell when a response was computed. */
const withoutMoment = (body: any) => ({
  ...body,
  meta: undefined,
  generatedAt: undefined,
  asOf: undefined,
  from: undefined,
  to: undefined
})

describe("a workspace that moves to another installation", () => {
  let own: Filled
  let manager: string
  let elsewhere: { readonly workspaceId: string; readonly keys: Readonly<Record<string, string>> }
  const folder = mkdtempSync(join(tmpdir(), "edp-moves-"))
  const file = join(folder, "home.tar")
  afterAll(() => rmSync(folder, { recursive: true }))

  beforeAll(async () => {
    own = await fill()
    elsewhere = await target.workspace()
    manager = elsewhere.keys["MANAGEMENT"]!
    const exported = await cliAt(source, own.keys.MANAGEMENT)("workspaces", "export", file, "--json")
    expect(exported.stderr).toBe("")
    expect(exported.json()).toMatchObject({ workspaceId: own.workspaceId })
  })

  test("is refused with another passphrase, and where a part of the archive is changed", async () => {
    const wrong = await cliAt(target, manager, { EDP_PASSPHRASE: "another passphrase" })(
      "workspaces",
      "import",
      file,
      "--json"
    )
    expect(wrong.code).toBe(1)
    expect(wrong.stderr).toContain("VALIDATION_ERROR")
    const changed = Buffer.from(readFileSync(file))
    const at = changed.indexOf("-api_keys.ndjson.gz") + 512
    changed[at] = changed[at]! ^ 1
    const path = join(folder, "changed.tar")
    writeFileSync(path, changed)
    expect((await cliAt(target, manager)("workspaces", "import", path, "--json")).stderr).toContain("ARCHIVE_DAMAGED")
    expect(await target.sql((sql) => sql`SELECT FROM workspace_imports`)).toEqual([])
  })

  test("has no secret in the clear, and no key of the organization", () => {
    const texts = new Map(
      Array.from(readTar(readFileSync(file)), ([name, content]) => [
        name.slice(13),
        (name.endsWith(".gz") ? gunzipSync(content) : content).toString("latin1")
      ])
    )
    expect(texts.get("destinations.ndjson.gz")).toContain("https://hooks.example.com")
    for (const text of texts.values()) expect(text).not.toMatch(/t0k3n|hooks\.example\.com\/secret|whsec_/)
    const types = texts
      .get("api_keys.ndjson.gz")!
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).type)
    expect(types.toSorted()).toEqual([
      "API",
      "CONNECT",
      "MANUFACTURER",
      "OPENADR_BL",
      "OPENADR_VEN",
      "OPENADR_VEN",
      "SCOPED",
      "SERVER"
    ])
  })

  test("is nowhere to be seen until its import is finished, and shows the same there afterwards", async () => {
    const run = cliAt(target, manager)
    const imported = await run("workspaces", "import", file, "--json")
    expect(imported.stderr).not.toContain("ERROR")
    expect(imported.json()).toMatchObject({ workspaceId: own.workspaceId })

    const differing: Array<string> = []
    for (const path of reads(own)) {
      const [before, after] = await Promise.all(
        [source, target].map((app) => app.call("GET", path, { key: own.keys.SERVER }))
      )
      expect([path, after!.status]).toEqual([path, before!.status])
      expect(before!.status, path).toBe(200)
      const [one, other] = [before, after].map((response) => JSON.stringify(withoutMoment(response!.body)))
      if (one !== other) differing.push(`${path}\n${one}\n${other}`)
    }
    expect(differing).toEqual([])

    const tables = (app: typeof source) =>
      app.sql<{ readonly text: string }>(
        (sql) => sql`SELECT id || at || state::text AS text FROM readings
          WHERE device_id IN (SELECT id FROM devices WHERE workspace_id = ${own.workspaceId}) ORDER BY device_id, at`
      )
    const hash = (rows: ReadonlyArray<{ readonly text: string }>) =>
      createHash("sha256")
        .update(rows.map(({ text }) => text).join("\n"))
        .digest("hex")
    const [before, after] = [await tables(source), await tables(target)]
    expect([after.length, hash(after)]).toEqual([501, hash(before)])
  })

  test("keeps the resources of the sites that its VENs see, which follow them there", async () => {
    const resources = (app: typeof source) =>
      app.sql<{ readonly id: string }>(
        (sql) => sql`SELECT resource.id, resource.site_id, resource.body, key.scope_enrollment_ids AS scope
          FROM vtn_resources resource JOIN api_keys key ON key.id = resource.client_id
          WHERE resource.workspace_id = ${own.workspaceId}`
      )
    const before = await resources(source)
    expect(before).toMatchObject([{ site_id: own.siteId, scope: [expect.any(String)] }])
    await showSites(target)
    expect(await resources(target)).toEqual(before)
    const body = { name: "Moved" }
    await target.call("PATCH", `/v1/sites/${own.siteId}`, { key: own.keys.SERVER, body })
    await showSites(target)
    expect(await resources(target)).toMatchObject([{ id: before[0]!.id, body: { resourceName: "Moved" } }])
  })

  test("goes on with its next event and its keys", async () => {
    const newest = async (app: typeof source) =>
      (await app.call("GET", "/v1/events?perPage=1", { key: own.keys.SERVER })).body.data[0].sequence as number
    const last = await newest(source)
    expect(
      (await target.call("POST", "/v1/customers", { key: own.keys.SERVER, body: { firstName: "Bo" } })).status
    ).toBe(201)
    expect(await newest(target)).toBeGreaterThan(last)
    const pushed = await target.call("POST", `/devices/${own.meter}/telemetry`, {
      key: own.keys.MANUFACTURER,
      body: { timestamp: new Date().toISOString(), state: { power: 5 } }
    })
    expect(pushed.status).toBeLessThan(300)
    expectError(await target.call("GET", "/v1/workspaces", { key: own.keys.MANAGEMENT }), 401, "UNAUTHENTICATED")
  })

  test("is imported once, and refused where it exists", async () => {
    const again = await cliAt(target, manager)("workspaces", "import", file, "--json")
    expect(again.code).toBe(0)
    const back = await cliAt(source, (await source.workspace()).keys.MANAGEMENT)("workspaces", "import", file, "--json")
    expect(back.stderr).toContain("INVALID_STATE")
  })

  test("is exported and imported by its own organization alone", async () => {
    const stranger = (await source.workspace()).keys.MANAGEMENT
    const at = "/dashboard/api/workspace-exports"
    const body = { workspaceId: own.workspaceId, passphrase }
    expectError(await source.call("POST", at, { key: stranger, body }), 404, "WORKSPACE_NOT_FOUND")
    const { id } = (await source.call("POST", at, { key: own.keys.MANAGEMENT, body })).body
    for (const method of ["GET", "DELETE"]) {
      expectError(await source.call(method, `${at}/${id}`, { key: stranger }), 404, "NOT_FOUND")
    }
    const whole = await source.call("GET", `${at}/${id}`, { key: own.keys.MANAGEMENT })
    const end = await source.call("GET", `${at}/${id}?from=512`, { key: own.keys.MANAGEMENT })
    expect(whole.text.endsWith(end.text)).toBe(true)
    expect((await source.call("DELETE", `${at}/${id}`, { key: own.keys.MANAGEMENT })).status).toBe(204)
  })

  test("is refused where the archive reaches into another workspace of the installation", async () => {
    const victim = await target.workspace()
    const call = (method: string, path: string, key: string, body: unknown) => target.call(method, path, { key, body })
    const address = {
      streetOne: "1 Capitol Mall",
      city: "Sacramento",
      state: "CA",
      postalCode: "95814",
      country: "USA"
    }
    const site = await call("POST", "/v1/sites", victim.keys.SERVER!, { name: "Theirs", address })
    expect(site.status).toBe(201)
    const describeProgram = (title: string) => ({
      slug: `${title}-${victim.workspaceId}`,
      name: title,
      description: title,
      states: ["CA"]
    })
    const program = await call("POST", "/v1/programs", victim.keys.MANAGEMENT!, describeProgram("theirs"))
    expect([program.status, program.text]).toEqual([201, program.text])
    const imports = "/dashboard/api/workspace-imports"

    /** Exports a workspace, forges rows of a table, and returns the response that ends its import. */
    const importForged = async (table: string, forge: (row: any) => object) => {
      const made = await source.workspace(own.organizationId)
      const headers = { key: made.keys.SERVER }
      const mine = (
        await source.call("POST", "/v1/sites", {
          ...headers,
          body: { name: "Mine", address: { ...address, streetOne: "915 L Street" } }
        })
      ).body
      const customer = (await source.call("POST", "/v1/customers", { ...headers, body: { firstName: "Bo" } })).body
      const linked = await source.call("PUT", `/v1/sites/${mine.id}/customers/${customer.id}`, headers)
      expect(linked.status).toBeLessThan(300)
      const mineProgram = await source.call("POST", "/v1/programs", {
        key: own.keys.MANAGEMENT,
        body: describeProgram(`mine-${made.workspaceId}`)
      })
      const instance = await source.call("POST", "/v1/programInstances", {
        ...headers,
        body: {
          programSlug: mineProgram.body.slug,
          slug: `mine-${made.workspaceId}`,
          title: "Mine",
          description: "",
          eligibilityCriteria: "",
          programTerms: ""
        }
      })
      expect([instance.status, instance.text]).toEqual([201, instance.text])
      const archive = join(folder, `${made.workspaceId}.tar`)
      await cliAt(source, own.keys.MANAGEMENT)("workspaces", "export", archive, "--workspace", made.workspaceId)
      const entries = readTar(readFileSync(archive))
      const head = JSON.parse(entries.get("head.json")!.toString())
      const begun = await call("POST", imports, manager, { head, passphrase })
      expect(begun.status).toBe(200)
      const parts = [...entries].filter(([name]) => name.startsWith("parts/"))
      for (const [index, [name, content]] of parts.entries()) {
        const partTable = name.replace(/^parts\/\d+-/, "").replace(/\..*$/, "")
        const isForged = partTable === table
        const lines = name.endsWith(".gz") ? gunzipSync(content).toString().trim().split("\n") : []
        const data = isForged
          ? gzipSync(lines.map((line) => `${JSON.stringify(forge(JSON.parse(line)))}\n`).join(""))
          : content
        const rows = JSON.parse(entries.get("manifest.json")!.toString()).parts[index].rows
        const sha256 = createHash("sha256").update(data).digest("hex")
        const body = { index, table: partTable, rows, sha256, data: data.toString("base64") }
        const stored = await call("PUT", `${imports}/${begun.body.id}/parts`, manager, body)
        if (stored.status !== 200) return stored
      }
      return call("PUT", `${imports}/${begun.body.id}/finish`, manager, { passphrase })
    }

    const theirs = { workspace_id: victim.workspaceId }
    for (const [table, forge] of [
      ["sites", (row: object) => ({ ...row, ...theirs })],
      ["api_keys", (row: object) => ({ ...row, ...theirs })],
      ["events", (row: object) => ({ ...row, ...theirs })],
      ["customer_sites", (row: object) => ({ ...row, site_id: site.body.id })]
    ] as const) {
      const response = await importForged(table, forge)
      expectError(response, 400, "INVALID_STATE")
      expect([table, response.body.message]).toEqual([table, expect.stringContaining("another workspace")])
    }
    const kept = await importForged("program_instances", (row) => ({ ...row, program_id: program.body.id }))
    expectError(kept, 400, "INVALID_STATE")
    expect(kept.body.message).toContain("Another organization")
    const { body } = await target.call("GET", "/v1/sites", { key: victim.keys.SERVER! })
    expect(body.data.map(({ name }: { readonly name: string }) => name)).toEqual(["Theirs"])
  })

  test("is refused with the field that is wrong where rows or the head are not as an export writes them", async () => {
    const made = await source.workspace(own.organizationId)
    const archive = join(folder, "broken.tar")
    await cliAt(source, own.keys.MANAGEMENT)("workspaces", "export", archive, "--workspace", made.workspaceId)
    const head = JSON.parse(readTar(readFileSync(archive)).get("head.json")!.toString())
    const path = "/dashboard/api/workspace-imports"
    const call = (method: string, at: string, body: unknown) => target.call(method, at, { key: manager, body })
    const far = await call("POST", path, { head: { ...head, sequence: 2 ** 52 }, passphrase })
    expectError(far, 400, "VALIDATION_ERROR", { "head.sequence": expect.any(String) })
    const begun = await call("POST", path, { head, passphrase })
    const part = (index: number, table: string, line: string) => {
      const data = gzipSync(`${line}\n`)
      const sha256 = createHash("sha256").update(data).digest("hex")
      return { index, table, rows: 1, sha256, data: data.toString("base64") }
    }
    const parts = `${path}/${begun.body.id}/parts`
    const wrong = { data: expect.any(String) }
    expectError(await call("PUT", parts, part(0, "sites", "{")), 400, "VALIDATION_ERROR", wrong)
    expectError(await call("PUT", parts, part(0, "energy_rollups", '{"day":"x"}')), 400, "VALIDATION_ERROR", wrong)
    expectError(await call("PUT", parts, part(0, "events", '{"created_at":"x"}')), 400, "VALIDATION_ERROR", wrong)
    expect((await call("PUT", parts, part(0, "customers", '{"id":null}'))).status).toBe(200)
    const end = await call("PUT", `${path}/${begun.body.id}/finish`, { passphrase })
    expectError(end, 400, "VALIDATION_ERROR", wrong)
  })

  test("leaves nothing when its import is cancelled", async () => {
    rmSync(file)
    const path = "/dashboard/api/workspace-imports"
    const call = (method: string, at: string, body?: unknown) =>
      target.call(method, at, { key: manager, ...(body === undefined ? {} : { body }) })
    const second = await source.workspace(own.organizationId)
    const archive = join(folder, "second.tar")
    await cliAt(source, own.keys.MANAGEMENT)("workspaces", "export", archive, "--workspace", second.workspaceId)
    const bytes = readFileSync(archive)
    const head = JSON.parse(bytes.toString("utf8", 512, bytes.indexOf("}", 512) + 1))
    const begun = await call("POST", path, { head, passphrase })
    expect(begun.body).toEqual({ id: head.exportId, parts: 0, finished: false })
    expect((await call("DELETE", `${path}/${begun.body.id}`)).status).toBe(204)
    expectError(await call("DELETE", `${path}/${begun.body.id}`), 404, "NOT_FOUND")
  })
})

test("an export begins anew where the interrupted one had another passphrase", async () => {
  const folder = mkdtempSync(join(tmpdir(), "edp-moves-"))
  try {
    const own = await source.workspace()
    const path = join(folder, "home.tar")
    const other = { EDP_PASSPHRASE: "the passphrase of a later attempt" }
    mkdirSync(path)
    const interrupted = await cliAt(source, own.keys.MANAGEMENT)("workspaces", "export", path)
    expect(interrupted.code).toBe(1)
    expect(existsSync(`${path}.part.json`)).toBe(true)
    rmdirSync(path)
    const again = await cliAt(source, own.keys.MANAGEMENT, other)("workspaces", "export", path)
    expect(again.stderr).toContain("begins anew")
    expect(again.code).toBe(0)
    const manager = (await target.workspace()).keys.MANAGEMENT!
    expect((await cliAt(target, manager, other)("workspaces", "import", path, "--hold")).code).toBe(0)
    expect((await cliAt(target, manager, other)("workspaces", "import", path, "--cancel")).code).toBe(0)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

describe("a workspace that is copied before it moves", () => {
  const folder = mkdtempSync(join(tmpdir(), "edp-moves-"))
  afterAll(() => rmSync(folder, { recursive: true }))

  test("moves with what has changed since, and without what is gone", async () => {
    const own = await fill()
    const manager = (await target.workspace()).keys.MANAGEMENT!
    const [from, to] = [cliAt(source, own.keys.MANAGEMENT), cliAt(target, manager)]
    const [first, rest] = [join(folder, "first.tar"), join(folder, "rest.tar")]
    const [model] = await source.sql<{ readonly id: string }>(
      (sql) => sql`SELECT device_model_id AS id FROM devices WHERE id = ${own.meter}`
    )
    const push = async (id: string, ago: number) => {
      const body = { timestamp: new Date(Date.now() - ago).toISOString(), state: { power: 7, importedEnergy: 1234570 } }
      const pushed = await own.call("POST", `/devices/${id}/telemetry`, body, "MANUFACTURER")
      expect(pushed.status).toBeLessThan(300)
    }
    const gone = (
      await own.call(
        "POST",
        "/devices",
        { deviceModelId: model!.id, manufacturerDeviceId: "gone-1", siteId: own.siteId, staticState: {} },
        "MANUFACTURER"
      )
    ).body.id as string
    await push(gone, hour)
    await from("workspaces", "export", first)
    const early = await to("workspaces", "import", first, "--hold", "--json")
    expect(early.json()).toMatchObject({ workspaceId: own.workspaceId, held: true })
    expectError(await target.call("GET", "/v1/devices", { key: own.keys.SERVER }), 401, "UNAUTHENTICATED")

    // A late reading and a new one, a customer more and a device less.
    for (const ago of [50 * 24 * hour, 0]) await push(own.meter, ago)
    await own.customer({ firstName: "Later" })
    expect((await source.call("DELETE", `/v1/devices/${gone}`, { key: own.keys.SERVER })).status).toBe(204)
    await from("workspaces", "export", rest, "--after", first)
    const rows = (path: string) =>
      JSON.parse(readTar(readFileSync(path)).get("manifest.json")!.toString()).parts.reduce(
        (sum: number, part: { readonly table: string; readonly rows: number }) =>
          part.table === "readings" ? sum + part.rows : sum,
        0
      )
    expect([rows(first), rows(rest)]).toEqual([502, 2])

    const moved = await to("workspaces", "import", rest, "--json")
    expect(moved.json()).toMatchObject({ workspaceId: own.workspaceId })
    for (const path of reads(own)) {
      const [before, after] = await Promise.all(
        [source, target].map((app) => app.call("GET", path, { key: own.keys.SERVER }))
      )
      expect([path, withoutMoment(after!.body)]).toEqual([path, withoutMoment(before!.body)])
    }
    // The history of the device that is gone was there already, and is deleted.
    const left = await target.sql((sql) => sql`SELECT device_id FROM forgotten_histories WHERE device_id = ${gone}`)
    expect(left).toHaveLength(1)
    const again = await to("workspaces", "import", rest)
    expect(again.code).toBe(0)
  })

  test("is refused where the archive that it follows is not there", async () => {
    const own = await fill()
    const manager = (await target.workspace()).keys.MANAGEMENT!
    const [first, rest] = [join(folder, "other.tar"), join(folder, "other-rest.tar")]
    await cliAt(source, own.keys.MANAGEMENT)("workspaces", "export", first)
    await cliAt(source, own.keys.MANAGEMENT)("workspaces", "export", rest, "--after", first)
    const refused = await cliAt(target, manager)("workspaces", "import", rest)
    expect(refused.stderr).toContain("INVALID_STATE")
  })
})
