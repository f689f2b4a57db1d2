import { readFileSync } from "node:fs"
import { afterAll, expect, test } from "vitest"
import {
  type ClickHouseServer,
  describeClickHouse,
  startClickHouse
} from "../../../support/clickhouse/ClickHouseServer.ts"
import { useDatabases } from "../../../support/Databases.ts"
import { describePostgres } from "../../../support/PostgresServer.ts"
import { useTestApp } from "../../../support/TestApp.ts"
import { arrangeMetrics } from "../../metrics/arrangeMetrics.ts"
import { retiring } from "../../metrics/retiring.ts"
import { border, moving } from "./archiving.ts"

/** The sample home as an inverter and a meter report it, by the hour. */
const sampleHome = () => {
  const lines = readFileSync(new URL("../../../../examples/sample-home/home.csv", import.meta.url), "utf8")
    .trim()
    .split("\n")
  let [generated, imported, exported] = [0, 0, 0]
  return lines.slice(1).map((line, hour) => {
    const [, load, solar] = line.split(",").map(Number) as [number, number, number]
    generated += solar
    imported += Math.max(0, load - solar)
    exported += Math.max(0, solar - load)
    return {
      at: border - (lines.length - hour) * 3_600_000,
      solar: { power: solar, lifetimeEnergyGenerated: generated },
      meter: { power: load - solar, importedEnergy: imported, exportedEnergy: exported }
    }
  })
}

const suite = () => {
  const databases = useDatabases()
  const server: { current: ClickHouseServer | undefined } = { current: undefined }
  const app = useTestApp({
    databaseUrl: () => databases.url,
    clickHouseUrl: async () => (server.current = await startClickHouse()).url
  })
  afterAll(() => server.current?.close())

  test("a year of a home by the hour takes a twentieth of what it took in PostgreSQL", async () => {
    const home = await arrangeMetrics(app)
    const [solar, meter] = [await home.device(), await home.device({ type: "meter" })]
    const readings = sampleHome()
    await home.send(
      solar,
      readings.map(({ at, solar: state }) => [at, state])
    )
    await home.send(
      meter,
      readings.map(({ at, meter: state }) => [at, state])
    )
    await retiring(app).rollAll()
    const [stored] = await app.sql(
      (sql) => sql<{ readonly bytes: number }>`SELECT sum(pg_total_relation_size(inhrelid))::float8 AS bytes
        FROM pg_inherits WHERE inhparent = 'readings'::regclass`
    )
    await moving(app).moveAll()
    await server.current!.run("OPTIMIZE TABLE edp_readings FINAL")
    const [archived] = await server.current!.rows(
      "SELECT sum(bytes_on_disk), sum(rows) FROM system.parts WHERE table = 'edp_readings' AND database = currentDatabase() AND active"
    )
    const [bytes, rows] = archived!.map(Number) as [number, number]
    expect(rows).toBe(2 * readings.length)
    expect(bytes, `${bytes / rows} bytes a reading`).toBeLessThan(stored!.bytes / 20)
  })
}

describeClickHouse("the size of the archive", () => describePostgres("beside PostgreSQL", suite))
