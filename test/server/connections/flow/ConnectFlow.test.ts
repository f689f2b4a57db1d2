import { beforeEach, describe, expect, test } from "vitest"
import { useTestApp } from "../../../support/TestApp.ts"
import { arrangeConnections, leaves, newPerson, redirectUrl } from "../arrangeConnections.ts"
import { FakeManufacturer } from "../../../support/peers/fakeManufacturer.ts"

const maker = new FakeManufacturer()
const app = useTestApp({ adapters: maker.adapters })
const arrange = () => arrangeConnections(app, maker)

beforeEach(() => {
  maker.failing = {}
})

const typed = () => {
  const { location, ...person } = newPerson()
  return { ...person, phone: "", streetTwo: "", ...location }
}

describe("the pages of a session", () => {
  test("have the name and the contact of the workspace, and no name while it has that of the first start", async () => {
    const { keys, open, workspaceId } = await arrange()
    const session = await open({ referenceId: "user-1" })
    const change = (body: object) => app.call("PATCH", `/v1/workspaces/${workspaceId}`, { key: keys.MANAGEMENT, body })
    await change({ name: "My workspace" })
    expect(await session.open()).toMatchObject({ clientName: null, contact: { email: null, phone: null, url: null } })
    await change({ name: "Acme Energy", contactEmail: "help@acme.example", contactPhone: "555 0100" })
    const contact = { email: "help@acme.example", phone: "555 0100", url: null }
    expect(await session.open()).toMatchObject({ clientName: "Acme Energy", contact })
  })

  test("lead from the person's information to the connected devices", async () => {
    const { events, must, open, read } = await arrange()
    const session = await open({ referenceId: "user-1", redirectUrl, clientName: "Sunny Homes", tags: ["pilot"] })
    expect(await session.open()).toMatchObject({
      page: "customer",
      clientName: "Sunny Homes",
      progress: { step: 1, of: 4 },
      form: { values: {}, problems: {} }
    })
    const wrong = await session.show(session.submitCustomer({ firstName: "Ada" }))
    expect(wrong).toMatchObject({
      page: "customer",
      form: { values: { firstName: "Ada" }, problems: { lastName: "required" } }
    })
    const form = typed()
    const manufacturers = await session.show(session.submitCustomer(form))
    expect(manufacturers).toMatchObject({ page: "manufacturers", progress: { step: 2, of: 4 } })
    expect(await session.show(session.search("FAKECL"))).toMatchObject({
      manufacturers: [{ slug: "fakecloud", connectable: true }],
      search: "FAKECL"
    })
    expect(await session.show(session.choose("fakecloud"))).toMatchObject({
      page: "consent",
      authorization: "oauth2",
      manufacturer: "Maker fakecloud",
      commands: ["battery:set-reserve"],
      canChooseAnother: true,
      progress: { step: 3, of: 4 }
    })
    const authorizationUrl = await leaves(session.consent())
    expect(await session.open()).toMatchObject({ page: "waiting", authorizationUrl, instructions: [] })
    const account = maker.account("a", "b")
    const system = await session.show(session.callback(maker.approve(authorizationUrl, account)))
    expect(system).toMatchObject({
      page: "system",
      progress: { step: 4, of: 4 },
      devices: [{ selected: true }, { selected: true }],
      address: { values: { streetOne: form.streetOne } }
    })
    const [first] = account.devices
    const { phone: _, ...address } = form
    const end = new URL(await leaves(session.chooseDevices([first!.manufacturerDeviceId], address)))
    expect(end.href.startsWith(`${redirectUrl}&`)).toBe(true)
    expect(end.searchParams.get("connect_session_id")).toBe(session.id)
    const token = end.searchParams.get("service_scoped_token")!
    expect(token).toMatch(/^scoped_/)

    const detail = await read(session.id)
    expect(detail).toMatchObject({ status: "SUCCESS", manufacturer: "fakecloud" })
    const [deviceId, ...others] = detail.deviceIds
    expect(others).toEqual([])
    expect(await must(200, "GET", `/v1/devices/${deviceId}`)).toMatchObject({
      referenceId: "user-1",
      tags: ["pilot"],
      siteId: detail.siteId,
      manufacturer: "fakecloud",
      manufacturerDeviceId: first!.manufacturerDeviceId
    })
    expect(await must(200, "GET", `/v1/customers/${detail.customerId}`)).toMatchObject({
      referenceId: "user-1",
      firstName: "Ada",
      email: form.email,
      connectedSiteIds: [detail.siteId]
    })
    expect((await must(200, "GET", `/v1/sites/${detail.siteId}`)).address.streetOne).toBe(form.streetOne)
    expect((await app.call("GET", "/v1/devices", { key: token })).body.data).toHaveLength(1)
    for (const type of ["DEVICE_DISCOVERED", "DEVICE_CONNECTED", "SITE_CREATED", "CUSTOMER_CREATED"]) {
      expect([type, (await events(type)).length]).toEqual([type, 1])
    }
    // The last page can be opened again.
    expect(await session.open()).toMatchObject({ page: "done", canReturn: true, devices: [{ type: "battery" }] })
  })

  test("skip what is known", async () => {
    const { customer, open, site } = await arrange()
    const complete = await open({ customerInfo: newPerson() })
    expect((await complete.open()).page).toBe("manufacturers")
    const named = await open({ customerId: (await customer()).id })
    expect((await named.open()).page).toBe("manufacturers")
    const { location: _, ...person } = newPerson()
    const placed = await open({ siteId: (await site()).id, customerInfo: person })
    expect((await placed.open()).page).toBe("manufacturers")
    const one = await open({ customerInfo: newPerson(), manufacturerFilters: { manufacturers: ["fakecloud"] } })
    expect(await one.open()).toMatchObject({ page: "consent", canChooseAnother: false, progress: { step: 1, of: 2 } })
  })

  test("offer the manufacturers of the filters, those that can be connected first", async () => {
    const { open } = await arrange()
    const some = await open({
      customerInfo: newPerson(),
      manufacturerFilters: { manufacturers: ["generic", "fakelocal", "fakecloud"], deviceTypes: ["battery"] }
    })
    expect(await some.open()).toMatchObject({
      page: "manufacturers",
      manufacturers: [{ slug: "fakecloud" }, { slug: "fakelocal" }, { slug: "generic", connectable: false }]
    })
    // A manufacturer that was not offered is not chosen.
    expect((await some.show(some.choose("simulator"))).page).toBe("manufacturers")
    const vehicles = await open({ customerInfo: newPerson(), manufacturerFilters: { deviceTypes: ["vehicle"] } })
    const view = await vehicles.open()
    const slugs = view.page === "manufacturers" ? view.manufacturers.map(({ slug }) => slug) : []
    expect(slugs).toContain("simulator")
    expect(slugs).not.toContain("fakecloud")
    expect(slugs).not.toContain("generic")
  })

  test("find manufacturers by their names and by products, the connectable ones first", async () => {
    const { open } = await arrange()
    const session = await open({ customerInfo: newPerson() })
    await session.open()
    const search = async (text: string) => {
      const view = await session.show(session.search(text, null))
      return view.page === "manufacturers" ? view.manufacturers.map(({ products, slug }) => [slug, products]) : []
    }
    expect(await search("powerwall 3")).toEqual([["tesla", ["Tesla Powerwall 3"]]])
    expect(await search("powrwall")).toEqual([["tesla", expect.arrayContaining(["Tesla Powerwall 2"])]])
    const [first, ...others] = await search("simul")
    expect(first).toEqual(["simulator", expect.arrayContaining(["Simulator"])])
    expect(others).toEqual([])
    expect(await search("xyzzy")).toEqual([])
  })

  test("show devices of the filters only", async () => {
    const { toManufacturer } = await arrange()
    const session = await toManufacturer({
      manufacturerFilters: { manufacturers: ["fakecloud"], deviceTypes: ["meter"] }
    })
    const account = {
      externalId: "mixed",
      devices: [{ manufacturerDeviceId: "mixed-b" }, { manufacturerDeviceId: "mixed-m", type: "meter" as const }]
    }
    expect(await session.show(session.callback(maker.approve(session.authorizationUrl, account)))).toMatchObject({
      devices: [{ manufacturerDeviceId: "mixed-m" }]
    })
  })

  test("lead from an unsupported manufacturer back to the choice", async () => {
    const { open, read } = await arrange()
    const session = await open({
      customerInfo: newPerson(),
      manufacturerFilters: { manufacturers: ["generic", "fakecloud"] }
    })
    await session.open()
    expect(await session.show(session.choose("generic"))).toMatchObject({ page: "unsupported", canChooseAnother: true })
    expect(await read(session.id)).toMatchObject({ status: "UNSUPPORTED_MANUFACTURER", manufacturer: "generic" })
    expect((await session.show(session.chooseAnother())).page).toBe("manufacturers")
    expect(await read(session.id)).toMatchObject({ status: "SELECTING_MANUFACTURER", manufacturer: null })
    const only = await open({ customerInfo: newPerson(), manufacturerFilters: { manufacturers: ["generic"] } })
    expect(await only.open()).toMatchObject({ page: "unsupported", canChooseAnother: false })
  })

  test("let the person come back from the manufacturer and choose another", async () => {
    const { open, read } = await arrange()
    const session = await open({ customerInfo: newPerson() })
    await session.open()
    await session.choose("fakecloud")
    const first = await leaves(session.consent())
    expect((await session.show(session.chooseAnother())).page).toBe("manufacturers")
    expect((await session.show(session.choose("fakelocal"))).page).toBe("consent")
    expect((await session.show(session.consent())).page).toBe("form")
    // The sign-in that was left behind does not count any more.
    expect(await session.callback(maker.approve(first, maker.account("x")))).toMatchObject({
      view: { page: "returned" }
    })
    expect((await session.open()).page).toBe("form")
    expect((await read(session.id)).consent.manufacturer).toBe("fakelocal")
  })

  test("are not there for an unknown token", async () => {
    const { open } = await arrange()
    const { id } = await open()
    const unknown = await open()
    for (const token of ["", "x", id, `${unknown.token}x`]) {
      const view = await app.run(
        (await import("effect")).Effect.flatMap(
          (await import("@edp/server/connections/flow/ConnectFlow")).ConnectFlow,
          (flow) => flow.open(token, { language: "es", languages: null, cookie: null })
        )
      )
      expect(view).toMatchObject({ kind: "view", view: { page: "unknown", language: "es", clientName: null } })
    }
  })
})

describe("the choice of devices and address", () => {
  test("asks again without a device, for an unknown one, and for a wrong address", async () => {
    const { read, toManufacturer } = await arrange()
    const session = await toManufacturer()
    const account = maker.account("a")
    const ids = account.devices.map(({ manufacturerDeviceId }) => manufacturerDeviceId)
    const system = await session.show(session.callback(maker.approve(session.authorizationUrl, account)))
    const address = system.page === "system" ? system.address!.values : {}
    expect(await session.show(session.chooseDevices([], address))).toMatchObject({
      page: "system",
      problem: "select_one"
    })
    expect(await session.show(session.chooseDevices(["another's"], address))).toMatchObject({ problem: "select_one" })
    expect(await session.show(session.chooseDevices(ids, null))).toMatchObject({
      address: { problems: { streetOne: "required", city: "required" } }
    })
    expect(await session.show(session.chooseDevices(ids, { ...address, state: "NY" }))).toMatchObject({
      page: "system",
      address: { values: { state: "NY" }, problems: { streetOne: "invalid_address" } },
      devices: [{ selected: true }]
    })
    expect((await read(session.id)).status).toBe("ENTERING_SYSTEM_INFO")
    expect((await session.show(session.chooseDevices(ids, address))).page).toBe("done")
  })

  test("does not take a device that cannot be connected", async () => {
    const { toManufacturer } = await arrange()
    const session = await toManufacturer()
    const account = {
      externalId: "partly",
      devices: [{ manufacturerDeviceId: "partly-a" }, { manufacturerDeviceId: "partly-b", incompatible: "Too old" }]
    }
    const system = await session.show(session.callback(maker.approve(session.authorizationUrl, account)))
    expect(system).toMatchObject({ devices: [{ selected: true }, { selected: false, incompatible: "Too old" }] })
    expect(await session.show(session.chooseDevices(["partly-b"]))).toMatchObject({ problem: "select_one" })
  })

  test("uses the site that was given, and asks for no address", async () => {
    const { connect, site } = await arrange()
    const { id: siteId } = await site()
    expect((await connect({ siteId })).detail.siteId).toBe(siteId)
  })

  test("uses the site of the address if the workspace has one, and the customer of the reference, else of the e-mail address", async () => {
    const { connect, customer, site } = await arrange()
    const known = await site()
    const byReference = await customer({ referenceId: "known-user" })
    const byEmail = await customer({ email: "Known@example.com" })
    const person = { ...newPerson(), location: { ...known.address, country: "USA" } }
    const first = await connect({ referenceId: "known-user", customerInfo: person })
    expect(first.detail).toMatchObject({ siteId: known.id, customerId: byReference.id })
    const second = await connect({ customerInfo: { ...person, email: "known@EXAMPLE.com" } })
    expect(second.detail).toMatchObject({ siteId: known.id, customerId: byEmail.id })
  })

  test("uses the newest site of a named customer unless an address was given", async () => {
    const { connect, customer, must, site } = await arrange()
    const [{ id: customerId }, , { id: newest }] = [await customer(), await site(), await site()]
    await must(200, "PUT", `/v1/sites/${newest}/customers/${customerId}`)
    expect((await connect({ customerId, customerInfo: undefined })).detail).toMatchObject({
      customerId,
      siteId: newest
    })
    const elsewhere = await connect({ customerId })
    expect(elsewhere.detail.customerId).toBe(customerId)
    expect(elsewhere.detail.siteId).not.toBe(newest)
  })
})

describe("local devices", () => {
  const open = async (slug: string) => {
    const { open: start, read } = await arrange()
    const session = await start({ customerInfo: newPerson(), manufacturerFilters: { manufacturers: [slug] } })
    await session.open()
    return { session, read }
  }

  test("are named in a form, which says what is wrong", async () => {
    const { session, read } = await open("fakelocal")
    expect(await session.show(session.consent())).toMatchObject({
      page: "form",
      failure: null,
      fields: [{ name: "host" }]
    })
    expect(await session.show(session.submitForm({ host: "http://x/" }))).toMatchObject({
      form: { values: { host: "http://x/" }, problems: { host: "invalid_host" } }
    })
    maker.failing = { connect: "unreachable" }
    expect(await session.show(session.submitForm({ host: "inverter.local" }))).toMatchObject({
      page: "form",
      failure: "unreached",
      form: { values: { host: "inverter.local" } }
    })
    maker.failing = {}
    expect(await session.show(session.submitForm({ host: "inverter.local" }))).toMatchObject({ page: "system" })
    expect((await read(session.id)).status).toBe("ENTERING_SYSTEM_INFO")
  })

  test("that open the connection show how, and go on once they have", async () => {
    const { session, read } = await open("fakestation")
    await session.consent()
    const identity = `station-${session.id}`
    expect(await session.show(session.submitForm({ identity }))).toMatchObject({
      page: "waiting",
      authorizationUrl: null,
      instructions: [{ value: `wss://example.com/${identity}` }, { value: "inbound-secret", secret: true }]
    })
    expect((await session.open()).page).toBe("waiting")
    const [{ account_id: accountId }] = (await app.sql<{ account_id: string }>(
      (sql) => sql`SELECT account_id FROM connect_sessions WHERE id = ${session.id}`
    )) as [{ account_id: string }]
    await maker.connectInbound("fakestation", accountId, {
      externalId: identity,
      devices: [{ manufacturerDeviceId: identity }]
    })
    expect(await session.open()).toMatchObject({ page: "system", devices: [{ manufacturerDeviceId: identity }] })
    expect((await read(session.id)).status).toBe("ENTERING_SYSTEM_INFO")
  })
})

describe("a session that a CONNECT key made", () => {
  test("never shows stored data of the customer, and its e-mail address matches nobody", async () => {
    const { customer, keys, must, open, site, connect, read } = await arrange()
    const stored = await customer({ referenceId: "secret-user", firstName: "Grace", email: "grace@example.com" })
    const place = await site()
    await must(200, "PUT", `/v1/sites/${place.id}/customers/${stored.id}`)
    const shown = async (fields: object) => JSON.stringify(await (await open(fields, keys.CONNECT)).open())
    for (const fields of [{ customerId: stored.id }, { referenceId: "secret-user" }]) {
      const text = await shown(fields)
      for (const secret of ["Grace", "grace@example.com", place.address.streetOne]) expect(text).not.toContain(secret)
    }
    const person = { ...newPerson(), email: "grace@example.com" }
    const { detail } = await connect({ customerInfo: person }, maker.account("a"), keys.CONNECT)
    expect(detail.customerId).not.toBe(stored.id)
    expect((await read(detail.id)).customerId).toBe(detail.customerId)
  })

  test("issues a key that covers its own devices alone, and other sessions' keys cover the whole user", async () => {
    const { connect, keys, must, workspaceId } = await arrange()
    const body = { connectRedirects: ["https://example.com"] }
    await must(200, "PATCH", `/v1/workspaces/${workspaceId}`, body, keys.MANAGEMENT)
    const readAsUser = async (result: unknown) => {
      const key = new URL((result as { url: string }).url).searchParams.get("service_scoped_token")!
      return (await app.call("GET", "/v1/devices", { key })).body.data.map(({ id }: { id: string }) => id)
    }
    const first = await connect({ referenceId: "user-9", redirectUrl }, maker.account("a"))
    const inPublic = await connect({ referenceId: "user-9", redirectUrl }, maker.account("b"), keys.CONNECT)
    expect(await readAsUser(inPublic.result)).toEqual(inPublic.detail.deviceIds)
    const all = [...first.detail.deviceIds, ...inPublic.detail.deviceIds]
    expect((await readAsUser(first.result)).toSorted()).toEqual(all.toSorted())
    const own = await connect({ referenceId: "user-10", redirectUrl }, maker.account("c"), keys.CONNECT)
    await app.sql((sql) => sql`UPDATE devices SET reference_id = 'user-10' WHERE id = ${first.detail.deviceIds[0]}`)
    expect(await readAsUser(own.result)).toEqual(own.detail.deviceIds)
  })
})

describe("the language of the pages", () => {
  test("is the visitor's choice, else the session's, else that of Accept-Language, else English", async () => {
    const { open } = await arrange()
    const language = async (fields: object, who: object) => {
      const session = await open(fields)
      return (await session.as({ language: null, languages: null, cookie: null, ...who }).open()).language
    }
    expect(await language({}, {})).toBe("en")
    expect(await language({}, { languages: "es-MX,en;q=0.5" })).toBe("es")
    expect(await language({ language: "en" }, { languages: "es" })).toBe("en")
    expect(await language({ language: "en" }, { languages: "fr", language: "es" })).toBe("es")
  })

  test("is kept with the consent", async () => {
    const { read, toManufacturer } = await arrange()
    const session = await toManufacturer({ language: "es" })
    expect((await read(session.id)).consent).toMatchObject({ language: "es", version: "1" })
  })
})
