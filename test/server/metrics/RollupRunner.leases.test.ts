import { LeaseHolder } from "@edp/server/platform/jobs/LeaseHolder"
import { RollupRunner } from "@edp/server/metrics/RollupRunner"
import { Effect, Exit, Scope } from "effect"
import { Client } from "pg"
import { afterAll, expect, onTestFinished, test } from "vitest"
import { useDatabases } from "../../support/Databases.ts"
import { eventually } from "../../support/eventually.ts"
import { describePostgres } from "../../support/PostgresServer.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeWatch } from "../alerts/watching.ts"

describePostgres("the runner of rollups", () => {
  const databases = useDatabases()
  const app = useTestApp({ databaseUrl: () => databases.url })

  let scope: Scope.Closeable | undefined
  afterAll(() => (scope === undefined ? undefined : app.run(Scope.close(scope, Exit.void))))

  /** A device with readings to roll up, and `start`, which lets the runner look for them at once. */
  const arrange = async () => {
    const place = await arrangeWatch(app)
    const { id } = await place.device("inverter")
    for (const minutes of [120, 105, 90, 75, 60]) await place.speak(id, minutes)
    const [locking, asking] = [1, 2].map(() => new Client({ connectionString: databases.url })) as [Client, Client]
    for (const client of [locking, asking]) {
      await client.connect()
      onTestFinished(() => client.end())
    }
    const start = async () => {
      if (scope === undefined) {
        const opened = Scope.makeUnsafe()
        scope = opened
        await app.run(Effect.flatMap(RollupRunner, ({ work }) => Scope.provide(work, opened)))
      }
      await app.run(Effect.flatMap(RollupRunner, ({ wake }) => wake))
    }
    const state = async () => {
      const { rows } = await asking.query<{ claim: string | null; age: number | null; rolled: boolean }>(
        `SELECT roll_claim AS claim, extract(epoch FROM now() - roll_claimed_at)::float8 AS age,
          rolled_until IS NOT NULL AS rolled FROM device_states WHERE device_id = $1`,
        [id]
      )
      return rows[0]!
    }
    return { locking, asking, start, state }
  }

  test("renews the claim of a pass that takes long, and stores its result", async () => {
    const { asking, locking, start, state } = await arrange()
    await locking.query("BEGIN")
    // The claim is made, and the readings can't be read.
    await locking.query("LOCK TABLE kept_readings IN ACCESS EXCLUSIVE MODE")
    await start()
    const claim = await eventually("the pass has its claim", async () => (await state()).claim ?? undefined)
    await asking.query("UPDATE device_states SET roll_claimed_at = roll_claimed_at - interval '30 seconds'")
    // Others may have taken this process for gone, so all leases are renewed.
    await app.run(Effect.map(LeaseHolder, ({ doubted }) => doubted.forEach((doubt) => doubt())))
    await eventually("it is renewed", async () => ((await state()).age! < 20 ? true : undefined))
    expect((await state()).claim).toBe(claim)
    await locking.query("COMMIT")
    await eventually("the result is stored, and the claim ends", async () => {
      const { claim, rolled } = await state()
      return rolled && claim === null ? true : undefined
    })
  })

  test("ends a pass whose claim was lost, and does not store it", async () => {
    const { asking, locking, start, state } = await arrange()
    await locking.query("BEGIN")
    await locking.query("LOCK TABLE kept_readings IN ACCESS EXCLUSIVE MODE")
    await start()
    await eventually("the pass has its claim", async () => (await state()).claim ?? undefined)
    await asking.query("UPDATE device_states SET roll_claim = 'another', roll_claimed_at = now()")
    await app.run(Effect.map(LeaseHolder, ({ doubted }) => doubted.forEach((doubt) => doubt())))
    await eventually("nobody waits for the readings", async () => {
      const { rows } = await asking.query(
        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
      )
      return rows.length === 0 ? true : undefined
    })
    await locking.query("COMMIT")
    expect(await state()).toMatchObject({ claim: "another", rolled: false })
  })
})
