import { setTimeout } from "node:timers/promises"
import { Client } from "pg"
import { expect, onTestFinished, test } from "vitest"
import { useDatabases } from "../support/Databases.ts"
import { describePostgres } from "../support/PostgresServer.ts"
import { spawnServer } from "../support/spawnServer.ts"

/** Seconds after the start in which the work of a start is done, and in which statements are counted. */
const SETTLED = 10
const COUNTED = 12

describePostgres("an instance without work", () => {
  const databases = useDatabases()

  /** Transactions of the database until now: an idle instance makes no others than single statements. */
  const countStatements = async () => {
    const client = new Client({ connectionString: databases.adminUrl })
    await client.connect()
    onTestFinished(() => client.end())
    return async () => {
      const { rows } = await client.query<{ count: string }>(
        "SELECT xact_commit + xact_rollback AS count FROM pg_stat_database WHERE datname = current_database()"
      )
      return Number(rows[0]!.count)
    }
  }

  test("asks the database for nothing most of the time", { timeout: 120_000 }, async () => {
    const server = await spawnServer({ env: { DATABASE_URL: databases.url } })
    const count = await countStatements()
    await setTimeout(SETTLED * 1000)
    const before = await count()
    await setTimeout(COUNTED * 1000)
    const perSecond = ((await count()) - before) / COUNTED
    expect(perSecond).toBeGreaterThan(0)
    expect(perSecond).toBeLessThan(5)
    await server.stop()
  })
})
