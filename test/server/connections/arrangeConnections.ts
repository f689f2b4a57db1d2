import { ConnectFlow, type FlowResult } from "@edp/server/connections/flow/ConnectFlow"
import type { Visitor } from "@edp/server/platform/pages/visitors"
import type { DatabaseUnavailable } from "@edp/server/platform/sql/DatabaseUnavailable"
import type { FlowView } from "@edp/hosted-pages/connect/pageTypes"
import { Effect } from "effect"
import type { TestApp } from "../../support/TestApp.ts"
import type { FakeAccount, FakeManufacturer } from "../../support/peers/fakeManufacturer.ts"

export const nobody = `c${"0".repeat(24)}`
export const redirectUrl = "https://example.com/connected?plan=flex"

let streets = 0

/** An address that no other test uses. */
export const newLocation = () => ({
  streetOne: `${++streets} Connect Street`,
  city: "Sacramento",
  state: "CA",
  postalCode: "95814",
  country: "USA"
})

let people = 0

/** Complete information on a new customer. */
export const newPerson = () => ({
  firstName: "Ada",
  lastName: "Okafor",
  email: `ada-${++people}@example.com`,
  location: newLocation()
})

/** The browser of the tests, as the pages know it by its cookie. */
export const visitor: Visitor = { language: null, languages: null, cookie: "the-browser-of-the-tests" }

/** A visitor in a browser of their own. */
export const inBrowser = (cookie: string): Visitor => ({ ...visitor, cookie })

type Form = Readonly<Record<string, string>>

/** The hosted pages of one session, as a visitor uses them. */
const pages = (app: TestApp, token: string, who: Visitor) => {
  const run = (
    use: (flow: ConnectFlow["Service"]) => Effect.Effect<FlowResult, DatabaseUnavailable>
  ): Promise<FlowResult> => app.run(Effect.flatMap(ConnectFlow, use))
  const open = () => run((flow) => flow.open(token, who))
  /** The page after redirects within the flow. */
  const show = async (result: FlowResult | Promise<FlowResult>): Promise<FlowView> => {
    const settled = await result
    if (settled.kind === "view") return settled.view
    if (settled.external || settled.url !== `/connect/${token}`) throw new Error(`left for ${settled.url}`)
    return show(open())
  }
  return {
    token,
    run,
    show,
    as: (other: Visitor) => pages(app, token, other),
    open: () => show(open()),
    openResult: open,
    submitCustomer: (form: Form) => run((flow) => flow.submitCustomer(token, who, form)),
    choose: (slug: string) => run((flow) => flow.chooseManufacturer(token, who, slug)),
    chooseAnother: () => run((flow) => flow.chooseAnother(token, who)),
    search: (search: string, deviceType: "battery" | "vehicle" | null = null) =>
      run((flow) => flow.searchManufacturers(token, who, { search, deviceType })),
    consent: (granted = true) => run((flow) => flow.consent(token, who, granted)),
    submitForm: (values: Form) => run((flow) => flow.submitForm(token, who, values)),
    callback: (parameters: Form, from = who) => run((flow) => flow.callback(from, parameters)),
    chooseDevices: (manufacturerDeviceIds: ReadonlyArray<string>, address: Form | null = null) =>
      run((flow) => flow.chooseDevices(token, who, { manufacturerDeviceIds, address })),
    leave: () => run((flow) => flow.leave(token, who)),
    retry: () => run((flow) => flow.retry(token, who)),
    cancel: () => run((flow) => flow.cancel(token, who))
  }
}
export type Pages = ReturnType<typeof pages>

/** The address of a redirect that leaves the flow. */
export const leaves = async (result: FlowResult | Promise<FlowResult>): Promise<string> => {
  const settled = await result
  if (settled.kind === "view" || !settled.external) throw new Error(`stays: ${JSON.stringify(settled)}`)
  return settled.url
}

/** A workspace with what tests of connections do in it. */
export const arrangeConnections = async (app: TestApp, maker: FakeManufacturer, organizationId?: string) => {
  const place = await app.workspace(organizationId)
  const { keys } = place
  const call = (method: string, path: string, body?: unknown, key = keys.SERVER) =>
    app.call(method, path, { key, ...(body === undefined ? {} : { body }) })
  const must = async (status: number, ...request: Parameters<typeof call>): Promise<any> => {
    const response = await call(...request)
    if (response.status !== status) throw new Error(`${request[0]} ${request[1]}: ${response.status} ${response.text}`)
    return response.body
  }
  const create = (fields: object = {}, key = keys.SERVER) => must(201, "POST", "/v1/connections", fields, key)
  const read = (id: string, key = keys.SERVER) => must(200, "GET", `/v1/connections/${id}`, undefined, key)
  /** A standard session and its pages. */
  const open = async (fields: object = {}, key = keys.SERVER, who = visitor) => {
    const session = await create(fields, key)
    return { session, id: session.id as string, ...pages(app, new URL(session.url).pathname.split("/").at(-1)!, who) }
  }
  /** A session whose next step is the manufacturer's page, which it returns. */
  const toManufacturer = async (fields: object = {}, key = keys.SERVER, who = visitor) => {
    const session = await open(
      { customerInfo: newPerson(), manufacturerFilters: { manufacturers: ["fakecloud"] }, ...fields },
      key,
      who
    )
    await session.open()
    return { ...session, authorizationUrl: await leaves(session.consent()) }
  }
  /** A session that is connected to an account. */
  const connect = async (fields: object = {}, account: FakeAccount = maker.account("a", "b"), key = keys.SERVER) => {
    const session = await toManufacturer(fields, key)
    await session.callback(maker.approve(session.authorizationUrl, account))
    const view = await session.open()
    if (view.page !== "system") throw new Error(`not connected: ${JSON.stringify(view)}`)
    const ids = view.devices.map(({ manufacturerDeviceId }) => manufacturerDeviceId)
    const result = await session.chooseDevices(ids, view.address?.values ?? null)
    return { ...session, account, result, detail: await read(session.id) }
  }
  const headless = (fields: object = {}) => ({
    mode: "headless",
    redirectUrl,
    manufacturerFilters: { manufacturers: ["fakecloud"] },
    ...fields
  })
  const events = async (type: string) => (await must(200, "GET", `/v1/events?type=${type}`)).data
  return {
    ...place,
    call,
    must,
    create,
    read,
    open,
    toManufacturer,
    connect,
    headless,
    events,
    customer: (fields: object = {}) => must(201, "POST", "/v1/customers", fields),
    site: () => {
      const { country: _, ...address } = newLocation()
      return must(201, "POST", "/v1/sites", { address })
    }
  }
}
