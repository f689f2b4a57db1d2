import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { describe, expect, test } from "vitest"
import repairTimezones from "@edp/server/platform/sql/migrations/0041_repair_time_zones"
import { canonicalTimezone, isSameTimezone } from "@edp/domain/shared/Timezone"
import { expectError } from "../../support/expectError.ts"
import { useDatabases } from "../../support/Databases.ts"
import { describePostgres } from "../../support/PostgresServer.ts"
import { inTurn } from "../../support/rounds.ts"
import { someAddress } from "../../support/Seed.ts"
import { type TestApp, useTestApp } from "../../support/TestApp.ts"
import { arrangeMetrics } from "./arrangeMetrics.ts"

/** Names that have been let in though nothing can be computed in them, and texts that look like zones. */
const strange = [
  "PST",
  "BST",
  "IST",
  "CTT",
  "SystemV/PST8PDT",
  "US/Pacific-New",
  "Z",
  "+02:00",
  "-08",
  "UTC+2",
  "Factory",
  "localtime",
  "posix/Europe/Berlin",
  "Europe/Berlin ",
  " Europe/Berlin",
  "",
  "2026-01-01T00:00Z[Europe/Berlin]",
  "europe/berlin",
  "us/pacific",
  "utc",
  "gmt",
  "Europe/Kyiv",
  "Asia/Calcutta",
  "Asia/Kolkata",
  "x".repeat(65)
]

const namesIn = async (app: TestApp) => {
  const rows = await app.sql(
    (sql) =>
      sql<{ readonly name: string }>`SELECT name FROM pg_timezone_names UNION SELECT abbrev FROM pg_timezone_abbrevs`
  )
  return [...new Set([...strange, ...Intl.supportedValuesOf("timeZone"), ...rows.map(({ name }) => name)])]
}

/** A leap day and both changes of the clock. */
const leapYear = { from: "2024-02-01T00:00:00Z", to: "2024-12-01T00:00:00Z", period: "day" }

/** Years enough for several buckets, and in hours the changes of the clock in America and Europe. */
const spans = [
  { from: "2005-01-01T00:00:00Z", to: "2025-01-01T00:00:00Z", period: "month" },
  { from: "2024-03-09T00:00:00Z", to: "2024-03-12T00:00:00Z", period: "hour" },
  { from: "2024-03-30T00:00:00Z", to: "2024-04-02T00:00:00Z", period: "hour" }
]

const checks = (app: TestApp) => {
  test("every name is either usable, or rejected in queries and on storage", { timeout: 300_000 }, async () => {
    const on = await arrangeMetrics(app)
    const names = await namesIn(app)
    const computed: Array<string> = []
    for (const [at, timezone] of names.entries()) {
      for (const span of [leapYear, spans[at % spans.length]!]) {
        const response = await on.ask("load", { ...span, timezone })
        if (response.status === 200) {
          expect([timezone, response.body.meta.timezone]).toEqual([timezone, canonicalTimezone(timezone)])
          if (span === leapYear) computed.push(timezone)
        } else expectError(response, 400, "VALIDATION_ERROR", { timezone: expect.any(String) })
      }
    }
    expect(computed).toEqual(names.filter((name) => canonicalTimezone(name) !== undefined))
    expect(computed).toEqual(expect.arrayContaining(Intl.supportedValuesOf("timeZone")))

    const stored: Array<string> = []
    for (let first = 0; first < names.length; first += 500) {
      const some = names.slice(first, first + 500)
      const sites = some.map((timezone) => ({ address: someAddress(), timezone }))
      const { body } = await on.call("POST", "/v1/sites/bulk", { sites })
      for (const { index, site, ...refusal } of body.results) {
        if (site === undefined)
          expect(refusal).toMatchObject({ code: "VALIDATION_ERROR", details: { timezone: expect.any(String) } })
        else {
          stored.push(some[index]!)
          expect(site.timezone).toBe(canonicalTimezone(some[index]!))
        }
      }
    }
    expect(stored).toEqual(computed)
  })

  test("stored names that are unusable are repaired", async () => {
    const [on, other] = [await arrangeMetrics(app), await arrangeMetrics(app)]
    const [unknown, spelt, good] = [await on.site(), await on.site(), await on.site({ timezone: "US/Pacific" })]
    await app.sql((sql) => sql`UPDATE sites SET timezone = 'SystemV/PST8PDT' WHERE id = ${unknown.id}`)
    await app.sql((sql) => sql`UPDATE sites SET timezone = 'europe/BERLIN' WHERE id = ${spelt.id}`)
    await app.sql((sql) => sql`UPDATE workspaces SET timezone = 'IST' WHERE id = ${on.workspaceId}`)
    await app.sql((sql) => sql`UPDATE workspaces SET timezone = 'asia/tokyo' WHERE id = ${other.workspaceId}`)
    await app.run(Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(repairTimezones)))
    const readZone = async (path: string) => (await app.call("GET", path, { key: on.keys.SERVER })).body.timezone
    expect(await readZone(`/v1/sites/${unknown.id}`)).toBe(null)
    expect(await readZone(`/v1/sites/${spelt.id}`)).toBe("Europe/Berlin")
    expect(await readZone(`/v1/sites/${good.id}`)).toBe("US/Pacific")
    expect(await readZone(`/v1/workspaces/${on.workspaceId}`)).toBe("UTC")
    expect((await other.read("load", {})).meta.timezone).toBe("Asia/Tokyo")
    expect((await on.read("load", { siteId: unknown.id })).meta.timezone).toBe("UTC")
  })
}

describe("time zones", () => {
  const app = useTestApp()

  test("are stored with the spelling of the IANA database, in sites and workspaces", async () => {
    const on = await arrangeMetrics(app)
    const site = await on.site({ timezone: "america/los_angeles" })
    expect(site.timezone).toBe("America/Los_Angeles")
    expect((await on.call("PATCH", `/v1/sites/${site.id}`, { timezone: "EUROPE/BERLIN" })).body.timezone).toBe(
      "Europe/Berlin"
    )
    const path = `/v1/workspaces/${on.workspaceId}`
    expect((await on.call("PATCH", path, { timezone: "asia/tokyo" }, "MANAGEMENT")).body.timezone).toBe("Asia/Tokyo")
    const made = await on.call("POST", "/v1/workspaces", { name: "Zones", timezone: "us/pacific" }, "MANAGEMENT")
    expect(made.body.timezone).toBe("US/Pacific")
    for (const timezone of ["PST", "SystemV/PST8PDT"]) {
      const details = { timezone: expect.any(String) }
      expectError(await on.call("PATCH", `/v1/sites/${site.id}`, { timezone }), 400, "VALIDATION_ERROR", details)
      expectError(await on.call("PATCH", path, { timezone }, "MANAGEMENT"), 400, "VALIDATION_ERROR", details)
      expectError(
        await on.call("POST", "/v1/workspaces", { name: "No", timezone }, "MANAGEMENT"),
        400,
        "VALIDATION_ERROR",
        details
      )
    }
  })

  test("are equal for sites if one name is an alias of the other", async () => {
    const on = await arrangeMetrics(app)
    const [link, zone] = [await on.site({ timezone: "US/Pacific" }), await on.site({ timezone: "America/Los_Angeles" })]
    const { meta } = await on.read("load", { siteId: [link.id, zone.id] })
    expect(meta.timezone).toBe("America/Los_Angeles")
    expect(isSameTimezone("US/Pacific", "America/Los_Angeles")).toBe(true)
    expect(isSameTimezone("US/Pacific", "America/New_York")).toBe(false)
  })
})

// They take turns, because both run the same tests.
inTurn(
  1,
  () => describe("time zones on the embedded database", () => checks(useTestApp({ own: true }))),
  () =>
    describePostgres("time zones on PostgreSQL", () => {
      const databases = useDatabases()
      checks(useTestApp({ databaseUrl: () => databases.url }))
    })
)
