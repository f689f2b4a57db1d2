import { describe, expect, test } from "vitest"
import { expectError } from "../../../support/expectError.ts"
import { useTestApp } from "../../../support/TestApp.ts"
import { clientWithKey } from "../VtnWorld.ts"
import { arrangeScopes, showSites } from "./arrangeScopes.ts"

const app = useTestApp({ own: true })

const unknown = `c${"0".repeat(24)}`

describe("the scope of a VEN's key", () => {
  test("is one customer, program instance or list of enrollments of the workspace, and is shown with the key", async () => {
    const { createKey, enrolled, get, instance } = await arrangeScopes(app)
    const { customerId, enrollmentId } = await enrolled()
    for (const scope of [{ customerId }, { programInstanceId: instance.id }, { enrollmentIds: [enrollmentId] }, null]) {
      const { body, status } = await createKey({ scope })
      expect({ body, status }).toMatchObject({ status: 201, body: { scope } })
      expect((await get(`/v1/api-keys/${body.id}`, "MANAGEMENT")).body.scope).toEqual(scope)
    }
    const { body } = await createKey({ scope: { enrollmentIds: [enrollmentId, enrollmentId] } })
    expect(body.scope).toEqual({ enrollmentIds: [enrollmentId] })
  })

  test("has one field alone, and is for VENs", async () => {
    const { createKey, enrolled, instance } = await arrangeScopes(app)
    const { customerId, enrollmentId } = await enrolled()
    const all = { customerId, programInstanceId: instance.id, enrollmentIds: [enrollmentId] }
    expectError(await createKey({ scope: all }), 400, "VALIDATION_ERROR", {
      "scope.programInstanceId": "Can't be given together with customerId",
      "scope.enrollmentIds": "Can't be given together with customerId"
    })
    expectError(await createKey({ scope: {} }), 400, "VALIDATION_ERROR", { scope: expect.stringContaining("one of") })
    expectError(await createKey({ type: "OPENADR_BL", scope: { customerId } }), 400, "VALIDATION_ERROR", {
      scope: expect.stringContaining("OPENADR_VEN")
    })
    expectError(await createKey({ scope: { enrollmentIds: [] } }), 400, "VALIDATION_ERROR", {
      "scope.enrollmentIds": expect.any(String)
    })
    const many = Array.from({ length: 1001 }, () => enrollmentId)
    expectError(await createKey({ scope: { enrollmentIds: many } }), 400, "VALIDATION_ERROR", {
      "scope.enrollmentIds": expect.stringContaining("1000")
    })
  })

  test("names nothing that is unknown, or of another workspace", async () => {
    const { createKey, enrolled } = await arrangeScopes(app)
    const own = await enrolled()
    const other = await arrangeScopes(app)
    const foreign = { ...(await other.enrolled()), instanceId: other.instance.id }
    for (const [customerId, programInstanceId, enrollmentId] of [
      [unknown, unknown, unknown],
      ["x", "x", "x"],
      [foreign.customerId, foreign.instanceId, foreign.enrollmentId]
    ]) {
      expectError(await createKey({ scope: { customerId } }), 400, "VALIDATION_ERROR", {
        "scope.customerId": expect.any(String)
      })
      expectError(await createKey({ scope: { programInstanceId } }), 400, "VALIDATION_ERROR", {
        "scope.programInstanceId": expect.any(String)
      })
      const enrollmentIds = [own.enrollmentId, enrollmentId]
      expectError(await createKey({ scope: { enrollmentIds } }), 400, "VALIDATION_ERROR", {
        "scope.enrollmentIds.1": expect.any(String)
      })
    }
  })

  test("gives its client a ven from the start, named after the key, whose targets business logic sets", async () => {
    const { bl, createKey, instance } = await arrangeScopes(app)
    const scope = { programInstanceId: instance.id }
    const one = await clientWithKey(app, (await createKey({ scope })).body)
    const other = await clientWithKey(app, (await createKey({ scope })).body)
    const [ven] = await one.ok("GET", "/vens")
    expect(ven).toMatchObject({ venName: "Aggregator", clientID: one.clientId })
    expect(await other.ok("GET", "/vens")).toMatchObject([{ venName: `Aggregator ${other.clientId}` }])
    const long = await clientWithKey(app, (await createKey({ scope, name: "x".repeat(255) })).body)
    expect((await long.ok("GET", "/vens"))[0].venName).toBe("x".repeat(128))
    const { venName } = ven
    await bl.ok("PUT", `/vens/${ven.id}`, {
      objectType: "BL_VEN_REQUEST",
      clientID: one.clientId,
      venName,
      targets: ["t"]
    })
    expect(await one.ok("GET", `/vens/${ven.id}`)).toMatchObject({ venName, targets: ["t"] })
  })

  test("that is absent shows no sites and makes no ven", async () => {
    const { enrolled, resources, ven } = await arrangeScopes(app)
    await enrolled()
    const client = await ven(null)
    expect(await resources(client)).toEqual([])
    expect(await client.ok("GET", "/vens")).toEqual([])
  })
})

describe("an enrolled site in the scope", () => {
  test("is a resource with its name, address, location and tags", async () => {
    const { enrolled, instance, resources, ven } = await arrangeScopes(app)
    const client = await ven({ programInstanceId: instance.id })
    const address = { streetOne: "7 Elm Street", city: "Sacramento", state: "CA", postalCode: "95814" }
    const location = { latitude: 38.5767, longitude: -121.4934 }
    await enrolled({ name: "Home", tags: ["feeder-7", "pilot"], address, location })
    const [{ id: venID }] = await client.ok("GET", "/vens")
    expect(await resources(client)).toEqual([
      {
        id: expect.any(String),
        createdDateTime: expect.any(String),
        modificationDateTime: expect.any(String),
        objectType: "RESOURCE",
        clientID: client.clientId,
        venID,
        resourceName: "Home",
        targets: ["feeder-7", "pilot"],
        attributes: [
          { type: "DESCRIPTION", values: ["7 Elm Street, Sacramento, CA 95814"] },
          { type: "LOCATION", values: [-121.4934, 38.5767] }
        ]
      }
    ])
  })

  test("that has the name of another resource of the ven has its id, too, and keeps its name then", async () => {
    const { changeSite, enrolled, instance, names, ven } = await arrangeScopes(app)
    const client = await ven({ programInstanceId: instance.id })
    const [{ id: venID }] = await client.ok("GET", "/vens")
    await client.ok("POST", "/resources", { objectType: "VEN_RESOURCE_REQUEST", venID, resourceName: "Mine" })
    const sites = [await enrolled({ name: "Home" }), await enrolled({ name: "Home" }), await enrolled({ name: "Mine" })]
    const [, second, third] = sites.map(({ siteId }) => siteId)
    expect(await names(client)).toEqual(["Home", `Home ${second}`, "Mine", `Mine ${third}`])
    await changeSite(sites[0]!.siteId, { name: "Cabin" })
    expect(await names(client)).toEqual(["Cabin", `Home ${second}`, "Mine", `Mine ${third}`])
    const taken = { objectType: "VEN_RESOURCE_REQUEST", venID, resourceName: "Cabin" }
    expect((await client.call("POST", "/resources", taken)).status).toBe(409)
  })

  test("has a name of its own where the VEN takes both, and others see it as ever", async () => {
    const { changeSite, enrolled, instance, names, ven } = await arrangeScopes(app)
    const taking = await ven({ programInstanceId: instance.id })
    const other = await ven({ programInstanceId: instance.id })
    const { siteId } = await enrolled({ name: "Home" })
    expect(await names(taking)).toEqual(["Home"])
    const [{ id: venID }] = await taking.ok("GET", "/vens")
    for (const resourceName of ["Cabin", `Cabin ${siteId}`]) {
      await taking.ok("POST", "/resources", { objectType: "VEN_RESOURCE_REQUEST", venID, resourceName })
    }
    await changeSite(siteId, { name: "Cabin" })
    expect(await names(other)).toEqual(["Cabin"])
    const [third, ...rest] = (await names(taking)).filter((name) => !["Cabin", `Cabin ${siteId}`].includes(name))
    expect(third).toMatch(/^Cabin c[0-9a-z]{24}$/u)
    expect(rest).toEqual([])
  })

  test("is seen by the clients whose scopes have it, and by no others", async () => {
    const { enrolled, instance: first, instanceFor, names, ven, program } = await arrangeScopes(app)
    const second = await instanceFor((await program()).slug)
    const one = await enrolled({ name: "One" })
    const two = await enrolled({ name: "Two" })
    const three = await enrolled({ name: "Three" }, second.id)
    const ofFirst = await ven({ programInstanceId: first.id })
    const ofSecond = await ven({ programInstanceId: second.id })
    const ofCustomer = await ven({ customerId: two.customerId })
    const named = await ven({ enrollmentIds: [three.enrollmentId, one.enrollmentId] })
    const none = await ven(null)
    expect(await names(ofFirst)).toEqual(["One", "Two"])
    expect(await names(ofSecond)).toEqual(["Three"])
    expect(await names(ofCustomer)).toEqual(["Two"])
    expect(await names(named)).toEqual(["One", "Three"])
    expect(await names(none)).toEqual([])
    const other = await arrangeScopes(app)
    expect(await other.names(await other.ven({ programInstanceId: other.instance.id }))).toEqual([])
    expect(await other.names(other.bl)).toEqual([])
    const [resource] = await ofSecond.ok("GET", "/resources")
    for (const client of [ofFirst, ofCustomer, none, other.bl]) {
      expect((await client.call("GET", `/resources/${resource.id}`)).status).toBe(404)
      expect(await client.ok("GET", `/resources?venID=${resource.venID}`)).toEqual([])
      expect(await client.ok("GET", `/resources?resourceName=Three`)).toEqual([])
    }
  })

  test("is changed neither by its VEN nor by business logic, and their own resources stay theirs", async () => {
    const { bl, enrolled, instance, resources, ven } = await arrangeScopes(app)
    const client = await ven({ programInstanceId: instance.id })
    await enrolled({ name: "Home" })
    const [{ id, venID }] = await resources(client)
    const asVen = { objectType: "VEN_RESOURCE_REQUEST", venID, resourceName: "mine" }
    const asBl = { ...asVen, objectType: "BL_RESOURCE_REQUEST", clientID: client.clientId, targets: ["t"] }
    for (const [who, body] of [
      [client, asVen],
      [bl, asBl]
    ] as const) {
      expect((await who.call("PUT", `/resources/${id}`, body)).status).toBe(403)
      expect((await who.call("DELETE", `/resources/${id}`)).status).toBe(403)
      expect((await who.call("DELETE", `/vens/${venID}`)).status).toBe(409)
      const own = await who.ok("POST", "/resources", { ...body, resourceName: "own" })
      await who.ok("PUT", `/resources/${own.id}`, { ...body, resourceName: "renamed" })
      await who.ok("DELETE", `/resources/${own.id}`)
    }
    expect(await resources(client)).toMatchObject([{ id, resourceName: "Home" }])
  })

  test("does not go to another client with the ven", async () => {
    const { bl, enrolled, instance, resources, ven } = await arrangeScopes(app)
    const client = await ven({ programInstanceId: instance.id })
    await enrolled()
    const [{ venID }] = await resources(client)
    const other = await ven(null)
    const moved = { objectType: "BL_VEN_REQUEST", clientID: other.clientId, venName: "moved" }
    expect((await bl.call("PUT", `/vens/${venID}`, moved)).status).toBe(409)
    expect(await resources(other)).toEqual([])
    expect(await resources(client)).toHaveLength(1)
  })

  test("grants its VEN its tags as targets", async () => {
    const { bl, changeSite, enrolled, instance, resources, ven } = await arrangeScopes(app)
    const client = await ven({ programInstanceId: instance.id })
    const stranger = await ven(null)
    const { siteId } = await enrolled({ tags: ["feeder-7"] })
    await resources(client)
    const { id: programID } = await bl.ok("POST", "/programs", { programName: "Evening peak", targets: ["feeder-7"] })
    const event = await bl.ok("POST", "/events", { programID, targets: ["feeder-7", "other"] })
    expect(await client.ok("GET", "/events?targets=feeder-7")).toMatchObject([{ id: event.id, targets: ["feeder-7"] }])
    expect(await client.ok("GET", `/events/${event.id}`)).toMatchObject({ targets: ["feeder-7"] })
    expect(await client.ok("GET", "/events")).toEqual([])
    expect(await stranger.ok("GET", "/events?targets=feeder-7")).toEqual([])
    expect((await stranger.call("GET", `/events/${event.id}`)).status).toBe(404)
    await changeSite(siteId, { tags: ["feeder-8"] })
    await resources(client)
    expect(await client.ok("GET", "/events?targets=feeder-7")).toEqual([])
    expect((await client.call("GET", `/events/${event.id}`)).status).toBe(404)
  })
})

describe("resources of sites follow", () => {
  test("the approval and the end of enrollments", async () => {
    const { enroll, enrolled, home, instance, moved, names, readings, ven } = await arrangeScopes(app)
    const client = await ven({ programInstanceId: instance.id })
    const first = await enrolled({ name: "First" })
    const second = await home({}, { name: "Second" })
    await readings(second.deviceId, { at: new Date(Date.now() - 60_000) })
    const { id } = await enroll(instance.id, second.customerId, {
      siteId: second.siteId,
      acceptedTerms: { version: 1 }
    })
    expect(await names(client)).toEqual(["First"])
    await moved(id, "approve")
    expect(await names(client)).toEqual(["First", "Second"])
    await moved(first.enrollmentId, "unenroll")
    expect(await names(client)).toEqual(["Second"])
  })

  test("names, addresses and tags of sites, with the same ids", async () => {
    const { changeSite, enrolled, instance, resources, ven } = await arrangeScopes(app)
    const client = await ven({ programInstanceId: instance.id })
    const { siteId } = await enrolled({ name: "Home", tags: ["a"] })
    const [before] = await resources(client)
    await changeSite(siteId, { name: "Cabin", tags: [], address: { streetTwo: "Apt 5" } })
    const [after] = await resources(client)
    expect(after).toMatchObject({ id: before.id, resourceName: "Cabin" })
    expect(after).not.toHaveProperty("targets")
    expect(after.attributes[0].values[0]).toContain("Apt 5")
    await changeSite(siteId, { referenceId: "home-1" })
    expect(await resources(client)).toEqual([after])
  })

  test("the deletion of sites, customers and links between them", async () => {
    const { call, enrolled, home, enroll, instance, moved, names, readings, ven, site } = await arrangeScopes(app)
    const client = await ven({ programInstanceId: instance.id })
    const [one, two] = [await enrolled({ name: "One" }), await enrolled({ name: "Two" })]
    // An enrollment without a site stands for all sites of its customer.
    const all = await home({}, { name: "Three" })
    await readings(all.deviceId, { at: new Date(Date.now() - 60_000) })
    const { id } = await enroll(instance.id, all.customerId, { acceptedTerms: { version: 1 } })
    await moved(id, "approve")
    expect(await names(client)).toEqual(["One", "Three", "Two"])
    const more = await site({ name: "Four", customerId: all.customerId })
    expect(await names(client)).toEqual(["Four", "One", "Three", "Two"])
    expect((await call("DELETE", `/v1/sites/${more.id}/customers/${all.customerId}`)).status).toBe(204)
    expect(await names(client)).toEqual(["One", "Three", "Two"])
    expect((await call("DELETE", `/v1/sites/${one.siteId}`)).status).toBe(204)
    expect((await call("DELETE", `/v1/customers/${two.customerId}`)).status).toBe(204)
    expect(await names(client)).toEqual(["Three"])
    expect((await call("DELETE", `/v1/customers/${all.customerId}`)).status).toBe(204)
    expect(await names(client)).toEqual([])
  })

  test("the end of a key, which keeps its ven and what the client made itself", async () => {
    const { bl, enrolled, instance, names, resources, revoke, ven } = await arrangeScopes(app)
    const client = await ven({ programInstanceId: instance.id })
    const stays = await ven({ programInstanceId: instance.id }, { name: "Other" })
    await enrolled({ name: "Home" })
    const [{ venID }] = await resources(client)
    await client.ok("POST", "/resources", { objectType: "VEN_RESOURCE_REQUEST", venID, resourceName: "own" })
    expect((await revoke(client.clientId)).status).toBe(200)
    expect(await names(stays)).toEqual(["Home"])
    expect((await bl.ok("GET", `/resources?venID=${venID}`)).map((one: any) => one.resourceName)).toEqual(["own"])
    expect(await bl.ok("GET", `/vens/${venID}`)).toMatchObject({ clientID: client.clientId })
    await enrolled({ name: "Later" })
    expect(await names(stays)).toEqual(["Home", "Later"])
    expect(await bl.ok("GET", `/resources?venID=${venID}`)).toHaveLength(1)
  })

  test("the end of a key that expires", async () => {
    const { bl, createKey, enrolled, instance, resources } = await arrangeScopes(app)
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
    const key = (await createKey({ scope: { programInstanceId: instance.id }, expiresAt })).body
    await enrolled()
    expect(await resources(bl)).toHaveLength(1)
    await app.sql((sql) => sql`UPDATE api_keys SET expires_at = now() WHERE id = ${key.id} RETURNING 1`)
    await app.sql((sql) => sql`UPDATE vtn_site_work SET due_at = now() WHERE item = ${key.id} RETURNING 1`)
    expect(await resources(bl)).toEqual([])
  })

  test("the time from which an enrollment takes part", async () => {
    const { enrolled, instance, names, ven } = await arrangeScopes(app)
    const { enrollmentId } = await enrolled({ name: "Home" })
    const activate = (at: string) =>
      app.sql(
        (sql) => sql`UPDATE enrollments SET activates_at = ${at}::timestamptz WHERE id = ${enrollmentId} RETURNING 1`
      )
    await activate("2100-01-01T00:00:00Z")
    const client = await ven({ programInstanceId: instance.id })
    expect(await names(client)).toEqual([])
    const waiting = await app.sql((sql) => sql`SELECT item FROM vtn_site_work WHERE due_at > now() AND kind = 'site'`)
    expect(waiting.length).toBeGreaterThan(0)
    await activate("2020-01-01T00:00:00Z")
    expect(await names(client)).toEqual(["Home"])
    await activate("2100-01-01T00:00:00Z")
    expect(await names(client)).toEqual([])
  })

  test("a program instance of more sites than one transaction compares, and as they were at the end", async () => {
    const { changeSite, enrolled, instance, keys, ven, workspaceId } = await arrangeScopes(app)
    const { customerId, enrollmentId, siteId } = await enrolled({ name: "Home" })
    const id = (n: string) => `'c' || lpad(${n}, 20, '0') || right('${workspaceId}', 4)`
    await app.sql((sql) =>
      sql.unsafe(`INSERT INTO sites SELECT (jsonb_populate_record(one, jsonb_build_object('id', ${id("n::text")},
        'name', 'Home ' || n % 100, 'address_hash', n::text, 'tags', jsonb_build_array('feeder-' || n % 3)))).*
        FROM sites one, generate_series(1, 250) n WHERE one.id = '${siteId}' RETURNING 1`)
    )
    await app.sql((sql) =>
      sql.unsafe(`INSERT INTO enrollments SELECT (jsonb_populate_record(one, jsonb_build_object('id', ${id("n::text")},
        'site_id', ${id("n::text")}, 'customer_id', ${id("n::text")}))).*
        FROM enrollments one, generate_series(1, 250) n WHERE one.id = '${enrollmentId}' RETURNING 1`)
    )
    const client = await ven({ programInstanceId: instance.id })
    const ofCustomer = await ven({ customerId })
    await changeSite(siteId, { name: "Cabin" })
    await showSites(app)
    const count = async (clientId: string) => {
      const [row] = await app.sql<{ n: number; named: number }>(
        (sql) =>
          sql`SELECT count(*)::int AS n, count(DISTINCT resource_name)::int AS named FROM vtn_resources WHERE client_id = ${clientId}`
      )
      return row
    }
    expect(await count(client.clientId)).toEqual({ n: 251, named: 251 })
    expect(await count(ofCustomer.clientId)).toEqual({ n: 1, named: 1 })
    expect(await client.ok("GET", "/resources?targets=feeder-1&limit=50&skip=50")).toHaveLength(34)
    const { body } = await app.call("GET", "/v1/openadr/vens", { key: keys.SERVER })
    expect(body.data).toMatchObject([{ resourceCount: 1 }, { resourceCount: 251 }])
    await app.sql((sql) => sql`UPDATE api_keys SET revoked_at = now() WHERE id = ${client.clientId} RETURNING 1`)
    await showSites(app)
    expect(await count(client.clientId)).toEqual({ n: 0, named: 0 })
    const left = await app.sql((sql) => sql`SELECT 1 FROM vtn_resource_targets WHERE client_id = ${client.clientId}`)
    expect(left).toEqual([])
  })
})

describe("the work on resources of sites", () => {
  test("changes nothing when it is repeated, and notes nothing in workspaces without scopes", async () => {
    const { changeSite, enrolled, instance, resources, ven } = await arrangeScopes(app)
    const { siteId } = await enrolled()
    expect(await app.sql((sql) => sql`SELECT 1 FROM vtn_site_work WHERE item = ${siteId}`)).toEqual([])
    const client = await ven({ programInstanceId: instance.id })
    const before = await resources(client)
    await app.sql(
      (sql) => sql`INSERT INTO vtn_site_work (workspace_id, kind, item, due_at)
        SELECT workspace_id, 'client', ${client.clientId}, '-infinity' FROM sites WHERE id = ${siteId} RETURNING 1`
    )
    expect(await resources(client)).toEqual(before)
    await changeSite(siteId, { maxImportW: 11_000 })
    expect(await app.sql((sql) => sql`SELECT 1 FROM vtn_site_work WHERE item = ${siteId}`)).toEqual([])
  })

  test("that fails for one site goes on with the others, and is done in the end", async () => {
    const { enrolled, instance, names, ven } = await arrangeScopes(app)
    const client = await ven({ programInstanceId: instance.id })
    const sites = [await enrolled({ name: "One" }), await enrolled({ name: "Two" }), await enrolled({ name: "Three" })]
    await app.sql(
      (sql) => sql`CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
        'BEGIN RAISE EXCEPTION ''it is refused''; END'`
    )
    await app.sql((sql) =>
      sql.unsafe(`CREATE TRIGGER refusing BEFORE INSERT ON vtn_resources FOR EACH ROW
        WHEN (NEW.site_id = '${sites[1]!.siteId}') EXECUTE FUNCTION refuse()`)
    )
    try {
      expect(await names(client)).toEqual(["One", "Three"])
    } finally {
      await app.sql((sql) => sql.unsafe("DROP TRIGGER refusing ON vtn_resources"))
    }
    await app.sql((sql) => sql`UPDATE failing_work SET retry_at = now() RETURNING 1`)
    expect(await names(client)).toEqual(["One", "Three", "Two"])
  })

  test("is announced to subscribers, to business logic with all changes", async () => {
    const { bl, changeSite, enrolled, instance, moved, resources, ven, workspaceId } = await arrangeScopes(app)
    const client = await ven({ programInstanceId: instance.id })
    const stranger = await ven(null)
    for (const [each, role] of [
      [bl, "BL"],
      [client, "VEN"],
      [stranger, "VEN"]
    ] as const) {
      const subscriptionId = `${each.clientId}-s`
      await app.sql(
        (
          sql
        ) => sql`INSERT INTO vtn_subscriptions (id, workspace_id, client_id, body, created_at, modified_at, client_name, role, objects)
          VALUES (${subscriptionId}, ${workspaceId}, ${each.clientId}, '{}', now(), now(), 'n', ${role}, '{RESOURCE}') RETURNING 1`
      )
      await app.sql(
        (
          sql
        ) => sql`INSERT INTO vtn_callbacks (id, workspace_id, subscription_id, position, url, objects, operations, due_at)
          VALUES (${each.clientId}, ${workspaceId}, ${subscriptionId}, 0, 'https://subscriber.invalid/', '{RESOURCE}',
            '{CREATE,UPDATE,DELETE}', 'infinity') RETURNING 1`
      )
    }
    const { enrollmentId, siteId } = await enrolled({ name: "Home", tags: ["feeder-7"] })
    await resources(client)
    await changeSite(siteId, { name: "Cabin" })
    await resources(client)
    await moved(enrollmentId, "unenroll")
    await resources(client)
    const notified = (clientId: string) =>
      app.sql(
        (sql) => sql`SELECT operation, object ->> 'resourceName' AS name, targets FROM vtn_notifications
          WHERE callback_id = ${clientId} ORDER BY id`
      )
    const all = [
      { operation: "CREATE", name: "Home", targets: ["feeder-7"] },
      { operation: "UPDATE", name: "Cabin", targets: ["feeder-7"] },
      { operation: "DELETE", name: "Cabin", targets: ["feeder-7"] }
    ]
    expect(await notified(bl.clientId)).toEqual(all)
    expect(await notified(client.clientId)).toEqual(all)
    expect(await notified(stranger.clientId)).toEqual([])
  })
})

describe("a report of a VEN", () => {
  test("has the sites of the resources that the platform made, also after they are renamed or gone", async () => {
    const { bl, call, changeSite, enrolled, instance, moved, resources, ven } = await arrangeScopes(app)
    const client = await ven({ programInstanceId: instance.id })
    const stranger = await ven(null)
    const home = await enrolled({ name: "Home" })
    const [{ venID }] = await resources(client)
    await client.ok("POST", "/resources", { objectType: "VEN_RESOURCE_REQUEST", venID, resourceName: "batteries" })
    const { id: programID } = await bl.ok("POST", "/programs", { programName: "Evening peak" })
    const { id: eventID } = await bl.ok("POST", "/events", { programID })
    const reported = (resourceName: string) => ({
      resourceName,
      intervals: [{ id: 0, payloads: [{ type: "USAGE", values: [1.5] }] }]
    })
    const reportedResources = ["Home", "batteries", "constructor"].map(reported)
    await client.ok("POST", "/reports", { eventID, clientName: "a", resources: reportedResources })
    await stranger.ok("POST", "/reports", { eventID, clientName: "b", resources: reportedResources })
    await changeSite(home.siteId, { name: "Cabin" })
    await resources(client)
    await moved(home.enrollmentId, "unenroll")
    await resources(client)
    const { body } = await call("GET", "/v1/openadr/reports")
    const sites = body.data.map((report: any) => report.resources.map(({ siteId }: any) => siteId))
    expect(sites).toEqual([
      [null, null, null],
      [home.siteId, null, null]
    ])
    expect(body.data[1].resources[0]).toEqual({ ...reported("Home"), siteId: home.siteId })
    expect(await client.ok("GET", "/reports")).toMatchObject([{ resources: reportedResources }])
  })
})
