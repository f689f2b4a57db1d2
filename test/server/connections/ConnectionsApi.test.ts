import { beforeEach, describe, expect, test } from "vitest"
import { describeKeyChecks } from "../../support/describeKeyChecks.ts"
import { expectError } from "../../support/expectError.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeConnections, newLocation, newPerson, nobody, redirectUrl } from "./arrangeConnections.ts"
import { FakeManufacturer } from "../../support/peers/fakeManufacturer.ts"

const maker = new FakeManufacturer()
const app = useTestApp({ adapters: maker.adapters })
const arrange = (organizationId?: string) => arrangeConnections(app, maker, organizationId)
const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const id = expect.stringMatching(/^c[0-9a-z]{24}$/)

beforeEach(() => {
  maker.failing = {}
})

describeKeyChecks(app, [
  { method: "GET", path: "/v1/connections", allowed: ["SERVER", "API"] },
  { method: "POST", path: "/v1/connections", allowed: ["SERVER", "API", "CONNECT"] },
  { method: "GET", path: "/v1/connections/any", allowed: ["SERVER", "API", "CONNECT"] },
  { method: "DELETE", path: "/v1/connections/any", allowed: ["SERVER", "API"] }
])

describe("POST /v1/connections", () => {
  test("201 with defaults, a link and an expiry after a day", async () => {
    const { call } = await arrange()
    const { status, body } = await call("POST", "/v1/connections")
    expect(status).toBe(201)
    expect(body).toEqual({
      id,
      status: "PENDING",
      customerId: null,
      siteId: null,
      manufacturer: null,
      tags: null,
      referenceId: id,
      redirectUrl: null,
      mode: "standard",
      params: null,
      createdAt: moment,
      updatedAt: moment,
      expiresAt: moment,
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:3000\/connect\/[\w-]{43}$/)
    })
    expect(Date.parse(body.expiresAt) - Date.parse(body.createdAt)).toBe(86_400_000)
    expect(body.url).not.toContain(body.id)
  })

  test("201 keeps everything that was given", async () => {
    const { create, customer, site } = await arrange()
    const [{ id: customerId }, { id: siteId }] = [await customer(), await site()]
    const given = {
      referenceId: "user, with a comma",
      redirectUrl,
      tags: ["pilot", "pilot", "blue"],
      params: { nested: [1, null, "x"] },
      customerId,
      siteId
    }
    const body = await create({
      ...given,
      clientName: "Sunny Homes",
      language: "es",
      colorScheme: "dark",
      manufacturerFilters: { deviceTypes: ["battery"] },
      customerInfo: { email: "ada@example.com", phone: "+1 916 555 0142" }
    })
    expect(body).toMatchObject({ ...given, tags: ["pilot", "blue"] })
  })

  test("201 takes any JSON as params and ignores fields that are not the caller's", async () => {
    const { create, read } = await arrange()
    for (const params of [0, false, "text", [], { a: 1 }, null])
      expect((await create({ params })).params).toEqual(params)
    const { id: own, status } = await create({ status: "SUCCESS", id: nobody, workspaceId: nobody })
    expect([own === nobody, status]).toEqual([false, "PENDING"])
    expect((await read(own)).deviceIds).toEqual([])
  })

  test("201 again with an Idempotency-Key: the same session", async () => {
    const { keys } = await arrange()
    const send = () =>
      app.call("POST", "/v1/connections", {
        key: keys.CONNECT,
        body: { referenceId: "user-1" },
        headers: { "Idempotency-Key": "connect-1" }
      })
    const [first, second] = [await send(), await send()]
    expect([first.status, second.status]).toEqual([201, 201])
    expect(second.body).toEqual(first.body)
  })

  test("201 uses the reference of a named customer, except for a CONNECT key, which must not learn it", async () => {
    const { create, customer, keys } = await arrange()
    const { id: customerId } = await customer({ referenceId: "stored-reference" })
    expect((await create({ customerId })).referenceId).toBe("stored-reference")
    expect((await create({ customerId }, keys.CONNECT)).referenceId).toEqual(id)
    expect((await create({ customerId, referenceId: "other" })).referenceId).toBe("other")
  })

  test("400 VALIDATION_ERROR lists all wrong fields", async () => {
    const { call } = await arrange()
    const response = await call("POST", "/v1/connections", {
      referenceId: "x".repeat(1001),
      redirectUrl: "javascript:alert(1)",
      tags: ["a,b"],
      clientName: "",
      manufacturerFilters: { manufacturers: [], deviceTypes: ["toaster"] },
      customerInfo: { email: "ada@", phone: "123", firstName: "", location: { streetOne: "1 Elm Street" } },
      customerId: "someone",
      siteId: "somewhere",
      mode: "quick",
      language: "fr",
      colorScheme: "red",
      reconnect: "again",
      params: "x".repeat(10_001)
    })
    const some = expect.any(String)
    expectError(response, 400, "VALIDATION_ERROR", {
      referenceId: some,
      redirectUrl: some,
      "tags.0": some,
      clientName: some,
      "manufacturerFilters.manufacturers": some,
      "manufacturerFilters.deviceTypes.0": some,
      "customerInfo.email": some,
      "customerInfo.phone": some,
      "customerInfo.firstName": some,
      "customerInfo.location.city": some,
      "customerInfo.location.state": some,
      "customerInfo.location.postalCode": some,
      "customerInfo.location.country": some,
      customerId: some,
      siteId: some,
      mode: some,
      language: some,
      colorScheme: some,
      reconnect: some,
      params: some
    })
  })

  test("400 VALIDATION_ERROR for manufacturers that do not exist", async () => {
    const { call } = await arrange()
    const manufacturerFilters = { manufacturers: ["simulator", "no-such-maker"] }
    expectError(await call("POST", "/v1/connections", { manufacturerFilters }), 400, "VALIDATION_ERROR", {
      "manufacturerFilters.manufacturers": expect.stringContaining("no-such-maker")
    })
  })

  test("400 INVALID_LOCATION for an address that cannot be", async () => {
    const { call } = await arrange()
    const location = { ...newLocation(), state: "NY" }
    expectError(await call("POST", "/v1/connections", { customerInfo: { location } }), 400, "INVALID_LOCATION")
  })

  test("404 CUSTOMER_NOT_FOUND, SITE_NOT_FOUND, SITE_NOT_IN_WORKSPACE and NOT_FOUND", async () => {
    const { call } = await arrange()
    const stranger = await arrange()
    const { id: customerId } = await stranger.customer()
    const { id: siteId } = await stranger.site()
    const { id: reconnect } = await stranger.create()
    const post = (body: object) => call("POST", "/v1/connections", body)
    expectError(await post({ customerId: nobody }), 404, "CUSTOMER_NOT_FOUND")
    expectError(await post({ customerId }), 404, "CUSTOMER_NOT_FOUND")
    expectError(await post({ siteId: nobody }), 404, "SITE_NOT_FOUND")
    expectError(await post({ siteId }), 404, "SITE_NOT_IN_WORKSPACE")
    expectError(await post({ reconnect: nobody }), 404, "NOT_FOUND")
    expectError(await post({ reconnect }), 404, "NOT_FOUND")
  })
})

describe("POST /v1/connections in headless mode", () => {
  test("201 with the manufacturer's own page: state, PKCE and our callback", async () => {
    const { create, headless } = await arrange()
    const body = await create(headless({ customerInfo: newPerson() }))
    expect(body).toMatchObject({ mode: "headless", status: "PENDING", manufacturer: "fakecloud" })
    const { origin, pathname, searchParams } = new URL(body.url)
    expect(origin + pathname).toBe("https://fakecloud.example/authorize")
    expect(searchParams.get("state")).toMatch(/^[\w-]{43}$/)
    expect(searchParams.get("code_challenge_method")).toBe("S256")
    expect(searchParams.get("redirect_uri")).toBe("http://127.0.0.1:3000/oauth/callback")
  })

  test("201 for a customer with a site, and for a customer and a site of theirs", async () => {
    const { create, customer, headless, must, site } = await arrange()
    const [{ id: customerId }, { id: siteId }] = [await customer(), await site()]
    await must(200, "PUT", `/v1/sites/${siteId}/customers/${customerId}`)
    expect(await create(headless({ customerId }))).toMatchObject({ customerId })
    expect(await create(headless({ customerId, siteId }))).toMatchObject({ customerId, siteId })
  })

  test("400 VALIDATION_ERROR names each field that is missing or in the way", async () => {
    const { call, customer, headless, site } = await arrange()
    const [{ id: customerId }, { id: siteId }] = [await customer(), await site()]
    const some = expect.any(String)
    const refused = async (fields: object, details: object) =>
      expectError(await call("POST", "/v1/connections", fields), 400, "VALIDATION_ERROR", details as never)
    await refused(
      { mode: "headless" },
      { redirectUrl: some, "manufacturerFilters.manufacturers": some, customerInfo: some }
    )
    await refused(headless({ customerId, manufacturerFilters: { manufacturers: ["fakecloud", "simulator"] } }), {
      "manufacturerFilters.manufacturers": some
    })
    await refused(headless({ siteId }), { customerId: some })
    await refused(headless({ customerInfo: { firstName: "Ada" } }), {
      "customerInfo.lastName": some,
      "customerInfo.email": some,
      "customerInfo.location": some
    })
    await refused(headless({ customerId, customerInfo: newPerson() }), { customerInfo: some })
  })

  test.each(["fakelocal", "fakestation", "generic"])(
    "400 VALIDATION_ERROR for %s, at which nobody signs in by OAuth 2.0",
    async (slug) => {
      const { call, headless } = await arrange()
      const manufacturerFilters = { manufacturers: [slug] }
      const body = headless({ customerInfo: newPerson(), manufacturerFilters })
      expectError(await call("POST", "/v1/connections", body), 400, "VALIDATION_ERROR", {
        "manufacturerFilters.manufacturers": expect.stringContaining(slug)
      })
    }
  )

  test("400 CUSTOMER_NOT_CONNECTED_TO_SITE", async () => {
    const { call, customer, headless, site } = await arrange()
    const [{ id: customerId }, { id: siteId }] = [await customer(), await site()]
    const post = (fields: object) => call("POST", "/v1/connections", headless(fields))
    expectError(await post({ customerId }), 400, "CUSTOMER_NOT_CONNECTED_TO_SITE")
    expectError(await post({ customerId, siteId }), 400, "CUSTOMER_NOT_CONNECTED_TO_SITE")
  })

  test("409 DUPLICATE_CONNECTION while an account is connected for the reference, and not once its permission is lost", async () => {
    const { call, connect, headless, create } = await arrange()
    const { detail } = await connect({ referenceId: "user-1" })
    const body = headless({ referenceId: "user-1", customerInfo: newPerson() })
    expectError(await call("POST", "/v1/connections", body), 409, "DUPLICATE_CONNECTION")
    await create({ ...body, referenceId: "user-2" })
    await app.sql((sql) => sql`UPDATE accounts SET status = 'failed' WHERE id = ${detail.accountId}`)
    await create(body)
  })

  test("502 SERVICE_UNAVAILABLE while the manufacturer is not available", async () => {
    const { call, headless } = await arrange()
    maker.failing = { authorize: "unreachable" }
    const response = await call("POST", "/v1/connections", headless({ customerInfo: newPerson() }))
    expectError(response, 502, "SERVICE_UNAVAILABLE")
  })
})

describe("GET /v1/connections", () => {
  test("200 newest first, by status, reference, customer and manufacturer", async () => {
    const { connect, create, customer, headless, must } = await arrange()
    const { id: customerId } = await customer()
    const first = await create({ referenceId: "a,b" })
    const second = await create({ customerId })
    const third = await create(headless({ customerInfo: newPerson() }))
    const { id: fourth } = await connect()
    const list = async (query: string) =>
      (await must(200, "GET", `/v1/connections?${query}`)).data.map((each: { id: string }) => each.id)
    expect(await list("")).toEqual([fourth, third.id, second.id, first.id])
    expect(await list("status=PENDING,ERROR")).toEqual([third.id, second.id, first.id])
    expect(await list("status=SUCCESS")).toEqual([fourth])
    expect(await list("referenceId=a,b")).toEqual([first.id])
    expect(await list(`customerId=${customerId}&customerId=${nobody}`)).toEqual([second.id])
    expect(await list("manufacturer=fakecloud&status=PENDING")).toEqual([third.id])
    expect(await list("perPage=1&page=2")).toEqual([third.id])
    const page = await must(200, "GET", "/v1/connections?perPage=1")
    expect(page).toMatchObject({ totalItems: 4, totalPages: 4 })
    expect(page.data[0]).not.toHaveProperty("transitions")
  })

  test("400 VALIDATION_ERROR for unknown filters and statuses", async () => {
    const { call } = await arrange()
    const response = await call("GET", "/v1/connections?status=OPEN&state=PENDING")
    expectError(response, 400, "VALIDATION_ERROR", { "status.0": expect.any(String), state: expect.any(String) })
  })
})

describe("GET /v1/connections/:id", () => {
  test("200 with the history, the consent, the account and the devices of a finished session", async () => {
    const { connect } = await arrange()
    const { detail } = await connect({ redirectUrl })
    expect(detail.status).toBe("SUCCESS")
    expect(detail.transitions.map(({ status }: { status: string }) => status)).toEqual([
      "PENDING",
      "STARTED",
      "SELECTING_MANUFACTURER",
      "AUTHORIZING_MANUFACTURER",
      "ENTERING_SYSTEM_INFO",
      "SUCCESS"
    ])
    for (const { at } of detail.transitions) expect(at).toEqual(moment)
    expect(detail).toMatchObject({
      lastError: null,
      consent: { version: "1", language: "en", manufacturer: "fakecloud", at: moment },
      accountId: id,
      customerId: id,
      siteId: id,
      deviceIds: [id, id],
      interventions: [],
      disconnectedAt: null
    })
  })

  test("200 shows the interventions that its devices have now", async () => {
    const { connect, read } = await arrange()
    const { detail } = await connect()
    const intervention = {
      code: "storm_mode",
      blocks: ["battery:set-reserve"],
      title: "Storm mode is on",
      steps: ["Wait"],
      actor: "owner"
    }
    const [deviceId] = detail.deviceIds
    await app.sql(
      (sql) => sql`UPDATE devices SET interventions = ${JSON.stringify([intervention])}::jsonb WHERE id = ${deviceId}`
    )
    expect((await read(detail.id)).interventions).toEqual([{ deviceId, ...intervention }])
  })

  test("200 for a CONNECT key on its own session, 403 FORBIDDEN on another's", async () => {
    const { call, create, key, keys, organizationId, workspaceId } = { ...(await arrange()), key: undefined }
    expect(key).toBeUndefined()
    const own = await create({}, keys.CONNECT)
    const other = await app.key({ organizationId, workspaceId }, "CONNECT")
    const read = (id: string, by: string) => call("GET", `/v1/connections/${id}`, undefined, by)
    expect((await read(own.id, keys.CONNECT)).status).toBe(200)
    expectError(await read(own.id, other.key), 403, "FORBIDDEN")
    expectError(await read((await create()).id, keys.CONNECT), 403, "FORBIDDEN")
  })

  test("404 NOT_FOUND for one of another workspace, as for none", async () => {
    const { call, keys } = await arrange()
    const stranger = await arrange()
    const { id: theirs } = await stranger.create()
    for (const path of [theirs, nobody, "any"]) {
      for (const key of [keys.SERVER, keys.CONNECT]) {
        expectError(await call("GET", `/v1/connections/${path}`, undefined, key), 404, "NOT_FOUND")
      }
    }
    expectError(await call("DELETE", `/v1/connections/${theirs}`), 404, "NOT_FOUND")
    expect((await stranger.read(theirs)).status).toBe("PENDING")
  })
})

describe("DELETE /v1/connections/:id", () => {
  test("204 ends an open session: EXPIRED, and its link shows so; a second one is 404", async () => {
    const { call, open, read } = await arrange()
    const session = await open()
    const path = `/v1/connections/${session.id}`
    expect((await session.open()).page).toBe("customer")
    expect((await call("DELETE", path)).status).toBe(204)
    expect(await read(session.id)).toMatchObject({
      status: "EXPIRED",
      lastError: { code: "expired" },
      disconnectedAt: moment
    })
    expect(await session.open()).toMatchObject({ page: "error", error: "expired", canRetry: false })
    expectError(await call("DELETE", path), 404, "NOT_FOUND")
  })

  test("204 after SUCCESS disconnects the devices, ends the permission and revokes the scoped keys", async () => {
    const { call, connect, events, read } = await arrange()
    const { account, detail, result } = await connect({ redirectUrl })
    const token = new URL((result as { url: string }).url).searchParams.get("service_scoped_token")!
    const asUser = () => app.call("GET", "/v1/devices", { key: token })
    expect((await asUser()).body.totalItems).toBe(2)
    expect((await call("DELETE", `/v1/connections/${detail.id}`)).status).toBe(204)
    expect((await asUser()).status).toBe(401)
    expect(maker.revoked).toContain(account.externalId)
    expect(await read(detail.id)).toMatchObject({ status: "SUCCESS", disconnectedAt: moment })
    for (const deviceId of detail.deviceIds) {
      expect((await call("GET", `/v1/devices/${deviceId}`)).body.disconnectedAt).toEqual(moment)
    }
    expect(await events("DEVICE_DISCONNECTED")).toHaveLength(2)
    expectError(await call("DELETE", `/v1/connections/${detail.id}`), 404, "NOT_FOUND")
  })
})
