import { describe, expect, test } from "vitest"
import { agreeAndSignIn, chooseOffered, startVisit } from "../../../support/hosted-pages/hostedFlow.ts"
import { useTestApp } from "../../../support/TestApp.ts"

const app = useTestApp()

const address = [
  ["streetOne", "1 Capitol Mall"],
  ["city", "Sacramento"],
  ["state", "CA"],
  ["postalCode", "95814"],
  ["country", "US"]
] as const

/** Connects all devices of a test account over the hosted pages; the address in the responses is that of the test's port. */
const connect = async (account: string) => {
  const { keys } = await app.workspace()
  const body = {
    redirectUrl: "https://app.example.com/connected",
    manufacturerFilters: { manufacturers: ["simulator"] },
    customerInfo: {
      firstName: "Ada",
      lastName: "Byron",
      email: "ada@example.com",
      location: Object.fromEntries(address)
    }
  }
  const created = await app.call("POST", "/v1/connections", { key: keys.SERVER, body })
  const link = `${app.url}${new URL(created.body.url).pathname}`
  const visit = startVisit(app.url)
  await visit.open(link)
  await visit.open(await agreeAndSignIn(visit, link, account))
  const { finished } = await chooseOffered(visit, link, address)
  return { finished, link, visit, id: created.body.id as string, key: keys.SERVER }
}

describe("after the last choice", () => {
  test("a person with nothing more to do is sent back to the caller", async () => {
    const { finished } = await connect("sunny")
    expect(finished.next).toContain("https://app.example.com/connected?service_scoped_token=scoped_")
  })

  test("a person who has to do something reads it first, before any reading, and then goes on", async () => {
    const { finished, id, key, link, visit } = await connect("unpaired")
    expect(finished.next).toBe(link)
    const { text } = await visit.open(link)
    expect(text).toContain("Family car")
    // The page holds no key: it comes with the way back.
    expect(text).not.toContain("scoped_")
    const left = await visit.post(`${link}/leave`, [])
    expect(left.next).toContain("https://app.example.com/connected?service_scoped_token=scoped_")
    const session = await app.call("GET", `/v1/connections/${id}`, { key })
    expect(session.body.interventions).toMatchObject([{ code: "key_not_paired", actor: "owner" }])
    const devices = await app.call("GET", "/v1/devices?type=vehicle", { key })
    expect(devices.body.data[0]).toMatchObject({ state: {}, interventions: [{ code: "key_not_paired" }] })
  })
})
