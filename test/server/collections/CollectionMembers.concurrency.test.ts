import type { Membership } from "@edp/domain/collections/criteria"
import { DeviceLists } from "@edp/server/devices/DeviceLists"
import { Effect } from "effect"
import { expect, test } from "vitest"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeCollections } from "./arrangeCollections.ts"

const app = useTestApp({ own: true })

const criteria = { attribute: "name", operator: "eq", value: "A" } as const

const lists = DeviceLists.layer

test("concurrent requests for members each return those of their own workspace, collection and page", async () => {
  const places = await Promise.all([arrangeCollections(app), arrangeCollections(app)])
  const expected: Array<{ workspaceId: string; membership: Membership; page: number; ids: ReadonlyArray<string> }> = []
  for (const { create, device, workspaceId } of places) {
    const ids = [await device({ name: "A" }), await device({ name: "A" }), await device({ name: "A" })].toReversed()
    const [first, second] = [await create({ dynamic: false, criteria }), await create({ dynamic: false })]
    for (const page of [1, 2, 3, 4]) {
      const place = { workspaceId, page, ids: ids.slice(page - 1, page) }
      expected.push({ ...place, membership: { criteria } }, { ...place, membership: { collectionId: first.id } })
      expected.push({ workspaceId, page, ids: [], membership: { collectionId: second.id } })
    }
  }
  const requests = [...expected, ...expected, ...expected]
  const responses = await app.run(
    Effect.flatMap(DeviceLists, ({ members }) =>
      Effect.forEach(
        requests,
        ({ membership, page, workspaceId }) => members(workspaceId, membership, { page, perPage: 1 }),
        { concurrency: "unbounded" }
      )
    ).pipe(Effect.provide(lists))
  )
  expect(responses.map(({ data, page }) => [page, data.map(({ id }) => id)])).toEqual(
    requests.map(({ ids, page }) => [page, ids])
  )
})
