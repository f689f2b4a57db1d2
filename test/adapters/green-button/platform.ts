import { greenButtonAdapter } from "@edp/adapter-green-button/greenButtonAdapter"
import { AccountRunner } from "@edp/server/accounts/AccountRunner"
import { Effect, Logger } from "effect"
import { expect } from "vitest"
import { eventually } from "../../support/eventually.ts"
import { UtilityServer } from "../../support/peers/UtilityServer.ts"
import { TestApp, type TestWorkspace } from "../../support/TestApp.ts"
import { UserAgent } from "../../support/UserAgent.ts"
import { DAY } from "./utilityMeters.ts"

const PUBLIC_URL = "http://localhost:3998"
const BACK = "http://localhost:4998/connected"

/** The platform with a utility of our own. */
export const startPlatform = async (env: Readonly<Record<string, string>> = {}) => {
  const utility = new UtilityServer()
  const app = new TestApp()
  await utility.start()
  const settings = utility.settings()
  await app.start({
    adapters: [greenButtonAdapter],
    env: {
      EDP_PUBLIC_URL: PUBLIC_URL,
      EDP_GREEN_BUTTON_CLIENT_ID: settings.clientId,
      EDP_GREEN_BUTTON_CLIENT_SECRET: settings.clientSecret,
      EDP_GREEN_BUTTON_AUTHORIZATION_URL: settings.authorizationUrl,
      EDP_GREEN_BUTTON_TOKEN_URL: settings.tokenUrl,
      EDP_GREEN_BUTTON_REVOCATION_URL: settings.revocationUrl,
      EDP_GREEN_BUTTON_RESOURCE_URL: settings.resourceUrl,
      EDP_GREEN_BUTTON_SCOPE: settings.scope,
      EDP_GREEN_BUTTON_UTILITY: settings.utility,
      ...env
    }
  })

  /** An account whose owner has signed in, by a link that leads straight to the utility. */
  const connect = async ({ keys }: TestWorkspace) => {
    const { body, status } = await app.call("POST", "/v1/connections", {
      key: keys.SERVER,
      body: {
        mode: "headless",
        redirectUrl: BACK,
        referenceId: "owner",
        manufacturerFilters: { manufacturers: ["green-button"] },
        customerInfo: {
          firstName: "Ada",
          lastName: "Okafor",
          email: "ada@example.com",
          location: {
            streetOne: "1 Capitol Mall",
            city: "Sacramento",
            state: "CA",
            postalCode: "95814",
            country: "USA"
          }
        }
      }
    })
    expect(status, JSON.stringify(body)).toBe(201)
    const page = await new UserAgent((url) => url.startsWith(BACK), { [PUBLIC_URL]: app.url }).open(body.url)
    expect(new URL(page.url).searchParams.get("error"), page.url).toBeNull()
    const [row] = await app.sql<{ readonly id: string }>(
      (sql) => sql`SELECT account_id AS id FROM connect_sessions WHERE id = ${body.id}`
    )
    return { accountId: row!.id, sessionId: body.id as string }
  }

  const devices = async ({ keys }: TestWorkspace) => {
    const { body } = await app.call("GET", "/v1/devices", { key: keys.SERVER })
    return new Map<string, any>(body.data.map((device: any) => [device.manufacturerDeviceId, device]))
  }

  /** Makes an account due and works until nothing of it is under way. */
  const work = async (accountId: string) => {
    await app.sql(
      (sql) => sql`UPDATE account_work SET due_at = now(), read_at = now() WHERE account_id = ${accountId}
        AND due_at < 'infinity' RETURNING 1`
    )
    await app.run(Effect.flatMap(AccountRunner, ({ step }) => step).pipe(Effect.provide(Logger.layer([]))))
    await eventually("the work ends", async () => {
      const [row] = await app.sql<{ readonly claim: string | null }>(
        (sql) => sql`SELECT claim FROM account_work WHERE account_id = ${accountId}`
      )
      return row?.claim === null ? true : undefined
    })
  }

  /** Reads windows until the newest data has been read. */
  const readAll = async (accountId: string) => {
    const tomorrow = new Date((Math.floor(Date.now() / 1000 / DAY) + 1) * DAY * 1000).toISOString().slice(0, 10)
    for (let windows = 0; windows < 40; windows++) {
      const before = utility.windows().length
      await work(accountId)
      const read = utility.windows()
      if (read.length === before) throw new Error("No window was read")
      if (read.at(-1)![1] === tomorrow) return
    }
    throw new Error("The history has no end")
  }

  /** Wh of each day in UTC, null where nothing was measured. */
  const daily = async (
    { keys }: TestWorkspace,
    metric: "consumption" | "production",
    deviceId: string,
    [from, to]: readonly [number, number]
  ): Promise<ReadonlyArray<number | null>> => {
    const days: Array<number | null> = []
    const iso = (at: number) => encodeURIComponent(new Date(at * 1000).toISOString())
    for (let begin = from; begin < to; begin += 30 * DAY) {
      const { body, status, text } = await app.call(
        "GET",
        `/v1/metrics/${metric}?deviceId=${deviceId}&period=day&timezone=UTC&from=${iso(begin)}&to=${iso(Math.min(to, begin + 30 * DAY))}`,
        { key: keys.SERVER }
      )
      expect(status, text).toBe(200)
      for (const { value } of body.data) days.push(value === null ? null : Math.round(value))
    }
    return days
  }

  const countReadings = async (deviceId: string) => {
    const [row] = await app.sql<{ readonly n: number }>(
      (sql) => sql`SELECT count(*)::int AS n FROM readings WHERE device_id = ${deviceId}`
    )
    return row!.n
  }

  return {
    app,
    utility,
    connect,
    devices,
    work,
    readAll,
    daily,
    countReadings,
    stop: async () => {
      await app.stop()
      await utility.stop()
    }
  }
}
export type Platform = Awaited<ReturnType<typeof startPlatform>>
