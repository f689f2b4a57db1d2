import type { AdapterError } from "@edp/adapter-kit/AdapterError"
import { Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { afterEach, describe, expect, it } from "vitest"
import { failure, run } from "../../adapter-kit/modbus/modbusInstance.ts"
import type { GatewayShape } from "../../support/peers/EnphaseGateway.ts"
import { otherCertificate } from "../../support/peers/localhostCertificate.ts"
import { firmware5, firmware7, firmware8 } from "./generations.ts"
import { now, startGateway, type StartedGateway } from "./startGateway.ts"

const started: Array<StartedGateway> = []
afterEach(async () => {
  for (const one of started.splice(0)) await one.stop()
})
const start = async (shape: GatewayShape) => {
  const one = await startGateway(shape)
  started.push(one)
  return one
}

/** The states of a reading by device, and its problems. */
const states = async (one: StartedGateway, account: Awaited<ReturnType<StartedGateway["link"]>>) => {
  const { report, states: all } = await run(one.read(account))
  return { ...all, problems: report.observations.flatMap(({ problems }) => problems) }
}

describe("a page that fails", () => {
  const half = (response: import("node:http").ServerResponse) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": "4000" })
    response.write('{"configured_backup_soc": 20, "ENC_agg')
    setImmediate(() => response.destroy())
  }
  it.each<[string, string, (response: import("node:http").ServerResponse) => void, ReadonlyArray<string>]>([
    ["with half a response", "/ivp/ensemble/secctrl", half, ["battery"]],
    [
      "with half a document",
      "/ivp/ensemble/secctrl",
      (response) => void response.writeHead(200).end('{"ENC_agg_soc": 4'),
      ["battery"]
    ],
    [
      "with status 503",
      "/ivp/meters/readings",
      (response) => void response.writeHead(503).end(),
      ["inverter", "meter"]
    ],
    ["by closing the connection", "/ivp/meters/readings", (response) => void response.destroy(), ["inverter", "meter"]]
  ])("%s leaves out its part alone, and is read again", async (_, path, respond, without) => {
    const one = await start(firmware8)
    const account = await one.link()
    one.gateway.respondOnce(path, respond)
    const first: Record<string, unknown> = await states(one, account)
    for (const device of ["inverter", "battery", "meter"]) expect(first[device] === null).toBe(without.includes(device))
    const second: Record<string, unknown> = await states(one, account)
    for (const device of ["inverter", "battery", "meter"]) expect(second[device]).not.toBeNull()
  })

  it("without JSON is a problem of the adapter; one that the gateway does not have, or not for this user, is none", async () => {
    const one = await start(firmware8)
    const account = await one.link()
    one.gateway.respondOnce("/ivp/ensemble/power", (response) => void response.end("12 W"))
    const { battery, problems } = (await states(one, account)) as any
    expect(battery).toMatchObject({ chargePercentage: 46, chargingState: "unknown" })
    expect(problems[0]).toBe("The gateway responds to /ivp/ensemble/power with something other than JSON")
    Object.assign(one.gateway.shape, { forbidden: ["/ivp/ensemble/power"] })
    delete one.gateway.pages["/admin/lib/tariff"]
    const again = (await states(one, account)) as any
    expect(again.battery).toMatchObject({ chargePercentage: 46, backupReserve: 20, chargingState: "unknown" })
    expect(again.problems).toEqual([])
  })

  it("fails where the devices are listed, so that none seems to be gone", async () => {
    const one = await start(firmware8)
    const account = await one.link()
    one.gateway.respondOnce("/ivp/ensemble/inventory", (response) => void response.writeHead(500).end())
    expect((await failure(one.instance.discoverDevices!(account))).failure).toBe("vendor_fault")
  })

  it("keeps the installation that an earlier reading knew", async () => {
    const one = await start(firmware8)
    const { next } = await run(one.read(await one.link()))
    const old = { ...next, memory: structuredClone(next.memory) as any }
    old.memory.installation.readAt -= 2 * 3_600_000
    for (const path of ["/ivp/meters", "/ivp/ensemble/inventory", "/ivp/ensemble/status"]) {
      one.gateway.respondOnce(path, (response) => void response.writeHead(500).end())
    }
    const read = await run(one.read(old))
    expect(Object.values(read.states)).not.toContain(null)
    expect((read.next.memory as any).installation).toEqual({ ...old.memory.installation, readAt: 0 })
    one.gateway.lines.splice(0)
    await run(one.read(read.next))
    expect(one.gateway.lines).toContain("GET /ivp/ensemble/inventory")
  })
})

describe("a gateway", () => {
  /** A reading while a page waits for some seconds of the test's clock. */
  const readSlowly = (one: StartedGateway, account: any, paths: ReadonlyArray<string>, seconds: number) =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now())
      const arrivals = paths.map((path) => one.gateway.hold(path))
      const fiber = yield* Effect.forkChild(one.read(account))
      const ended = Effect.map(Fiber.await(fiber), () => undefined)
      for (const arrived of arrivals) {
        const held = yield* Effect.raceFirst(
          Effect.promise(() => arrived),
          ended
        )
        if (held === undefined) break
        yield* TestClock.adjust(`${seconds} seconds`)
        held.release()
      }
      return yield* Fiber.await(fiber) as Effect.Effect<
        Exit.Exit<Effect.Success<ReturnType<StartedGateway["read"]>>, AdapterError>
      >
    }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise)

  const all = ["/ivp/meters/readings", "/ivp/ensemble/secctrl", "/ivp/ensemble/power", "/admin/lib/tariff"]

  it("may take 44 seconds for each page", async () => {
    const one = await start(firmware8)
    const account = await one.link()
    const { next } = await run(one.read(account))
    // In the order in which they are read.
    const exit = await readSlowly(one, next, [...all.slice(1), all[0]!], 44)
    expect(Exit.isSuccess(exit) && Object.values(exit.value.states).includes(null)).toBe(false)
  })

  it("that takes longer loses the page, and is away after two of them", async () => {
    const one = await start(firmware8)
    const { next } = await run(one.read(await one.link()))
    const late = await readSlowly(one, next, ["/ivp/ensemble/secctrl"], 46)
    if (Exit.isFailure(late)) throw new Error("The reading failed")
    expect(late.value.states).toMatchObject({ battery: null, inverter: { power: 3120.4 }, meter: { power: 1755 } })
    one.gateway.lines.splice(0)
    const away = await readSlowly(one, next, ["/ivp/ensemble/secctrl", "/ivp/ensemble/power"], 46)
    expect(Exit.isFailure(away)).toBe(true)
    expect(one.gateway.lines).toHaveLength(2)
  })

  it("that nothing listens for fails at the first page", async () => {
    const one = await start(firmware5)
    const account = await one.link()
    await one.gateway.stop()
    expect(await failure(one.read(account))).toMatchObject({ failure: "unreachable" })
  })

  it("with another certificate gets nothing, and the account says so", async () => {
    const one = await start(firmware7)
    const account = await one.link()
    const { port } = one.gateway
    await one.gateway.stop()
    await one.gateway.start(otherCertificate, port)
    one.gateway.lines.splice(0)
    expect(await failure(one.read(account))).toMatchObject({
      failure: "misconfigured",
      message: expect.stringContaining("The device's certificate has another fingerprint")
    })
    expect(one.gateway.lines).toEqual([])
  })

  it("with another serial number is not taken for the linked one", async () => {
    const one = await start(firmware7)
    const account = await one.link()
    Object.assign(one.gateway.shape, { serial: "999900000001" })
    expect(await failure(one.instance.discoverDevices!(account))).toMatchObject({
      failure: "misconfigured",
      message: "Another gateway responds at the address: 999900000001 in place of 122200030303"
    })
  })

  it("that refuses a pasted token fails the account, with the day on which it ended or what to do", async () => {
    const one = await start(firmware7)
    const account = await one.link()
    one.gateway.tokens.clear()
    expect(await failure(one.read(account))).toMatchObject({
      failure: "grant_lost",
      message: expect.stringContaining("Get one from entrez.enphaseenergy.com for this gateway")
    })
    expect(await failure(one.instance.refresh!(account))).toMatchObject({ failure: "grant_lost" })
  })

  it("gets one call at a time, also from readings and commands together", async () => {
    const one = await start(firmware8)
    const account = await one.link()
    await Promise.all([
      run(one.read(account)),
      run(one.read(account)),
      run(one.command(account, { type: "battery:set-reserve", input: { chargePercentage: 31 } }))
    ])
    expect(one.gateway.together).toBe(1)
    expect(one.gateway.storage["reserved_soc"]).toBe(31)
  })
})
