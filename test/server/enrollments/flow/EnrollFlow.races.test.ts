import { expect, test } from "vitest"
import { useDatabases } from "../../../support/Databases.ts"
import { describePostgres } from "../../../support/PostgresServer.ts"
import { useTestApp } from "../../../support/TestApp.ts"
import { aBattery } from "../arrangeEnrollments.ts"
import { arrangeVisits, somebody, visitor, visitsEnv } from "../arrangeVisits.ts"
import { atOnce } from "../../../support/races.ts"

/** Only sessions that truly run side by side can pass one another by. */
describePostgres("visitors of an enrollment page at the same time", () => {
  const databases = useDatabases()
  const app = useTestApp({ databaseUrl: () => databases.url, env: visitsEnv })

  test("with one e-mail address each begin an enrollment of their own", async () => {
    const scene = await arrangeVisits(app)
    const instance = await scene.instance()
    const responses = somebody()
    const people = Array.from({ length: 12 }, () => visitor(app, instance.enrollPath))
    const forms = await Promise.all(people.map((person) => person.fill(responses)))
    const pages = await Promise.all(people.map((person, index) => person.send(forms[index]!)))
    expect(pages.map(({ status }) => status)).toEqual(pages.map(() => 303))
    expect(new Set(pages.map(({ next }) => next)).size).toBe(12)
    expect(
      (await scene.required(200, "GET", `/v1/programInstances/${instance.id}/enrollments?perPage=50`)).totalItems
    ).toBe(12)
  })

  test("with one form reach one enrollment, and with one button one connect session", async () => {
    const scene = await arrangeVisits(app)
    const instance = await scene.instance({ eligibility: aBattery })
    const person = visitor(app, instance.enrollPath)
    const fields = await person.fill(somebody())
    const sent = await atOnce(8, () => person.send(fields))
    expect(new Set(sent.map(({ next }) => next)).size).toBe(1)
    const sessions = await atOnce(8, () => person.connect(sent[0]!.next!))
    expect(new Set(sessions).size).toBe(1)
    expect((await scene.required(200, "GET", "/v1/connections")).data).toHaveLength(1)
  })

  test("accept the version of the terms that they read, or none, while the terms change", async () => {
    const scene = await arrangeVisits(app)
    const instance = await scene.instance()
    const people = Array.from({ length: 10 }, () => visitor(app, instance.enrollPath))
    const forms = await Promise.all(people.map((person) => person.fill(somebody())))
    const sends = people.map((person, index) => () => person.send(forms[index]!))
    const change = () =>
      scene.required(200, "PATCH", `/v1/programInstances/${instance.id}`, { programTerms: "Other terms." })
    await Promise.all([...sends.slice(0, 5), change, ...sends.slice(5)].map((act) => act()))
    const stored = await scene.enrollments(instance.id)
    expect(stored.every(({ acceptedTerms }) => acceptedTerms.version === 1)).toBe(true)
    const { updatedAt } = await scene.required(200, "GET", `/v1/programInstances/${instance.id}`)
    for (const { acceptedTerms } of stored) expect(acceptedTerms.acceptedAt <= updatedAt).toBe(true)
  })
})
