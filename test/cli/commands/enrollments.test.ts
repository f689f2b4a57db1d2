import { describe, expect, test } from "vitest"
import { someAddress } from "../../support/Seed.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { aBattery, arrangeEnrollments } from "../../server/enrollments/arrangeEnrollments.ts"
import { makeCli } from "../realService.ts"

const app = useTestApp()

const arrange = async () => {
  const place = await arrangeEnrollments(app)
  const edp = makeCli(app, place)
  return { ...place, edp: (...args: ReadonlyArray<string>) => edp("enrollments", ...args) }
}

const oneLine = () => {
  const { city, postalCode, state, streetOne } = someAddress()
  return `${streetOne}, ${city}, ${state} ${postalCode}`
}

describe("edp enrollments", () => {
  test("create enrolls a customer by their reference, and show prints what is left to do", async () => {
    const { customer, edp, instance, site } = await arrange()
    const { id, slug } = await instance()
    const { id: customerId } = await customer({ referenceId: "user-1" })
    const { id: siteId } = await site({ customerId, referenceId: "home-1" })
    const created = await edp(
      "create",
      "--instance",
      slug,
      "--customer",
      "user-1",
      "--site",
      "home-1",
      "--manufacturer",
      "generic",
      "--terms-version",
      "1",
      "--tag",
      "pilot",
      "--reference-id",
      "application-12",
      "--metadata",
      '{"wave":2}',
      "--json"
    )
    expect(created.json()).toMatchObject({
      programInstanceId: id,
      customerId,
      siteId,
      status: "submitted",
      manufacturerSlugs: ["generic"],
      acceptedTerms: { version: 1 },
      tags: ["pilot"],
      referenceId: "application-12",
      metadata: { wave: 2 }
    })
    const { stdout } = await edp("show", created.json().id)
    expect(stdout).toContain("open: Connect a device at the site (owner)")
    expect(stdout).toContain("done: Submit the enrollment (operator)")
    const list = await edp("list", "--instance", id, "--customer", "user-1", "--tag", "pilot")
    expect(list.stdout).toMatch(/submitted.*application-12.*connect_device,? ?approve/u)
  })

  test("create takes a new person with the address of their site, and check reports beforehand whether they are eligible", async () => {
    const { edp, instance } = await arrange()
    const { slug } = await instance({ states: ["CA"], eligibility: aBattery })
    const person = [
      "--instance",
      slug,
      "--email",
      "ada@example.com",
      "--first-name",
      "Ada",
      "--last-name",
      "Okafor",
      "--address",
      oneLine()
    ]
    const checked = await edp("check", ...person)
    expect(checked.stdout).toContain("candidate")
    expect(checked.stdout).toContain("The program has conditions for devices; none is connected at the site yet")
    expect((await edp("check", ...person, "--json")).json()).toMatchObject({ reasons: [{ code: "no_device" }] })
    const created = await edp("create", ...person, "--no-submit", "--json")
    expect(created.json()).toMatchObject({ status: "candidate", address: { city: "Sacramento" } })
  })

  test("submit, approve, reject, unenroll and delete move it, and a refused move is an error with its code", async () => {
    const { customer, edp, enroll, instance } = await arrange()
    const { id } = await instance()
    const one = await enroll(id, (await customer()).id, { submit: false })
    const submitted = await edp("submit", one.id, "--terms-version", "1", "--reason", "Complete", "--json")
    expect(submitted.json()).toMatchObject({
      status: "submitted",
      statusReason: "Complete",
      acceptedTerms: { version: 1 }
    })
    expect((await edp("approve", one.id, "--json")).json()).toMatchObject({ status: "approved", statusReason: null })
    const refused = await edp("reject", one.id)
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("INVALID_STATUS")])
    expect((await edp("unenroll", one.id, "--reason", "Moved", "--json")).json()).toMatchObject({
      status: "unenrolled",
      statusReason: "Moved"
    })
    const other = await enroll(id, (await customer()).id)
    expect((await edp("reject", other.id, "--json")).json()).toMatchObject({ status: "rejected" })
    expect((await edp("delete", other.id, "--yes", "--json")).json()).toEqual({ id: other.id, deleted: true })
    expect((await edp("show", other.id)).stderr).toContain("NOT_FOUND")
  })

  test("a person is named in one way only", async () => {
    const { customer, edp, instance } = await arrange()
    const { slug } = await instance()
    await customer({ referenceId: "user-1" })
    for (const person of [
      [],
      ["--email", "ada@example.com"],
      ["--customer", "user-1", "--email", "ada@example.com"],
      ["--customer", "user-1", "--address", oneLine()]
    ]) {
      const { code, stderr } = await edp("create", "--instance", slug, ...person)
      expect([code, stderr]).toEqual([2, expect.stringContaining("Pass either --customer")])
    }
  })
})
