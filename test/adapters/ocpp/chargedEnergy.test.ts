import { afterEach, describe, expect, test } from "vitest"
import { useTestApp } from "../../support/TestApp.ts"
import { quickOcpp, arrangeStations, status } from "./linkedStation.ts"
import { closeAll } from "./platform.ts"

const app = useTestApp({ own: true, adapters: [quickOcpp] })
const { linked } = arrangeStations(app)

afterEach(closeAll)

const HOUR = 3_600_000
/** Midnight before yesterday: the messages of a station that was offline. */
const midnight = Math.floor(Date.now() / (24 * HOUR)) * 24 * HOUR - 24 * HOUR
const at = (hours: number) => new Date(midnight + hours * HOUR).toISOString()

const power = (watts: number) => ({ value: String(watts), measurand: "Power.Active.Import", unit: "W" })
const register = (kWh: number) => ({ value: String(kWh), measurand: "Energy.Active.Import.Register", unit: "kWh" })

type Linked = Awaited<ReturnType<typeof linked>>
type Message = readonly [method: string, params: object]

/** The energies of a connector's day, Wh: of each hour, or of another period. */
const charged = async ({ must }: Linked, device: { readonly id: string }, period = "hour") => {
  const query = `deviceId=${device.id}&from=${at(0)}&to=${at(24)}&period=${period}&timezone=UTC`
  const { data } = await must(200, "GET", `/v1/metrics/charging?${query}`)
  return data.map(({ value }: { readonly value: number | null }) => value)
}

/** Its day as a whole, and the hours with an energy. */
const day = async (linkedStation: Linked, device: { readonly id: string }) => {
  const hours: ReadonlyArray<number | null> = await charged(linkedStation, device)
  return {
    total: (await charged(linkedStation, device, "day"))[0],
    hours: Object.fromEntries(hours.flatMap((value, hour) => ((value ?? 0) === 0 ? [] : [[hour, value]])))
  }
}

const states = async ({ must }: Linked, device: { readonly id: string }): Promise<ReadonlyArray<any>> => {
  const { data } = await must(
    200,
    "GET",
    `/v1/devices/${device.id}/history?from=${at(0)}&to=${at(24)}&order=asc&perPage=100`
  )
  return data
}

const start = (hours: number, meterStart: number, connectorId = 1): Message => [
  "StartTransaction",
  { connectorId, idTag: "TAG", meterStart, timestamp: at(hours) }
]
const stop = (hours: number, meterStop: number, transactionId = 1): Message => [
  "StopTransaction",
  { transactionId, meterStop, timestamp: at(hours) }
]
const meter = (hours: number, ...sampledValue: ReadonlyArray<object>): Message => [
  "MeterValues",
  { connectorId: 1, transactionId: 1, meterValue: [{ timestamp: at(hours), sampledValue }] }
]
const said = (hours: number, name: string): Message => [
  "StatusNotification",
  { ...status(1, name), timestamp: at(hours) }
]

const say = async ({ station }: Linked, messages: ReadonlyArray<Message>) => {
  for (const [method, params] of messages) await station.call(method, params)
}

describe("the energy of a 1.6 station's transactions", () => {
  test.each<readonly [what: string, messages: ReadonlyArray<Message>, hours: Readonly<Record<number, number>>]>([
    ["start and stop values alone", [start(10, 1_000_000), stop(11, 1_008_000)], { 10: 8000 }],
    ["start and stop values hours apart", [start(10, 0), stop(14, 8000)], { 10: 2000, 11: 2000, 12: 2000, 13: 2000 }],
    [
      "registers of measured values",
      [meter(10, register(5)), meter(10.5, register(9)), meter(11, register(12.2))],
      { 10: 7200 }
    ],
    [
      "a register beside power, which does not count then",
      [
        start(10, 5000),
        ...[10, 10.25, 10.5, 10.75].map((hours) =>
          meter(hours, register(5 + (hours - 10) * 7.2), power(hours === 10.5 ? 6_000 : 7_250))
        ),
        stop(11, 12_200)
      ],
      { 10: 7200 }
    ],
    ["power alone", [meter(10, power(7200)), meter(10.5, power(7200)), meter(11, power(7200))], { 10: 7200 }],
    [
      "registers of a meter that was reset between two transactions",
      [start(8, 50_000), stop(9, 58_000), start(10, 0), stop(11, 6000, 2)],
      { 8: 8000, 10: 6000 }
    ],
    [
      "registers of a meter that was reset within a transaction",
      [start(10, 50_000), meter(10.25, register(53)), meter(10.5, register(1)), stop(11, 3000)],
      { 10: 6000 }
    ],
    [
      "start and stop values at the times of other messages, in whole seconds",
      [
        said(10.25, "Charging"),
        ["MeterValues", { connectorId: 1, meterValue: [{ timestamp: at(10.25), sampledValue: [power(15_900)] }] }],
        start(10.25, 0),
        meter(10.5, power(15_900)),
        meter(10.75, power(15_900)),
        said(10.75, "Finishing"),
        stop(10.75, 8000)
      ],
      { 10: 8000 }
    ]
  ])("is known by %s", async (_, messages, hours) => {
    const one = await linked()
    const device = await one.first()
    await say(one, messages)
    const total = Object.values(hours).reduce((sum, wh) => sum + wh, 0)
    expect(await day(one, device)).toEqual({ total, hours })
    expect(one.station.failures).toEqual([])
  })

  test("is that of each connector, and the same whatever the order in which queued messages arrive", async () => {
    const one = await linked()
    const [first, second] = [await one.first(), await one.second()]
    const values = (hours: ReadonlyArray<number>, connectorId: number, transactionId: number) =>
      hours.map((hour): Message => [
        "MeterValues",
        {
          connectorId,
          transactionId,
          meterValue: [{ timestamp: at(hour), sampledValue: [register(20 + (hour - 10) ** 2)] }]
        }
      ])
    const hours = [10.25, 10.5, 10.75, 11, 11.5]
    await say(one, [start(10, 20_000), ...values(hours, 1, 1), stop(12, 24_000)])
    await say(one, [start(10, 20_000, 2), stop(12, 24_000, 2), ...values(hours.toReversed(), 2, 2)])
    const inOrder = await charged(one, first, "15m")
    expect(inOrder.slice(40, 48)).toEqual([62.5, 187.5, 312.5, 437.5, 625, 625, 875, 875])
    expect(await charged(one, second, "15m")).toEqual(inOrder)
    for (const device of [first, second]) {
      const shown = await states(one, device)
      expect(shown.map(({ chargingState, isPluggedIn }) => [chargingState, isPluggedIn])).toEqual([
        ...Array.from({ length: 6 }, () => ["charging", true]),
        ["idle", true]
      ])
      expect(shown.map(({ lifetimeEnergyCharged }) => lifetimeEnergyCharged)).toEqual([
        20_000,
        ...hours.map((hour) => 20_000 + (hour - 10) ** 2 * 1000),
        24_000
      ])
    }
  })

  test("counts where a station has forgotten its statuses, and shows no unknown state within the transaction", async () => {
    const one = await linked()
    const device = await one.first()
    await say(one, [["BootNotification", { chargePointVendor: "Vendor", chargePointModel: "Wallbox 11" }]])
    await say(one, [start(10, 0), meter(10.5, register(4)), meter(10.75, register(4)), stop(11, 8000)])
    expect(await day(one, device)).toEqual({ total: 8000, hours: { 10: 8000 } })
    expect((await states(one, device)).map(({ chargingState }) => chargingState)).toEqual([
      "charging",
      "charging",
      "idle",
      "idle"
    ])
  })
})

describe("the energy of a 2.0.1 station's transactions", () => {
  const event = (
    eventType: "Started" | "Updated" | "Ended",
    seqNo: number,
    hours: number,
    wh: number,
    more: { readonly chargingState?: string; readonly watts?: number } = {}
  ): Message => {
    const { chargingState, watts } = more
    const sampledValue = [
      { value: wh / 1000, unitOfMeasure: { unit: "kWh" } },
      ...(watts === undefined ? [] : [{ value: watts, measurand: "Power.Active.Import" }])
    ]
    return [
      "TransactionEvent",
      {
        eventType,
        seqNo,
        timestamp: at(hours),
        triggerReason: "MeterValuePeriodic",
        transactionInfo: { transactionId: "t-1", ...(chargingState !== undefined && { chargingState }) },
        evse: { id: 1, connectorId: 1 },
        offline: true,
        meterValue: [{ timestamp: at(hours), sampledValue }]
      }
    ]
  }
  const events = [
    event("Started", 0, 10, 1_000_000),
    event("Updated", 1, 10.25, 1_003_000, { chargingState: "Charging", watts: 7000 }),
    event("Updated", 2, 10.5, 1_003_000, { chargingState: "SuspendedEV", watts: 0 }),
    event("Ended", 3, 11, 1_008_000)
  ]

  test.each([
    ["in their order", [0, 1, 2, 3]],
    ["and repeated", [0, 1, 1, 2, 0, 3, 3]],
    ["the end first", [3, 2, 1, 0]],
    ["mixed", [0, 2, 3, 1]]
  ])("is that of their registers, delivered late %s", async (_, order) => {
    const one = await linked("2.0.1")
    const device = await one.first()
    await say(
      one,
      order.map((index) => events[index]!)
    )
    expect((await charged(one, device, "15m")).slice(40, 44)).toEqual([3000, 0, 2500, 2500])
    expect(await day(one, device)).toEqual({ total: 8000, hours: { 10: 8000 } })
    const shown = (await states(one, device)).filter(({ lifetimeEnergyCharged }) => lifetimeEnergyCharged !== undefined)
    expect(shown.map(({ chargingState }) => chargingState)).toEqual(["charging", "charging", "idle", "idle"])
    expect(one.station.failures).toEqual([])
  })
})
