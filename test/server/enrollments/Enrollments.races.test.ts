import { expect, test } from "vitest"
import { useDatabases } from "../../support/Databases.ts"
import { describePostgres } from "../../support/PostgresServer.ts"
import { someAddress } from "../../support/Seed.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { aBattery, arrangeEnrollments } from "./arrangeEnrollments.ts"
import { atOnce } from "../../support/races.ts"

/** Only sessions that truly run side by side can pass one another by. */
describePostgres("concurrent requests", () => {
  const databases = useDatabases()
  const app = useTestApp({ databaseUrl: () => databases.url })
  const arrange = () => arrangeEnrollments(app)

  const outcomes = (responses: ReadonlyArray<any>) => responses.map(({ body, status }) => body.code ?? status).sort()
  const one = (first: unknown, count: number, other: string) => [
    first,
    ...Array.from({ length: count - 1 }, () => other)
  ]

  test("enroll a customer once, alone, in bulk and by e-mail", async () => {
    const { bulk, call, customer, instance, post } = await arrange()
    for (let round = 0; round < 5; round++) {
      const { id } = await instance()
      const email = `ada-${round}@example.com`
      const { id: customerId } = await customer({ email })
      const byId = { identificationType: "customerId", customerId }
      const byInfo = {
        identificationType: "customerInfo",
        customerInfo: { firstName: "Ada", lastName: "Okafor", email, location: someAddress() }
      }
      const singles = Array.from({ length: 12 }, (_, n) => post(id, n % 2 === 0 ? byId : byInfo))
      const many = Array.from({ length: 4 }, () => bulk(id, [byInfo, byId]))
      const alone = (await Promise.all(singles)).map(({ body }) => body.code ?? body.status)
      const inBulk = (await Promise.all(many)).flatMap(({ results }) =>
        results.map(({ code, enrollment }: any) => code ?? enrollment.status)
      )
      expect([...alone, ...inBulk].sort()).toEqual([...one("INVALID_STATE", 20, "INVALID_STATE").slice(1), "submitted"])
      expect((await call("GET", `/v1/programInstances/${id}/enrollments`)).body.totalItems).toBe(1)
    }
  })

  test("create one customer for one new e-mail address, and one site for one new address", async () => {
    const { call, instance, post } = await arrange()
    const { id } = await instance()
    const location = someAddress()
    const person = { firstName: "Ada", lastName: "Okafor", email: "new@example.com", location }
    const responses = await Promise.all(
      Array.from({ length: 12 }, () => post(id, { identificationType: "customerInfo", customerInfo: person }))
    )
    expect(outcomes(responses)).toEqual(one(201, 12, "INVALID_STATE"))
    expect((await call("GET", "/v1/customers?email=new@example.com")).body.totalItems).toBe(1)
    expect((await call("GET", "/v1/sites")).body.totalItems).toBe(1)
  })

  test("decide a submitted enrollment once", async () => {
    const { customer, enroll, events, instance, move } = await arrange()
    const { id } = await instance()
    for (let round = 0; round < 5; round++) {
      const enrollment = await enroll(id, (await customer()).id)
      const responses = await Promise.all(
        Array.from({ length: 8 }, (_, n) => move(enrollment.id, n % 2 === 0 ? "approve" : "reject"))
      )
      expect(outcomes(responses)).toEqual(one(200, 8, "INVALID_STATUS"))
      const decided = (await events()).filter(({ data }) => data.enrollment?.id === enrollment.id)
      expect(decided).toHaveLength(2)
    }
  })

  test("submit a candidate once, while the sweep judges it too", async () => {
    const { device, enroll, events, home, instance, move, sweep } = await arrange()
    const { id } = await instance({ eligibility: aBattery })
    for (let round = 0; round < 5; round++) {
      const { customerId, siteId } = await home(null)
      const candidate = await enroll(id, customerId)
      await device({ type: "battery", siteId })
      const [first, second, ...sweeps] = await Promise.all([
        move(candidate.id, "submit"),
        move(candidate.id, "submit"),
        sweep(),
        sweep()
      ])
      const submitted = [first, second].filter(({ status }) => status === 200).length
      expect(submitted + sweeps[0]! + sweeps[1]!).toBe(1)
      const published = (await events()).filter(({ data }) => data.enrollment?.id === candidate.id)
      expect(published.map(({ type }) => type)).toEqual(["ENROLLMENT_SUBMITTED"])
    }
  })

  test("leave no live enrollment of a customer or a site that is deleted meanwhile", async () => {
    const { call, home, instance, post } = await arrange()
    const { id } = await instance()
    for (let round = 0; round < 10; round++) {
      const { customerId, siteId } = await home()
      const gone = round % 2 === 0 ? `/v1/customers/${customerId}` : `/v1/sites/${siteId}`
      const [response, deleted] = await Promise.all([
        post(id, { identificationType: "customerId", customerId, siteId }),
        call("DELETE", gone)
      ])
      expect(deleted.status).toBe(204)
      const refusals = ["CUSTOMER_NOT_FOUND", "SITE_NOT_FOUND", "CUSTOMER_NOT_CONNECTED_TO_SITE"]
      if (response.status === 201) {
        expect((await call("GET", `/v1/enrollments/${response.body.id}`)).body.status).toBe("unenrolled")
      } else expect(refusals).toContain(response.body.code)
    }
  })

  test("take no enrollment once the instance is inactive, and leave none in a deleted one", async () => {
    const { call, customer, instance, post } = await arrange()
    for (let round = 0; round < 5; round++) {
      const { id } = await instance()
      const customers = await atOnce(4, () => customer())
      const [removed, ...responses] = await Promise.all([
        call("DELETE", `/v1/programInstances/${id}`),
        ...customers.map((each) => post(id, { identificationType: "customerId", customerId: each.id }))
      ])
      const expected = removed!.status === 204 ? ["NOT_FOUND"] : [201, "NOT_FOUND"]
      for (const { body, status } of responses) expect(expected).toContain(body.code ?? status)
      if (removed!.status !== 204) expect(removed!.body.code).toBe("INVALID_STATE")
    }
  })
})
