import { openSession } from "@edp/adapter-kit/broker/BrokerSession"
import type { CommandRequest } from "@edp/adapter-kit/ManufacturerAdapter"
import { testHost } from "@edp/adapter-kit/testing/TestHost"
import { victronAdapter } from "@edp/adapter-mqtt/victron/victronAdapter"
import { victronDialect } from "@edp/adapter-mqtt/victron/victronDialect"
import { Effect } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"
import { eventually } from "../../support/eventually.ts"
import { describeMosquitto, type MosquittoBroker, startMosquitto } from "../../support/peers/MosquittoBroker.ts"
import { essValues, PORTAL, startVictronGx, type VictronGx } from "../../support/peers/VictronGx.ts"
import { commandTo, startAdapter } from "./onBroker.ts"

describeMosquitto("a Victron GX device on its broker", () => {
  let broker: MosquittoBroker
  let gx: VictronGx
  let adapter: Awaited<ReturnType<typeof startAdapter>>
  beforeAll(async () => {
    broker = await startMosquitto()
    gx = await startVictronGx(broker, essValues)
    adapter = await startAdapter(victronAdapter)
  })
  afterAll(async () => {
    await adapter?.close()
    await gx?.close()
    await broker?.close()
  })

  const form = (more: Readonly<Record<string, string>> = {}) => ({
    host: "127.0.0.1",
    port: String(broker.port),
    tls: "no",
    portalId: PORTAL,
    batteryCapacity: "9600",
    ...more
  })
  const platformId = (service: string) => `${PORTAL}-${service}@127.0.0.1:${broker.port}`

  test("is linked by its portal's id, and every device behind it is found", async () => {
    const account = await adapter.link(form())
    const devices = await Effect.runPromise(adapter.instance.discoverDevices!(account))
    expect(
      devices.map(({ commands, manufacturerDeviceId, name, serialNumber, type }) => [
        manufacturerDeviceId,
        type,
        name,
        serialNumber,
        commands
      ])
    ).toEqual(
      [
        [platformId("grid-30"), "meter", "Meter in the hall", "BP98305081235", []],
        [platformId("pvinverter-20"), "inverter", "Fronius Primo 5.0", "31250001", []],
        [platformId("solarcharger-279"), "inverter", "Roof of the barn", "HQ2030ABCDE", []],
        [platformId("evcharger-40"), "charger", "Carport", "HQ2149FGHIJ", ["charger:set-operating-mode"]],
        [platformId("system-0"), "battery", "Battery", PORTAL, ["battery:set-reserve"]]
      ].toSorted(
        (one, other) =>
          devices.findIndex((device) => device.manufacturerDeviceId === one[0]) -
          devices.findIndex((device) => device.manufacturerDeviceId === other[0])
      )
    )
  })

  test("has no battery where no capacity is given, since it reports percent alone", async () => {
    const account = await adapter.link(form({ batteryCapacity: "" }))
    const devices = await Effect.runPromise(adapter.instance.discoverDevices!(account))
    expect(devices.map(({ type }) => type).toSorted()).toEqual(["charger", "inverter", "inverter", "meter"])
  })

  test("reports units and signs of the platform, and sums of the phases that exist", async () => {
    const subscription = adapter.subscribe(await adapter.link(form()))
    const readState = async (service: string) =>
      (
        await subscription.observed(
          service,
          (one) => one.manufacturerDeviceId === platformId(service) && one.state !== null
        )
      ).state
    expect(await readState("system-0")).toEqual({
      chargePercentage: 62,
      charge: 5952,
      chargeRate: 1450,
      chargingState: "discharging",
      whConsumed: null,
      backupReserve: 20,
      gridPower: 310,
      loadPower: 2120.5
    })
    expect(await readState("grid-30")).toEqual({ power: 310, importedEnergy: 4_210_550, exportedEnergy: 1_880_200 })
    expect(await readState("pvinverter-20")).toEqual({ power: 936, lifetimeEnergyGenerated: 12_034_500 })
    expect(await readState("solarcharger-279")).toEqual({ power: 415.25, lifetimeEnergyGenerated: 3_021_770 })
    expect(await readState("evcharger-40")).toEqual({
      chargingState: "idle",
      isPluggedIn: true,
      chargerWattage: 0,
      chargerCurrent: 0,
      lifetimeEnergyCharged: 881_300
    })
    await subscription.end()
  })

  test("takes a reserve, which counts once the GX device shows it", async () => {
    const account = await adapter.link(form())
    const sent = await adapter.send(
      account,
      commandTo(platformId("system-0"), "battery:set-reserve", { chargePercentage: 35 })
    )
    expect(sent).toMatchObject({ success: { status: "completed", reason: null } })
    expect(gx.requests()).toContainEqual([
      `W/${PORTAL}/settings/0/Settings/CGwacs/BatteryLife/MinimumSocLimit`,
      '{"value":35}'
    ])
    const again = await adapter.send(
      account,
      commandTo(platformId("system-0"), "battery:set-reserve", { chargePercentage: 35 })
    )
    expect(again).toMatchObject({ success: { status: "completed", reason: "already_so" } })
  })

  const withPower = () => form({ batteryPower: "3000" })
  const mode = (input: CommandRequest["input"], more: Partial<CommandRequest> = {}): CommandRequest => ({
    ...commandTo(platformId("system-0"), "battery:set-operating-mode", input),
    ...more
  })
  const setPoint = `W/${PORTAL}/hub4/0/Overrides/Setpoint`
  const setPoints = (from: number) =>
    gx
      .requests()
      .slice(from)
      .filter(([topic]) => topic === setPoint)
      .map(([, payload]) => JSON.parse(payload).value as number | null)

  test("takes modes of the battery by ESS's set-point at the grid, where its power and ESS are known", async () => {
    const account = await adapter.link(withPower())
    const [battery] = (await adapter.discover(account)).filter(({ type }) => type === "battery")
    expect(battery!.commands).toEqual(["battery:set-reserve", "battery:set-operating-mode"])
    const subscription = adapter.subscribe(account)
    const { staticState } = await subscription.observed("the battery", (one) => one.staticState !== null)
    expect(staticState).toEqual({ capacity: 9600, maxChargeRate: 3000, maxDischargeRate: 3000, takesTargetPower: true })
    // The home uses 1,760 W beyond its generation: 310 W from the grid and 1,450 W from the battery.
    const saved: Array<unknown> = []
    const saveSnapshot = (one: unknown) => Effect.sync(() => void saved.push(one))
    for (const [input, expected] of [
      [{ operatingMode: "charge", enableGridInteraction: true, targetPowerW: 1000 }, 2760],
      [{ operatingMode: "charge", enableGridInteraction: true }, 4760],
      // There is no surplus that it could take.
      [{ operatingMode: "charge" }, 1760],
      [{ operatingMode: "discharge", enableGridInteraction: true, targetPowerW: 2500 }, -740],
      [{ operatingMode: "discharge" }, 0],
      [{ operatingMode: "idle" }, 1760]
    ] as const) {
      const from = gx.requests().length
      const sent = await adapter.send(account, mode(input, { saveSnapshot, snapshot: saved[0] ?? null }))
      expect(sent).toMatchObject({ success: { status: "completed", reason: null } })
      expect(setPoints(from)).toEqual([expected])
    }
    expect(saved).toEqual([{ setPoint: null }])
    await subscription.observed("the battery idles", ({ state }) => (state as any)?.chargingState === "idle")
    const from = gx.requests().length
    const reset = mode({ operatingMode: "reset" }, { snapshot: saved[0] })
    expect(await adapter.send(account, reset)).toMatchObject({ success: { status: "completed" } })
    expect(setPoints(from)).toEqual([null])
    await subscription.end()
  })

  test("follows the use of the home while a mode lasts, and ends with it", async () => {
    const account = await adapter.link(withPower())
    adapter.own(account)
    const subscription = adapter.subscribe(account)
    await subscription.observed("the battery", (one) => one.staticState !== null)
    const discharge = { operatingMode: "discharge", enableGridInteraction: true, targetPowerW: 500 }
    await gx.use(1500)
    await eventually("the use of the home", async () => {
      const from = gx.requests().length
      const sent = await adapter.send(account, mode(discharge, { snapshot: { setPoint: null }, revertAfter: 600 }))
      return "success" in sent && setPoints(from).includes(1000) ? true : undefined
    })
    const from = gx.requests().length
    await gx.use(2200)
    expect(await eventually("the next set-point", () => setPoints(from)[0])).toBe(1700)
    // ESS has dropped it, as after a lost connection: it is set again.
    await gx.dropSetPoint()
    await eventually("another one", () => (setPoints(from).length > 1 ? true : undefined))
    // Another program takes it over.
    await gx.set("hub4/0/Overrides/Setpoint", 123)
    // Messages arrive in their order.
    await gx.set("system/0/Dc/Battery/Soc", 61)
    await subscription.observed("what follows", ({ state }) => (state as any)?.chargePercentage === 61)
    const before = gx.requests().length
    const refused = await adapter.send(account, mode({ operatingMode: "idle" }, { snapshot: null }))
    expect(refused).toMatchObject({ failure: { failure: "refused", commandReason: "precondition_unmet" } })
    expect(setPoints(before)).toEqual([])
    await Effect.runPromise(
      adapter.instance.restore!(account, {
        device: mode({}).device,
        snapshot: { setPoint: null },
        takenSince: []
      })
    )
    expect(setPoints(before)).toEqual([null])
    await gx.set("system/0/Dc/Battery/Soc", 62)
    await subscription.end()
  }, 60_000)

  test("takes no mode while something else controls the battery", async () => {
    const account = await adapter.link(withPower())
    const charge = mode({ operatingMode: "charge", enableGridInteraction: true })
    for (const [setting, value, usual, words] of [
      ["DynamicEss/Mode", 1, 0, "Dynamic ESS"],
      ["CGwacs/Hub4Mode", 3, 1, "external control"],
      ["CGwacs/BatteryLife/State", 9, 10, "keep batteries charged"]
    ] as const) {
      await gx.set(`settings/0/Settings/${setting}`, value)
      const from = gx.requests().length
      const sent = await adapter.send(account, charge)
      expect(sent).toMatchObject({ failure: { failure: "refused", commandReason: "precondition_unmet" } })
      expect(JSON.stringify(sent)).toContain(words)
      expect(setPoints(from)).toEqual([])
      await gx.set(`settings/0/Settings/${setting}`, usual)
    }
    const reset = await adapter.send(account, mode({ operatingMode: "reset" }))
    expect(reset).toMatchObject({ failure: { failure: "refused", commandReason: "precondition_unmet" } })
  })

  test("starts and stops a charging station in its manual mode, and leaves it alone in its automatic mode", async () => {
    const account = await adapter.link(form())
    const start = commandTo(platformId("evcharger-40"), "charger:set-operating-mode", {
      operatingMode: "start-charging"
    })
    expect(await adapter.send(account, start)).toMatchObject({ success: { status: "completed" } })
    const stop = commandTo(platformId("evcharger-40"), "charger:set-operating-mode", { operatingMode: "stop-charging" })
    expect(await adapter.send(account, stop)).toMatchObject({ success: { status: "completed" } })
    await gx.set("evcharger/40/Mode", 1)
    expect(await adapter.send(account, start)).toMatchObject({ failure: { failure: "refused" } })
    await gx.set("evcharger/40/Mode", 0)
  })

  test("shows a device that says that it is not connected as unreachable, and forgets one that is gone", async () => {
    const subscription = adapter.subscribe(await adapter.link(form()))
    const inverter = platformId("pvinverter-20")
    await subscription.observed("a reading", (one) => one.manufacturerDeviceId === inverter && one.state !== null)
    await gx.set("pvinverter/20/Connected", 0)
    await subscription.observed("the end", (one) => one.manufacturerDeviceId === inverter && one.isUnreachable === true)
    await gx.remove("solarcharger/279")
    const gone = platformId("solarcharger-279")
    await eventually("a list without it", () =>
      subscription.reports.find(
        ({ devices }) => devices !== null && !devices.some(({ manufacturerDeviceId }) => manufacturerDeviceId === gone)
      )
    )
    await subscription.end()
  })

  test("is kept publishing for as long as the connection stands, without all values again", async () => {
    const dialect = victronDialect({ portal: PORTAL, battery: { capacity: null, power: null } })
    const before = gx.requests().length
    await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const address = {
            host: "127.0.0.1",
            port: broker.port,
            tls: false,
            fingerprint: null,
            username: null,
            password: null,
            version: 5
          } as const
          yield* openSession(
            testHost().host,
            address,
            { ...dialect, keepAlive: { ...dialect.keepAlive!, everySeconds: 0.1 } },
            { reportEvery: 1000, repeatAfter: 60_000 }
          )
          yield* Effect.promise(() =>
            eventually("three messages", () =>
              gx
                .requests()
                .slice(before)
                .filter(([, payload]) => payload.includes("suppress-republish")).length >= 3
                ? true
                : undefined
            )
          )
        })
      )
    )
    expect(
      gx
        .requests()
        .slice(before)
        .filter(([, payload]) => payload === "").length
    ).toBe(2)
  })

  test("refuses a form without the portal's id or with a wrong capacity, and says what each takes", async () => {
    expect((await adapter.refused(form({ portalId: "" }))).message).toContain("portalId must be the VRM portal ID")
    expect((await adapter.refused(form({ batteryCapacity: "lots" }))).message).toContain(
      "batteryCapacity must be a whole"
    )
    expect((await adapter.refused(form({ batteryPower: "5" }))).message).toBe(
      "batteryPower must be a whole number of W from 100 to 1000000"
    )
    expect((await adapter.refused(form({ portalId: "ffffffffffff" }))).message).toContain("no device was found")
  })
})
