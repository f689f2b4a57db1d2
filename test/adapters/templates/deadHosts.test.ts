import { createServer, type Socket } from "node:net"
import type { DeviceTemplate } from "@edp/adapter-templates/DeviceTemplate"
import { shippedTemplates } from "@edp/adapter-templates/templateFiles"
import { AccountRunner } from "@edp/server/accounts/AccountRunner"
import { templateAdapters } from "@edp/server/adapters/templateAdapters"
import { Effect, Logger } from "effect"
import { afterEach, describe, expect, it } from "vitest"
import { arrangeConnections, newPerson } from "../../server/connections/arrangeConnections.ts"
import { eventually } from "../../support/eventually.ts"
import { startHttpDevice } from "../../support/peers/HttpDevice.ts"
import { startScriptedDevice } from "../../support/peers/scriptedModbusDevice.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { httpTemplates } from "./httpForms.ts"

type ModbusTemplate = Extract<DeviceTemplate, { protocol: "modbus" }>

const tracker = httpTemplates.find(({ slug }) => slug === "everhome-ecotracker")!
const sdm630 = shippedTemplates.find((one): one is ModbusTemplate => one.slug === "eastron-sdm630")!

const closing: Array<() => Promise<unknown>> = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

/** A device at a port of its own, with the number of its requests. */
interface Peer {
  readonly manufacturer: string
  readonly form: Readonly<Record<string, string>>
  readonly port: number
  readonly requests: () => number
  readonly close: () => Promise<unknown>
}

const httpPeer = async (): Promise<Peer> => {
  const { close, lines, port } = await startHttpDevice(tracker)
  return {
    manufacturer: "everhome",
    form: { host: "127.0.0.1", port: String(port), model: tracker.slug },
    port,
    requests: () => lines.length,
    close
  }
}

const modbusPeer = async (): Promise<Peer> => {
  const registers = Object.entries(sdm630.fixture.registers).flatMap(([place, words]) =>
    words.map((word, n) => [Number(place.split("/")[2]) + n, word] as const)
  )
  const { port, requests, stop } = await startScriptedDevice(registers)
  return {
    manufacturer: "eastron",
    form: { host: "127.0.0.1", port: String(port), model: sdm630.slug, transport: "tcp", unitId: "1" },
    port,
    requests: () => requests.length,
    close: stop
  }
}

/** A host that takes connections and never responds. */
const startSilentHost = async (port: number) => {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on("error", () => undefined).resume()
  })
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve))
  closing.push(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { calls: () => sockets.size }
}

describe("local devices of one process", () => {
  const app = useTestApp({ own: true, adapters: [...templateAdapters([tracker, sdm630])] })

  const link = async (peer: Peer) => {
    const workspace = await arrangeConnections(app, undefined as never)
    const session = await workspace.open({
      customerInfo: newPerson(),
      manufacturerFilters: { manufacturers: [peer.manufacturer] }
    })
    await session.open()
    await session.consent()
    const view = await session.show(session.submitForm(peer.form))
    if (view.page !== "system") throw new Error(`not connected: ${JSON.stringify(view)}`)
    await session.chooseDevices(
      view.devices.map(({ manufacturerDeviceId }) => manufacturerDeviceId),
      view.address?.values ?? null
    )
  }

  /** Work of the accounts at ports, due now. */
  const makeDue = (ports: ReadonlyArray<number>) =>
    app.sql(
      (sql) => sql`UPDATE account_work w SET due_at = now(), read_at = now() FROM accounts a
        WHERE a.id = w.account_id AND w.claim IS NULL AND w.due_at < 'infinity'
          AND split_part(a.external_id, ':', 2) = ANY (${ports.map(String)}) RETURNING 1`
    )

  const step = () =>
    app.run(Effect.flatMap(AccountRunner, (runner) => runner.step).pipe(Effect.provide(Logger.layer([]))))

  it("are read in their turn while other hosts refuse connections, or take them and never respond", async () => {
    const peers = await Promise.all([httpPeer(), modbusPeer(), httpPeer(), modbusPeer(), httpPeer(), modbusPeer()])
    for (const peer of peers) await link(peer)
    const [alive, refusing, silent] = [peers.slice(0, 2), peers.slice(2, 4), peers.slice(4)]
    closing.push(...alive.map(({ close }) => close))
    for (const { close } of [...refusing, ...silent]) await close()
    const hosts = await Promise.all(silent.map(({ port }) => startSilentHost(port)))

    await makeDue([...silent, ...refusing].map(({ port }) => port))
    await step()
    await eventually("calls to the silent hosts", () => (hosts.every(({ calls }) => calls() > 0) ? true : undefined))
    for (const { port, requests } of alive) {
      for (let round = 0; round < 3; round++) {
        const before = requests()
        await eventually("a reading", async () => {
          await makeDue([port])
          await step()
          return requests() > before ? true : undefined
        })
      }
    }
    // No call to a silent host has ended meanwhile.
    const rows = await app.sql<{ held: number }>(
      (sql) => sql`SELECT count(*)::int AS held FROM account_work w JOIN accounts a ON a.id = w.account_id
        WHERE w.claim IS NOT NULL AND split_part(a.external_id, ':', 2) = ANY (${silent.map(({ port }) => String(port))})`
    )
    expect(rows[0]!.held).toBe(silent.length)
  })
})
