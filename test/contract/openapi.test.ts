import { readFileSync } from "node:fs"
import { Api } from "@edp/domain/Api"
import { AllowedKeyTypes } from "@edp/domain/auth/annotations"
import { apiKeyTypes } from "@edp/domain/auth/ApiKeyType"
import { errorCodes } from "@edp/domain/errors/ErrorCode"
import { type Json, listOperations } from "@edp/domain/openapi/document"
import { listCodes } from "@edp/domain/openapi/responses"
import { Context, Schema } from "effect"
import { HttpApi, HttpApiSchema, OpenApi } from "effect/http-api"
import { describe, expect, it } from "vitest"
import { examplesIn, partAt, schemaCheck } from "../support/openApiExamples.ts"

const committed = readFileSync(new URL("../../packages/domain/openapi.json", import.meta.url), "utf8")
const spec: Json = JSON.parse(committed)
const operations = listOperations(spec).map(({ path, method, operation }) => ({
  name: `${method.toUpperCase()} ${path}`,
  operation,
  responses: Object.entries<Json>(operation.responses).map(
    ([status, listed]) => [status, partAt(spec, listed)] as const
  )
}))

interface Endpoint {
  readonly name: string
  readonly allowed: ReadonlyArray<string>
  readonly payloads: ReadonlyArray<Schema.Top>
  readonly successes: ReadonlyMap<number, ReadonlyArray<Schema.Top>>
  readonly codes: ReadonlyMap<number, ReadonlySet<string>>
}

const findCode = (error: Schema.Top): string =>
  Object.keys((Schema.toJsonSchemaDocument(error) as Json).definitions).find((name) => name in errorCodes) ?? "?"

const endpoints: Array<Endpoint> = []
HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint, mergedAnnotations, successes, errors }) => {
    const path = endpoint.path.replace(/:(\w+)/g, "{$1}").replace(/(.)\/$/, "$1")
    endpoints.push({
      name: `${endpoint.method} ${path}`,
      allowed: Context.get(mergedAnnotations, AllowedKeyTypes),
      payloads: [...endpoint.payload.values()].flatMap(({ schemas }) => schemas),
      successes,
      codes: new Map([...errors].map(([status, schemas]) => [status, new Set(schemas.map(findCode))]))
    })
  }
})

/** The status of SERVICE_UNAVAILABLE where readings of the past are needed that are not available. */
const ARCHIVE_STATUS = "503"

const documented = (name: string) => operations.find((operation) => operation.name === name)!

describe("the OpenAPI document", () => {
  it("is committed as the contract generates it", () => {
    expect(committed).toBe(`${JSON.stringify(OpenApi.fromApi(Api), null, 2)}\n`)
    expect([spec.openapi, spec.info.version]).toEqual(["3.1.0", "2.0.0"])
  })

  it("lists every endpoint of the contract and no other", () => {
    expect(operations.map(({ name }) => name).sort()).toEqual(endpoints.map(({ name }) => name).sort())
  })

  it("has each component once", () => {
    const names = Object.values<Json>(spec.components).flatMap((part) => Object.keys(part))
    expect(names.filter((name) => /_\d+$/.test(name))).toEqual([])
  })

  it("has no union of one member", () => {
    const lone: Array<Json> = []
    const visit = (node: unknown): void => {
      if (typeof node !== "object" || node === null) return
      const { anyOf, oneOf } = node as Json
      if (anyOf?.length === 1 || oneOf?.length === 1) lone.push(node)
      Object.values(node).forEach(visit)
    }
    visit(spec)
    expect(lone).toEqual([])
  })

  it("allows in responses every value that requests allow", () => {
    const { schemas } = spec.components
    const pairs = Object.keys(schemas).flatMap((name) => {
      const record = /^(?:Create|Update|Provision)(\w+)$/.exec(name)?.[1] ?? ""
      const answered = schemas[record] ?? {}
      return (answered.oneOf ?? [{ $ref: `#/components/schemas/${record}` }]).map((part: Json) => [
        name,
        schemas[name].properties,
        partAt(spec, part)?.properties ?? {}
      ])
    })
    const bounds = pairs.flatMap(([name, sent, answered]: [string, Json, Json]) =>
      Object.keys(sent ?? {})
        .filter((field) => "maxLength" in sent[field] && field in answered)
        // An invalid id may be sent, but is never returned; a time is returned in one form only.
        .filter((field) => !answered[field].pattern?.startsWith("^c[") && answered[field].format === undefined)
        .map((field) => ({
          field: `${name}.${field}`,
          sent: sent[field].maxLength,
          answered: answered[field].maxLength
        }))
    )
    expect(bounds.length).toBeGreaterThan(30)
    expect(bounds.filter(({ sent, answered }: Json) => !(answered >= sent))).toEqual([])
  })

  it("has no dangling reference", () => {
    const references = [...committed.matchAll(/"\$ref": "([^"]+)"/g)].map(([, reference]) => reference!)
    expect(references.length).toBeGreaterThan(100)
    expect(references.filter((reference) => partAt(spec, { $ref: reference }) === undefined)).toEqual([])
  })

  it("gives every operation an operationId, a summary, a description and a described tag", () => {
    const ids = operations.map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
    const tags = new Map(spec.tags.map(({ name, description }: Json) => [name, description]))
    for (const { name, operation } of operations) {
      expect(operation.operationId, name).toMatch(/^[a-z]+([A-Z][a-z]+)+$/)
      expect(operation.summary, name).toMatch(/^[A-Z].*[a-z]$/)
      expect(operation.description, name).toMatch(/\.\n\nNeeds an? [A-Z, ]+(or [A-Z]+ )?key; counts in the .+\.$/)
      expect(tags.get(operation.tags[0]), name).toMatch(/.{40}/)
    }
  })

  it.each(endpoints)("states the key types of $name", ({ name, allowed }) => {
    const { operation } = documented(name)
    expect(operation["x-allowed-key-types"]).toEqual(allowed)
    expect(allowed.length).toBeGreaterThan(0)
    const sentence = operation.description.split("\n\n").at(-1)
    expect(apiKeyTypes.filter((type) => sentence.includes(` ${type}`)).sort()).toEqual([...allowed].sort())
    expect(operation.security).toEqual([{ serviceApiKey: [] }])
  })

  it.each(endpoints)("lists every error of $name under its status", ({ name, codes }) => {
    const { responses } = documented(name)
    const failures = responses.filter(([status]) => Number(status) >= 400 && status !== ARCHIVE_STATUS)
    expect(new Map(failures.map(([status, response]) => [Number(status), new Set(listCodes(response))]))).toEqual(codes)
    for (const [status, response] of failures) {
      for (const code of listCodes(response)) {
        expect(errorCodes[code as keyof typeof errorCodes].status).toBe(Number(status))
        expect(response.description).toContain(`\`${code}\``)
        expect(Object.keys(response.content["application/json"].examples)).toContain(code)
      }
    }
  })

  it("says where the archive of readings is needed, and when to try again", () => {
    const needing = operations.filter(({ responses }) => responses.some(([status]) => status === ARCHIVE_STATUS))
    const names = needing.map(({ name }) => name)
    expect(names).toContain("GET /v1/devices/{id}/history")
    expect(names.every((name) => /history|metrics|report/u.test(name))).toBe(true)
    for (const { responses } of needing) {
      const [, response] = responses.find(([status]) => status === ARCHIVE_STATUS)!
      expect(listCodes(response)).toEqual(["SERVICE_UNAVAILABLE"])
      expect(response.headers).toHaveProperty("Retry-After")
    }
  })

  it("describes every parameter, and arrays as repeatable or comma-separated", () => {
    const parameters = operations.flatMap(({ operation }) => operation.parameters)
    expect(parameters.filter(({ description }) => description === "")).toEqual([])
    const lists = parameters.filter(({ schema }) => schema.type === "array")
    expect(lists.length).toBeGreaterThan(5)
    for (const list of lists) expect(list.description).toMatch(/repeated parameter or a comma-separated list/)
    const perPage = parameters.filter(({ name }) => name === "perPage")
    expect(new Set(perPage.map(({ schema }) => `${schema.type} ${schema.minimum} ${schema.maximum}`))).toEqual(
      new Set(["integer 1 100"])
    )
  })

  it("lists the headers of every response", () => {
    const limits = ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"]
    for (const { name, responses } of operations) {
      for (const [status, response] of responses) {
        const expected = [
          "X-Request-Id",
          ...(status === "401" ? [] : limits),
          ...(status === "429" ? ["Retry-After"] : [])
        ]
        expect(Object.keys(response.headers), `${name} ${status}`).toEqual(expect.arrayContaining(expected))
      }
    }
    const cursors = operations.filter(({ operation }) =>
      operation.parameters.some(({ name }: Json) => name === "cursor")
    )
    expect(cursors.length).toBeGreaterThan(1)
    for (const { responses } of cursors) expect(responses[0]![1].headers).toHaveProperty("X-Next-Cursor")
  })
})

describe("the document's examples", () => {
  const check = schemaCheck(spec)
  const examples = examplesIn(spec)

  it("exist for every body", () => {
    const bodies = operations.flatMap(({ name, operation, responses }) => [
      ...(operation.requestBody === undefined ? [] : [[name, operation.requestBody] as const]),
      ...responses.map(([status, response]) => [`${name} ${status}`, response] as const)
    ])
    const media = bodies.flatMap(([name, body]) =>
      Object.values<Json>(body.content ?? {}).map((part) => ({ name, part }))
    )
    expect(media.length).toBeGreaterThan(200)
    expect(media.filter(({ part }) => Object.keys(part.examples ?? {}).length === 0)).toEqual([])
  })

  it("and the defaults match their schemas", () => {
    expect(examples.length).toBeGreaterThan(400)
    expect(examples.flatMap(({ place, schema, value }) => check(place, schema, value))).toEqual([])
  })

  it.each(endpoints)("decode and encode by the contract: $name", ({ name, payloads, successes }) => {
    const { operation, responses } = documented(name)
    const decoded = (schemas: ReadonlyArray<Schema.Top>, body: Json | undefined) => {
      const schema = Schema.Union(schemas.map((one) => (HttpApiSchema.isWithHeaders(one) ? one.schema : one)))
      for (const example of Object.values<Json>(body?.content?.["application/json"]?.examples ?? {})) {
        Schema.decodeUnknownSync(schema as never)(partAt(spec, example).value)
      }
    }
    decoded(payloads, operation.requestBody)
    for (const [status, schemas] of successes) {
      decoded(schemas, responses.find(([listed]) => listed === String(status))![1])
    }
    expect(responses.length).toBeGreaterThan(successes.size)
  })
})

describe("the document's bodies", () => {
  const check = schemaCheck(spec)
  const withExtra = (value: Json) => ({ ...value, notInTheContract: { at: "all" } })
  const exampleValue = (example: Json) => partAt(spec, example).value

  it("allow unknown fields anywhere in a request", () => {
    const bodies = operations.flatMap(({ operation }) => Object.values<Json>(operation.requestBody?.content ?? {}))
    expect(bodies.length).toBeGreaterThan(15)
    for (const { schema, examples } of bodies) {
      for (const example of Object.values<Json>(examples)) {
        expect(check("", schema, withExtra(exampleValue(example)))).toEqual([])
      }
    }
    const site = exampleValue({ $ref: "#/components/examples/CreateSite" })
    expect(
      check("", { $ref: "#/components/schemas/CreateSite" }, { ...site, address: withExtra(site.address) })
    ).toEqual([])
  })

  it("allow no unknown field in a telemetry state", () => {
    const push = exampleValue({ $ref: "#/components/examples/PushTelemetry" })
    const schema = { $ref: "#/components/schemas/PushTelemetry" }
    expect(check("", schema, push)).toEqual([])
    expect(check("", schema, { ...push, state: withExtra(push.state) })).not.toEqual([])
  })

  it("allow no unknown field in a response", () => {
    const replies = operations.flatMap(({ responses }) =>
      responses.flatMap(([, response]) => Object.values<Json>(response.content ?? {}))
    )
    for (const { schema, examples } of replies) {
      for (const example of Object.values<Json>(examples)) {
        expect(check("", schema, withExtra(exampleValue(example)))).not.toEqual([])
      }
    }
  })

  it("state the unit of every number of a state", () => {
    const unit = /\b(W|Wh|V|A|percent|degrees Fahrenheit|miles|seconds)\b|^Number of /
    const numbers = Object.entries<Json>(spec.components.schemas)
      .filter(([name]) => /(State|Static|Reading)$/.test(name))
      .flatMap(([name, { properties = {} }]) =>
        Object.entries<Json>(properties).map(([field, schema]) => [`${name}.${field}`, schema] as const)
      )
      .filter(([, { type }]) => [type].flat().some((one) => one === "number" || one === "integer"))
    expect(numbers.length).toBeGreaterThan(60)
    expect(numbers.filter(([, { description }]) => !unit.test(description ?? "")).map(([name]) => name)).toEqual([])
  })
})
