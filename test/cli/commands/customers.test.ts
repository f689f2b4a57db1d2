import { describe, expect, test } from "vitest"
import { arrangeCustomers } from "../../server/customers/arrangeCustomers.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { makeCli } from "../realService.ts"

const app = useTestApp()

const arrange = async () => {
  const place = await arrangeCustomers(app)
  return { ...place, edp: makeCli(app, place) }
}
const listIds = ({ data }: { readonly data: ReadonlyArray<{ readonly id: string }> }) => data.map(({ id }) => id)

describe("edp customers", () => {
  test("create adds a customer with sites given by id or referenceId", async () => {
    const { edp, site } = await arrange()
    const [one, other] = [await site({ referenceId: "home-1" }), await site()]
    const fields = ["--reference-id", "user-1", "--first-name", "Ada", "--last-name", "Okafor"]
    const contact = ["--email", "ada@example.com", "--phone", "+1 916 555 0142"]
    const made = await edp(
      "customers",
      "create",
      ...fields,
      ...contact,
      "--site",
      "home-1",
      "--site",
      other.id,
      "--json"
    )
    expect(made.json()).toMatchObject({
      referenceId: "user-1",
      firstName: "Ada",
      lastName: "Okafor",
      email: "ada@example.com",
      phone: "+1 916 555 0142",
      connectedSiteIds: [other.id, one.id]
    })
  })

  test("create reports every field that the contract does not allow, before sending anything", async () => {
    const { edp } = await arrange()
    const refused = await edp("customers", "create", "--email", "ada", "--phone", "1")
    expect([refused.code, refused.stderr.split("\n").map((line) => line.trim().split(":")[0])]).toEqual([
      1,
      ["VALIDATION_ERROR", "email", "phone"]
    ])
  })

  test("list takes every filter of the API", async () => {
    const { create, edp, site } = await arrange()
    const home = await site()
    const ada = await create({ referenceId: "user-1", firstName: "Ada", email: "ada@example.com", siteIds: [home.id] })
    const obi = await create({ lastName: "Obi" })
    const list = async (...flags: ReadonlyArray<string>) =>
      listIds((await edp("customers", "list", "--json", ...flags)).json())
    expect(await list()).toEqual([obi.id, ada.id])
    expect(await list("--all")).toEqual([obi.id, ada.id])
    expect(await list("--per-page", "1")).toEqual([obi.id])
    expect(await list("--reference-id", "user-1")).toEqual([ada.id])
    expect(await list("--email", "ADA@example.com")).toEqual([ada.id])
    expect(await list("--site", home.id)).toEqual([ada.id])
    expect(await list("--q", "ob")).toEqual([obi.id])
    const table = await edp("customers", "list", "--q", "ada")
    expect(table.stdout.split("\n").map((line) => line.split(/ {2,}/u).slice(0, 6))).toEqual([
      ["ID", "REFERENCE", "NAME", "E-MAIL", "SITES", "DEVICES"],
      [ada.id, "user-1", "Ada", "ada@example.com", "1", "0"]
    ])
  })

  test("show finds a customer by id and by referenceId, with --devices also the devices", async () => {
    const { create, device, edp, site } = await arrange()
    const home = await site()
    const { id } = await create({ referenceId: "user-1", siteIds: [home.id] })
    const deviceId = await device({ siteId: home.id })
    expect((await edp("customers", "show", id, "--json")).json()).not.toHaveProperty("devices")
    const whole = (await edp("customers", "show", "user-1", "--devices", "--json")).json()
    expect(listIds({ data: whole.devices })).toEqual([deviceId])
    expect((await edp("customers", "show", "user-1", "--devices")).stdout).toContain(
      `device ${deviceId}  inverter, Roof`
    )
    expect((await edp("customers", "show", "user-2")).stderr).toBe(
      "CUSTOMER_NOT_FOUND: There is no customer with the id or referenceId user-2"
    )
  })

  test("update changes the given fields and clears the ones that --clear names", async () => {
    const { create, edp } = await arrange()
    const before = await create({ referenceId: "user-1", firstName: "Ada", email: "ada@example.com" })
    const after = (
      await edp("customers", "update", "user-1", "--last-name", "Obi", "--clear", "email", "--json")
    ).json()
    expect(after).toEqual({ ...before, lastName: "Obi", email: null, updatedAt: expect.any(String) })
    expect((await edp("customers", "update", "user-1")).code).toBe(2)
  })

  test("link associates a customer with a site and unlink separates them", async () => {
    const { create, edp, site } = await arrange()
    const { id: siteId } = await site({ referenceId: "home-1" })
    const { id } = await create({ referenceId: "user-1" })
    const linked = await edp("customers", "link", "user-1", "--site", "home-1", "--json")
    expect(linked.json()).toMatchObject({ id, connectedSiteIds: [siteId] })
    const unlinked = await edp("customers", "unlink", id, "--site", siteId, "--json")
    expect(unlinked.json()).toEqual({ siteId, customerId: id, unlinked: true })
    expect((await edp("customers", "unlink", id, "--site", siteId)).stderr).toMatch(/^CUSTOMER_NOT_FOUND/u)
  })

  test("delete requires --yes without a terminal, and respects deletion protection", async () => {
    const { create, edp, protect } = await arrange()
    const { id } = await create({ referenceId: "user-1", firstName: "Ada" })
    expect(await edp("customers", "delete", "user-1")).toMatchObject({ code: 2, stdout: "" })
    await protect(true)
    expect((await edp("customers", "delete", id, "--yes")).stderr).toMatch(/^DELETION_PROTECTION_ENABLED/u)
    await protect(false)
    expect((await edp("customers", "delete", id, "--yes")).stdout).toBe('The customer "Ada" is deleted.')
  })
})
