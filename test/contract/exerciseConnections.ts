import { expect } from "vitest"
import { callAt } from "../support/callAt.ts"
import { offered, agreeAndSignIn, startVisit } from "../support/hosted-pages/hostedFlow.ts"
import type { Credentials } from "../support/spawnServer.ts"

const customerInfo = {
  firstName: "Ada",
  lastName: "Byron",
  email: "ada.byron@example.com",
  location: { streetOne: "1 Capitol Mall", city: "Sacramento", state: "CA", postalCode: "95814", country: "US" }
}

/**
 * Connects devices over the hosted pages, reconnects and disconnects them. Returns what must stay secret: tokens of links,
 * states, codes and keys.
 */
export const exerciseConnections = async (url: string, { serverKey }: Credentials): Promise<ReadonlyArray<string>> => {
  const secrets: Array<string> = []
  const create = async (body: object) => {
    const response = await callAt(url, "POST", "/v1/connections", { key: serverKey, body })
    expect(response.status, response.text).toBe(201)
    const link: string = response.body.url
    secrets.push(link.split("/connect/")[1]!)
    return { id: response.body.id as string, link: `${url}/connect/${secrets.at(-1)}` }
  }
  const keep = (address: string, ...names: ReadonlyArray<string>) => {
    const query = new URL(address).searchParams
    for (const name of names) secrets.push(query.get(name)!)
  }
  const { id, link } = await create({
    redirectUrl: "https://app.example.com/connected",
    manufacturerFilters: { manufacturers: ["simulator"] },
    customerInfo
  })
  const visit = startVisit(url)
  await visit.open(link)
  const callback = await agreeAndSignIn(visit, link, "sunny")
  keep(callback, "code", "state")
  await visit.open(callback)
  // Again, and in a browser that knows nothing.
  await startVisit(url).open(callback)
  const page = await visit.open(link)
  const devices = offered(page.text, "device")
  expect(devices.length).toBeGreaterThan(3)
  const { location } = customerInfo
  const finished = await visit.post(`${link}/devices`, [
    ...devices.map((device) => ["device", device] as const),
    ...Object.entries(location)
  ])
  expect(finished.next, finished.text).toContain("https://app.example.com/connected")
  keep(finished.next!, "service_scoped_token")
  const scoped = secrets.at(-1)!
  expect((await callAt(url, "GET", "/v1/devices", { key: scoped })).body.totalItems).toBe(devices.length)

  const again = await create({ reconnect: id })
  const other = startVisit(url)
  await other.open(again.link)
  const denied = await agreeAndSignIn(other, again.link, "sunny", "deny")
  keep(denied, "state")
  await other.open(denied)
  await other.open(`${url}/oauth/callback?code=forged&state=forged`)
  expect((await callAt(url, "DELETE", `/v1/connections/${id}`, { key: serverKey })).status).toBe(204)
  expect((await callAt(url, "GET", "/v1/devices", { key: scoped })).status).toBe(401)
  return secrets
}
