import { MaterializedCollections } from "@edp/server/collections/MaterializedCollections"
import { Effect } from "effect"
import { expect, test } from "vitest"
import { eventually } from "../../support/eventually.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeCollections, named } from "./arrangeCollections.ts"

const app = useTestApp({ own: true })

const layer = MaterializedCollections.layer
/** The refresh that every instance runs twice a minute. */
const refreshAll = () =>
  app.run(
    Effect.provide(
      Effect.flatMap(MaterializedCollections, (sets) => sets.refreshAll),
      layer
    )
  )

const rowVersion = async (id: string) => {
  const [row] = await app.sql((sql) => sql<{ v: string }>`SELECT xmin::text AS v FROM collections WHERE id = ${id}`)
  return row!.v
}

test("a materialized collection follows changes, at the latest at the next refresh", async () => {
  const { call, create, device, memberIds } = await arrangeCollections(app)
  const id = await device({ name: "A" })
  const set = await create({ dynamic: false, criteria: named("A") })
  const frozen = await create({ dynamic: false, isActive: false, criteria: named("A") })
  const added = await device({ name: "A" })
  await call("PATCH", `/v1/devices/${id}`, { name: "B" })
  await eventually("the set is current", async () => {
    await refreshAll()
    return (await memberIds(set.id)).join() === added ? true : undefined
  })
  expect(await memberIds(frozen.id)).toEqual([id])
})

test("without changes, a materialized collection is not evaluated or written", async () => {
  const { create, device } = await arrangeCollections(app)
  await device({ name: "A" })
  const set = await create({ dynamic: false, criteria: named("A") })
  let before = await rowVersion(set.id)
  // Statistics of earlier writes may arrive late and lead to one more evaluation each.
  await eventually("a refresh writes nothing", async () => {
    await refreshAll()
    const now = await rowVersion(set.id)
    const settled = now === before
    before = now
    return settled ? true : undefined
  })
})

test("a materialized collection by online status is evaluated every time: time alone makes a device offline", async () => {
  const { create, device, memberIds } = await arrangeCollections(app)
  const id = await device()
  await app.sql(
    (sql) => sql`INSERT INTO device_states (device_id, reading_id, at, first_at, state)
      VALUES (${id}, ${`c${"1".repeat(24)}`}, now() - interval '1 minute', now(), '{"power": 1}')`
  )
  const online = { attribute: "onlineStatus", operator: "eq", value: "online" }
  const set = await create({ dynamic: false, criteria: online })
  expect(await memberIds(set.id)).toEqual([id])
  // An hour passes for the device, unseen by the set's own tables.
  await app.sql((sql) => sql`UPDATE device_states SET at = now() - interval '1 hour' WHERE device_id = ${id}`)
  await refreshAll()
  expect(await memberIds(set.id)).toEqual([])
})
