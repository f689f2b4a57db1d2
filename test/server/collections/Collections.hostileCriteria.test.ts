import { collectionTypes, operators } from "@edp/domain/collections/criteria"
import { describe, expect, test } from "vitest"
import { expectError } from "../../support/expectError.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeCollections, named } from "./arrangeCollections.ts"
import { hostileTexts } from "./someCriteria.ts"

const app = useTestApp()
const rule = (attribute: unknown, operator: unknown, value?: unknown) => ({ attribute, operator, value })
const nest = (depth: number, inside: unknown): unknown => (depth === 0 ? inside : { not: nest(depth - 1, inside) })

const arrange = async () => {
  const arranged = await arrangeCollections(app)
  const preview = (criteria: unknown, collectionType = "DEVICE") =>
    arranged.call("POST", "/v1/collections/preview", { collectionType, criteria })
  return { ...arranged, preview }
}

describe("a value", () => {
  test("is treated as text, whatever it contains", async () => {
    const { device, preview } = await arrange()
    const texts = hostileTexts.filter((text) => text !== "" && text.length < 256)
    const ids = new Map<string, string>()
    for (const text of texts) ids.set(text, await device({ name: text, tags: text === "{}" ? [] : [text] }))
    for (const text of texts) {
      for (const operator of ["eq", "in"]) {
        const { body } = await preview(rule("name", operator, operator === "in" ? [text] : text))
        expect(body.data.map(({ id }: any) => id)).toEqual([ids.get(text)])
      }
      if (text === "{}") continue
      const { body } = await preview(rule("tags", "contains", text))
      expect(body.data.map(({ id }: any) => id)).toEqual([ids.get(text)])
    }
    expect((await preview(rule("name", "contains", "%"))).body.totalItems).toBe(1)
  })

  test("is matched and stored unchanged with 10,000 characters", async () => {
    const { call, create, preview } = await arrange()
    const long = "'%\\".repeat(3333) + "x"
    const { id } = await create({ criteria: named(long) })
    expect((await call("GET", `/v1/collections/${id}`)).body.criteria).toEqual(named(long))
    expect((await preview(rule("state.power", "contains", long))).status).toBe(200)
    expect(
      (
        await preview(
          rule(
            "tags",
            "in",
            Array.from({ length: 1000 }, () => "x")
          )
        )
      ).status
    ).toBe(200)
  })

  test.each([
    ["criteria.value", rule("name", "eq", "a\0b")],
    ["criteria.value", rule("name", "eq", "\ud800")],
    ["criteria.value.1", rule("name", "in", ["a", null])],
    ["criteria.value", rule("name", "in", [])],
    [
      "criteria.value",
      rule(
        "name",
        "in",
        Array.from({ length: 1001 }, () => "x")
      )
    ],
    ["criteria.value", rule("name", "exists", "yes")],
    ["criteria.value", rule("name", "eq", { $ne: null })],
    ["criteria.value", rule("name", "eq")],
    ["criteria.value", rule("type", "eq", "toaster")],
    ["criteria.value", rule("createdAt", "gt", "yesterday")],
    ["criteria.value", rule("state.power", "gt", "5")],
    ["criteria.value", rule("state.power", "eq", [5])],
    ["criteria.value", rule("state.power", "startsWith", 5)],
    ["criteria.operator", rule("name", "gt", "a")],
    ["criteria.operator", rule("name", "like", "%")],
    ["criteria.operator", rule("name", "toString", "a")],
    ["criteria.operator", rule("createdAt", "contains", "2026")],
    ["criteria.attribute", rule("colour", "eq", "red")],
    ["criteria.attribute", rule("__proto__", "eq", "a")],
    ["criteria.attribute", rule("d.name) OR (1=1", "eq", "a")],
    ["criteria.attribute", rule("state.", "eq", "a")],
    ["criteria.attribute", rule("state.a\0", "eq", "a")],
    ["criteria.attribute", rule(`state${".a".repeat(17)}`, "eq", "a")],
    ["criteria.attribute", rule(7, "eq", "a")],
    ["criteria", { ...named("a"), also: 1 }],
    ["criteria", { all: [named("a")], any: [named("a")] }],
    ["criteria", { nor: [named("a")] }],
    ["criteria.all", { all: [] }],
    ["criteria.all", { all: named("a") }],
    ["criteria.all.0", { all: ["name = 'a'"] }],
    ["criteria.not", { not: [] }],
    ["criteria.any.50", { any: Array.from({ length: 51 }, () => named("a")) }],
    ["criteria.not.not.not.not.not", nest(6, named("a"))],
    ["criteria.not.not.not.not.not", nest(3000, named("a"))]
  ])("that are invalid are reported by their path: %s", async (path, criteria) => {
    const { preview } = await arrange()
    const response = await preview(criteria)
    expectError(response, 400, "INVALID_CRITERIA")
    expect(response.body.message.slice(0, path.length + 2)).toBe(`${path}: `)
  })
})

describe("criteria", () => {
  test("may be 5 levels deep and have 50 rules", async () => {
    const { preview } = await arrange()
    expect((await preview(nest(5, named("a")))).status).toBe(200)
    expect((await preview({ any: Array.from({ length: 50 }, () => named("a")) })).status).toBe(200)
  })

  test("are evaluated at the maximum size", async () => {
    const { preview } = await arrange()
    const path = `state${".a'b".repeat(16)}`
    const values = Array.from({ length: 1000 }, (_, index) => (index % 2 === 0 ? index : `'${index}`))
    const wide = Array.from({ length: 40 }, () => rule(path, "nin", values))
    expect((await preview({ any: wide })).status).toBe(200)
    const times = Array.from({ length: 1000 }, () => "2026-01-01T00:00:00Z")
    expect((await preview({ any: Array.from({ length: 40 }, () => rule("createdAt", "in", times)) })).status).toBe(200)
  })

  test("never cause a 500", async () => {
    const { preview } = await arrange()
    const odd = [null, true, 0, -1, 1e308, "", "\0", [], [[]], {}, { value: 1 }, "x".repeat(10_000), ["a", 1, null]]
    const attributes = ["name", "type", "tags", "createdAt", "deviceCount", "siteCount", "state.a", "staticState.0.a"]
    for (const type of collectionTypes) {
      for (const attribute of attributes) {
        for (const operator of operators) {
          const statuses = await Promise.all(
            odd.map(async (value) => (await preview(rule(attribute, operator, value), type)).status)
          )
          expect(statuses.filter((status) => status !== 200 && status !== 400)).toEqual([])
        }
      }
    }
  })
})
