import { once } from "node:events"
import { type AddressInfo, createServer } from "node:net"
import type { AdapterError } from "@edp/adapter-kit/AdapterError"
import { makeModbusClient, type ModbusClient, modbusTimes } from "@edp/adapter-kit/modbus/ModbusClient"
import { Effect, Exit, Scope } from "effect"
import { ModbusTCPServer } from "jsmodbus"
import { afterEach, beforeEach, expect, it, describe } from "vitest"
import { testHost } from "@edp/adapter-kit/testing/TestHost"
import { eventually } from "../../support/eventually.ts"
import { freePort } from "../../support/freePort.ts"
import { describeModbus, type ModbusServer, startModbusServer } from "../../support/peers/ModbusServer.ts"
import { exception, frame, type ScriptedDevice, startScriptedDevice } from "../../support/peers/scriptedModbusDevice.ts"

/** Limits that a busy machine keeps and that give up a device that never responds within a few seconds. */
const times = { ...modbusTimes, request: "2 seconds", total: "3 seconds", busyPause: "1 millis", idle: "50 millis" }

const scope = Scope.makeUnsafe()
const client: ModbusClient = Effect.runSync(
  Effect.provideService(makeModbusClient(testHost().host, times as typeof modbusTimes), Scope.Scope, scope)
)

const run = <A>(effect: Effect.Effect<A, AdapterError>) => Effect.runPromise(effect)
const failure = (effect: Effect.Effect<unknown, AdapterError>) => Effect.runPromise(Effect.flip(effect))

describeModbus("a Modbus client at a server of pymodbus", () => {
  let server: ModbusServer
  const at = () => ({ host: "127.0.0.1", port: server.port })
  beforeEach(async () => {
    server = await startModbusServer({
      "1": {
        holding: { "0": Array.from({ length: 200 }, (_, n) => n), "40000": [0x5375, 0x6e53, 0xffff] },
        input: { "30775": [0x8000, 0] }
      },
      "3": { holding: { "10": [7] } }
    })
  })
  afterEach(() => server.stop())

  it("reads both tables of several units, up to 125 registers at once", async () => {
    const read = await run(
      client.use(at(), (unit) =>
        Effect.all([
          unit(1).read({ address: 40_000, count: 3 }),
          unit(1).read({ table: "input", address: 30_775, count: 2 }),
          unit(3).read({ address: 10, count: 1 }),
          unit(1).read({ address: 0, count: 125 })
        ])
      )
    )
    expect(read.slice(0, 3)).toEqual([
      { registers: [0x5375, 0x6e53, 0xffff] },
      { registers: [0x8000, 0] },
      { registers: [7] }
    ])
    expect(read[3]).toEqual({ registers: Array.from({ length: 125 }, (_, n) => n) })
  })

  it("takes an address that the unit lacks for missing registers, not for an error", async () => {
    expect(await run(client.use(at(), (unit) => unit(1).read({ address: 500, count: 2 })))).toEqual({
      refused: "Illegal data address"
    })
  })

  it("writes what another client reads", async () => {
    await run(client.use(at(), (unit) => unit(1).write({ address: 5, words: [65_535, 0, 12_345] })))
    expect(await server.read(1, 4, 5)).toEqual([4, 65_535, 0, 12_345, 8])
    expect(await failure(client.use(at(), (unit) => unit(1).write({ address: 500, words: [1] })))).toMatchObject({
      failure: "refused",
      commandReason: "refused",
      upstream: { errorCode: "2", errorMessage: "Illegal data address" }
    })
  })

  it("finds no unit that the server does not have", async () => {
    expect(await failure(client.use(at(), (unit) => unit(9).read({ address: 0, count: 1 })))).toMatchObject({
      failure: "unreachable"
    })
  })
})

describe("a Modbus client at a server of jsmodbus", () => {
  it("reads and writes registers", async () => {
    const listener = createServer()
    const server = new ModbusTCPServer(listener, { holding: Buffer.from([0, 1, 0, 2, 0, 3]) })
    listener.listen(0, "127.0.0.1")
    await once(listener, "listening")
    const at = { host: "127.0.0.1", port: (listener.address() as AddressInfo).port }
    const read = await run(
      client.use(at, (unit) =>
        Effect.andThen(unit(1).write({ address: 1, words: [0xabcd] }), unit(1).read({ address: 0, count: 3 }))
      )
    )
    expect(read).toEqual({ registers: [1, 0xabcd, 3] })
    expect(server.holding.readUInt16BE(2)).toBe(0xabcd)
    listener.close()
  })
})

describe("a Modbus client at a device that misbehaves", () => {
  let device: ScriptedDevice
  const at = () => ({ host: "127.0.0.1", port: device.port })
  const readOne = (unitId = 1, address = 0) => client.use(at(), (unit) => unit(unitId).read({ address, count: 1 }))
  beforeEach(async () => {
    device = await startScriptedDevice([
      [0, 11],
      [1, 12]
    ])
  })
  afterEach(() => device.stop())

  it("keeps one connection for all units, and one request at a time on it", async () => {
    const read = await run(
      Effect.all(
        Array.from({ length: 40 }, (_, n) => readOne((n % 12) + 1)),
        { concurrency: "unbounded" }
      )
    )
    expect(read).toEqual(Array.from({ length: 40 }, () => ({ registers: [11] })))
    expect(device.connections()).toMatchObject({ total: 1, most: 1 })
    expect(device.requests).toHaveLength(40)
  })

  it("waits for a device that needs a while after it was connected, once", async () => {
    const begun = performance.now()
    const slow = { ...at(), connectDelay: 0.2 }
    const one = client.use(slow, (unit) => unit(1).read({ address: 0, count: 1 }))
    expect(await run(Effect.all([one, one], { concurrency: 2 }))).toEqual([{ registers: [11] }, { registers: [11] }])
    expect(performance.now() - begun).toBeGreaterThan(190)
    expect(device.connections().total).toBe(1)
  })

  it("gives the connection up once it is not used", async () => {
    await run(readOne())
    await eventually("the connection ends", () => (device.connections().open === 0 ? true : undefined))
  })

  it("connects again when the device has closed the connection between two requests", async () => {
    const read = await run(
      client.use(at(), (unit) =>
        Effect.gen(function* () {
          yield* unit(1).read({ address: 0, count: 1 })
          device.script = (_, socket) => {
            device.script = () => undefined
            socket.destroy()
            return "silent"
          }
          return yield* unit(1).read({ address: 1, count: 1 })
        })
      )
    )
    expect(read).toEqual({ registers: [12] })
    expect(device.connections().total).toBe(2)
  })

  it("is unreachable while the device closes each connection, and reachable after that", async () => {
    device.script = (_, socket) => {
      socket.destroy()
      return "silent"
    }
    expect(await failure(readOne())).toMatchObject({ failure: "unreachable" })
    device.script = () => undefined
    expect(await run(readOne())).toEqual({ registers: [11] })
  })

  it("repeats a request to a device that is busy, and gives up in the end", async () => {
    let refusals = 3
    device.script = (request) => (refusals-- > 0 ? exception(request, refusals % 2 === 0 ? 6 : 5) : undefined)
    expect(await run(readOne())).toEqual({ registers: [11] })
    device.script = (request) => exception(request, 6)
    expect(await failure(readOne())).toMatchObject({
      failure: "unreachable",
      upstream: { errorCode: "6", errorMessage: "Server device busy" }
    })
  })

  it("takes a unit that its gateway cannot reach for unreachable", async () => {
    device.script = (request) => exception(request, 11)
    expect(await failure(readOne())).toMatchObject({
      failure: "unreachable",
      upstream: { errorMessage: "Gateway target device failed to respond" }
    })
  })

  it("writes a register by the function for one where the device has no other", async () => {
    device.script = (request) => (request.code === 16 ? exception(request, 1) : undefined)
    await run(client.use(at(), (unit) => unit(1).write({ address: 1, words: [99] })))
    expect(device.registers.get(1)).toBe(99)
    expect(device.requests.map(({ code }) => code)).toEqual([16, 6])
  })

  it.each<[string, ScriptedDevice["script"], AdapterError["failure"]]>([
    [
      "responds to another request",
      (request) => frame({ ...request, transaction: request.transaction ^ 1 }, [2, 0, 1]),
      "contract"
    ],
    ["responds for another unit", (request) => frame({ ...request, unitId: 9 }, [2, 0, 1]), "contract"],
    ["gives more registers than asked for", (request) => frame(request, [4, 0, 1, 0, 2]), "contract"],
    [
      "announces a message without an end",
      ({ transaction }) => Buffer.from([transaction >> 8, transaction & 0xff, 0, 0, 255, 255]),
      "contract"
    ],
    ["speaks HTTP", () => Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n"), "contract"],
    ["does not respond", () => "silent", "unreachable"],
    ["stops in the middle of a response", (request) => frame(request, [2, 0, 1]).subarray(0, 8), "unreachable"],
    ["ends its half of the connection", (_, socket) => (socket.end(), "silent"), "unreachable"]
  ])("fails within its limits when the device %s, and reads the next value right", async (_, script, expected) => {
    device.script = script
    expect(await failure(readOne())).toMatchObject({ failure: expected })
    device.script = () => undefined
    expect(await run(readOne())).toEqual({ registers: [11] })
  })

  it("does not take a late response for that of the next request", async () => {
    const late: Array<() => void> = []
    device.script = (request, socket) => {
      late.push(() => socket.write(frame(request, [2, 99, 99])))
      return "silent"
    }
    await failure(readOne())
    device.script = () => {
      for (const send of late) send()
      return undefined
    }
    expect(await run(readOne())).toEqual({ registers: [11] })
  })

  it("ends a reading that takes longer than its budget, also when each byte comes in time", async () => {
    device.script = (request, socket) => {
      const bytes = frame(request, [2, 0, 1])
      let sent = 0
      const drip = setInterval(() => (sent < 8 ? socket.write(bytes.subarray(sent, ++sent)) : clearInterval(drip)), 30)
      socket.on("close", () => clearInterval(drip))
      return "silent"
    }
    expect(await failure(readOne())).toMatchObject({ failure: "unreachable" })
    device.script = () => undefined
    const endless = client.use(at(), (unit) => Effect.forever(unit(1).read({ address: 0, count: 1 })))
    expect(await failure(endless)).toMatchObject({
      failure: "unreachable",
      message: expect.stringContaining("too long")
    })
  })

  it("stops reading from a peer that sends without an end", async () => {
    let sent = 0
    device.script = (_, socket) => {
      const chunk = Buffer.alloc(65_536)
      const more = () => {
        sent += chunk.length
        if (!socket.destroyed) socket.write(chunk, more)
      }
      more()
      return "silent"
    }
    expect(await failure(readOne())).toMatchObject({ failure: "contract" })
    await eventually("the connection ends", () => (device.connections().open === 0 ? true : undefined))
    expect(sent).toBeLessThan(20_000_000)
  })

  it("reports that Modbus is off where the port of a device is closed", async () => {
    const port = await freePort()
    const error = await failure(
      client.use({ host: "127.0.0.1", port }, (unit) => unit(1).read({ address: 0, count: 1 }))
    )
    expect(error).toMatchObject({ failure: "unreachable", intervention: "local_access_disabled" })
  })

  it("ends its connections with its scope", async () => {
    const own = Scope.makeUnsafe()
    const other = Effect.runSync(
      Effect.provideService(makeModbusClient(testHost().host, modbusTimes), Scope.Scope, own)
    )
    await run(other.use(at(), (unit) => unit(1).read({ address: 0, count: 1 })))
    expect(device.connections().open).toBe(1)
    await Effect.runPromise(Scope.close(own, Exit.void))
    await eventually("the connection ends", () => (device.connections().open === 0 ? true : undefined))
  })
})
