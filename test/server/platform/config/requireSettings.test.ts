import { ServerConfig } from "@edp/server/platform/config/ServerConfig"
import { ConfigProvider, Effect, Layer } from "effect"
import { describe, expect, test } from "vitest"

const start = (env: Readonly<Record<string, string>>) =>
  Effect.runPromise(
    Layer.build(ServerConfig.layer).pipe(
      Effect.as("starts"),
      Effect.catch(({ message }) => Effect.succeed(message)),
      Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env })),
      Effect.scoped
    )
  )

const database = { DATABASE_URL: "postgres://edp@db.example.com/edp" }
const sms = {
  SMS_API_URL: "https://sms.example.com",
  SMS_ACCOUNT: "AC1",
  SMS_TOKEN: "for-tests-only",
  SMS_FROM: "+15005550006"
}

describe("conflicting settings prevent the start", () => {
  test.each([
    [{ SMTP_FROM: "edp@example.com" }, /^SMTP_URL must be set, too/u],
    [{ SMS_API_URL: "https://sms.example.com" }, /^SMS_ACCOUNT and SMS_TOKEN and SMS_FROM must be set, too/u],
    [{ ...sms, SMS_TOKEN: "" }, /^SMS_TOKEN must be set, too/u],
    [{ ...database, ...sms, SMS_API_URL: "http://sms.example.com" }, /^SMS_API_URL must be an https address, unless/u],
    [{ ...database, ...sms, SMS_API_URL: "https://127.0.0.1" }, /^SMS_API_URL must lead to a public host, unless/u]
  ])("%j", async (env, message) => {
    expect(await start(env as Readonly<Record<string, string>>)).toMatch(message)
  })

  test.each([
    "127.0.0.1",
    "0177.0.0.1",
    "0x7f.1",
    "2130706433",
    "127.1",
    "[::1]",
    "[::ffff:127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "10.1.2.3",
    "172.31.255.254",
    "192.168.1.1",
    "169.254.169.254",
    "[fe80::1]",
    "[fd00:ec2::254]",
    "localhost",
    "relay",
    "mail.internal"
  ])("a mail relay at %s if private addresses are not called", async (host) => {
    const refused = await start({ ...database, SMTP_URL: `smtp://${host}` })
    expect(refused).toBe("SMTP_URL must lead to a public host, unless EDP_ALLOW_PRIVATE_DESTINATIONS is true")
    const allowed = { ...database, SMTP_URL: `smtp://${host}`, EDP_ALLOW_PRIVATE_DESTINATIONS: "true" }
    expect(await start(allowed)).toBe("starts")
  })
})

test("the server starts with public hosts", async () => {
  expect(await start({ ...database, ...sms, SMTP_URL: "smtps://edp:secret@mail.example.com" })).toBe("starts")
})
