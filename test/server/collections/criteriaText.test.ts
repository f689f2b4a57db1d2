import {
  type CollectionType,
  type Condition,
  type Rule,
  type Scalar,
  findAttribute,
  collectionTypes
} from "@edp/domain/collections/criteria"
import { criteriaSql } from "@edp/server/devices/criteria/criteriaSql"
import { Arbitrary, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { expect, test } from "vitest"
import { useTestApp } from "../../support/TestApp.ts"
import { someCriteria } from "./someCriteria.ts"

const app = useTestApp({ own: true })
const RUNS = 1000

const harmlessValue = ({ kind, words }: { readonly kind: string; readonly words?: ReadonlyArray<string> }) => {
  if (kind === "time") return "2020-02-02T02:02:02Z"
  return kind === "word" ? words![0]! : "q"
}

/** The same rule about something harmless: each value and each part of a path is another of its kind. */
const harmlessRule = (type: CollectionType, { attribute: name, operator, value }: Rule): Rule => {
  const attribute = findAttribute(type, name)!
  const another = (scalar: Scalar): Scalar => {
    if (typeof scalar !== "string") return typeof scalar === "number" ? 7 : scalar
    return harmlessValue(attribute)
  }
  const { at } = attribute
  return {
    attribute: at === undefined ? name : [at.field, ...at.path.map(() => "p")].join("."),
    operator,
    value: Array.isArray(value) ? value.map(another) : another(value as Scalar)
  }
}

const harmless = (type: CollectionType, condition: Condition): Condition => {
  if ("all" in condition) return { all: condition.all.map((one) => harmless(type, one)) }
  if ("any" in condition) return { any: condition.any.map((one) => harmless(type, one)) }
  return "not" in condition ? { not: harmless(type, condition.not) } : harmlessRule(type, condition)
}

test.each(collectionTypes)("type %s: the text of a statement does not depend on the values", async (type) => {
  const statementText = (condition: Condition) =>
    app.run(
      Effect.map(SqlClient.SqlClient, (sql) => sql`${criteriaSql(sql)(type, condition, new Date(0))}`.compile()[0])
    )
  const result = await Effect.runPromise(
    Arbitrary.checkEffect(
      someCriteria(type),
      (condition) =>
        Effect.promise(
          async () => (await statementText(condition)) === (await statementText(harmless(type, condition)))
        ),
      { runs: RUNS }
    )
  )
  expect(Arbitrary.formatCheckFailure(result)).toBeUndefined()
})
