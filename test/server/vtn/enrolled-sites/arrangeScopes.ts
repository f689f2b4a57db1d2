import { SiteResources } from "@edp/server/vtn/enrolled-sites/SiteResources"
import { Effect } from "effect"
import { expect } from "vitest"
import type { TestApp } from "../../../support/TestApp.ts"
import { arrangeEnrollments, aBattery } from "../../enrollments/arrangeEnrollments.ts"
import { clientWithKey, openAdrClient } from "../VtnWorld.ts"

/** Does the work on resources of sites that is due. */
export const showSites = (app: TestApp): Promise<number> =>
  app.run(
    Effect.flatMap(SiteResources, ({ showSome }) =>
      Effect.repeat(showSome, { while: (found: number) => found > 0 })
    ) as never
  )

/** A workspace with a program, homes that take part in it, and VENs that see them. */
export const arrangeScopes = async (app: TestApp) => {
  const place = await arrangeEnrollments(app)
  const instance = await place.instance({ eligibility: aBattery })
  const bl = await openAdrClient(app, place, "OPENADR_BL")

  const createKey = (fields: object) =>
    place.call("POST", "/v1/api-keys", { name: "Aggregator", type: "OPENADR_VEN", ...fields }, "MANAGEMENT")
  /** A client of a VEN with a scope. */
  const ven = async (scope: object | null, fields: object = {}) => {
    const { body, status } = await createKey({ scope, ...fields })
    expect({ status, body }).toMatchObject({ status: 201 })
    return clientWithKey(app, body)
  }
  const revoke = (clientId: string) => place.call("POST", `/v1/api-keys/${clientId}/revoke`, {}, "MANAGEMENT")

  /** A home whose enrollment is approved. */
  const enrolled = async (siteFields: object = {}, instanceId: string = instance.id) => {
    const home = await place.home({ staticState: { capacity: 13_500 } }, siteFields)
    await place.readings(home.deviceId, { at: new Date(Date.now() - 60_000) })
    const { id: enrollmentId } = await place.enroll(instanceId, home.customerId, {
      siteId: home.siteId,
      acceptedTerms: { version: 1 }
    })
    await place.moved(enrollmentId, "approve")
    return { ...home, enrollmentId }
  }

  const changeSite = (siteId: string, fields: object) => place.required(200, "PATCH", `/v1/sites/${siteId}`, fields)

  /** The resources that a client sees, once all work is done. */
  const resources = async (client: { readonly ok: (method: string, path: string) => Promise<any> }) => {
    await showSites(app)
    return (await client.ok("GET", "/resources")) as ReadonlyArray<any>
  }
  const names = async (client: { readonly ok: (method: string, path: string) => Promise<any> }) =>
    (await resources(client)).map(({ resourceName }) => resourceName).toSorted()

  return { ...place, instance, bl, createKey, ven, revoke, enrolled, changeSite, resources, names }
}
