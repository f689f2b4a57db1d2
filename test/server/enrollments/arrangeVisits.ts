import { randomInt } from "node:crypto"
import {
  agreeAndSignIn,
  chooseOffered,
  hiddenFields,
  startVisit,
  type Visited
} from "../../support/hosted-pages/hostedFlow.ts"
import { someAddress } from "../../support/Seed.ts"
import type { TestApp } from "../../support/TestApp.ts"
import { arrangeEnrollments } from "./arrangeEnrollments.ts"

type Form = Readonly<Record<string, string>>

/** Settings of an app whose visitors come from networks of their own, by which the pages limit them. */
export const visitsEnv = { EDP_TRUSTED_PROXIES: "127.0.0.1,::1" }

export const someNetwork = () => `198.${randomInt(18, 20)}.${randomInt(256)}.${randomInt(256)}`

let people = 0

/** The responses of a person at a new address. */
export const somebody = (fields: Form = {}): Form => ({
  firstName: "Ada",
  lastName: "Okafor",
  email: `ada-${Date.now().toString(36)}-${++people}@example.com`,
  phone: "",
  ...someAddress(),
  country: "USA",
  ...fields
})

export const pageName = ({ text }: Visited) => /<body data-page="([^"]+)"/u.exec(text)?.[1]

export const heading = ({ text }: Visited) => /<h1>([^<]*)<\/h1>/u.exec(text)?.[1]

/** A visitor of the enrollment page, in a browser of their own without scripts. */
export const visitor = (app: TestApp, enrollPath: string, headers: Form = {}) => {
  const visit = startVisit(app.url, { "x-forwarded-for": someNetwork(), ...headers })
  const at = (path: string) => new URL(path, app.url).href
  const link = at(enrollPath)
  const fill = async (responses: Form) => {
    const form = await visit.open(`${link}/apply`)
    return [...hiddenFields(form.text), ["accept", "yes"], ...Object.entries(responses)] as const
  }
  return {
    link,
    visit,
    open: (path = "") => visit.open(`${link}${path}`),
    fill,
    send: (fields: ReadonlyArray<readonly [string, string]>) => visit.post(`${link}/apply`, fields),
    /** Fills in the form and sends it. */
    apply: async (responses: Form) => visit.post(`${link}/apply`, await fill(responses)),
    /** Goes into the connect session from the page of the enrollment. */
    connect: async (own: string): Promise<string> => {
      const led = await visit.post(`${own}/connect`, [])
      if (led.next === null) throw new Error(led.text)
      return at(new URL(led.next).pathname)
    },
    /** Connects all devices of a test account of the simulator. */
    connectAll: async (session: string, account = "sunny") => {
      await visit.open(session)
      await visit.post(`${session}/manufacturer`, [["manufacturer", "simulator"]])
      await visit.open(await agreeAndSignIn(visit, session, account))
      return chooseOffered(visit, session)
    }
  }
}

/** A program instance with its page. */
export const arrangeVisits = async (app: TestApp) => {
  const scene = await arrangeEnrollments(app)
  return {
    ...scene,
    enrollments: async (instanceId: string): Promise<ReadonlyArray<any>> =>
      (await scene.required(200, "GET", `/v1/programInstances/${instanceId}/enrollments?perPage=100`)).data,
    customers: async (): Promise<ReadonlyArray<any>> =>
      (await scene.required(200, "GET", "/v1/customers?perPage=100")).data,
    sites: async (): Promise<ReadonlyArray<any>> => (await scene.required(200, "GET", "/v1/sites?perPage=100")).data
  }
}
