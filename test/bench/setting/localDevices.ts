import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { type AddressInfo, createServer } from "node:net"
import type { DiscoveredDevice } from "@edp/adapter-kit/Account"
import type { AnyManufacturerAdapter } from "@edp/adapter-kit/ManufacturerAdapter"
import { testAccount, testHost } from "@edp/adapter-kit/testing/TestHost"
import { type DeviceTemplate, manufacturerSlug, type MqttTemplate } from "@edp/adapter-templates/DeviceTemplate"
import type { HttpTemplate } from "@edp/adapter-templates/HttpTemplate"
import { shippedTemplates } from "@edp/adapter-templates/templateFiles"
import { credentialsPurpose } from "@edp/server/accounts/accountRow"
import { templateAdapters } from "@edp/server/adapters/templateAdapters"
import { NONCE_BYTES, seal } from "@edp/server/platform/secrets/sealed"
import { Effect, Schema, Scope } from "effect"
import { connect as connectBroker } from "mqtt"
import { Client } from "pg"
import { freePort } from "../../support/freePort.ts"
import { startHttpDevice } from "../../support/peers/HttpDevice.ts"
import { startMosquitto } from "../../support/peers/MosquittoBroker.ts"
import { startScriptedDevice } from "../../support/peers/scriptedModbusDevice.ts"

/** A device of each protocol that has no serial number, so that its address tells it from the others. */
const slugs = { modbus: "eastron-sdm630", http: "everhome-ecotracker", mqtt: "tasmota-energy" } as const
export type LocalProtocol = keyof typeof slugs
export const localProtocols = Object.keys(slugs) as ReadonlyArray<LocalProtocol>

/** How long after another request of a device one belongs to the next round of readings. */
const ROUND_MS = 2000
const LOOK_MS = 20
const LINKED_AT_ONCE = 20

const findTemplate = <T extends DeviceTemplate>(protocol: LocalProtocol) =>
  shippedTemplates.find(({ slug }) => slug === slugs[protocol]) as T

const adapters = new Map<LocalProtocol, AnyManufacturerAdapter>(
  localProtocols.map((protocol) => {
    const slug = manufacturerSlug(findTemplate(protocol))
    return [protocol, templateAdapters(shippedTemplates).find(({ manifest }) => manifest.slug === slug)!]
  })
)

export interface LocalDevice {
  readonly id: string
  readonly accountId: string
  readonly protocol: LocalProtocol
  /** Whether its host refuses connections, or takes them and never responds. */
  readonly isDead: boolean
  /** Times at which rounds of readings began, in milliseconds since 1970. */
  readonly rounds: Array<number>
}

interface Peer {
  readonly form: Readonly<Record<string, string>>
  /** Requests so far. */
  readonly count: () => number
}

export interface LocalDevices {
  readonly devices: ReadonlyArray<LocalDevice>
  /** The devices on the broker publish another power. Returns the time before the first message. */
  readonly publish: (watts: number) => Promise<number>
  readonly close: () => Promise<void>
}

const modbusPeer = async (closing: Array<() => Promise<unknown>>): Promise<Peer> => {
  const { fixture, slug } = findTemplate<Extract<DeviceTemplate, { protocol: "modbus" }>>("modbus")
  const registers = Object.entries(fixture.registers).flatMap(([place, words]) =>
    words.map((word, n) => [Number(place.split("/")[2]) + n, word] as const)
  )
  const device = await startScriptedDevice(registers)
  closing.push(device.stop)
  return {
    form: { host: "127.0.0.1", port: `${device.port}`, model: slug, transport: "tcp", unitId: "1" },
    count: () => device.requests.length
  }
}

const httpPeer = async (closing: Array<() => Promise<unknown>>): Promise<Peer> => {
  const template = findTemplate<HttpTemplate>("http")
  const device = await startHttpDevice(template)
  closing.push(device.close)
  return {
    form: { host: "127.0.0.1", port: `${device.port}`, model: template.slug },
    count: () => device.lines.length
  }
}

/** A host that takes connections and never responds. */
const startSilentHost = async () => {
  const server = createServer((socket) => socket.on("error", () => undefined).resume())
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  server.unref()
  return { port: (server.address() as AddressInfo).port, close: () => new Promise((ended) => server.close(ended)) }
}

interface Linked {
  readonly externalId: string
  readonly name: string
  /** As they are stored. */
  readonly credentials: Record<string, any>
  readonly found: ReadonlyArray<DiscoveredDevice>
}

/** Links a device by the form of its adapter. */
const link = async (adapter: AnyManufacturerAdapter, form: Peer["form"]): Promise<Linked> => {
  const run = <A, E>(effect: Effect.Effect<A, E>) => Effect.runPromise(effect)
  const scope = Scope.makeUnsafe()
  const instance = await run(Effect.provideService(adapter.create({}, testHost().host), Scope.Scope, scope))
  if (instance.authorization.kind !== "form") throw new Error("The adapter has no form")
  const { credentials, externalId, name } = await run(instance.authorization.connect(form))
  const found = await run(instance.discoverDevices!(testAccount(externalId, credentials)))
  await run(Scope.close(scope, { _tag: "Success", value: undefined } as never))
  return {
    externalId,
    name,
    credentials: (await run(
      Schema.encodeUnknownEffect(adapter.credentials as never)(credentials)
    )) as Linked["credentials"],
    found
  }
}

interface Options {
  readonly databaseUrl: string
  readonly encryptionKey: Uint8Array
  readonly workspaceId: string
  /** Devices of each protocol. */
  readonly count: number
}

/**
 * Devices on 127.0.0.1, one port each, behind templates of each protocol, linked by their adapters and stored as accounts. The last two of each
 * protocol get the address of a dead host: one refuses connections, one takes them and never responds. None is read before its work is stored.
 */
export const startLocalDevices = async ({
  count,
  databaseUrl,
  encryptionKey,
  workspaceId
}: Options): Promise<LocalDevices> => {
  const closing: Array<() => Promise<unknown>> = []
  const broker = await startMosquitto()
  closing.push(broker.close)
  const silent = await startSilentHost()
  const refusing = await freePort()
  const publisher = connectBroker({ host: "127.0.0.1", port: broker.port })
  closing.push(() => publisher.endAsync(true))
  const { fixture } = findTemplate<MqttTemplate>("mqtt")
  const published = Array.from({ length: count }, (_, n) => `plug-${n}`)
  const publish = async (watts: number) => {
    const at = Date.now()
    for (const id of published) {
      for (const [topic, payload] of Object.entries(fixture.messages)) {
        const text = payload.startsWith("{") ? payload.replace(/("Power":\s*)-?[\d.]+/u, `$1${watts}`) : payload
        await publisher.publishAsync(topic.replace(fixture.id, id), text, { retain: true })
      }
    }
    return at
  }
  await publish(100)

  const database = new Client({ connectionString: databaseUrl })
  await database.connect()
  const devices: Array<LocalDevice> = []
  const counted: Array<{ readonly count: () => number; readonly device: LocalDevice; seen: number; last: number }> = []
  for (const protocol of localProtocols) {
    const adapter = adapters.get(protocol)!
    const makePeer = (n: number): Promise<Peer> =>
      protocol === "modbus"
        ? modbusPeer(closing)
        : protocol === "http"
          ? httpPeer(closing)
          : Promise.resolve({
              form: {
                host: "127.0.0.1",
                port: `${broker.port}`,
                tls: "no",
                model: slugs.mqtt,
                device: published[n]!
              },
              count: () => 0
            })
    const made: Array<{ readonly peer: Peer; readonly linked: Linked }> = []
    while (made.length < count) {
      const numbers = Array.from({ length: Math.min(LINKED_AT_ONCE, count - made.length) }, (_, n) => made.length + n)
      made.push(
        ...(await Promise.all(
          numbers.map(async (n) => {
            const peer = await makePeer(n)
            return { peer, linked: await link(adapter, peer.form) }
          })
        ))
      )
    }
    for (const [n, { linked, peer }] of made.entries()) {
      const { credentials, externalId, found, name } = linked
      const isDead = n >= count - 2
      if (isDead) {
        const target = protocol === "mqtt" ? credentials["broker"] : credentials
        target.port = n === count - 1 ? silent.port : refusing
      }
      const id = (kind: string) => `c${kind}${`${devices.length}`.padStart(23, "0")}`
      const [accountId, deviceId, listed] = [id("a"), id("d"), found[0]!]
      const sealed = seal(
        encryptionKey,
        randomBytes(NONCE_BYTES),
        credentialsPurpose(accountId),
        JSON.stringify(credentials)
      )
      await database.query(
        `INSERT INTO accounts (id, workspace_id, manufacturer, external_id, name, reference_id, tags, status,
            sealed_credentials, connected_at, created_at, updated_at)
          VALUES ($1, $2, $3, $4, $5, $4, '{}', 'connected', $6, now(), now(), now())`,
        [accountId, workspaceId, adapter.manifest.slug, externalId, name, Buffer.from(sealed)]
      )
      await database.query(
        `INSERT INTO devices (id, workspace_id, origin_workspace_id, account_id, name, manufacturer,
            manufacturer_device_id, reference_id, model, type, static_state, commands, tags, direct, connected_at,
            created_at, updated_at)
          VALUES ($1, $2, $2, $3, $4, $5, $6, $3, $7, $8, '{}', '{}', '{}', false, now(), now(), now())`,
        [
          deviceId,
          workspaceId,
          accountId,
          listed.name,
          adapter.manifest.slug,
          listed.manufacturerDeviceId,
          listed.model,
          listed.type
        ]
      )
      const device: LocalDevice = { id: deviceId, accountId, protocol, isDead, rounds: [] }
      devices.push(device)
      if (protocol !== "mqtt" && !isDead) counted.push({ device, count: peer.count, seen: peer.count(), last: 0 })
    }
  }
  await database.end()
  const timer = setInterval(() => {
    const now = Date.now()
    for (const one of counted) {
      const requests = one.count()
      if (requests === one.seen) continue
      one.seen = requests
      if (now - one.last > ROUND_MS) one.device.rounds.push(now)
      one.last = now
    }
  }, LOOK_MS)
  return {
    devices,
    publish,
    close: async () => {
      clearInterval(timer)
      await Promise.all([...closing.map((close) => close()), silent.close()])
    }
  }
}
