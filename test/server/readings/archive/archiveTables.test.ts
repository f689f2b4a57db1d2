import {
  type ArchiveTables,
  readSettings,
  storeSettings,
  tableStatements
} from "@edp/server/readings/archive/archiveTables"
import { afterAll, beforeAll, expect, test } from "vitest"
import {
  type ClickHouseServer,
  describeClickHouse,
  startClickHouse
} from "../../../support/clickhouse/ClickHouseServer.ts"

const layouts: ReadonlyArray<ArchiveTables> = [
  { layout: "single" },
  { layout: "replicated", cluster: "edge" },
  { layout: "sharded", cluster: "edge" }
]

describeClickHouse("the archive's tables in each layout", () => {
  let server: ClickHouseServer
  beforeAll(async () => {
    server = await startClickHouse()
  })
  afterAll(() => server.close())

  test.each(layouts)("are made by statements that the engine parses: $layout", async (tables) => {
    for (const statement of tableStatements(tables)) {
      const [[formatted] = []] = await server.rows(`SELECT formatQuery($text$${statement}$text$)`)
      expect(formatted).toContain("edp_readings")
    }
  })

  test.each(layouts)("are written and read with settings that the engine knows: $layout", async (tables) => {
    const names = Object.keys({ ...storeSettings(tables), ...readSettings(tables) })
    const known = await server.rows(
      `SELECT name FROM system.settings WHERE name IN (${names.map((name) => `'${name}'`).join(", ") || "''"})`
    )
    expect(known.map(([name]) => name).toSorted()).toEqual(names.toSorted())
  })

  test("are read consistently where there are replicas, which needs writes one after the other", () => {
    for (const tables of layouts.filter(({ layout }) => layout !== "single")) {
      expect(readSettings(tables)).toEqual({ select_sequential_consistency: "1" })
      expect(storeSettings(tables)).toMatchObject({ insert_quorum: "auto", insert_quorum_parallel: "0" })
    }
  })
})
