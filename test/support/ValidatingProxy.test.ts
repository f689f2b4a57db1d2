import { readFileSync } from "node:fs"
import { createServer, type IncomingHttpHeaders, request, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { launch } from "./launch.ts"
import { type Judge, prismJudge } from "./prism/judge.ts"
import { listOperations } from "./prism/operations.ts"
import { ValidatingProxy } from "./prism/ValidatingProxy.ts"

const site = {
  type: "object",
  required: ["id"],
  properties: { id: { type: "string" }, name: { type: ["string", "null"] } }
}
const respond = (schema: object, headers = {}) => ({
  description: "",
  headers,
  content: { "application/json": { schema } }
})
const document = {
  openapi: "3.1.0",
  info: { title: "Sites", version: "1" },
  paths: {
    "/v1/sites": {
      get: {
        responses: {
          200: respond({ type: "array", items: site }, { "X-Count": { required: true, schema: { type: "integer" } } }),
          404: respond({ type: "object", required: ["code"] })
        }
      },
      post: { responses: { 201: respond(site), 400: respond({ type: "object", required: ["code"] }) } }
    }
  }
}

const json = { "content-type": "application/json" }
const good = { status: 200, headers: { ...json, "x-count": "1" }, body: '[{"id":"c1","name":null}]' as string | Buffer }

interface Heard {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
}

/** `fetch` would decode bodies and normalize paths. */
const send = (url: string, method: string, path: string, headers = {}, body = "") =>
  new Promise<Heard>((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const sent = request({ hostname, port, method, path, headers }, (response) => {
      const parts: Array<Buffer> = []
      response.on("data", (part: Buffer) => parts.push(part))
      response.on("end", () =>
        resolve({ status: response.statusCode!, headers: response.headers, bytes: Buffer.concat(parts) })
      )
    })
    sent.on("error", reject)
    sent.end(body)
  })

describe("the validating proxy", () => {
  let proxy: ValidatingProxy
  let service: Server
  let front: string
  let replies = good
  let asked: { method: string | undefined; url: string | undefined; headers: IncomingHttpHeaders; body: string }

  beforeAll(async () => {
    service = createServer((incoming, outgoing) => {
      let body = ""
      incoming.on("data", (part) => (body += part))
      incoming.on("end", () => {
        asked = { method: incoming.method, url: incoming.url, headers: incoming.headers, body }
        outgoing.writeHead(replies.status, replies.headers).end(replies.body)
      })
    })
    await new Promise<void>((listening) => service.listen(0, "127.0.0.1", listening))
    proxy = new ValidatingProxy(document)
    front = await proxy.inFrontOf(`http://127.0.0.1:${(service.address() as AddressInfo).port}`)
  })
  afterAll(() => {
    proxy.close()
    service.close()
  })

  const get = async (answered: typeof good, path = "/v1/sites") => {
    replies = answered
    const heard = await send(front, "GET", path)
    return { heard, violations: proxy.takeViolations(front) }
  }

  it("passes on what is sent and received, byte by byte", async () => {
    replies = { status: 400, headers: { ...json, "x-own": "Own" } as never, body: '{ "code" :"BAD"}' }
    const { status, headers, bytes } = await send(
      front,
      "POST",
      "/v1/sites?a=%2F&a=b",
      { ...json, "X-Sent": "1" },
      '{"not json'
    )
    expect(asked).toMatchObject({ method: "POST", url: "/v1/sites?a=%2F&a=b", body: '{"not json' })
    expect([asked.headers["x-sent"], asked.headers["content-type"]]).toEqual(["1", "application/json"])
    expect([status, headers["x-own"], bytes.toString()]).toEqual([400, "Own", '{ "code" :"BAD"}'])
    expect(proxy.takeViolations(front)).toEqual([])
  })

  it("passes on a coded response as it is, and looks inside", async () => {
    const coded = { ...good.headers, "content-encoding": "gzip" }
    const { heard, violations } = await get({ ...good, headers: coded, body: gzipSync(good.body) })
    expect([heard.headers["content-encoding"], violations]).toEqual(["gzip", []])
    expect(heard.bytes.equals(gzipSync(good.body))).toBe(true)
    expect((await get({ ...good, headers: coded, body: gzipSync("[{}]") })).violations).toHaveLength(1)
  })

  it.each([
    ["a body of another type", { ...good, body: '{"id":"c1"}' }, "must be array"],
    ["a field that is missing", { ...good, body: "[{}]" }, "required property 'id'"],
    ["a field of another type", { ...good, body: '[{"id":"c1","name":1}]' }, "must be string,null"],
    ["what is no JSON", { ...good, body: "[" }, "must be array"],
    ["another content type", { ...good, headers: { ...good.headers, "content-type": "text/html" } }, "media type"],
    ["a header that is missing", { ...good, headers: json as never }, "required property 'x-count'"],
    ["a header of another type", { ...good, headers: { ...json, "x-count": "many" } }, "must be integer"],
    ["a status that is not documented", { ...good, status: 418 }, "Unable to match the returned status code"],
    ["an error of another shape", { ...good, status: 404, body: "{}" }, "required property 'code'"]
  ])("finds %s", async (_, answered, violation) => {
    const { heard, violations } = await get(answered)
    expect(heard.status).toBe(answered.status)
    expect(violations.join("\n")).toContain(`GET /v1/sites (GET /v1/sites) answered ${answered.status}: `)
    expect(violations.join("\n")).toContain(violation)
  })

  it("counts what it has checked, and what is no operation of the document", async () => {
    const { checked, outside } = proxy.tally
    await get(good)
    for (const path of ["/v1/other", "/v1/%73ite%zz", "//"]) await get({ ...good, body: "[{}]" }, path)
    expect(proxy.takeViolations()).toHaveLength(0)
    expect(proxy.tally).toMatchObject({ checked: checked + 1, outside: outside + 3 })
  })
})

/** Prism accepts any response if it cannot compile the schema, so each schema must refuse something. */
describe("with the service's own document", () => {
  const own = JSON.parse(readFileSync(new URL("../../packages/domain/openapi.json", import.meta.url), "utf8"))
  const at = (part: any): any =>
    typeof part?.$ref === "string"
      ? at(
          part.$ref
            .slice(2)
            .split("/")
            .reduce((node: any, key: string) => node[key], own)
        )
      : part
  const withBody = Object.entries<any>(own.paths).flatMap(([path, item]) =>
    Object.entries<any>(item).flatMap(([method, { responses }]) =>
      Object.entries<any>(responses)
        .filter(([, response]) => at(response).content?.["application/json"] !== undefined)
        .map(([status, { $ref }]) => ({ path, method, status: Number(status), $ref }))
    )
  )
  /** Shared errors are the same in every operation, so the first one is enough. */
  const different = withBody.filter(
    ({ $ref }, index) => $ref === undefined || withBody.findIndex((other) => other.$ref === $ref) === index
  )
  let judge: Judge
  beforeAll(async () => {
    judge = prismJudge(own)
  })

  it("reads no operation into more than the document says in all", () => {
    const whole = JSON.stringify(own).length
    for (const operation of listOperations(own)) expect(JSON.stringify(operation).length).toBeLessThan(whole)
  })

  it("finds a body that is none, in every operation and of every error", async () => {
    expect(new Set(different.map(({ method, path }) => `${method} ${path}`)).size).toBeGreaterThan(60)
    const blind: Array<string> = []
    for (const { method, path, status } of different) {
      const bytes = Buffer.from('"no response"')
      const found = await judge({ method, path: path.replaceAll(/\{\w+\}/g, "c1"), status, headers: json, bytes })
      const seen = found.violations.some((violation) => violation.startsWith("body: "))
      if (found.operation !== `${method.toUpperCase()} ${path}` || !seen) blind.push(`${method} ${path} ${status}`)
    }
    expect(blind).toEqual([])
  })

  it("finds what is wrong deep inside what is referred to", async () => {
    const bytes = Buffer.from(JSON.stringify({ data: [{ address: { city: 5 } }] }))
    const { violations } = await judge({ method: "GET", path: "/v1/sites", status: 200, headers: json, bytes })
    expect(violations.join("\n")).toContain(
      "body: data: 0: address: city: Response body property data.0.address.city must"
    )
  })
})

describe("pnpm test:proxied", () => {
  const root = fileURLToPath(new URL("../..", import.meta.url))
  const vitest = fileURLToPath(new URL("../../node_modules/vitest/vitest.mjs", import.meta.url))
  const run = async (fixture: string) => {
    const config = "test/support/prism/fixtures/vitest.config.ts"
    const ran = await launch(process.execPath, [vitest, "run", "--root", root, "--config", config, fixture], {
      env: { PATH: process.env["PATH"]!, NO_COLOR: "1" }
    })
    const { code } = await ran.exited
    return { code, said: ran.stdout() + ran.stderr() }
  }

  it("fails the test in which the service responds with what the document does not allow, and no other", async () => {
    const { code, said } = await run("lists")
    expect(code).toBe(1)
    expect(said).toContain("1 failed | 1 passed")
    expect(said).toContain("lists.fixture.ts > refuses a list that is not documented")
    expect(said).toContain("GET /v1/sites?page=2 (GET /v1/sites) answered 200: body: data: 0: Response body")
    expect(said).toContain("Prism checked 2 exchanges of 1 operations")
  })

  it("fails where nothing went through the proxy", async () => {
    const { code, said } = await run("idle")
    expect(said).toContain("No exchange went through the proxy")
    expect(code).toBe(1)
  })
})
