import { connect } from "node:net"
import { afterEach, describe, expect, test } from "vitest"
import { startHttpsCallback } from "../../support/peers/HttpsCallback.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { BASE, makeVtn, type VtnClient } from "./VtnWorld.ts"

const app = useTestApp({ own: true, env: { EDP_ALLOW_PRIVATE_DESTINATIONS: "false" } })
const MIB = 1024 * 1024

/** A request whose body comes in pieces of unknown number; resolves with what came back until the connection ended or enough was sent. */
const sendPieces = (client: VtnClient, path: string, piece: string, pieces: number) =>
  new Promise<string>((resolve) => {
    const { hostname, port } = new URL(app.url)
    const socket = connect(Number(port), hostname)
    let heard = ""
    const chunk = `${Buffer.byteLength(piece).toString(16)}\r\n${piece}\r\n`
    socket.on("data", (data) => {
      heard += data.toString("latin1")
      if (heard.includes("\r\n\r\n")) socket.destroy()
    })
    socket.on("error", () => {})
    socket.on("close", () => resolve(heard))
    socket.write(
      `POST ${BASE}${path} HTTP/1.1\r\nHost: vtn\r\nAuthorization: Bearer ${client.token}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`
    )
    let sent = 0
    const more = () => {
      while (sent < pieces && !socket.destroyed) {
        sent++
        if (!socket.write(chunk)) return void socket.once("drain", more)
      }
      if (!socket.destroyed) socket.write("0\r\n\r\n")
    }
    more()
  })

const call = (client: VtnClient, method: string, path: string, body: string) =>
  app.call(method, `${BASE}${path}`, {
    body,
    headers: { Authorization: `Bearer ${client.token}`, "Content-Type": "application/json" }
  })

describe("a hostile VEN", () => {
  let vtn: Awaited<ReturnType<typeof makeVtn>>
  // Whatever it does, others are served as before.
  afterEach(async () => {
    expect((await vtn.bl.call("GET", "/events")).status).toBe(200)
  })

  test("is refused a body over the limit, whether it states its length or not", async () => {
    vtn = await makeVtn(app)
    const ven = await vtn.enrolled()
    expect(await sendPieces(ven, "/vens", `"${"x".repeat(64 * 1024)}",`, 200)).toMatch(/^HTTP\/1\.1 413 /u)
    expect(await sendPieces(ven, "/reports", `"${"x".repeat(64 * 1024)}",`, 400)).toMatch(/^HTTP\/1\.1 413 /u)
    const large = await call(ven, "POST", "/reports", JSON.stringify({ clientName: "x".repeat(6 * MIB) }))
    expect(large).toMatchObject({ status: 413, body: { title: "Content Too Large" } })
  })

  test("is refused JSON that is nested deeply or has very many fields", async () => {
    vtn = await makeVtn(app)
    const ven = await vtn.enrolled()
    const depth = 400_000
    const bodies = [
      "[".repeat(depth),
      `{"venName":${"[".repeat(depth)}${"]".repeat(depth)}}`,
      `{"venName":"v","attributes":${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}}`,
      JSON.stringify({ venName: "v", ...Object.fromEntries(Array.from({ length: 60_000 }, (_, n) => [`f${n}`, n])) })
    ]
    for (const body of bodies) {
      const refused = await call(ven, "POST", "/vens", body)
      expect(refused).toMatchObject({ status: 400, body: { title: "Bad Request" } })
    }
  })

  test("is refused more targets than 500, in a query and in a body", async () => {
    vtn = await makeVtn(app)
    const ven = await vtn.enrolled()
    const targets = Array.from({ length: 10_000 }, (_, n) => `t${n}`)
    const query = (count: number) =>
      targets
        .slice(0, count)
        .map((target) => `targets=${target}`)
        .join("&")
    expect((await ven.call("GET", `/events?${query(500)}`)).status).toBe(200)
    expect((await ven.call("GET", `/events?${query(501)}`)).status).toBe(400)
    const long = await app.call("GET", `${BASE}/events?${query(10_000)}`, {
      headers: { Authorization: `Bearer ${ven.token}` }
    })
    expect([400, 414, 431]).toContain(long.status)
    const { body, status } = await ven.call("POST", "/subscriptions", {
      clientName: "s",
      objectOperations: [],
      targets
    })
    expect(status).toBe(400)
    expect(body.detail).toContain("targets: Must be at most 500 targets")
  })

  test("reaches nothing private by its callbacks, however the address is written", async () => {
    vtn = await makeVtn(app)
    const ven = await vtn.enrolled()
    const peer = await startHttpsCallback()
    try {
      const { port } = new URL(peer.url)
      const hosts = [
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0177.0.0.1",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "localhost",
        "localhost.",
        "0.0.0.0",
        "[::]",
        "169.254.169.254",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "[fd00::1]",
        "[fe80::1]",
        "100.64.0.1"
      ]
      for (const host of hosts) {
        const objectOperations = Array.from({ length: 20 }, (_, n) => ({
          objects: ["EVENT"],
          operations: ["CREATE"],
          callbackUrl: `https://${host}:${port}/${n}`
        }))
        const { body, status } = await ven.call("POST", "/subscriptions", { clientName: "s", objectOperations })
        expect({ host, status }).toEqual({ host, status: 400 })
        expect(body.detail).toContain("objectOperations.19.callbackUrl: ")
      }
      expect(peer.received).toEqual([])
      expect(await ven.ok("GET", "/subscriptions")).toEqual([])
    } finally {
      await peer.stop()
    }
  })

  test("has at most 100 subscriptions, each with at most 20 callbacks", async () => {
    vtn = await makeVtn(app)
    const [ven, other] = [await vtn.enrolled(), await vtn.enrolled()]
    const content = { clientName: "s", objectOperations: [] }
    for (let n = 0; n < 100; n++) await ven.ok("POST", "/subscriptions", content)
    const refused = await ven.call("POST", "/subscriptions", content)
    expect(refused).toMatchObject({ status: 409, body: { title: "Conflict" } })
    expect(refused.body.detail).toContain("at most 100 subscriptions")
    const [{ id }] = await ven.ok("GET", "/subscriptions?limit=1")
    await ven.ok("PUT", `/subscriptions/${id}`, content)
    await ven.ok("DELETE", `/subscriptions/${id}`)
    await ven.ok("POST", "/subscriptions", content)
    await other.ok("POST", "/subscriptions", content)
    const entry = { objects: ["EVENT"], operations: ["CREATE"], callbackUrl: "https://10.0.0.1/" }
    const many = await other.call("POST", "/subscriptions", {
      clientName: "s",
      objectOperations: Array.from({ length: 21 }, () => entry)
    })
    expect(many).toMatchObject({ status: 400 })
    expect(many.body.detail).toContain("objectOperations: Must be at most 20 entries")
  })
})
