import { createHash } from "node:crypto"
import { describe, expect, test } from "vitest"
import { duringOutage } from "../../support/outage.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { arrangeVisits, heading, pageName, somebody, someNetwork, visitor, visitsEnv } from "./arrangeVisits.ts"
import { aBattery, terms } from "./arrangeEnrollments.ts"

const app = useTestApp({ env: visitsEnv })
const arrange = () => arrangeVisits(app)

describe("an enrollment over the hosted pages", () => {
  test("leads a person without scripts from the program to a connected device", async () => {
    const scene = await arrange()
    const instance = await scene.instance({ eligibility: aBattery, states: ["CA"] })
    const person = visitor(app, instance.enrollPath)
    const program = await person.open()
    expect([program.status, pageName(program), heading(program)]).toEqual([200, "program", "Evening Peak"])
    expect(program.text).toContain("Homes in California")
    const responses = somebody()
    const begun = await person.apply(responses)
    expect(begun.status).toBe(303)
    const waiting = await person.visit.open(begun.next!)
    expect([pageName(waiting), heading(waiting)]).toEqual(["status", "One step left: connect your device"])
    const [candidate] = await scene.enrollments(instance.id)
    expect(candidate).toMatchObject({
      identificationType: "customerInfo",
      status: "candidate",
      siteId: null,
      address: { streetOne: responses["streetOne"], state: "CA" },
      acceptedTerms: { version: 1, acceptedAt: candidate.createdAt }
    })

    const session = await person.connect(begun.next!)
    const first = await person.visit.open(session)
    // The person and the address are known, and only brands with a battery are offered.
    expect(pageName(first)).toBe("manufacturers")
    expect(first.text).not.toContain(`value="acme-thermostats"`)
    const { choice, finished } = await person.connectAll(session)
    expect(choice.text).not.toContain(`name="streetOne"`)
    expect(finished.next).toMatch(/\/enroll\/[^/]+\/back\?connect_session_id=c\w+$/u)
    const back = await person.visit.open(finished.next!)
    expect(new URL(back.next!).pathname).toBe(new URL(begun.next!).pathname)

    expect(await scene.sweep()).toBeGreaterThan(0)
    const done = await person.visit.open(back.next!)
    expect(heading(done)).toBe("Thank you, we have your enrollment")
    const [enrolled] = await scene.enrollments(instance.id)
    expect(enrolled.status).toBe("submitted")
    expect(enrolled.requiredActions.filter((each: any) => !each.done).map((each: any) => each.code)).toEqual([
      "approve"
    ])
    await scene.moved(enrolled.id, "approve")
    expect(heading(await person.visit.open(back.next!))).toBe("You take part")
  })

  test("asks the visitor to come back while the database is unavailable, and stores nothing", async () => {
    const scene = await arrange()
    const instance = await scene.instance({ eligibility: aBattery, states: ["CA"] })
    const person = visitor(app, instance.enrollPath)
    const fields = await person.fill(somebody())
    const refused = await duringOutage(app, "postal_codes", () => person.send(fields))
    expect([refused.status, pageName(refused)]).toEqual([503, "failure"])
    expect(await scene.enrollments(instance.id)).toEqual([])
    const begun = await person.send(fields)
    const connect = () => person.visit.post(`${begun.next}/connect`, [])
    expect((await duringOutage(app, "postal_codes", connect)).status).toBe(503)
    expect((await connect()).status).toBe(303)
  })

  test("is submitted at once where the address decides", async () => {
    const scene = await arrange()
    const period = { deadline: "2999-05-31T23:59:59.000Z", activatesAt: "2999-06-15T00:00:00.000Z" }
    const instance = await scene.instance({ states: ["CA"] }, { enrollmentPeriods: [period] })
    const person = visitor(app, instance.enrollPath)
    expect((await person.open()).text).toContain(`<time dateTime="${period.deadline}"`)
    const begun = await person.apply(somebody())
    const [enrollment] = await scene.enrollments(instance.id)
    expect(enrollment).toMatchObject({ status: "submitted", activatesAt: period.activatesAt })
    expect((await person.visit.open(begun.next!)).text).toContain(`<time dateTime="${period.activatesAt}"`)
    const events = await scene.events()
    expect(events.map(({ type }) => type)).toContain("ENROLLMENT_SUBMITTED")
  })

  test("is refused with a reason in another state, and stores the record alone", async () => {
    const scene = await arrange()
    const instance = await scene.instance(
      { states: ["NV"] },
      { eligibilityCriteria: "Homes in Nevada & <b>nowhere</b>." }
    )
    const person = visitor(app, instance.enrollPath)
    const page = await person.visit.open((await person.apply(somebody())).next!)
    expect([page.status, pageName(page)]).toEqual([200, "ineligible"])
    expect(page.text).toContain("Your home is in California. The program takes homes in Nevada.")
    expect(page.text).toContain("Homes in Nevada &amp; &lt;b&gt;nowhere&lt;/b&gt;.")
    expect(page.text).not.toContain("<form")
    expect((await scene.enrollments(instance.id)).map(({ status }) => status)).toEqual(["ineligible"])
    expect(await scene.sites()).toEqual([])
    const sessions = await scene.required(200, "GET", "/v1/connections")
    expect(sessions.data).toEqual([])
  })

  test("goes on after the browser was closed, by its link or by the page of the program", async () => {
    const scene = await arrange()
    const instance = await scene.instance({ eligibility: aBattery })
    const person = visitor(app, instance.enrollPath)
    const own = (await person.apply(somebody())).next!
    const session = await person.connect(own)
    await person.visit.open(session)
    // The same session: nothing that was begun there is lost.
    expect(await person.connect(own)).toBe(session)
    const program = await person.open()
    expect(program.text).toContain("Go on with your enrollment")
    expect(new URL((await person.open("/back")).next!).pathname).toBe(new URL(own).pathname)

    const elsewhere = visitor(app, instance.enrollPath)
    expect((await elsewhere.open()).text).not.toContain("Go on with your enrollment")
    expect(pageName(await elsewhere.open("/back"))).toBe("returned")
    expect(heading(await elsewhere.visit.open(own))).toBe("One step left: connect your device")
    expect(await elsewhere.connect(own)).toBe(session)
  })

  test("stores the SHA-256 of its tokens alone", async () => {
    const scene = await arrange()
    const instance = await scene.instance({ eligibility: aBattery })
    const person = visitor(app, instance.enrollPath)
    const own = (await person.apply(somebody())).next!
    const session = await person.connect(own)
    const [token, sessionToken] = [own.split("/").at(-1)!, session.split("/").at(-1)!]
    const [row] = await app.sql<{ readonly hash: Uint8Array; readonly text: string }>(
      (sql) => sql`SELECT page_token_hash AS hash, enrollments::text || connect_sessions::text AS text
        FROM enrollments JOIN connect_sessions ON connect_sessions.id = page_session_id
        WHERE program_instance_id = ${instance.id}`
    )
    expect(Buffer.from(row!.hash)).toEqual(createHash("sha256").update(token).digest())
    expect(row!.text).not.toContain(token)
    expect(row!.text).not.toContain(sessionToken)
  })

  test("an ended connect session is replaced", async () => {
    const scene = await arrange()
    const instance = await scene.instance({ eligibility: aBattery })
    const person = visitor(app, instance.enrollPath)
    const own = (await person.apply(somebody())).next!
    const first = await person.connect(own)
    const [session] = (await scene.required(200, "GET", "/v1/connections")).data
    await scene.required(204, "DELETE", `/v1/connections/${session.id}`)
    const second = await person.connect(own)
    expect(second).not.toBe(first)
    expect(pageName(await person.visit.open(second))).toBe("manufacturers")
  })
})

describe("the responses of a stranger", () => {
  test("select no existing customer, and show nothing of one", async () => {
    const scene = await arrange()
    const known = await scene.customer({ email: "ada@example.com", lastName: "Secret" })
    const instance = await scene.instance({ states: ["CA"] })
    const person = visitor(app, instance.enrollPath)
    const page = await person.visit.open((await person.apply(somebody({ email: "ADA@example.com" }))).next!)
    expect(page.text).not.toContain("Secret")
    const [enrollment] = await scene.enrollments(instance.id)
    expect(enrollment.customerId).not.toBe(known.id)
    expect(await scene.customers()).toHaveLength(2)
  })

  test("get one response whether the e-mail address takes part or not", async () => {
    const scene = await arrange()
    const instance = await scene.instance({ states: ["CA"] })
    const known = await scene.customer({ email: "member@example.com" })
    await scene.enroll(instance.id, known.id)
    const responses = somebody()
    const owner = visitor(app, instance.enrollPath)
    const own = (await owner.apply(responses)).next!
    const emails = ["member@example.com", responses["email"]!.toUpperCase(), "nobody-yet@example.com"]
    const strangers = await Promise.all(
      emails.map(async (email) => {
        const person = visitor(app, instance.enrollPath)
        const { next, status } = await person.apply(somebody({ email, firstName: "Eve" }))
        const page = await person.visit.open(next!)
        const token = new URL(next!).pathname.split("/").at(-1)!
        return { status, page: page.text.replaceAll(token, "TOKEN"), token }
      })
    )
    expect(new Set(strangers.map(({ token }) => token)).size).toBe(3)
    for (const { page, status } of strangers)
      expect({ page, status }).toEqual({ page: strangers[2]!.page, status: 303 })
    // The browser that began an enrollment is led to it.
    expect(new URL((await owner.apply(responses)).next!).pathname).toBe(new URL(own).pathname)
  })

  test("cannot block an e-mail address, nor be found by one before an operator approves them", async () => {
    const scene = await arrange()
    const instance = await scene.instance({ states: ["CA"] })
    const email = "owner@example.com"
    await visitor(app, instance.enrollPath).apply(somebody({ email, firstName: "Eve" }))
    const [stranger] = await scene.enrollments(instance.id)
    // The owner enrolls by the page, and by the operator's system.
    expect((await visitor(app, instance.enrollPath).apply(somebody({ email }))).status).toBe(303)
    const info = { identificationType: "customerInfo", customerInfo: { firstName: "Ada", lastName: "Okafor", email } }
    const enroll = () => scene.required(201, "POST", `/v1/programInstances/${instance.id}/enrollments`, info)
    const owner = await enroll()
    expect(owner.customerId).not.toBe(stranger.customerId)
    expect(new Set((await scene.enrollments(instance.id)).map(({ customerId }: any) => customerId)).size).toBe(3)
    // An approval vouches for the address.
    const other = await scene.instance({ states: ["CA"] })
    const person = somebody()
    await visitor(app, other.enrollPath).apply(person)
    const [approved] = await scene.enrollments(other.id)
    await scene.moved(approved.id, "approve")
    const third = await scene.instance({ states: ["CA"] })
    const { customerId } = await scene.required(201, "POST", `/v1/programInstances/${third.id}/enrollments`, {
      ...info,
      customerInfo: { ...info.customerInfo, email: person["email"] }
    })
    expect(customerId).toBe(approved.customerId)
  })

  test("with a known address use and show nothing of the devices there", async () => {
    const scene = await arrange()
    const home = await scene.home({ staticState: { capacity: 5000 } })
    const { address } = await scene.required(200, "GET", `/v1/sites/${home.siteId}`)
    const large = { all: [aBattery, { attribute: "staticState.capacity", operator: "gte", value: 10_000 }] }
    const instance = await scene.instance({ eligibility: large, states: ["CA"] })
    const person = visitor(app, instance.enrollPath)
    const page = await person.visit.open((await person.apply(somebody(address))).next!)
    expect(pageName(page)).toBe("status")
    const [enrollment] = await scene.enrollments(instance.id)
    expect(enrollment).toMatchObject({ status: "candidate", siteId: null })
    await scene.sweep()
    expect(await scene.enrollments(instance.id)).toMatchObject([{ status: "candidate" }])
    const [site] = await scene.sites()
    expect(site.customerIds).toEqual([home.customerId])
  })

  test("give the visitor no key for the devices that are connected", async () => {
    const scene = await arrange()
    const instance = await scene.instance()
    const person = visitor(app, instance.enrollPath)
    const own = (await person.apply(somebody())).next!
    const { finished } = await person.connectAll(await person.connect(own))
    expect(finished.next).not.toContain("service_scoped_token")
    const keys = await app.sql<{ readonly n: number }>(
      (sql) => sql`SELECT count(*)::int AS n FROM api_keys WHERE type = 'SCOPED' AND name LIKE 'Connect session %'
        AND workspace_id = (SELECT workspace_id FROM program_instances WHERE id = ${instance.id})`
    )
    expect(keys).toEqual([{ n: 0 }])
    const [site] = await scene.sites()
    const [enrollment] = await scene.enrollments(instance.id)
    expect(site.customerIds).toEqual([enrollment.customerId])
  })
})

describe("the form", () => {
  test("sent twice leads to one enrollment, also at the same time", async () => {
    const scene = await arrange()
    const instance = await scene.instance()
    const person = visitor(app, instance.enrollPath)
    const fields = await person.fill(somebody())
    const responses = await Promise.all([1, 2, 3].map(() => person.send(fields)))
    expect(new Set(responses.map(({ next, status }) => `${status} ${next}`)).size).toBe(1)
    expect(responses[0]!.status).toBe(303)
    expect(await scene.enrollments(instance.id)).toHaveLength(1)
    expect(await scene.customers()).toHaveLength(1)
  })

  test("is shown again with what was typed and what is wrong beside it", async () => {
    const scene = await arrange()
    const instance = await scene.instance()
    const person = visitor(app, instance.enrollPath)
    const fields = (await person.fill(somebody({ email: "ada@", city: "", lastName: "O'Hara" }))).filter(
      ([name]) => name !== "accept"
    )
    const page = await person.send(fields)
    expect([page.status, pageName(page)]).toEqual([422, "apply"])
    expect(page.text).toMatch(/<title>Error: /u)
    expect(page.text).toContain(`value="O&#x27;Hara"`)
    for (const id of ["field-email-problem", "field-city-problem", "field-accept-problem"]) {
      expect(page.text).toContain(`id="${id}"`)
    }
    expect(await scene.customers()).toEqual([])
  })

  test("keeps the acceptance of the terms, whose version and time are stored", async () => {
    const scene = await arrange()
    const instance = await scene.instance()
    const person = visitor(app, instance.enrollPath)
    expect((await person.open("/apply")).text).toContain(terms)
    const page = await person.apply(somebody({ email: "ada@" }))
    expect(page.text).toMatch(/name="accept"[^>]* checked/u)
  })

  test("is not taken for terms that have changed meanwhile", async () => {
    const scene = await arrange()
    const instance = await scene.instance()
    const person = visitor(app, instance.enrollPath)
    const fields = await person.fill(somebody())
    await scene.required(200, "PATCH", `/v1/programInstances/${instance.id}`, { programTerms: "Other terms." })
    const page = await person.send(fields)
    expect([page.status, pageName(page)]).toEqual([422, "apply"])
    expect(page.text).toContain("The terms have changed")
    expect(page.text).toContain("Other terms.")
    expect(page.text).not.toMatch(/name="accept"[^>]* checked/u)
    expect(await scene.customers()).toEqual([])
  })

  test("without terms asks for no acceptance", async () => {
    const scene = await arrange()
    const instance = await scene.instance({}, { programTerms: "" })
    const person = visitor(app, instance.enrollPath)
    expect((await person.open("/apply")).text).not.toContain(`name="accept"`)
    expect((await person.apply(somebody())).status).toBe(303)
    expect(await scene.enrollments(instance.id)).toMatchObject([{ acceptedTerms: null }])
  })

  test("from another browser or for another program is shown again, and not taken", async () => {
    const scene = await arrange()
    const [instance, other] = [await scene.instance(), await scene.instance()]
    const [person, stranger] = [visitor(app, instance.enrollPath), visitor(app, instance.enrollPath)]
    await stranger.open("/apply")
    const responses = somebody()
    const page = await stranger.send(await person.fill(responses))
    expect([page.status, pageName(page)]).toEqual([422, "apply"])
    expect(page.text).toContain(`value="${responses["streetOne"]}"`)
    const elsewhere = visitor(app, other.enrollPath)
    const moved = await elsewhere.visit.post(`${person.link}/apply`, await elsewhere.fill(responses))
    expect(moved.status).toBe(422)
    // The form that was shown again is a form of this browser.
    const fields = await stranger.fill(responses)
    expect((await stranger.send(fields)).status).toBe(303)
    expect(await scene.enrollments(instance.id)).toHaveLength(1)
  })

  test.each(["cross-site", "same-site"])("that a browser calls %s is refused", async (site) => {
    const scene = await arrange()
    const instance = await scene.instance()
    const person = visitor(app, instance.enrollPath, { "sec-fetch-site": site })
    const page = await person.apply(somebody())
    expect([page.status, pageName(page)]).toEqual([403, "refused-form"])
    expect(await scene.customers()).toEqual([])
  })

  test("is bounded in size", async () => {
    const scene = await arrange()
    const instance = await scene.instance()
    const person = visitor(app, instance.enrollPath)
    const page = await person.apply(somebody({ firstName: "x".repeat(70_000) }))
    expect([page.status, pageName(page)]).toEqual([400, "refused-form"])
  })

  test("is taken ten times a minute from a network, and then keeps what was typed", async () => {
    const scene = await arrange()
    const instance = await scene.instance()
    const network = someNetwork()
    const apply = (responses: Readonly<Record<string, string>>) =>
      visitor(app, instance.enrollPath, { "x-forwarded-for": network }).apply(responses)
    const statuses: Array<number> = []
    // More than two windows take, so that a window's start in between changes nothing.
    for (let index = 0; index < 21; index++) statuses.push((await apply(somebody({ email: "no" }))).status)
    expect(statuses.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 422))
    expect(statuses).toContain(429)
    const responses = somebody()
    const page = await apply(responses)
    expect([page.status, pageName(page)]).toEqual([429, "apply"])
    expect(page.text).toContain(`value="${responses["streetOne"]}"`)
  })
})

describe("pages of their own", () => {
  test.each([
    ["inactive", { status: "INACTIVE" }, {}, 200, "No enrollments at the moment"],
    ["archived", { status: "ARCHIVED" }, {}, 410, "This program has ended"],
    ["of an inactive program", {}, { active: false }, 200, "No enrollments at the moment"],
    ["not begun", {}, { startsAt: "2999-01-01T00:00:00.000Z" }, 200, "This program has not begun"],
    ["ended", {}, { endsAt: "2001-01-01T00:00:00.000Z" }, 410, "This program has ended"],
    [
      "over",
      { enrollmentPeriods: [{ deadline: "2001-01-01T00:00:00.000Z", activatesAt: "2001-01-01T00:00:00.000Z" }] },
      {},
      410,
      "The deadline has passed"
    ]
  ] as const)("show an instance that is %s, also instead of its form", async (_, fields, program, status, title) => {
    const scene = await arrange()
    const instance = await scene.instance(program, fields)
    const person = visitor(app, instance.enrollPath)
    for (const page of [await person.open(), await person.open("/apply"), await person.apply(somebody())]) {
      expect([pageName(page), heading(page)]).toEqual(["closed", title])
      expect(page.text).not.toContain("<form")
    }
    expect((await person.open()).status).toBe(status)
    expect(await scene.customers()).toEqual([])
  })

  test("show an expired link", async () => {
    const scene = await arrange()
    const instance = await scene.instance()
    const person = visitor(app, instance.enrollPath)
    const own = (await person.apply(somebody())).next!
    await app.sql(
      (sql) => sql`UPDATE enrollments SET created_at = created_at - interval '91 days'
        WHERE program_instance_id = ${instance.id}`
    )
    const page = await person.visit.open(own)
    expect([page.status, pageName(page)]).toEqual([410, "expired"])
    expect((await person.open()).text).not.toContain("Go on with your enrollment")
    expect(pageName(await person.visit.post(`${own}/connect`, []))).toBe("expired")
  })

  test.each([
    ["a program that there is not", "/enroll/no-such-program", 404],
    ["a name in capitals", "/enroll/NO", 404],
    ["a name that is too long", `/enroll/${"x".repeat(64)}`, 404],
    ["nothing", "/enroll", 404],
    ["a token of nobody", `/enroll/no-such-program/${"x".repeat(43)}`, 404],
    ["a broken token", "/enroll/no-such-program/x", 404],
    ["more parts", "/enroll/a/b/c/d", 404]
  ])("show %s", async (_, path, status) => {
    const page = await visitor(app, path).open()
    expect([page.status, pageName(page)]).toEqual([status, "unknown"])
  })

  test("an enrollment is not found under another program", async () => {
    const scene = await arrange()
    const [instance, other] = [await scene.instance(), await scene.instance()]
    const own = (await visitor(app, instance.enrollPath).apply(somebody())).next!
    const page = await visitor(app, `${other.enrollPath}/${own.split("/").at(-1)}`).open()
    expect(page.status).toBe(404)
  })

  test("show the end of an enrollment with the operator's reason", async () => {
    const scene = await arrange()
    const instance = await scene.instance()
    const person = visitor(app, instance.enrollPath)
    const own = (await person.apply(somebody())).next!
    const [enrollment] = await scene.enrollments(instance.id)
    await scene.moved(enrollment.id, "reject", { reason: "The home is <rented>" })
    const page = await person.visit.open(own)
    expect(heading(page)).toBe("Your enrollment was not accepted")
    expect(page.text).toContain("The home is &lt;rented&gt;")
    expect(page.text).not.toContain("<form")
  })
})

describe("each page", () => {
  const headers = async (path: string, init: RequestInit = {}) =>
    (await fetch(`${app.url}${path}`, { redirect: "manual", ...init })).headers

  test("has the headers that keep it to itself", async () => {
    const scene = await arrange()
    const { enrollPath } = await scene.instance()
    for (const found of [
      await headers(enrollPath),
      await headers(`${enrollPath}/apply`),
      await headers("/enroll/none"),
      await headers(`${enrollPath}/apply`, { method: "POST", body: "{}" }),
      await headers(enrollPath, { method: "PUT" })
    ]) {
      expect(found.get("content-security-policy")).toBe(
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
      )
      expect(found.get("referrer-policy")).toBe("no-referrer")
      expect(found.get("x-frame-options")).toBe("DENY")
      expect(found.get("cache-control")).toBe("no-store")
      expect(found.get("content-type")).toBe("text/html; charset=utf-8")
    }
  })

  test("keeps its enrollment in a cookie that no script reads", async () => {
    const scene = await arrange()
    const { enrollPath } = await scene.instance()
    const own = (await visitor(app, enrollPath).apply(somebody())).next!
    const cookie = (await headers(new URL(own).pathname)).getSetCookie()
    expect(cookie).toEqual([
      expect.stringMatching(/^edp-enroll-[\w-]+=[\w-]{43}; Max-Age=7776000; Path=\/; .*HttpOnly; SameSite=Lax/u)
    ])
  })

  test("is in the visitor's language", async () => {
    const scene = await arrange()
    const { enrollPath } = await scene.instance()
    const person = visitor(app, enrollPath, { "accept-language": "es-MX" })
    expect((await person.open("/apply")).text).toContain("Usted y su hogar")
    const chosen = await person.open("/apply?language=en")
    expect(new URL(chosen.next!).pathname).toBe(`${enrollPath}/apply`)
    expect((await person.open("/apply")).text).toContain("You and your home")
  })
})
