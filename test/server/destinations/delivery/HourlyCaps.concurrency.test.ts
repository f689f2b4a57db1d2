import { afterAll, beforeAll, expect, test } from "vitest"
import { useDatabases } from "../../../support/Databases.ts"
import { describePostgres } from "../../../support/PostgresServer.ts"
import { useTestApp } from "../../../support/TestApp.ts"
import { arrangeDestinations } from "../arrangeDestinations.ts"
import { startMailRelay } from "../../../support/peers/mailRelay.ts"

const LIMIT = 7

describePostgres("instances on one database", () => {
  const databases = useDatabases()
  let relay: Awaited<ReturnType<typeof startMailRelay>>
  beforeAll(async () => {
    relay = await startMailRelay({ hideSTARTTLS: true })
  })
  afterAll(async () => {
    await relay.close()
  })
  const options = {
    databaseUrl: () => databases.url,
    env: {
      EDP_ALLOW_PRIVATE_DESTINATIONS: "true",
      EDP_EMAIL_HOURLY: String(LIMIT),
      SMTP_FROM: "edp@example.com",
      get SMTP_URL() {
        return `smtp://127.0.0.1:${relay.port}?starttls=optional`
      }
    }
  }
  const [one, other] = [useTestApp(options), useTestApp(options)]

  test("share the hourly limit of a recipient's e-mails", async () => {
    const { destination, keys } = await arrangeDestinations(one)
    const ids: Array<string> = []
    for (const email of ["ada@example.com", "ADA@Example.COM"]) {
      ids.push((await destination({ destinationType: "EMAIL", email })).id)
    }
    const responses = await Promise.all(
      Array.from({ length: 24 }, (_, n) =>
        [one, other][n % 2]!.call("POST", `/v1/destinations/${ids[n % 3 === 0 ? 0 : 1]}/test`, { key: keys.SERVER })
      )
    )
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200))
    expect(responses.filter(({ body }) => body.succeeded)).toHaveLength(LIMIT)
    expect(relay.taken).toHaveLength(LIMIT)
  })
})
