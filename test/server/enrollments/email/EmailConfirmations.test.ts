import { EmailConfirmations } from "@edp/server/enrollments/email/EmailConfirmations"
import { Effect } from "effect"
import { afterAll, beforeEach, describe, expect, test } from "vitest"
import { startVisit } from "../../../support/hosted-pages/hostedFlow.ts"
import { useTestApp } from "../../../support/TestApp.ts"
import { refusal, startMailRelay } from "../../../support/peers/mailRelay.ts"
import { arrangeVisits, heading, pageName, somebody, someNetwork, visitor, visitsEnv } from "../arrangeVisits.ts"

const responses: { next: Error | undefined } = { next: undefined }
const relay = await startMailRelay({
  hideSTARTTLS: true,
  onRcptTo: (_address, _session, done) => {
    const refused = responses.next
    responses.next = undefined
    done(refused)
  }
})
const app = useTestApp({
  own: true,
  env: { ...visitsEnv, SMTP_URL: `smtp://127.0.0.1:${relay.port}?starttls=optional` }
})
afterAll(() => relay.close())
beforeEach(() => {
  relay.taken.length = 0
})

const sendDue = () => app.run(Effect.flatMap(EmailConfirmations, (mails) => mails.sendDue))
/** As if the mails had been asked for longer ago. */
const wait = (minutes: number) =>
  app.sql(
    (sql) => sql`UPDATE enrollment_emails SET requested_at = requested_at - ${minutes} * interval '1 minute',
      due_at = due_at - ${minutes} * interval '1 minute',
      token_expires_at = token_expires_at - ${minutes} * interval '1 minute'`
  )
const DAY = 24 * 60

const linkIn = (text: string | undefined) => new URL(/https?:\/\/\S+/u.exec(text ?? "")![0])

const arrange = async () => {
  const scene = await arrangeVisits(app)
  const instance = await scene.instance({ states: ["CA"] })
  /** The mails that were taken, after those that are due were sent. */
  const mails = async () => {
    await sendDue()
    return relay.taken.map(({ mail, to }) => ({ to: to[0], subject: mail.subject, text: mail.text, html: mail.html }))
  }
  /** Enrolls by the page; returns the visitor with the page of the enrollment, and the link that was sent. */
  const begin = async (email: string, headers: Record<string, string> = {}) => {
    const person = visitor(app, instance.enrollPath, headers)
    const begun = await person.apply(somebody({ email }))
    expect(begun.status).toBe(303)
    return { person, own: begun.next! }
  }
  /** A browser of the person who reads the mail. */
  const reader = () => startVisit(app.url, { "x-forwarded-for": someNetwork() })
  const open = (link: URL) => reader().open(new URL(link.pathname, app.url).href)
  const press = (link: URL) => reader().post(new URL(`${link.pathname}/confirm`, app.url).href, [])
  const findCustomers = async (email: string) =>
    (await scene.customers()).filter((each) => each.email === email) as ReadonlyArray<any>
  return { ...scene, newInstance: scene.instance, instance, mails, begin, open, press, findCustomers }
}

describe("the e-mail address of an enrollment", () => {
  test("counts once the link of its mail and the button behind it were used, and the link works once", async () => {
    const scene = await arrange()
    const email = "ada-counts@example.com"
    const { own, person } = await scene.begin(email)
    const waiting = await person.visit.open(own)
    expect(waiting.text).toContain("Confirm your email address")
    expect(waiting.text).toContain(email)
    const [mail, ...more] = await scene.mails()
    expect(more).toEqual([])
    expect([mail!.to, mail!.subject]).toEqual([email, "Confirm your email address for Evening Peak"])
    const link = linkIn(mail!.text)
    expect(link.pathname.startsWith(`${scene.instance.enrollPath}/email/`)).toBe(true)
    expect(mail!.html).toContain(`<a href="${link.href}">`)

    // Programs that look for malware open links.
    expect(pageName(await scene.open(link))).toBe("confirm")
    expect((await scene.findCustomers(email))[0].emailUnconfirmed).toBe(true)
    const confirmed = await scene.press(link)
    expect([confirmed.status, heading(confirmed)]).toEqual([200, "Your email address is confirmed"])
    const [customer] = await scene.findCustomers(email)
    expect(customer.emailUnconfirmed).toBe(false)
    const updates = (await scene.events()).filter(({ type }) => type === "CUSTOMER_UPDATED")
    expect(updates.map(({ data }: any) => data.customer)).toEqual([customer])
    expect((await person.visit.open(own)).text).not.toContain("Send the email again")

    for (const again of [await scene.open(link), await scene.press(link)]) {
      expect([again.status, heading(again)]).toEqual([410, "This link does not work any more"])
    }
    // It finds the customer, and blocks another enrollment.
    const info = { identificationType: "customerInfo", customerInfo: { firstName: "Ada", lastName: "Okafor", email } }
    const refused = await scene.call("POST", `/v1/programInstances/${scene.instance.id}/enrollments`, info)
    expect([refused.status, refused.body.code]).toEqual([400, "INVALID_STATE"])
    expect(await sendDue()).toBe(0)
  })

  test("that takes part learns so by the mail alone, and the page is that of every other address", async () => {
    const scene = await arrange()
    const known = await scene.customer({ email: "member@example.com" })
    await scene.enroll(scene.instance.id, known.id)
    const pages = await Promise.all(
      ["member@example.com", "nobody@example.com"].map(async (email) => {
        const { own, person } = await scene.begin(email)
        const { text } = await person.visit.open(own)
        return text.replaceAll(email, "EMAIL").replaceAll(new URL(own).pathname.split("/").at(-1)!, "TOKEN")
      })
    )
    expect(pages[0]).toBe(pages[1])
    const mails = new Map((await scene.mails()).map((mail) => [mail.to, mail]))
    expect(mails.get("member@example.com")!.subject).toBe("You take part in Evening Peak already")
    expect(mails.get("member@example.com")!.text).not.toContain("http")
    expect(mails.get("nobody@example.com")!.text).toContain("http")
  })

  test("counts for the first of two enrollments that confirm it", async () => {
    const scene = await arrange()
    const email = "twice@example.com"
    await scene.begin(email)
    await scene.begin(email)
    const links = (await scene.mails()).map(({ text }) => linkIn(text))
    const results = await Promise.all(links.map(scene.press))
    expect(results.map(heading).sort()).toEqual(["You take part already", "Your email address is confirmed"])
    expect((await scene.findCustomers(email)).map(({ emailUnconfirmed }) => emailUnconfirmed).sort()).toEqual([
      false,
      true
    ])
  })

  test("gets another mail on request, once a minute and five times, of which the newest link works for seven days", async () => {
    const scene = await arrange()
    const email = "again@example.com"
    const { own, person } = await scene.begin(email)
    const [first] = await scene.mails()
    const ask = async () => expect((await person.visit.post(`${own}/email`, [])).next).toBe(own)
    await ask()
    expect(await scene.mails()).toHaveLength(1)
    await wait(2)
    await ask()
    const [, second] = await scene.mails()
    expect((await scene.open(linkIn(first!.text))).status).toBe(410)
    expect((await scene.open(linkIn(second!.text))).status).toBe(200)
    for (const _ of [3, 4, 5, 6, 7]) {
      await wait(2)
      await ask()
      await sendDue()
    }
    expect(relay.taken).toHaveLength(5)
    const newest = linkIn(relay.taken.at(-1)!.mail.text)
    await wait(7 * DAY - 5)
    expect((await scene.open(newest)).status).toBe(200)
    await wait(10)
    for (const late of [await scene.open(newest), await scene.press(newest)]) {
      expect([late.status, heading(late)]).toEqual([410, "This link has expired"])
    }
    expect((await scene.findCustomers(email))[0].emailUnconfirmed).toBe(true)
  })

  test("gets no more than five mails an hour, whoever types it", async () => {
    const scene = await arrange()
    for (const _ of Array.from({ length: 7 })) await scene.begin("bombed@example.com")
    expect(await scene.mails()).toHaveLength(5)
    expect(await scene.enrollments(scene.instance.id)).toHaveLength(7)
    await wait(61)
    await scene.begin("BOMBED@example.com")
    expect(await scene.mails()).toHaveLength(6)
  })

  test("gets a mail again that the relay does not take for now, and none that it refuses for good", async () => {
    const scene = await arrange()
    await scene.begin("later@example.com")
    responses.next = refusal(451, "Try again later")
    expect(await sendDue()).toBe(0)
    expect(await sendDue()).toBe(0)
    await wait(1)
    expect(await sendDue()).toBe(1)
    await scene.begin("refused@example.com")
    responses.next = refusal(550, "No such user")
    expect(await sendDue()).toBe(0)
    await wait(5 * DAY)
    expect(await sendDue()).toBe(0)
  })

  test("gets its mail in the language of the page", async () => {
    const scene = await arrange()
    await scene.begin("hola@example.com", { "accept-language": "es" })
    const [mail] = await scene.mails()
    expect(mail!.subject).toBe("Confirme su correo electrónico para Evening Peak")
    expect(mail!.html).toContain('<html lang="es">')
  })

  test("gets no mail where the site cannot take part, and its link belongs to one program instance", async () => {
    const scene = await arrange()
    const elsewhere = await scene.newInstance({ states: ["NV"] })
    await visitor(app, elsewhere.enrollPath).apply(somebody())
    expect(await scene.mails()).toEqual([])
    await scene.begin("one@example.com")
    const [mail] = await scene.mails()
    const token = linkIn(mail!.text).pathname.split("/").at(-1)!
    const other = await startVisit(app.url).post(`${app.url}${elsewhere.enrollPath}/email/${token}/confirm`, [])
    expect(other.status).toBe(410)
    expect((await scene.findCustomers("one@example.com"))[0].emailUnconfirmed).toBe(true)
    const foreign = await startVisit(app.url, { "sec-fetch-site": "cross-site" }).post(
      `${app.url}${scene.instance.enrollPath}/email/${token}/confirm`,
      []
    )
    expect(foreign.status).toBe(403)
  })
})
