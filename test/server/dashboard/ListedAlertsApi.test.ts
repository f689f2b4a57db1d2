import { expect, test } from "vitest"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeAlerts } from "../alerts/arrangeAlerts.ts"

const app = useTestApp()

const arrange = async () => {
  const arranged = await arrangeAlerts(app)
  const list = async (query = "") => {
    const { body, status, text } = await app.call("GET", `/dashboard/api/alerts${query}`, {
      key: arranged.keys.MANAGEMENT
    })
    expect(status, text).toBe(200)
    return body
  }
  const titles = async (query?: string) =>
    (await list(query)).data.map(({ title }: { readonly title: string }) => title)
  return { ...arranged, list, titles }
}

test("critical alerts come first and then the newest, over all pages; by age on request", async () => {
  const { create, list, titles } = await arrange()
  const severities = ["INFO", "CRITICAL", "WARNING", "INFO", "CRITICAL", "WARNING", "INFO"]
  for (const [n, severity] of severities.entries()) await create({ severity, title: `${n}` })
  const bySeverity = ["4", "1", "5", "2", "6", "3", "0"]
  expect(await titles()).toEqual(bySeverity)
  const pages = await Promise.all([1, 2, 3].map((page) => titles(`?perPage=3&page=${page}`)))
  expect(pages.flat()).toEqual(bySeverity)
  expect(await list("?perPage=3&page=2")).toMatchObject({ totalItems: 7, totalPages: 3 })
  expect(await titles("?sort=newest")).toEqual(["6", "5", "4", "3", "2", "1", "0"])
  expect(await titles("?severity=WARNING,INFO")).toEqual(["5", "2", "6", "3", "0"])
})

test("alerts name their site and customer; those of the device go before those of the site", async () => {
  const { call, create, device, list, site, workspaceId } = await arrange()
  const make = async (path: string, body: object) => (await call("POST", path, body)).body.id as string
  const owner = await make("/v1/customers", { firstName: "Ada", lastName: "Okafor" })
  const resident = await make("/v1/customers", { email: "resident@example.com", siteIds: [site.id] })
  const deviceId = await device()
  await app.sql((sql) => sql`UPDATE devices SET customer_id = ${owner} WHERE id = ${deviceId} RETURNING id`)
  await create({ title: "of the site" })
  await create({ title: "of the device", deviceId })
  const { data } = await list()
  const [shown] = await app.sql<{ readonly name: string }>(
    (sql) =>
      sql`SELECT coalesce(name, street_one || ', ' || city) AS name FROM sites WHERE workspace_id = ${workspaceId}`
  )
  expect(data).toMatchObject([
    { title: "of the device", siteName: shown!.name, customerId: owner, customerName: "Ada Okafor" },
    { title: "of the site", siteName: shown!.name, customerId: resident, customerName: "resident@example.com" }
  ])
})

test("alerts that the alert configuration hides are neither listed nor counted", async () => {
  const { create, keys, list } = await arrange()
  await create({ severity: "INFO" })
  await create({ severity: "CRITICAL" })
  const saved = await app.call("PUT", "/dashboard/api/alert-configuration", {
    key: keys.MANAGEMENT,
    body: { minimumSeverity: "WARNING" }
  })
  expect(saved.status, saved.text).toBe(200)
  expect(await list()).toMatchObject({ totalItems: 1, data: [{ severity: "CRITICAL" }] })
})
