import { describe, expect, test } from "vitest"
import { useTestApp } from "../../../support/TestApp.ts"
import { checkResponse } from "../openAdrDocument.ts"
import { BASE, makeVtn, requestToken } from "../VtnWorld.ts"

const app = useTestApp({ env: { EDP_PUBLIC_URL: "https://vtn.example.com/", EDP_RATE_LIMIT_AUTH_FAILURES: "1000000" } })
const credentials = ({ clientId, secret }: { readonly clientId: string; readonly secret: string }) => ({
  grant_type: "client_credentials",
  client_id: clientId,
  client_secret: secret
})
const get = (path: string, headers: Record<string, string> = {}) => app.call("GET", `${BASE}${path}`, { headers })

describe("the token endpoint", () => {
  test("is named by /auth/server, without a token", async () => {
    const { body, status } = await get("/auth/server")
    checkResponse("GET", "/auth/server", status, body)
    expect(body).toEqual({ tokenURL: `https://vtn.example.com${BASE}/auth/token` })
  })

  test("issues a token of an hour with the scopes of the client's role", async () => {
    const { bl, newVen } = await makeVtn(app)
    const issued = await requestToken(app, credentials(bl))
    checkResponse("POST", "/auth/token", issued.status, issued.body)
    expect(issued.headers.get("cache-control")).toBe("no-store")
    expect(issued.body).toMatchObject({ token_type: "Bearer", expires_in: 3600 })
    expect(issued.body.scope.split(" ").sort()).toEqual(
      ["read_all", "write_events", "write_programs", "write_subscriptions", "write_vens"].sort()
    )
    const ven = await requestToken(app, { ...credentials(await newVen()), scope: "read_all" })
    expect(ven.body.scope.split(" ").sort()).toEqual(
      ["read_targets", "read_ven_objects", "write_reports", "write_subscriptions", "write_vens"].sort()
    )
  })

  test("takes credentials by HTTP Basic", async () => {
    const { bl } = await makeVtn(app)
    const basic = `Basic ${Buffer.from(`${bl.clientId}:${bl.secret}`).toString("base64")}`
    const issued = await requestToken(app, { grant_type: "client_credentials" }, { Authorization: basic })
    expect(issued.status).toBe(200)
    const wrong = `Basic ${Buffer.from(`${bl.clientId}:wrong`).toString("base64")}`
    const refused = await requestToken(app, { grant_type: "client_credentials" }, { Authorization: wrong })
    expect(refused).toMatchObject({ status: 401, body: { error: "invalid_client" } })
    expect(refused.headers.get("www-authenticate")).toContain("Basic")
    expect((await requestToken(app, credentials(bl), { Authorization: basic })).body.error).toBe("invalid_request")
  })

  test.each([
    ["without a grant type", { grant_type: undefined }, 400, "invalid_request"],
    ["with another grant type", { grant_type: "password" }, 400, "unsupported_grant_type"],
    ["without an id", { client_id: undefined }, 400, "invalid_request"],
    ["without a secret", { client_secret: undefined }, 400, "invalid_request"],
    ["with another client's id", { client_id: "another" }, 401, "invalid_client"],
    ["with a wrong secret", { client_secret: "wrong" }, 401, "invalid_client"]
  ])("refuses a request %s", async (_, fields, status, error) => {
    const { bl } = await makeVtn(app)
    const form = Object.fromEntries(
      Object.entries({ ...credentials(bl), ...fields }).filter(
        (entry): entry is [string, string] => entry[1] !== undefined
      )
    )
    const refused = await requestToken(app, form)
    checkResponse("POST", "/auth/token", refused.status, refused.body)
    expect(refused).toMatchObject({ status, body: { error, status } })
  })

  test("takes the fields as JSON, too, and refuses a repeated field, JSON of another form, and other types", async () => {
    const { bl } = await makeVtn(app)
    const path = `${BASE}/auth/token`
    const form = new URLSearchParams(credentials(bl)).toString()
    const send = (body: unknown, type: string) => app.call("POST", path, { body, headers: { "Content-Type": type } })
    const json = await send(credentials(bl), "application/json; charset=utf-8")
    checkResponse("POST", "/auth/token", json.status, json.body)
    expect(json).toMatchObject({ status: 200, body: { token_type: "Bearer" } })
    const refused = { status: 400, body: { error: "invalid_request" } }
    expect(await send(`${form}&client_id=x`, "application/x-www-form-urlencoded")).toMatchObject(refused)
    for (const body of ["[]", "{", '{"grant_type":1}', "null"]) {
      expect(await send(body, "application/json")).toMatchObject(refused)
    }
    expect(await send(form, "text/plain")).toMatchObject({
      status: 415,
      body: { error: "invalid_request", title: "Unsupported Media Type" }
    })
  })

  test("refuses keys of other types, and records that in the audit log", async () => {
    const vtn = await makeVtn(app)
    const { id, key } = await app.key(vtn, "SERVER")
    const refused = await requestToken(app, credentials({ clientId: id, secret: key }))
    expect(refused).toMatchObject({ status: 401, body: { error: "invalid_client" } })
    await expect
      .poll(async () => {
        const { keys } = await app.workspace(vtn.organizationId)
        const { body } = await app.call("GET", "/v1/audit-logs?action=access.refused", { key: keys.MANAGEMENT })
        return body.data.map((record: any) => record.actorId)
      })
      .toContain(id)
  })
})

describe("a token", () => {
  test.each([
    ["missing", {}],
    ["empty", { Authorization: "Bearer " }],
    ["of another scheme", { Authorization: "Basic abc" }],
    ["made up", { Authorization: "Bearer edpoadr1.WyJhIiw5OTk5OTk5OTk5XQ.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" }]
  ])("that is %s is refused", async (_, headers) => {
    const { body, headers: sent, status } = await get("/programs", headers)
    checkResponse("GET", "/programs", status, body)
    expect({ status, title: body.title }).toEqual({ status: 401, title: "Unauthorized" })
    expect(sent.get("www-authenticate")).toBe("Bearer")
  })

  test("that was altered is refused", async () => {
    const { bl, newVen } = await makeVtn(app)
    const ven = await newVen()
    const [, payload] = bl.token.split(".")
    const [version, , mac] = ven.token.split(".")
    const { status } = await get("/programs", { Authorization: `Bearer ${version}.${payload}.${mac}` })
    expect(status).toBe(401)
  })

  test("ends with its key", async () => {
    const { bl, organizationId } = await makeVtn(app)
    const { keys } = await app.workspace(organizationId)
    await bl.ok("GET", "/programs")
    await app.call("POST", `/v1/api-keys/${bl.clientId}/revoke`, { key: keys.MANAGEMENT })
    expect((await bl.call("GET", "/programs")).status).toBe(401)
    expect((await requestToken(app, credentials(bl))).body.error).toBe("invalid_client")
  })

  test("opens nothing of the platform's own API, nor does its key", async () => {
    const { bl } = await makeVtn(app)
    for (const key of [bl.token, bl.secret]) expect((await app.call("GET", "/v1/sites", { key })).status).toBe(401)
    const { keys } = await app.workspace()
    expect((await get("/programs", { Authorization: `Bearer ${keys.SERVER}` })).status).toBe(401)
  })

  test("works for keys that a MANAGEMENT key has made", async () => {
    const { keys } = await app.workspace()
    for (const type of ["OPENADR_BL", "OPENADR_VEN"]) {
      const { body, status } = await app.call("POST", "/v1/api-keys", {
        key: keys.MANAGEMENT,
        body: { name: "VTN", type }
      })
      expect(status).toBe(201)
      expect((await requestToken(app, credentials({ clientId: body.id, secret: body.key }))).status).toBe(200)
    }
  })
})

describe("a client whose key is rotated", () => {
  test("keeps its client_id, its ven and its tokens, and both secrets get tokens until the former one ends", async () => {
    const { enrolled, organizationId } = await makeVtn(app)
    const { keys } = await app.workspace(organizationId)
    const ven = await enrolled(["group-1"])
    const { body } = await app.call("POST", `/v1/api-keys/${ven.clientId}/rotate`, { key: keys.MANAGEMENT, body: {} })
    expect(body).toMatchObject({ id: ven.clientId, type: "OPENADR_VEN" })
    const issue = (secret: string) => requestToken(app, credentials({ clientId: ven.clientId, secret }))
    for (const secret of [ven.secret, body.key]) {
      const { body: issued, status } = await issue(secret)
      expect(status).toBe(200)
      const vens = await get("/vens", { Authorization: `Bearer ${issued.access_token}` })
      expect(vens.body).toMatchObject([{ id: ven.ven.id, targets: ["group-1"] }])
    }
    expect(await ven.ok("GET", "/vens")).toHaveLength(1)
    await app.sql(
      (sql) => sql`UPDATE api_keys SET previous_key_until = now() - interval '1 second' WHERE id = ${ven.clientId}`
    )
    expect((await issue(ven.secret)).body.error).toBe("invalid_client")
    expect((await issue(body.key)).status).toBe(200)
  })

  test("is noted in the audit log when it goes on with the former secret after its end", async () => {
    const { newVen, organizationId } = await makeVtn(app)
    const { keys } = await app.workspace(organizationId)
    const ven = await newVen()
    const payload = { key: keys.MANAGEMENT, body: { previousValidSeconds: 0 } }
    await app.call("POST", `/v1/api-keys/${ven.clientId}/rotate`, payload)
    expect((await requestToken(app, credentials(ven))).body.error).toBe("invalid_client")
    await expect
      .poll(async () => {
        const { body } = await app.call("GET", "/v1/audit-logs?action=access.refused", { key: keys.MANAGEMENT })
        return body.data.map(({ actorId, refusal }: any) => [actorId, refusal.reason])
      })
      .toContainEqual([ven.clientId, "KEY_EXPIRED"])
  })
})

describe("a request", () => {
  test("counts against the limits of the key", async () => {
    const { bl } = await makeVtn(app)
    await app.sql((sql) => sql`UPDATE api_keys SET rate_limits = '{"read": 1}' WHERE id = ${bl.clientId}`)
    const replies = []
    // A window may end between two calls.
    for (let n = 0; n < 3; n++) replies.push(await bl.call("GET", "/programs"))
    const limited = replies.find(({ status }) => status === 429)!
    expect(limited.body).toMatchObject({ title: "Too Many Requests", status: 429 })
    expect(Number(limited.headers.get("retry-after"))).toBeGreaterThan(0)
    expect(limited.headers.get("x-ratelimit-limit")).toBe("1")
  })

  test("with a method that a path does not have is 405 with those that it has", async () => {
    const { bl } = await makeVtn(app)
    for (const [method, path, allow] of [
      ["PATCH", "/programs", "GET, HEAD, POST"],
      ["DELETE", "/events", "GET, HEAD, POST"],
      ["POST", "/vens/some-id", "DELETE, GET, HEAD, PUT"],
      ["GET", "/auth/token", "POST"]
    ] as const) {
      const reply = await bl.call(method, path)
      expect(reply).toMatchObject({ status: 405, body: { title: "Method Not Allowed", status: 405 } })
      expect(reply.headers.get("allow")).toBe(allow)
    }
  })

  test("to an unknown path is 404 with a problem", async () => {
    for (const path of ["/nothing", "/programs/a/b", "/auth"]) {
      const { body, status } = await get(path)
      expect({ status, body }).toMatchObject({ status: 404, body: { title: "Not Found", status: 404 } })
    }
  })

  test("needs a body that is a JSON object", async () => {
    const { bl } = await makeVtn(app)
    const send = (body: string, type = "application/json") =>
      app.call("POST", `${BASE}/programs`, {
        body,
        headers: { Authorization: `Bearer ${bl.token}`, "Content-Type": type }
      })
    expect(await send("{")).toMatchObject({ status: 400, body: { title: "Bad Request" } })
    expect(await send("[]")).toMatchObject({ status: 400 })
    expect(await send("{}", "text/plain")).toMatchObject({ status: 415, body: { title: "Unsupported Media Type" } })
    const large = JSON.stringify({ programName: "large", attributes: [{ type: "A", values: ["x".repeat(1_100_000)] }] })
    expect(await send(large)).toMatchObject({ status: 413, body: { title: "Content Too Large" } })
    expect((await bl.call("POST", "/programs")).status).toBe(400)
  })
})

describe("notifiers", () => {
  test("are webhooks alone", async () => {
    const { bl, newVen } = await makeVtn(app)
    for (const client of [bl, await newVen()]) expect(await client.ok("GET", "/notifiers")).toEqual({ WEBHOOK: true })
    expect((await get("/notifiers")).status).toBe(401)
  })

  test("have no topics without a broker", async () => {
    const { bl } = await makeVtn(app)
    for (const path of ["programs", "programs/p", "programs/p/events", "events", "reports", "vens/v/resources"]) {
      const { body, status } = await bl.call("GET", `/notifiers/mqtt/topics/${path}`)
      expect(status).toBe(404)
      expect(body.detail).toContain("No MQTT broker is configured")
    }
  })
})
