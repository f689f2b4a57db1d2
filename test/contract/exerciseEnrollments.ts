import { expect } from "vitest"
import { callAt } from "../support/callAt.ts"
import { hiddenFields, startVisit } from "../support/hosted-pages/hostedFlow.ts"
import type { Credentials } from "../support/spawnServer.ts"

const responses = {
  firstName: "Ada",
  lastName: "Byron",
  email: "ada.enrolls@example.com",
  streetOne: "2 Capitol Mall",
  city: "Sacramento",
  state: "CA",
  postalCode: "95814",
  country: "USA"
}

/** Enrolls a person over the hosted page. Returns the tokens with which the person goes on. */
export const exerciseEnrollments = async (
  url: string,
  { managementKey, serverKey }: Credentials
): Promise<ReadonlyArray<string>> => {
  const create = async (path: string, key: string, body: object) => {
    const response = await callAt(url, "POST", path, { key, body })
    expect(response.status, response.text).toBe(201)
    return response.body
  }
  await create("/v1/programs", managementKey, { slug: "secret-peak", name: "Evening Peak" })
  const instance = await create("/v1/programInstances", serverKey, {
    slug: "secret-peak-2026",
    programSlug: "secret-peak",
    title: "Evening Peak 2026",
    description: "",
    eligibilityCriteria: "",
    programTerms: "Up to 20 evenings a year."
  })
  const visit = startVisit(url)
  const link = `${url}${instance.enrollPath}`
  const form = hiddenFields((await visit.open(`${link}/apply`)).text)
  const begun = await visit.post(`${link}/apply`, [...form, ["accept", "yes"], ...Object.entries(responses)])
  expect(begun.status, begun.text).toBe(303)
  expect((await visit.open(begun.next!)).status).toBe(200)
  const led = await visit.post(`${begun.next}/connect`, [])
  expect((await visit.open(led.next!)).status).toBe(200)
  return [begun.next!, led.next!].map((address) => address.split("/").at(-1)!)
}
