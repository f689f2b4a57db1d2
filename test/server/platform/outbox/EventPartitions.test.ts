import { eventTable } from "@edp/server/platform/outbox/EventPartitions"
import { expect, test } from "vitest"
import { useTestApp } from "../../../support/TestApp.ts"

const app = useTestApp({ own: true })

test("the numbering continues after that of an archive, also where no event was published before", async () => {
  const next = async () => {
    const [row] = await app.sql<{ readonly n: number }>((sql) => sql`SELECT nextval('event_sequence')::int AS n`)
    return row!.n
  }
  await app.sql((sql) => eventTable(sql).passSequence(1))
  expect(await next()).toBe(2)
  await app.sql((sql) => eventTable(sql).passSequence(1))
  expect(await next()).toBe(3)
})
