import { CommandRunner } from "@edp/server/commands/CommandRunner"
import { AdapterError } from "@edp/adapter-kit/AdapterError"
import { Effect, Logger } from "effect"
import { expect, test } from "vitest"
import { describePostgres } from "../../support/PostgresServer.ts"
import { useDatabases } from "../../support/Databases.ts"
import { eventually } from "../../support/eventually.ts"
import { acceptedCommand, scriptedAdapter } from "../../support/scriptedAdapter.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeCommands, batteryCommands } from "./arrangeCommands.ts"

const ROUNDS = 5
const AT_ONCE = 100

describePostgres("commands for one device at once", () => {
  const databases = useDatabases()
  const scripted = scriptedAdapter({ commands: batteryCommands })
  const app = useTestApp({ databaseUrl: () => databases.url, adapters: [scripted.adapter] })

  test("have one outcome each, whether they are sent, overridden or cancelled first", async () => {
    const before = { mode: "self-consumption" }
    let calls = 0
    const { call, deviceId, events, sent } = await arrangeCommands(app, scripted, {
      // Every other call fails after it has stored the settings, so that cancelling and overriding restore them.
      send: (request) =>
        Effect.andThen(
          request.type === "battery:set-operating-mode" && request.snapshot === null
            ? request.saveSnapshot(before)
            : Effect.void,
          ++calls % 2 === 0 ? Effect.succeed(acceptedCommand) : Effect.fail(AdapterError.of("unreachable", "Away"))
        )
    })
    const step = () => app.run(Effect.flatMap(CommandRunner, ({ step }) => step).pipe(Effect.provide(Logger.layer([]))))
    const ids: Array<string> = []
    const submit = async (n: number) => {
      const body =
        n % 2 === 0
          ? { type: "battery:set-reserve", input: { chargePercentage: n % 100 } }
          : { type: "battery:set-operating-mode", input: { operatingMode: n % 4 === 1 ? "charge" : "idle" } }
      const response = await call("POST", `/v1/devices/${deviceId}/commands`, body)
      if (response.status === 201) ids.push(response.body.id)
      return response.status
    }
    const cancel = async () => {
      const id = ids.at(-1)
      return id === undefined ? 400 : (await call("POST", `/v1/commands/${id}/cancel`)).status
    }
    const responses: Array<number> = []
    for (const _ of Array.from({ length: ROUNDS })) {
      const all = Array.from({ length: AT_ONCE }, async (_, n) => {
        if (n % 10 === 0) await step()
        await app.sql(
          (sql) => sql`UPDATE commands SET due_at = now() WHERE status = 'pending' AND NOT in_hand RETURNING 1`
        )
        return n % 3 === 0 ? cancel() : submit(n)
      })
      responses.push(...(await Promise.all(all)))
    }
    expect([...new Set(responses)].toSorted()).toEqual([200, 201, 400])
    expect(ids.length).toBeGreaterThan(ROUNDS * 60)

    await eventually("nothing is left to send", async () => {
      await app.sql((sql) => sql`UPDATE commands SET due_at = now() WHERE status = 'pending' RETURNING 1`)
      await app.sql((sql) => sql`UPDATE device_work SET due_at = now() WHERE claim IS NULL RETURNING 1`)
      await step()
      const rows = await app.sql((sql) => sql`SELECT 1 FROM commands WHERE status = 'pending'`)
      return rows.length === 0 ? true : undefined
    })
    const rows = await app.sql<{ readonly id: string; readonly status: string; readonly reason: string | null }>(
      (sql) => sql`SELECT id, status, reason FROM commands WHERE device_id = ${deviceId}`
    )
    const delivered = new Set(rows.filter(({ status }) => status === "delivered").map(({ id }) => id))
    const failed = rows.filter(({ status }) => status === "failed")
    expect(delivered.size + failed.length).toBe(ids.length)
    expect(new Set(failed.map(({ reason }) => reason))).toEqual(new Set(["cancelled", "overridden"]))
    // A command is accepted at most once, and sent after a failure only.
    const accepted = sent().filter((_, n) => n % 2 === 1)
    expect(new Set(accepted.map(({ id }) => id))).toEqual(delivered)
    expect(accepted).toHaveLength(delivered.size)
    const [told] = await app.sql<{ readonly ended: number; readonly commands: number }>(
      (sql) => sql`SELECT count(*)::int AS ended, count(DISTINCT payload->'command'->>'id')::int AS commands FROM events
        WHERE type IN ('COMMAND_FAILED', 'COMMAND_OVERRIDDEN') AND device_id = ${deviceId}`
    )
    expect(told).toEqual({ ended: failed.length, commands: failed.length })
    expect(await events("COMMAND_SUCCEEDED")).toEqual([])
  })
})
