import {
  type CollectionType,
  type Criteria,
  type Rule,
  findAttribute,
  collectionTypes,
  operatorsByKind
} from "@edp/domain/collections/criteria"
import { criteriaMatch } from "@edp/domain/collections/criteriaMatch"
import { criteriaProblem } from "@edp/domain/collections/criteriaProblem"
import { Arbitrary, Effect } from "effect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { useDatabases } from "../../support/Databases.ts"
import { describePostgres } from "../../support/PostgresServer.ts"
import { inTurn } from "../../support/rounds.ts"
import { TestApp, type TestWorkspace } from "../../support/TestApp.ts"
import { seedRecords } from "./seedRecords.ts"
import { names, scalarsFor, someCriteria } from "./someCriteria.ts"

const RUNS = 150
const paths = { DEVICE: "/v1/devices", SITE: "/v1/sites", CUSTOMER: "/v1/customers" } as const

/** For each operator of each attribute the rules with every value, or with every two that follow one another. */
const everyRule = (type: CollectionType) =>
  names[type].flatMap((name) => {
    const attribute = findAttribute(type, name)!
    return operatorsByKind[attribute.kind].map((operator) => {
      const scalars = operator === "exists" ? [true, false] : scalarsFor(attribute, operator)
      const isList = operator === "in" || operator === "nin"
      const rules = scalars.map((value, index): Rule => ({
        attribute: name,
        operator,
        value: isList ? scalars.slice(index, index + 2) : value
      }))
      return { kind: attribute.kind, operator, rules }
    })
  })

/** Attributes that every record has can't be distinguished by `exists`. */
const always: Readonly<Record<CollectionType, ReadonlyArray<string>>> = {
  DEVICE: ["exists of word"],
  SITE: ["exists of number"],
  CUSTOMER: ["exists of number", "exists of time"]
}

/** The operators that must distinguish some records, by the kind of the attribute. */
const kindsAndOperators = (type: CollectionType) => {
  const all = new Set(everyRule(type).map(({ kind, operator }) => `${operator} of ${kind}`))
  return [...all].filter((one) => !always[type].includes(one)).toSorted()
}

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

  test("the generated records differ enough to distinguish criteria", () => {
    for (const type of collectionTypes) expect(records[type].length).toBeGreaterThan(10)
  })

  const preview = async (type: CollectionType, criteria: Criteria) => {
    const body = { collectionType: type, criteria }
    const response = await app.call("POST", "/v1/collections/preview?perPage=100", { key: place.keys.SERVER, body })
    return {
      ...response,
      ids: response.body.data?.map(({ id }: { readonly id: string }) => id) as ReadonlyArray<string>
    }
  }
  const matching = (type: CollectionType, criteria: Criteria) =>
    records[type].filter((record) => criteriaMatch(type, criteria, record)).map(({ id }) => id)

  test.each(collectionTypes)("type %s: every operator of every attribute selects its matches", async (type) => {
    const decided = new Set<string>()
    for (const { kind, operator, rules } of everyRule(type)) {
      const ranked = rules
        .map((rule) => ({ rule, expected: matching(type, rule) }))
        .map((one) => ({
          ...one,
          distinguishes: one.expected.length > 0 && one.expected.length < records[type].length
        }))
        .toSorted((one, other) => Number(other.distinguishes) - Number(one.distinguishes))
      if (ranked[0]!.distinguishes) decided.add(`${operator} of ${kind}`)
      const asked = [...ranked.slice(0, 2), ranked.at(-1)!]
      const found = await Promise.all(asked.map(({ rule }) => preview(type, rule)))
      expect(found.map(({ ids }, index) => [asked[index]!.rule, ids])).toEqual(
        asked.map(({ rule, expected }) => [rule, expected])
      )
    }
    expect([...decided].toSorted()).toEqual(kindsAndOperators(type))
  })

  test.each(collectionTypes)("type %s: any criteria select the same records in SQL and in memory", async (type) => {
    let some = 0
    const selects = async (criteria: Criteria) => {
      // Criteria that were generated too large are invalid, and so not used.
      if (criteriaProblem(type, criteria) !== undefined) return true
      const expected = matching(type, criteria)
      if (expected.length > 0 && expected.length < records[type].length) some++
      const { body, ids, status } = await preview(type, criteria)
      return status === 200 && body.totalItems === expected.length && `${ids}` === `${expected}`
    }
    const result = await Effect.runPromise(
      Arbitrary.checkEffect(someCriteria(type), (criteria) => Effect.promise(() => selects(criteria)), { runs: RUNS })
    )
    expect(Arbitrary.formatCheckFailure(result)).toBeUndefined()
    expect(some).toBeGreaterThan(RUNS / 10)
  })
}

// They take turns, because both run the same tests.
inTurn(
  1,
  () =>
    describePostgres("on PostgreSQL", () => {
      const app = new TestApp()
      const databases = useDatabases()
      beforeAll(async () => {
        await app.start({ databaseUrl: () => databases.url })
      })
      afterAll(async () => {
        await app.stop()
      })
      sameMembers(app)
    }),
  () =>
    describe("on the embedded database", () => {
      const app = new TestApp()
      beforeAll(() => app.start())
      afterAll(() => app.stop())
      sameMembers(app)
    })
)
