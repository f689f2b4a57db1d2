import { afterEach, describe, expect, test } from "vitest"
import { eventually } from "../../support/eventually.ts"
import { rawConversation, repliesIn } from "../../support/rawConversation.ts"
import { boot16, closeAll, openLine, type PlatformOptions, startPlatform, until } from "./platform.ts"

afterEach(closeAll)

const linked = async (options: PlatformOptions = {}, stationId = "CP-1") => {
  const platform = await startPlatform(options)
  return { platform, login: await platform.link(stationId) }
}

const now = () => new Date().toISOString()
const status = (id: string, connectorId = 1) => [
  2,
  id,
  "StatusNotification",
  { connectorId, status: "Available", errorCode: "NoError", timestamp: now() }
]

describe("the login of a station", () => {
  test("is the same 401 for an unknown station, a wrong password, another station's password and none", async () => {
    const { login, platform } = await linked()
    const other = await platform.link("CP-2")
    const basic = (user: string, password: string) =>
      `Authorization: Basic ${Buffer.from(`${user}:${password}`).toString("base64")}\r\n`
    const dial = async (path: string, authorization: string) => {
      const head = `GET /ocpp/${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${authorization}`
      const key = "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n"
      const [reply] = repliesIn(await rawConversation(platform.http, head + key))
      const { date: _, "x-request-id": __, ...headers } = reply!.headers
      return { ...reply!, headers }
    }
    const refusals = await Promise.all([
      dial("nobody", basic("nobody", login.password)),
      dial("CP-1", basic("CP-1", "x".repeat(32))),
      dial("CP-1", basic("CP-1", other.password)),
      dial("CP-1", basic("CP-2", other.password)),
      dial("CP-1", ""),
      dial("..%2Fx", basic("../x", login.password)),
      dial("%FF", basic("CP-1", login.password)),
      dial("a/CP-1", basic("CP-1", login.password)),
      dial("x".repeat(49), basic("x".repeat(49), login.password))
    ])
    expect(refusals[0]).toMatchObject({ status: 401, text: expect.stringContaining("UNAUTHENTICATED") })
    for (const refusal of refusals) expect(refusal).toEqual(refusals[0])
  })

  test.each(["CP*1:a=b+c|d@e.f", "_", "x".repeat(48)])("takes the id %s", async (stationId) => {
    const { login, platform } = await linked({}, stationId)
    const line = await openLine(platform, login)
    line.say([2, "1", "BootNotification", boot16])
    line.say(status("2"))
    await until("the responses", () => line.received.filter(([type]) => type === 3).length === 2)
    await until("the device", () => platform.devices()[0]?.manufacturerDeviceId === `${stationId}/1`)
  })

  test.each(["a b", "ü", "a/b", "x".repeat(49), "a\u0000", "a%2Fb"])("has no id such as %j", async (stationId) => {
    const { platform } = await linked()
    await expect(platform.link(stationId)).rejects.toThrow("The station id must have")
  })

  test("is refused for an id that another connected account has, and open to another person while it is being linked", async () => {
    const { platform } = await linked()
    await expect(platform.link("CP-1")).rejects.toThrow("is connected or being connected")
    const first = await platform.link("CP-2", { pending: true })
    const second = await platform.link("CP-2", { pending: true })
    await expect(openLine(platform, first)).rejects.toThrow("HTTP 401")
    await openLine(platform, second)
  })

  test("is limited per address", async () => {
    const { login, platform } = await linked({ env: { EDP_RATE_LIMIT_AUTH_FAILURES: "2" } })
    const wrong = { ...login, password: "0".repeat(32) }
    await expect(openLine(platform, wrong)).rejects.toThrow("HTTP 401")
    await expect(openLine(platform, wrong)).rejects.toThrow("HTTP 401")
    await expect(openLine(platform, wrong)).rejects.toThrow("HTTP 429")
    await openLine(platform, login)
  })

  test("is refused with 503 when the instance holds as many stations as it may", async () => {
    const { login, platform } = await linked({ settings: { maxConnections: "1" } })
    const other = await platform.link("CP-2")
    await openLine(platform, login)
    await expect(openLine(platform, other)).rejects.toThrow("HTTP 503")
    // A station that dials again replaces its own connection.
    await openLine(platform, login)
  })

  test("gives instructions once: a wss address, the id, and a password of 16 to 40 characters", async () => {
    const { platform } = await linked()
    const { authorization } = platform.instance
    if (authorization.kind !== "inbound") throw new Error("Stations open the connection")
    const { account, instructions } = await platform.run(authorization.invite({}))
    expect(account.externalId).toMatch(/^EDP-[2-9A-HJ-NP-Z]{8}$/)
    expect(instructions.map(({ secret, value }) => [value, secret])).toEqual([
      ["wss://energy.example.com/ocpp", false],
      [account.externalId, false],
      [`wss://energy.example.com/ocpp/${account.externalId}`, false],
      [expect.stringMatching(/^[0-9a-f]{32}$/), true]
    ])
    expect(JSON.stringify(account)).not.toContain(instructions[3]!.value)
  })
})

describe("the connection of a station", () => {
  test.each([
    ["an unknown subprotocol", ["ocpp1.5"]],
    ["no subprotocol", []]
  ])("with %s is completed and closed, as the standard has it", async (_, protocols) => {
    const { login, platform } = await linked()
    const line = await openLine(platform, login, protocols).catch((error: Error) => error)
    // The client gives up by itself when its offer is not taken.
    if (line instanceof Error) expect(line.message).toContain("no subprotocol")
    else expect(await line.closed).toMatchObject({ code: 1002 })
  })

  test("prefers 2.0.1 where the station offers both", async () => {
    const { login, platform } = await linked()
    expect((await openLine(platform, login, ["ocpp1.6", "ocpp2.0.1"])).socket.protocol).toBe("ocpp2.0.1")
  })

  test("goes on after malformed frames", async () => {
    const { login, platform } = await linked()
    const { received, say } = await openLine(platform, login)
    for (const frame of ["", "hello", "{}", "[]", "[2]", "[9,1]", '[2,"1"]', '[3,"nobody asked",{}]', "[[[[["])
      say(frame)
    say('[2,"x","NoSuchAction",{}]')
    say('[2,"y","BootNotification",{"chargePointVendor":5}]')
    say([2, "z", "BootNotification", { ...boot16, chargePointModel: "nul \u0000 and half \ud800" }])
    await until("the responses", () => received.length >= 4)
    expect(received.filter(([type]) => type !== 2)).toEqual([
      [4, "1", "FormationViolation", expect.any(String), {}],
      [4, "x", "NotImplemented", expect.any(String), {}],
      [4, "y", "TypeConstraintViolation", expect.any(String), {}],
      [3, "z", expect.objectContaining({ status: "Accepted" })]
    ])
    const kept = JSON.stringify(await platform.run(platform.records.get("station/CP-1")))
    expect(kept).toContain("nul  and half \ufffd")
  })

  test("is closed for a giant message, a binary one, and one that is not UTF-8", async () => {
    const { login, platform } = await linked()
    const giant = await openLine(platform, login)
    giant.say(JSON.stringify([2, "1", "DataTransfer", { vendorId: "x".repeat(200_000) }]))
    expect(await giant.closed).toMatchObject({ code: 1009 })
    const binary = await openLine(platform, login)
    binary.socket.send(Buffer.from([1, 2, 3]))
    expect(await binary.closed).toMatchObject({ code: 1003 })
    const broken = await openLine(platform, login)
    broken.socket.send(Buffer.from([0xff, 0xfe]), { binary: false })
    expect(await broken.closed).toMatchObject({ code: 1007 })
  })

  test("does not take more than it can handle: a flood is held back and gets its responses in order, while others are served", async () => {
    const FLOOD = 1000
    const { login, platform } = await linked({ times: { messagesPerSecond: 100, burst: 500 } })
    const quiet = await openLine(platform, await platform.link("CP-2"))
    const flood = await openLine(platform, login)
    for (let n = 0; n < FLOOD; n++) flood.say([2, `f${n}`, "Heartbeat", {}])
    quiet.say([2, "q", "Heartbeat", {}])
    await until("the quiet station's response", () => quiet.received.length > 0)
    expect(flood.received.length).toBeLessThan(FLOOD)
    await until("the flood's end", () => flood.received.filter(([type]) => type === 3).length === FLOOD)
    const answered = flood.received.filter(([type]) => type === 3).map(([, id]) => id)
    expect(answered).toEqual(Array.from({ length: FLOOD }, (_, n) => `f${n}`))
  })

  test("ends when the station dials again, and the newer one serves it", async () => {
    const { login, platform } = await linked()
    const older = await openLine(platform, login)
    older.say([2, "1", "BootNotification", boot16])
    await until("the boot", () => older.received.length > 0)
    const newer = await openLine(platform, login)
    expect(await older.closed).toEqual({ code: 1008, reason: "The station has another connection" })
    newer.say(status("2"))
    await until("the response", () => newer.received.some(([type, id]) => type === 3 && id === "2"))
  })

  test("ends when the station responds no ping, which releases its session", async () => {
    const { login, platform } = await linked({ times: { ping: 50 } })
    const hung = await openLine(platform, login)
    hung.socket.pause()
    await eventually("the session is released", async () => {
      const kept = (await platform.run(platform.records.get("station/CP-1"))) as any
      return kept !== undefined && kept.value.holder === null ? true : undefined
    })
  })

  test("ends when the station says nothing for three heartbeats, whether or not it responds to pings", async () => {
    const { login, platform } = await linked({
      times: { ping: 20, silentHeartbeats: 0.005 },
      settings: { heartbeatInterval: "10" }
    })
    expect(await (await openLine(platform, login)).closed).toEqual({ code: 1001, reason: "No message for too long" })
  })

  test("ends when its account has ended, or has another password", async () => {
    const { login, platform } = await linked({ times: { check: 20 } })
    const line = await openLine(platform, login)
    platform.accounts.delete("CP-1")
    expect(await line.closed).toEqual({ code: 1008, reason: "The station's account has ended" })
    await expect(openLine(platform, login)).rejects.toThrow("HTTP 401")
    const other = await platform.link("CP-2")
    const second = await openLine(platform, other)
    await platform.run(platform.instance.revoke!(platform.accounts.get("CP-2") as never))
    expect(await second.closed).toMatchObject({ code: 1008 })
  })

  test("ends with 1012 when the platform stops, which keeps the session", async () => {
    const { login, platform } = await linked()
    const line = await openLine(platform, login)
    line.say([2, "1", "BootNotification", boot16])
    line.say(status("2"))
    await until("the responses", () => line.received.filter(([type]) => type === 3).length === 2)
    await platform.stop()
    expect(await line.closed).toEqual({ code: 1012, reason: "Dial again" })
    const kept = (await platform.run(platform.records.get("station/CP-1"))) as any
    expect(kept.value).toMatchObject({ holder: null, session: { connected: false, connectors: [{ number: 1 }] } })
    expect(await platform.run(platform.records.list("instance/", 10))).toEqual([])
  })
})
