import { migrations } from "@edp/server/platform/sql/migrationList"
import * as Migrations from "@edp/server/platform/sql/Migrations"
import { TagsRepository } from "@edp/server/devices/DevicesRepository"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { expect, test } from "vitest"
import { useDatabases } from "../../support/Databases.ts"
import { describePostgres } from "../../support/PostgresServer.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeDevices } from "./arrangeDevices.ts"
import { readRows } from "./readRows.ts"
import { onPostgres } from "../platform/sql/postgres.ts"
import { atOnce } from "../../support/races.ts"

/** The stored tag counts that differ from counting, and shards that should have been deleted. */
const differences = (sql: SqlClient.SqlClient) => sql`
  WITH counted AS (
    SELECT workspace_id, tag, 'device' AS kind, count(DISTINCT id) AS n FROM devices, unnest(tags) AS tag
    WHERE workspace_id IS NOT NULL GROUP BY workspace_id, tag
    UNION ALL SELECT workspace_id, tag, 'site', count(DISTINCT id) FROM sites, unnest(tags) AS tag
    GROUP BY workspace_id, tag
  ), kept AS (SELECT workspace_id, tag, kind, sum(n) AS n, min(n) AS least FROM tag_counts GROUP BY 1, 2, 3)
  SELECT * FROM counted FULL JOIN kept USING (workspace_id, tag, kind)
  WHERE counted.n IS DISTINCT FROM kept.n OR kept.least <= 0`

describePostgres("the counts of tags", () => {
  const databases = useDatabases()
  const app = useTestApp({ databaseUrl: () => databases.url })

  test("are exact after concurrent setting, adding, removing and deleting of tags", async () => {
    const { call, device, site, get } = await arrangeDevices(app)
    const sites = await atOnce(6, (n) => site({ tags: ["hot", `home-${n}`] }))
    const life = async (n: number) => {
      const id = await device({ tags: ["hot", `warm-${n % 3}`, `own-${n}`] })
      const path = `/v1/devices/${id}/tags`
      await call("POST", path, { tags: ["later", `warm-${(n + 1) % 3}`] })
      if (n % 2 === 0) await call("PUT", path, { tags: ["hot"] })
      if (n % 3 === 0) await call("DELETE", `${path}/hot`)
      if (n % 4 === 0) await call("DELETE", `/v1/devices/${id}`)
      await call("PATCH", `/v1/sites/${sites[n % 6].id}`, { tags: n % 5 === 0 ? [] : ["hot", `warm-${n % 3}`] })
    }
    await atOnce(150, (n) => life(n))
    expect(await app.sql(differences)).toEqual([])
    const { body } = await get("/v1/tags?q=hot")
    expect(body.data).toMatchObject([{ tag: "hot", deviceCount: expect.any(Number) }])
    expect(body.data[0].deviceCount).toBeGreaterThan(50)
  })

  test("are exact after statements over many rows, repeated tags, and a failed statement", async () => {
    const { workspaceId } = await arrangeDevices(app)
    const insert = (to: number) =>
      app.sql(
        (sql) => sql`INSERT INTO devices (id, workspace_id, origin_workspace_id, name, manufacturer,
            manufacturer_device_id, reference_id, model, type, commands, tags, direct, created_at, updated_at)
          SELECT 'c' || lpad(n::text, 24, '0'), ${workspaceId}, ${workspaceId}, 'Roof', 'generic', 'INV-' || n, 'user', 'M',
            'meter', '{}', ARRAY['hot', 'group-' || n % 7, 'hot'], true, now(), now()
          FROM generate_series(1, ${to}::int) AS n`
      )
    await insert(500)
    expect(await app.sql(differences)).toEqual([])
    await expect(insert(501)).rejects.toThrow()
    await app.sql(
      (sql) => sql`UPDATE devices SET tags = CASE WHEN right(id, 1) = '0' THEN '{}' ELSE ARRAY['cold'] || tags[2:] END
        WHERE workspace_id = ${workspaceId}`
    )
    await app.sql((sql) => sql`UPDATE devices SET name = 'Renamed' WHERE workspace_id = ${workspaceId}`)
    expect(await app.sql(differences)).toEqual([])
    await app.sql((sql) => sql`DELETE FROM devices WHERE workspace_id = ${workspaceId}`)
    expect(await app.sql((sql) => sql`SELECT FROM tag_counts WHERE workspace_id = ${workspaceId} LIMIT 1`)).toEqual([])
  })

  test("are computed for a database of a version without them", async () => {
    const url = await databases.createEmpty()
    const before = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < "0008"))
    const found = await Effect.runPromise(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* Migrations.runMigrations(before)
        yield* sql`INSERT INTO organizations VALUES ('o', 'O', now(), now())`
        yield* sql`INSERT INTO workspaces VALUES ('w', 'o', 'W', false, 'UTC', now(), now())`
        yield* sql`INSERT INTO manufacturers (slug, name, device_types, connectable, direct_integration, created_at,
          updated_at) VALUES ('generic', 'G', '{meter}', false, true, now(), now())`
        yield* sql`INSERT INTO devices (id, workspace_id, origin_workspace_id, name, manufacturer,
            manufacturer_device_id, reference_id, model, type, commands, tags, direct, created_at, updated_at)
          SELECT 'd' || n, CASE WHEN n < 50 THEN 'w' END, 'w', 'Roof', 'generic', 'INV-' || n, 'user', 'M', 'meter',
            '{}', ARRAY['all', 'third-' || n % 3], true, now(), now() FROM generate_series(0, 59) AS n`
        yield* sql`INSERT INTO sites (id, workspace_id, street_one, city, state, postal_code, country, state_key,
            postal_key, address_hash, tags, created_at, updated_at)
          VALUES ('s', 'w', '1 Main Street', 'C', 'CA', '95814', 'USA', 'CA', '95814', 'h', '{all}', now(), now())`
        yield* Migrations.run
        return [
          yield* differences(sql),
          yield* sql`SELECT kind, sum(n)::int AS n FROM tag_counts WHERE tag = 'all' GROUP BY kind ORDER BY kind`
        ]
      }).pipe((effect) => onPostgres(url, effect))
    )
    expect(found).toEqual([
      [],
      [
        { kind: "device", n: 50 },
        { kind: "site", n: 1 }
      ]
    ])
  })

  test("are read by the page: a tag of sixty thousand devices costs no more than one of three", async () => {
    const { workspaceId } = await arrangeDevices(app)
    await app.sql(
      (sql) => sql`INSERT INTO devices (id, workspace_id, origin_workspace_id, name, manufacturer,
          manufacturer_device_id, reference_id, model, type, commands, tags, direct, created_at, updated_at)
        SELECT 'cp' || lpad(n::text, 23, '0'), ${workspaceId}, ${workspaceId}, 'Roof', 'generic', 'P-' || n, 'user', 'M',
          'meter', '{}', ARRAY['all', 'group-' || n % 20000], true, now(), now() FROM generate_series(1, 60000) AS n`
    )
    await app.sql((sql) => sql`ANALYZE tag_counts`)
    const reading = (q: string | undefined, offset: number) =>
      app.run(
        Effect.gen(function* () {
          const tags = yield* TagsRepository
          return yield* readRows(tags.list(workspaceId, q, 10, offset))
        })
      )
    const first = await reading(undefined, 0)
    expect(first.response[0]).toEqual({ tag: "all", deviceCount: 60_000, siteCount: 0 })
    expect(first.rows).toBeLessThan(60)
    expect(first.indexes).toEqual(new Set(["tag_counts_pkey"]))
    const searched = await reading("GROUP-1999", 0)
    expect(searched.response.map(({ tag }) => tag)).toEqual([
      "group-1999",
      ...Array.from({ length: 9 }, (_, n) => `group-1999${n}`)
    ])
    expect(searched.rows).toBeLessThan(60)
    expect((await reading(undefined, 1000)).rows).toBeLessThan(5000)
  })
})
