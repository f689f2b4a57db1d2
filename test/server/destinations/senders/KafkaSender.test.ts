import type { LookupFunction } from "node:net"
import type { TLSSocket } from "node:tls"
import type { KafkaConfig } from "@edp/domain/destinations/KafkaConfig"
import type { Event } from "@edp/domain/events/Event"
import { describe, expect, it } from "@effect/vitest"
import { KafkaSender } from "@edp/server/destinations/senders/KafkaSender"
import { OutboundDial } from "@edp/server/platform/outbound/OutboundDial"
import { NOT_CALLED, PrivateAddress, publicLookup } from "@edp/server/platform/outbound/OutboundDial"
import { Effect, Fiber, Layer, Logger, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { afterAll, beforeAll } from "vitest"
import { eventually } from "../../../support/eventually.ts"
import { describeKafka, type KafkaCluster, startKafka } from "../../../support/peers/KafkaCluster.ts"
import { type Behaviour, fakeBroker, hostileBrokers, workingBroker } from "../../../support/peers/fakeKafkaBroker.ts"
import { alertEvent, makeTarget } from "./sampleEvents.ts"
import { trusted } from "./trusted.ts"

const config = (brokers: ReadonlyArray<string>, fields: Partial<KafkaConfig> = {}): KafkaConfig => ({
  brokers,
  topic: "events",
  clientId: "edp",
  ssl: false,
  sasl: null,
  ...fields
})

const targetAt = (kafkaConfig: KafkaConfig, password: string | null = null) =>
  makeTarget({
    destinationType: "KAFKA",
    kafkaConfig,
    kafkaPassword: password === null ? null : Redacted.make(password)
  })

const send = (kafkaConfig: KafkaConfig, event: Event = alertEvent(1), password: string | null = null) =>
  Effect.flatMap(KafkaSender, (sender) => sender.send(targetAt(kafkaConfig, password), event))

const kafka = (outbound: Parameters<typeof OutboundDial.layer>[0] = { allowPrivate: true }) =>
  KafkaSender.layer.pipe(Layer.provide(OutboundDial.layer(outbound)), Layer.merge(Logger.layer([])))

/** A name that leads to this machine, where private addresses are refused. */
const misled = {
  allowPrivate: false,
  lookup: (_host: string, options: any, callback: any) =>
    options.all === true ? callback(null, [{ address: "127.0.0.1", family: 4 }]) : callback(null, "127.0.0.1", 4)
}

describeKafka("events in a topic", () => {
  let cluster: KafkaCluster
  beforeAll(async () => {
    cluster = await startKafka()
  })
  afterAll(() => cluster.stop())

  it.live("have the subject's id as key, and the event's id and type as headers", () =>
    Effect.gen(function* () {
      const topic = config(cluster.brokers, { topic: "read-back" })
      const event = alertEvent(1)
      expect(yield* send(topic, event)).toMatchObject({ succeeded: true, error: null })
      const [message, ...others] = yield* Effect.promise(() => cluster.messages("read-back"))
      expect(others).toEqual([])
      expect(JSON.parse(message!.payload)).toEqual(event)
      expect(message!.key).toBe("alert" in event.data ? event.data.alert.id : "")
      expect(message!.headers).toEqual({
        "event-id": event.id,
        "event-type": "ALERT_CREATED",
        "content-type": "application/json"
      })
    }).pipe(Effect.provide(kafka()))
  )

  it.live("with one subject are in one partition and in order, those with many subjects in several", () =>
    Effect.gen(function* () {
      const topic = config(cluster.brokers, { topic: "ordered" })
      const subjects = Array.from({ length: 12 }, (_, n) => `c${String(n).padStart(24, "s")}`)
      const inOrder = (id: string, at: number) =>
        Effect.forEach([1, 2, 3, 4, 5], (n) => send(topic, alertEvent(at * 10 + n, { id })), { discard: true })
      yield* Effect.forEach(subjects, inOrder, { concurrency: "unbounded", discard: true })
      const messages = yield* Effect.promise(() => cluster.messages("ordered"))
      expect(messages).toHaveLength(60)
      for (const [at, id] of subjects.entries()) {
        const mine = messages.filter(({ key }) => key === id)
        expect(new Set(mine.map(({ partition }) => partition)).size).toBe(1)
        expect(mine.map(({ headers }) => headers["event-id"])).toEqual(
          [1, 2, 3, 4, 5].map((n) => alertEvent(at * 10 + n).id)
        )
      }
      expect(new Set(messages.map(({ partition }) => partition)).size).toBeGreaterThan(1)
    }).pipe(Effect.provide(kafka()))
  )

  it.live("are in the partition that Java's clients choose for their key", () =>
    Effect.gen(function* () {
      const topic = config(cluster.brokers, { topic: "partitions" })
      // The values of murmur2 without its sign, modulo the 4 partitions of the topic, as in Java's DefaultPartitioner.
      const known = new Map([
        ["21", (-973_932_308 & 0x7fffffff) % 4],
        ["foobar", (-790_332_482 & 0x7fffffff) % 4],
        ["a-little-bit-long-string", (-985_981_536 & 0x7fffffff) % 4],
        ["a-little-bit-longer-string", (-1_486_304_829 & 0x7fffffff) % 4]
      ])
      yield* Effect.forEach(known.keys(), (id) => send(topic, alertEvent(1, { id })), { discard: true })
      const messages = yield* Effect.promise(() => cluster.messages("partitions"))
      expect(new Map(messages.map(({ key, partition }) => [key, partition]))).toEqual(known)
    }).pipe(Effect.provide(kafka()))
  )

  it.live("are not written to a broker that the cluster advertises at a private address", () =>
    Effect.gen(function* () {
      const [, port] = cluster.brokers[0]!.split(":")
      const result = yield* send(config([`kafka.example.com:${port}`], { topic: "advertised" }))
      expect(result).toMatchObject({ succeeded: false, permanent: false })
      expect(result.error).toContain("The broker 127.0.0.1 is refused: Must not be a private or local address")
      expect(yield* Effect.promise(() => cluster.messages("advertised"))).toEqual([])
    }).pipe(Effect.provide(kafka(misled)))
  )
})

const refused = [
  "127.0.0.1",
  "127.8.9.10",
  "[::1]",
  "[::]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[64:ff9b::7f00:1]",
  "[2002:7f00:1::]",
  "0.0.0.0",
  "10.1.2.3",
  "172.31.255.254",
  "192.168.1.1",
  "100.64.0.1",
  "169.254.169.254",
  "[fd00:ec2::254]",
  "[fe80::1]",
  "[fc00::1]",
  "255.255.255.255",
  "224.0.0.1",
  "[ff02::1]",
  "198.18.0.1",
  "192.0.2.1",
  "[2001:db8::1]",
  "localhost",
  "LOCALHOST.",
  "metadata.google.internal",
  "broker"
]

describe("a broker is not called", () => {
  it.live.each(refused)("at the address %s", (host) =>
    Effect.gen(function* () {
      const result = yield* send(config([`${host}:9092`]))
      expect(result).toMatchObject({ succeeded: false, permanent: false })
      expect(result.error).toContain(" is refused: Must ")
    }).pipe(Effect.provide(kafka({ allowPrivate: false })))
  )

  // A host that no URL parser has converted is a name for the system's resolver, which accepts these spellings.
  it.live.each(["0177.0.0.1", "2130706433", "0x7f.1", "127.1"])("at any spelling of a private address: %s", (host) =>
    Effect.gen(function* () {
      const broker = yield* fakeBroker(() => {})
      const result = yield* send(config([`${host}:${broker.port}`]))
      expect(result.succeeded).toBe(false)
      expect(broker.connections()).toBe(0)
    }).pipe(Effect.scoped, Effect.provide(kafka({ allowPrivate: false })))
  )

  it.live.each([false, true])("if its name resolves to a private address; encrypted: %s", (ssl) =>
    Effect.gen(function* () {
      const broker = yield* fakeBroker(() => {})
      const result = yield* send(config([`kafka.example.com:${broker.port}`], { ssl }))
      expect(result.error).toContain(NOT_CALLED)
      expect(broker.connections()).toBe(0)
    }).pipe(
      Effect.scoped,
      Effect.provide(
        kafka({
          allowPrivate: false,
          lookup: (_host, options, callback) => publicLookup("127.0.0.1", options, callback)
        })
      )
    )
  )

  it.live.each([false, true])(
    "with the same message whether its name is private or does not exist; encrypted: %s",
    (ssl) =>
      Effect.gen(function* () {
        const unknown: LookupFunction = (host, _options, callback) =>
          callback(
            Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: "ENOTFOUND", syscall: "getaddrinfo" }),
            []
          )
        const hidden: LookupFunction = (host, _options, callback) => callback(new PrivateAddress(host), [])
        const [one, other] = yield* Effect.forEach([unknown, hidden], (lookup) =>
          send(config(["kafka.example.com:9092"], { ssl })).pipe(Effect.provide(kafka({ allowPrivate: false, lookup })))
        )
        expect(one!.error).toContain(NOT_CALLED)
        expect(one).toEqual(other)
      })
  )

  it.live("after its name has changed to a private address", () =>
    Effect.gen(function* () {
      const broker = yield* fakeBroker((socket) => socket.destroy())
      const at = config([`kafka.example.com:${broker.port}`])
      yield* send(at)
      const before = broker.connections()
      expect(before).toBeGreaterThan(0)
      expect((yield* send(at)).error).toContain(NOT_CALLED)
      expect(broker.connections()).toBe(before)
    }).pipe(
      Effect.scoped,
      Effect.provide(
        kafka({
          allowPrivate: false,
          lookup: (() => {
            let asked = 0
            return (host: string, options: any, callback: any) =>
              // The client tries three times before it gives up.
              ++asked <= 3 ? misled.lookup(host, options, callback) : callback(new PrivateAddress(host), [])
          })()
        })
      )
    )
  )
})

describe("a login", () => {
  const mechanisms = ["plain", "scram-sha-256", "scram-sha-512"] as const
  const login = { username: "edp", password: "s=ec,ret" }
  const wire = { plain: "PLAIN", "scram-sha-256": "SCRAM-SHA-256", "scram-sha-512": "SCRAM-SHA-512" } as const
  const at = (port: number, mechanism: (typeof mechanisms)[number]) =>
    config([`localhost:${port}`], { ssl: true, sasl: { mechanism, username: login.username, password: "********" } })

  it.live.each(mechanisms)("is made over an encrypted connection before anything is written: %s", (mechanism) =>
    Effect.gen(function* () {
      yield* trusted
      const broker = yield* workingBroker({ ...login, mechanism: wire[mechanism] }, true)
      const result = yield* send(at(broker.port, mechanism), alertEvent(1), login.password)
      expect(result).toMatchObject({ succeeded: true, error: null })
      expect(broker.written).toEqual([expect.stringContaining(alertEvent(1).id)])
    }).pipe(Effect.scoped, Effect.provide(kafka()))
  )

  it.live.each(mechanisms)(
    "that is rejected leaves events to be retried, and does not reveal the password: %s",
    (mechanism) =>
      Effect.gen(function* () {
        yield* trusted
        const broker = yield* workingBroker({ ...login, mechanism: wire[mechanism] }, true)
        const result = yield* send(at(broker.port, mechanism), alertEvent(1), "hunter2")
        expect(result).toMatchObject({ succeeded: false, permanent: false })
        expect(result.error).not.toContain("hunter2")
        expect(broker.written).toEqual([])
      }).pipe(Effect.scoped, Effect.provide(kafka()))
  )

  it.live("with another password takes effect with the next event", () =>
    Effect.gen(function* () {
      yield* trusted
      const broker = yield* workingBroker({ ...login, mechanism: "PLAIN" }, true)
      const sender = yield* KafkaSender
      const sent = (password: string) => sender.send(targetAt(at(broker.port, "plain"), password), alertEvent(1))
      expect((yield* sent("wrong")).succeeded).toBe(false)
      expect((yield* sent(login.password)).succeeded).toBe(true)
      expect((yield* sent(login.password)).succeeded).toBe(true)
      expect((yield* sent("wrong")).succeeded).toBe(false)
    }).pipe(Effect.scoped, Effect.provide(kafka()))
  )

  it.live("is not made with a broker whose certificate is untrusted", () =>
    Effect.gen(function* () {
      const broker = yield* workingBroker({ ...login, mechanism: "PLAIN" }, true)
      const result = yield* send(at(broker.port, "plain"), alertEvent(1), login.password)
      expect(result).toMatchObject({ succeeded: false, permanent: false })
      expect(result.error).toContain("self-signed certificate")
      expect(broker.connections()).toBe(0)
    }).pipe(Effect.scoped, Effect.provide(kafka()))
  )
})

describe("an encrypted connection", () => {
  const login = { mechanism: "PLAIN", username: "edp", password: "secret" } as const
  const sasl = { mechanism: "plain", username: "edp", password: "********" } as const

  it.live("is made to a broker given by its address if the certificate names it", () =>
    Effect.gen(function* () {
      yield* trusted
      const broker = yield* workingBroker(login, true)
      const result = yield* send(config([`127.0.0.1:${broker.port}`], { ssl: true, sasl }), alertEvent(1), "secret")
      expect(result).toMatchObject({ succeeded: true, error: null })
      expect(broker.written).toHaveLength(1)
    }).pipe(Effect.scoped, Effect.provide(kafka()))
  )

  it.live("is rejected for a broker at an address that its trusted certificate does not name", () =>
    Effect.gen(function* () {
      const broker = yield* workingBroker(login, true)
      const result = yield* send(config([`127.0.0.1:${broker.port}`], { ssl: true, sasl }), alertEvent(1), "secret")
      expect(result).toMatchObject({ succeeded: false, permanent: false })
      expect(result.error).toContain("self-signed certificate")
    }).pipe(Effect.scoped, Effect.provide(kafka()))
  )

  it.live("sends the broker's name, and never an address, as server name", () =>
    Effect.gen(function* () {
      yield* trusted
      const names: Array<unknown> = []
      const broker = yield* fakeBroker((socket) => {
        names.push((socket as TLSSocket).servername)
        socket.destroy()
      }, true)
      const brokers = [`localhost:${broker.port}`, `127.0.0.1:${broker.port}`]
      for (const one of brokers) yield* send(config([one], { ssl: true }))
      expect([...new Set(names)]).toEqual(["localhost", false])
    }).pipe(Effect.scoped, Effect.provide(kafka()))
  )

  it.live("is made to an address in brackets", () =>
    Effect.gen(function* () {
      const result = yield* send(config(["[::1]:1"], { ssl: true }))
      expect(result.error).toContain("connect E")
    }).pipe(Effect.scoped, Effect.provide(kafka()))
  )
})

describe("connections to a cluster", () => {
  it.live("are reused by the next event until the settings change", () =>
    Effect.gen(function* () {
      const broker = yield* workingBroker(undefined, false)
      const sender = yield* KafkaSender
      const at = config([`127.0.0.1:${broker.port}`])
      for (const n of [1, 2, 3]) expect((yield* sender.send(targetAt(at), alertEvent(n))).succeeded).toBe(true)
      const before = broker.connections()
      expect(before).toBeLessThanOrEqual(2)
      expect((yield* sender.send(targetAt({ ...at, clientId: "other" }), alertEvent(4))).succeeded).toBe(true)
      expect(broker.connections()).toBeGreaterThan(before)
      yield* Effect.promise(() => eventually("the former are closed", () => broker.open() <= 2 || undefined))
      expect(broker.written).toHaveLength(4)
    }).pipe(Effect.scoped, Effect.provide(kafka()))
  )

  it.live("are limited to 32 destinations at a time", () =>
    Effect.gen(function* () {
      const broker = yield* workingBroker(undefined, false)
      const sender = yield* KafkaSender
      const at = config([`localhost:${broker.port}`])
      for (let n = 0; n < 40; n++) {
        const target = { ...targetAt(at), id: `c${String(n).padStart(24, "d")}` }
        expect((yield* sender.send(target, alertEvent(n))).succeeded).toBe(true)
      }
      expect(broker.connections()).toBe(40)
      yield* Effect.promise(() => eventually("the others are closed", () => broker.open() === 32 || undefined))
    }).pipe(Effect.scoped, Effect.provide(kafka()))
  )
})

describe("a hostile broker", () => {
  it.live.each(hostileBrokers)("fails without affecting anything else: it %s", ([, logsIn, behave, said]) =>
    Effect.gen(function* () {
      const broker = yield* fakeBroker(behave)
      const sasl = logsIn ? ({ mechanism: "scram-sha-256", username: "edp", password: "********" } as const) : null
      const at = config([`127.0.0.1:${broker.port}`], { sasl })
      const result = yield* send(at, alertEvent(1), "secret")
      expect(result).toMatchObject({ succeeded: false, permanent: false })
      expect(result.error).toMatch(said)
      expect(result.error).not.toContain("secret")
    }).pipe(Effect.scoped, Effect.provide(kafka()))
  )

  it.effect.each<readonly [string, Behaviour]>([
    ["says nothing", (socket) => socket.resume()],
    ["speaks another protocol", (socket) => socket.resume().write("HTTP/1.1 400 Bad Request\r\n\r\n")]
  ])("is closed after 10 seconds, with its connections, when it %s", ([, behave]) =>
    Effect.gen(function* () {
      const broker = yield* fakeBroker(behave)
      const sending = yield* Effect.forkChild(send(config([`127.0.0.1:${broker.port}`])))
      yield* Effect.promise(() => eventually("it is connected", () => broker.open() > 0 || undefined))
      yield* TestClock.adjust("10 seconds")
      expect((yield* Fiber.join(sending)).error).toBe("The cluster did not respond in time")
      yield* Effect.promise(() => eventually("it is let go of", () => broker.open() === 0 || undefined))
    }).pipe(Effect.scoped, Effect.provide(kafka()))
  )
})
