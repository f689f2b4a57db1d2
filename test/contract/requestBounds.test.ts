import { request } from "node:http"
import { SchemaAST } from "effect"
import { beforeAll, describe, expect, test } from "vitest"
import { expectError } from "../support/expectError.ts"
import { useTestApp } from "../support/TestApp.ts"
import { type Endpoint, endpoints, fillPath, formatRoute } from "./endpoints.ts"
import { requestBodies } from "./requestBodies.ts"
import { seedWorld, type World } from "./world.ts"

const app = useTestApp()
let world: World
beforeAll(async () => {
  world = await seedWorld(app, "bounds")
})

const nobody = "c0000000000000000000000000"
const makePath = ({ path, params }: Endpoint) =>
  fillPath(path, Object.fromEntries(params.map((name) => [name, nobody])))
const makeBody = (endpoint: Endpoint) => requestBodies[formatRoute({ ...endpoint, path: endpoint.documented })]!(world)

interface Reply {
  readonly status: number
  readonly text: string
  readonly body: any
}

/** Sends a body as it is, on any method. */
const send = (endpoint: Endpoint, body: Buffer, type?: string) =>
  new Promise<Reply>((resolve, reject) => {
    const headers = {
      "Service-Api-Key": world.keys[endpoint.allowed[0]!],
      "Content-Length": body.length,
      ...(type === undefined ? {} : { "Content-Type": type })
    }
    const call = request(`${app.url}${makePath(endpoint)}`, { method: endpoint.method, headers }, (response) => {
      const parts: Array<Buffer> = []
      response.on("data", (part: Buffer) => parts.push(part))
      response.on("end", () => {
        const text = Buffer.concat(parts).toString()
        resolve({ status: response.statusCode!, text, body: text === "" ? undefined : JSON.parse(text) })
      })
    })
    call.on("error", reject)
    call.end(body)
  })

const sendJson = (endpoint: Endpoint, body: unknown) =>
  send(endpoint, Buffer.from(JSON.stringify(body)), "application/json")

const named = (some: ReadonlyArray<Endpoint>) => some.map((endpoint) => ({ endpoint, route: formatRoute(endpoint) }))

describe.each(named(endpoints))("$route", ({ endpoint }) => {
  test.each([
    ["Latin-1", Buffer.from('{"name":"Zürich"}', "latin1"), "application/json", "Must be in UTF-8"],
    ["a list", Buffer.from("[]"), "application/json", "Must be a JSON object"],
    ["no JSON", Buffer.from("garbage"), "application/json", "Must be a valid JSON body"],
    ["another charset", Buffer.from("{}"), "application/json; charset=iso-8859-1", "Must be in UTF-8"],
    ["another type", Buffer.from("{}"), "text/plain", "Must be JSON, with Content-Type: application/json"]
  ])("400 VALIDATION_ERROR for a body that is %s", async (_, body, type, sentence) => {
    expectError((await send(endpoint, body, type)) as never, 400, "VALIDATION_ERROR", { body: sentence })
  })
})

/** The lists in a body, by the schema that decodes it. */
const findLists = (ast: SchemaAST.AST, path: ReadonlyArray<string> = []): ReadonlyArray<ReadonlyArray<string>> => {
  if (SchemaAST.isArrays(ast)) return [path]
  if (SchemaAST.isUnion(ast)) return ast.types.flatMap((type) => findLists(type, path))
  if (!SchemaAST.isObjects(ast)) return []
  return ast.propertySignatures.flatMap(({ name, type }) => findLists(type, [...path, String(name)]))
}

const withValue = (body: any, [first, ...rest]: ReadonlyArray<string>, value: unknown): any =>
  first === undefined ? value : { ...body, [first]: withValue(body?.[first] ?? {}, rest, value) }

const withPayload = endpoints.filter(({ payload }) => payload !== undefined)
const lists = withPayload.flatMap((endpoint) =>
  findLists(endpoint.payload!.ast).map((path) => ({ endpoint, path, at: path.join("."), route: formatRoute(endpoint) }))
)

describe.each(lists)("$route $at", ({ endpoint, path, at }) => {
  test.each([
    ["numbers", 1],
    ["strings", "x"],
    ["objects", {}]
  ])("a list of 100,000 %s is rejected for its length, without checking the items", async (_, item) => {
    const reply = await sendJson(
      endpoint,
      withValue(
        makeBody(endpoint),
        path,
        Array.from({ length: 100_000 }, () => item)
      )
    )
    expect(reply.status).toBe(400)
    expect(Object.keys(reply.body.details)).toContain(at)
    expect(reply.body.details[at]).toMatch(/most|to \d+/)
    expect(reply.text.length).toBeLessThan(5000)
  })
})

test("only the first hundred of many invalid fields are reported, and the message says so", async () => {
  const push = endpoints.find((one) => formatRoute(one) === "POST /devices/:id/telemetry")!
  const reply = await sendJson(push, { readings: Array.from({ length: 1000 }, () => 1) })
  expect(reply.status).toBe(400)
  expect(Object.keys(reply.body.details)).toHaveLength(100)
  expect(reply.body.message).toContain("more fields are wrong")
})

test("a bulk request with many invalid fields in every item gets a short response", async () => {
  const bulk = endpoints.find((one) => formatRoute(one) === "POST /v1/sites/bulk")!
  const tags = Array.from({ length: 100 }, () => 1)
  const reply = await sendJson(bulk, { sites: Array.from({ length: 500 }, () => ({ tags })) })
  expect(reply.status).toBe(200)
  expect(reply.body.failed).toBe(500)
  expect(reply.text.length).toBeLessThan(500_000)
})

test("a body of very many small parts is rejected before it is parsed", async () => {
  const bulk = endpoints.find((one) => formatRoute(one) === "POST /devices/telemetry")!
  const deep = `{"readings":${"[".repeat(100_000)}${"]".repeat(100_000)}}`
  for (const text of [`{"readings":[${"{},".repeat(400_000)}{}]}`, deep]) {
    const reply = await send(bulk, Buffer.from(text), "application/json")
    expectError(reply as never, 400, "VALIDATION_ERROR", { body: expect.stringMatching(/^Must have at most/) })
  }
})

/** Names of types, and what a schema library says of itself. */
const internal = /Expected|undefined|Schema|NaN|\[object|\b[A-Z][a-z]+[A-Z]\w*\b| \| /

const spoilt: ReadonlyArray<unknown> = [
  null,
  1e300,
  -1,
  1.5,
  "",
  "\0",
  "x".repeat(3000),
  true,
  [],
  [null],
  {},
  { a: 1 }
]

const findFields = (ast: SchemaAST.AST, path: ReadonlyArray<string> = []): ReadonlyArray<ReadonlyArray<string>> => {
  if (SchemaAST.isUnion(ast)) return [path, ...ast.types.flatMap((type) => findFields(type, path).slice(1))]
  if (SchemaAST.isArrays(ast)) return [path, ...ast.rest.flatMap((type) => findFields(type, [...path, "0"]))]
  if (!SchemaAST.isObjects(ast)) return [path]
  return [path, ...ast.propertySignatures.flatMap(({ name, type }) => findFields(type, [...path, String(name)]))]
}

describe.each(named(withPayload))("$route", ({ endpoint }) => {
  test("no message about an invalid field contains a type name of the code", async () => {
    const problems: Array<string> = []
    for (const path of findFields(endpoint.payload!.ast).slice(1)) {
      const parent = path.at(-1) === "0" ? path.slice(0, -1) : path
      for (const value of spoilt) {
        const given = path.at(-1) === "0" ? [value] : value
        const reply = await sendJson(endpoint, withValue(makeBody(endpoint), parent, given))
        for (const sentence of Object.values<string>(reply.body?.details ?? {})) {
          const said = sentence.replaceAll(/America\/Los_Angeles|Content-Type: application\/json/g, "")
          if (internal.test(said))
            problems.push(`${path.join(".")} ${JSON.stringify(value)?.slice(0, 40)}: ${sentence}`)
        }
      }
    }
    expect([...new Set(problems)]).toEqual([])
  })
})
