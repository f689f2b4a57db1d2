import { type CollectionType, collectionTypes } from "@edp/domain/collections/criteria"
import { criteriaMatch } from "@edp/domain/collections/criteriaMatch"
import { criteriaProblem } from "@edp/domain/collections/criteriaProblem"
import { Arbitrary, Effect } from "effect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { describePostgres, type PostgresServer, startPostgres } from "../../support/PostgresServer.ts"
import { TestApp, type TestWorkspace } from "../../support/TestApp.ts"
import { seedRecords } from "./seedRecords.ts"
import { someCriteria } from "./someCriteria.ts"

const RUNS = 300
const paths = { DEVICE: "/v1/devices", SITE: "/v1/sites", CUSTOMER: "/v1/customers" } as const

const sameMembers = (app: TestApp) => {
  let place: TestWorkspace
  const records = {} as Record<CollectionType, ReadonlyArray<{ readonly id: string }>>
  beforeAll(async () => {
    place = await app.workspace()
    await seedRecords(app, place.workspaceId, place.keys.SERVER)
    for (const type of collectionTypes) {
      const { body } = await app.call("GET", `${paths[type]}?perPage=100`, { key: place.keys.SERVER })
      records[type] = body.data
    }
  })

  test("the records differ enough to tell criteria apart", () => {
    for (const type of collectionTypes) expect(records[type].length).toBeGreaterThan(10)
  })

  test.each(collectionTypes)("of type %s: any criteria select from SQL what they match in memory", async (type) => {
    const key = place.keys.SERVER
    let some = 0
    const selects = async (criteria: Parameters<typeof criteriaMatch>[1]) => {
      // What was generated too big is not right, and so not asked for.
      if (criteriaProblem(type, criteria) !== undefined) return true
      const expected = records[type].filter((record) => criteriaMatch(type, criteria, record)).map(({ id }) => id)
      if (expected.length > 0 && expected.length < records[type].length) some++
      const body = { collectionType: type, criteria }
      const answer = await app.call("POST", "/v1/collections/preview?perPage=100", { key, body })
      const found = answer.body.data?.map(({ id }: { readonly id: string }) => id)
      return answer.status === 200 && answer.body.totalItems === expected.length && `${found}` === `${expected}`
    }
    const result = await Effect.runPromise(
      Arbitrary.checkEffect(someCriteria(type), (criteria) => Effect.promise(() => selects(criteria)), { runs: RUNS })
    )
    expect(Arbitrary.formatCheckFailure(result)).toBeUndefined()
    expect(some).toBeGreaterThan(RUNS / 10)
  })
}

describe("on the embedded database", () => {
  const app = new TestApp()
  beforeAll(() => app.start())
  afterAll(() => app.stop())
  sameMembers(app)
})

describePostgres("on PostgreSQL", () => {
  const app = new TestApp()
  let postgres: PostgresServer
  beforeAll(async () => {
    postgres = await startPostgres({ fsync: false })
    await app.start({ databaseUrl: () => postgres.url })
  })
  afterAll(async () => {
    await app.stop()
    await postgres.stop()
  })
  sameMembers(app)
})
