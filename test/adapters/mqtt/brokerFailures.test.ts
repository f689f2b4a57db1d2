import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net"
import { mqttAdapter } from "@edp/adapter-mqtt/mqttAdapter"
import { afterEach, expect, it } from "vitest"
import { eventually } from "../../support/eventually.ts"
import { describeMosquitto, type MosquittoOptions, startMosquitto } from "../../support/peers/MosquittoBroker.ts"
import { Result } from "effect"
import { commandTo, startAdapter } from "./onBroker.ts"

const closing: Array<() => Promise<unknown>> = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

const brokerWith = async (options: MosquittoOptions = {}) => {
  const broker = await startMosquitto(options)
  closing.push(broker.close)
  return broker
}

const adapterOn = async () => {
  const adapter = await startAdapter(mqttAdapter, { reportSeconds: 1 })
  closing.push(adapter.close)
  return adapter
}

/** A server on 127.0.0.1 in place of a broker. */
const serverWith = async (onSocket: (socket: Socket) => void) => {
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    sockets.add(socket)
    socket.on("error", () => undefined)
    onSocket(socket)
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  closing.push(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

const form = (port: number, more: Readonly<Record<string, string>> = {}) => ({
  host: "127.0.0.1",
  port: String(port),
  tls: "no",
  discoveryPrefix: "homeassistant",
  ...more
})

const meter = JSON.stringify({
  dev: { ids: ["m-1"], name: "Meter" },
  stat_t: "m/power",
  unit_of_meas: "W",
  dev_cla: "power",
  uniq_id: "m-1"
})
const TOPIC = "homeassistant/sensor/m/config"

describeMosquitto("an MQTT broker that", () => {
  it("knows another password is refused at the form, without a word of the password", async () => {
    const broker = await brokerWith({ users: { ada: "right-4711" } })
    await broker.publish(TOPIC, meter, { retain: true })
    const adapter = await adapterOn()
    for (const more of [{ username: "ada", password: "wrong-0815" }, {}]) {
      const error = await adapter.refused(form(broker.port, more))
      expect(error).toMatchObject({
        failure: "misconfigured",
        message: "The broker refuses the user name or password",
        upstream: { errorCode: "135" }
      })
      expect(JSON.stringify(error)).not.toContain("0815")
    }
    const linked = await adapter.connect(form(broker.port, { username: "ada", password: "right-4711" }))
    expect(linked.externalId).toBe(`ada@127.0.0.1:${broker.port}`)
    expect(JSON.stringify(linked)).not.toContain("4711")
  })

  it("changes the password ends the person's permission, and says what to do", async () => {
    const broker = await brokerWith({ users: { ada: "right-4711" } })
    await broker.publish(TOPIC, meter, { retain: true })
    const adapter = await adapterOn()
    const account = await adapter.link(form(broker.port, { username: "ada", password: "right-4711" }))
    const { credentials } = await adapter.link(form(broker.port, { username: "ada", password: "right-4711" }))
    const changed = { ...account, credentials: { ...credentials, broker: { ...credentials.broker, username: "bob" } } }
    expect(await adapter.subscribe(changed).failed()).toMatchObject({
      failure: "grant_lost",
      intervention: "local_access_disabled"
    })
  })

  it("lets a user read but not write refuses the command with its own code", async () => {
    const broker = await brokerWith({
      users: { admin: "a-1", ada: "b-2" },
      acl: ["user admin", "topic readwrite #", "user ada", "topic read #"]
    })
    const zigbee = [
      {
        ieee_address: "0x02",
        friendly_name: "garage",
        definition: {
          exposes: [
            { type: "switch", features: [{ name: "state", property: "state", access: 7 }] },
            { type: "numeric", name: "power", property: "power", unit: "W", access: 1 }
          ]
        }
      }
    ]
    await broker.publish("zigbee2mqtt/bridge/devices", JSON.stringify(zigbee), { retain: true })
    const adapter = await adapterOn()
    const account = await adapter.link(
      form(broker.port, { username: "ada", password: "b-2", zigbeeTopic: "zigbee2mqtt", chargers: "garage" })
    )
    const id = `0x02@127.0.0.1:${broker.port}`
    const result = await adapter.send(
      account,
      commandTo(id, "charger:set-operating-mode", { operatingMode: "start-charging" })
    )
    expect(Result.isFailure(result) && result.failure).toMatchObject({
      failure: "refused",
      commandReason: "refused",
      intervention: "local_access_disabled",
      upstream: { errorCode: "135", errorMessage: "Publish error: Not authorized" }
    })
  })

  it("has a certificate of nobody known is trusted by its fingerprint alone", async () => {
    const broker = await brokerWith({ tls: true })
    await broker.publish(TOPIC, meter, { retain: true })
    const adapter = await adapterOn()
    const unverified = await adapter.refused(form(broker.port, { tls: "yes" }))
    expect(unverified.message).toContain("can't be verified")
    expect(unverified.message).toContain(broker.fingerprint)
    const other = await adapter.refused(form(broker.port, { tls: "yes", fingerprint: "ab".repeat(32) }))
    expect(other.message).toContain("another fingerprint")
    const linked = await adapter.connect(form(broker.port, { tls: "yes", fingerprint: broker.fingerprint! }))
    expect(linked.name).toContain("(1 device)")
    const plain = await adapter.refused(form(broker.port))
    expect(plain.failure).toBe("unreachable")
  })

  it("takes MQTT 3.1.1 alone is spoken to in that", async () => {
    const broker = await brokerWith()
    await broker.publish(TOPIC, meter, { retain: true })
    const versions: Array<number> = []
    // Refuses as brokers of before MQTT 5 do: with return code 1 in the form of MQTT 3.1.1.
    const port = await serverWith((socket) =>
      socket.once("data", (first: Buffer) => {
        const version = first[first.indexOf("MQTT") + 4]!
        versions.push(version)
        if (version === 5) return socket.end(Buffer.from([0x20, 2, 0, 1]))
        const onward = connect(broker.port, "127.0.0.1")
        onward.on("error", () => socket.destroy())
        onward.write(first)
        socket.pipe(onward).pipe(socket)
      })
    )
    const adapter = await adapterOn()
    const account = await adapter.link(form(port))
    expect(account.credentials.broker.version).toBe(4)
    expect(versions).toEqual([5, 4])
    const live = adapter.subscribe(account)
    await eventually("the device", () => live.reports.find(({ devices }) => devices !== null))
    await broker.publish("m/power", "12")
    await live.observed("its state", ({ state }) => (state as any)?.power === 12)
    expect(versions).toEqual([5, 4, 4])
  })

  it("restarts ends the subscription as a passing failure, and the next one goes on", async () => {
    const broker = await brokerWith()
    await broker.publish(TOPIC, meter, { retain: true })
    const adapter = await adapterOn()
    const account = await adapter.link(form(broker.port))
    const first = adapter.subscribe(account)
    await eventually("the device", () => first.reports.find(({ devices }) => devices !== null))
    await broker.stop()
    expect((await first.failed()).failure).toBe("unreachable")
    expect((await adapter.subscribe(account).failed()).failure).toBe("unreachable")
    await broker.start()
    const second = adapter.subscribe(account)
    await eventually("the device", () => second.reports.find(({ devices }) => devices?.length === 1))
    await broker.publish("m/power", "13")
    await second.observed("its state", ({ state }) => (state as any)?.power === 13)
  })

  it("holds garbage still gives the devices that are understood, and the others do no harm", async () => {
    const broker = await brokerWith()
    await broker.publish(TOPIC, meter, { retain: true })
    await broker.publish("homeassistant/sensor/a/config", "{", { retain: true })
    await broker.publish("homeassistant/sensor/b/config", "[1,2]", { retain: true })
    await broker.publish("homeassistant/device/c/config", `{"dev":{"ids":"c"},"cmps":7}`, { retain: true })
    await broker.publish("homeassistant/sensor/d/config", meter.replace("m/power", "#").replace("m-1", "d"), {
      retain: true
    })
    await broker.publish("homeassistant/sensor/e/config", meter.replace('"m-1"', '"e\\u0000\\n"'), { retain: true })
    await broker.publish("zigbee2mqtt/bridge/devices", `[null,{"ieee_address":1}]`, { retain: true })
    await broker.publish("m/power", "\u0000\ufffd not a number", { retain: true })
    const adapter = await adapterOn()
    const account = await adapter.link(form(broker.port, { zigbeeTopic: "zigbee2mqtt", tasmota: "yes" }))
    const live = adapter.subscribe(account)
    await eventually("the one device", () => live.reports.find(({ devices }) => devices?.length === 1))
    await broker.publish("m/power", "not a number")
    const odd = await live.observed("the problem", ({ problems }) => problems.length > 0)
    expect(odd).toMatchObject({ state: null, problems: ['power needs a number, not "not a number"'] })
    await broker.publish("m/power", "14")
    await live.observed("its state", ({ state }) => (state as any)?.power === 14)
  })

  it("holds no devices says so at the form, with what was not understood", async () => {
    const broker = await brokerWith()
    await broker.publish("homeassistant/sensor/a/config", "{", { retain: true })
    const adapter = await adapterOn()
    const error = await adapter.refused(form(broker.port))
    expect(error.message).toBe(
      "The broker responds, but no device was found. The configuration at homeassistant/sensor/a/config is not a JSON object"
    )
  })

  it("floods with descriptions, topics and huge messages costs bounded memory", async () => {
    const broker = await brokerWith({ lines: ["message_size_limit 0"] })
    await broker.publish(TOPIC, meter, { retain: true })
    const adapter = await adapterOn()
    const account = await adapter.link(form(broker.port))
    const live = adapter.subscribe(account)
    await eventually("the device", () => live.reports.find(({ devices }) => devices?.length === 1))
    globalThis.gc?.()
    const before = process.memoryUsage().rss
    const huge = "x".repeat(40_000_000)
    for (let n = 0; n < 3; n++) {
      await broker.publish("m/power", huge)
      await broker.publish("homeassistant/sensor/huge/config", huge, { retain: true })
    }
    const padded = JSON.stringify({ dev: { ids: ["x"] }, note: "y".repeat(10_000) })
    const { connect: mqttConnect } = await import("mqtt")
    const flooder = mqttConnect({ host: "127.0.0.1", port: broker.port })
    await new Promise((resolve) => flooder.once("connect", resolve))
    for (let n = 0; n < 8000; n++) flooder.publish(`homeassistant/sensor/f${n}/config`, padded, { retain: true })
    for (let n = 0; n < 20_000; n++) flooder.publish("m/power", String(n), {})
    await flooder.publishAsync("m/power", "4711", { qos: 1 })
    await live.observed("the newest value", ({ state }) => (state as any)?.power === 4711)
    flooder.end(true)
    expect(live.observations().length).toBeLessThan(150)
    expect((process.memoryUsage().rss - before) / 1e6).toBeLessThan(250)
  }, 120_000)
})

describeMosquitto("a server that is no broker", () => {
  const responses: ReadonlyArray<readonly [string, (socket: Socket) => void]> = [
    ["speaks HTTP", (socket) => socket.end("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")],
    ["closes at once", (socket) => socket.end()],
    ["resets", (socket) => socket.resetAndDestroy()],
    ["announces a packet of 200 MB", (socket) => socket.write(Buffer.from([0x20, 0xff, 0xff, 0xff, 0x5f, 1, 2, 3]))],
    ["sends a malformed length", (socket) => socket.write(Buffer.from([0x20, 0xff, 0xff, 0xff, 0xff, 0xff]))],
    [
      "sends broken packets after the login",
      (socket) =>
        socket.once("data", () =>
          socket.write(Buffer.from([0x20, 3, 0, 0, 0, 0x90, 0x02, 0, 1, 0x3d, 2, 0, 99, 0xf0, 0, 0x62, 0]))
        )
    ]
  ]

  it.each(responses)("%s fails the form with a reason", async (_, response) => {
    const port = await serverWith(response)
    const adapter = await adapterOn()
    const error = await adapter.refused(form(port))
    expect(["unreachable", "contract"]).toContain(error.failure)
    expect(error.message).toMatch(/^(The broker|No connection)/)
  })

  it("is nowhere fails the form with the port", async () => {
    const port = await serverWith(() => undefined)
    for (const close of closing.splice(0)) await close()
    const adapter = await adapterOn()
    expect((await adapter.refused(form(port))).message).toContain(`${port}`)
  })
})
