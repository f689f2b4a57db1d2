import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { hostname } from "node:os"
import { text } from "node:stream/consumers"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { runCli } from "@edp/cli/Cli"
import { layerHttp } from "@edp/domain/Client"
import { sign } from "@edp/domain/events/webhookSignature"
import { Webhook } from "standardwebhooks"
import { ConfigProvider, Effect, Fiber, Layer } from "effect"
import { TestConsole } from "effect/testing"
import { afterAll, describe, expect, test } from "vitest"
import { eventually } from "../../support/eventually.ts"
import { useTestApp } from "../../support/TestApp.ts"
import { makeCli } from "../realService.ts"

const app = useTestApp()
const ended: Array<() => Promise<unknown>> = []
afterAll(() => Promise.all(ended.map((end) => end())))

/** Runs `edp listen` until it is ended, and returns its output so far. */
const listen = async (env: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) => {
  const lines: { out: ReadonlyArray<unknown>; err: ReadonlyArray<unknown> } = { out: [], err: [] }
  const look = Effect.gen(function* () {
    lines.out = yield* TestConsole.logLines
    lines.err = yield* TestConsole.errorLines
    yield* Effect.sleep("20 millis")
  })
  const fiber = Effect.runFork(
    runCli(["listen", "--port", "0", ...args]).pipe(
      Effect.tap((code) =>
        Effect.andThen(
          look,
          Effect.sync(() => (lines.err = [...lines.err, `exit ${code}`]))
        )
      ),
      Effect.raceFirst(Effect.forever(look)),
      Effect.provide(Layer.mergeAll(NodeServices.layer, layerHttp, TestConsole.layer)),
      Effect.provideService(
        ConfigProvider.ConfigProvider,
        ConfigProvider.fromEnv({ env: { EDP_DATA_DIR: "/nonexistent", ...env } })
      )
    )
  )
  const end = () => Effect.runPromise(Fiber.interrupt(fiber))
  ended.push(end)
  const errors = () => lines.err.join("\n")
  const url = () => /Listening on (\S+);/u.exec(errors())?.[1]
  return { end, errors, out: () => lines.out.join("\n"), listening: () => eventually("it listens", url) }
}

const secret = `whsec_${Buffer.alloc(32, 3).toString("base64")}`

const event = (id: string) => ({
  id,
  sequence: 1,
  type: "SITE_CREATED",
  version: "1.0.0",
  timestamp: "2026-03-01T12:00:00.000Z",
  workspaceId: "w1",
  data: { site: { id: "s1", name: "Home" } }
})

const post = async (url: string, id: string, signedBy = secret) => {
  const body = JSON.stringify(event(id))
  const timestamp = Math.floor(Date.now() / 1000)
  const headers = {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": await sign([signedBy], { id, timestamp, body })
  }
  return fetch(url, { method: "POST", headers, body })
}

describe("edp listen", () => {
  test("creates a destination, shows deliveries, and deletes the destination at the end", async () => {
    const { keys } = await app.workspace()
    const listening = await listen({ EDP_URL: app.url, EDP_KEY_SERVER: keys.SERVER }, "--type", "ALERT_CREATED")
    const url = await listening.listening()
    const list = async () => (await app.call("GET", "/v1/destinations", { key: keys.SERVER })).body.data
    const [destination] = await list()
    expect(destination).toMatchObject({
      destinationType: "WEBHOOK",
      url: `${url}********`,
      label: expect.stringMatching(/^edp listen \(.+, process \d+\)$/u),
      eventTypes: ["ALERT_CREATED"]
    })
    const sent = await app.call("POST", `/v1/destinations/${destination.id}/test`, { key: keys.SERVER })
    expect(sent.body).toMatchObject({ succeeded: true, statusCode: 204 })
    await eventually("it is shown", () => listening.out().includes("ALERT_CREATED") || undefined)
    await listening.end()
    expect(await list()).toEqual([])
    await expect(fetch(url, { method: "POST" })).rejects.toThrow()
  })

  test("prints the signing secret of its destination, which verifies forwarded deliveries", async () => {
    const { keys } = await app.workspace()
    const got: Array<any> = []
    const behind = createServer(async (request, response) => {
      got.push({ body: await text(request), headers: request.headers })
      response.writeHead(204).end()
    })
    await new Promise<void>((resolve) => behind.listen(0, "127.0.0.1", resolve))
    ended.push(async () => behind.close())
    const to = `http://127.0.0.1:${(behind.address() as AddressInfo).port}/hooks`
    const env = { EDP_URL: app.url, EDP_KEY_SERVER: keys.SERVER }
    const listening = await listen(env, "--forward", to)
    await listening.listening()
    const printed = /Signing secret: (whsec_\S+)/u.exec(listening.errors())?.[1]
    const { id } = (await app.call("GET", "/v1/destinations", { key: keys.SERVER })).body.data[0]
    await app.call("POST", `/v1/destinations/${id}/test`, { key: keys.SERVER, body: { type: "ALERT_UPDATED" } })
    const [{ body, headers }] = await eventually("it is handed on", () => (got.length > 0 ? got : undefined))
    expect(new Webhook(printed!).verify(body, headers)).toMatchObject({ type: "ALERT_UPDATED" })
    await listening.end()
  })

  test("reuses a destination that a killed listener left, with its secret, and deletes the others", async () => {
    const { keys } = await app.workspace()
    const list = async () => (await app.call("GET", "/v1/destinations", { key: keys.SERVER })).body.data
    const leave = async (label: string) => {
      const body = { destinationType: "WEBHOOK", label, url: "http://127.0.0.1:1/", eventTypes: ["SITE_CREATED"] }
      return (await app.call("POST", "/v1/destinations", { key: keys.SERVER, body })).body
    }
    const dead = (host: string) => `edp listen (${host}, process 4194305)`
    const elsewhere = await leave(dead("another-machine"))
    const running = await leave(`edp listen (${hostname()}, process ${process.ppid})`)
    const byHand = await leave("edp listen")
    const older = await leave(dead(hostname()))
    const newer = await leave(dead(hostname()))

    const env = { EDP_URL: app.url, EDP_KEY_SERVER: keys.SERVER }
    const listening = await listen(env, "--type", "ALERT_CREATED")
    const url = await listening.listening()
    const untouched = [elsewhere, running, byHand].map(({ id }) => id).toSorted()
    const mine = (await list()).filter(({ id }: { readonly id: string }) => !untouched.includes(id))
    expect(mine).toMatchObject([{ id: newer.id, eventTypes: ["ALERT_CREATED"] }])
    expect(mine[0].label).toBe(`edp listen (${hostname()}, process ${process.pid})`)
    expect(older.id).not.toBe(mine[0].id)
    expect(listening.errors()).toContain(`Signing secret: ${newer.secret}`)
    const triggered = await makeCli(app, { keys })("trigger", "ALERT_CREATED", "--destination", newer.id)
    expect([triggered.code, triggered.stdout]).toEqual([0, expect.stringMatching(/^succeeded +true\nstatus +204\n/u)])
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/u)
    await listening.end()
    expect((await list()).map(({ id }: { readonly id: string }) => id).toSorted()).toEqual(untouched)
  })

  test("receives the samples of edp trigger, which fails without a listener", async () => {
    const { keys } = await app.workspace()
    const edp = makeCli(app, { keys })
    const nobody = await edp("trigger", "SITE_CREATED")
    expect([nobody.code, nobody.stderr.split(":")[0]]).toEqual([1, "NOBODY_LISTENS"])
    const listening = await listen({ EDP_URL: app.url, EDP_KEY_SERVER: keys.SERVER })
    await listening.listening()
    expect((await edp("trigger", "COMMAND_FAILED", "--json")).json()).toMatchObject({ succeeded: true })
    await eventually("it is shown", () => listening.out().includes("COMMAND_FAILED") || undefined)
    expect((await edp("trigger", "SUNRISE")).code).toBe(2)
    await listening.end()
  })

  test("shows authentic deliveries, and reports and rejects others", async () => {
    const listening = await listen({ EDP_WEBHOOK_SECRET: secret })
    const url = await listening.listening()
    expect((await post(url, "e1")).status).toBe(204)
    expect((await post(url, "e1")).status).toBe(204)
    const foreign = `whsec_${Buffer.alloc(32, 4).toString("base64")}`
    expect((await post(url, "e2", foreign)).status).toBe(401)
    expect((await fetch(url)).status).toBe(405)
    await eventually("all output has arrived", () => listening.errors().includes("Refused") || undefined)
    expect(listening.out()).toMatch(/SITE_CREATED {2,}Home\n.*SITE_CREATED {2,}Home {2}\[time 2\]$/u)
    expect(listening.errors()).toContain("Refused a delivery to /: no matching signature")
  })

  test("forwards deliveries with valid signatures, and returns the response of the receiver", async () => {
    const got: Array<unknown> = []
    const behind = createServer(async (request, response) => {
      got.push(new Webhook(secret).verify(await text(request), request.headers as Record<string, string>))
      response.writeHead(503, { "content-type": "text/plain" }).end("not now")
    })
    await new Promise<void>((resolve) => behind.listen(0, "127.0.0.1", resolve))
    ended.push(async () => behind.close())
    const to = `http://127.0.0.1:${(behind.address() as AddressInfo).port}/hooks`
    const listening = await listen({ EDP_WEBHOOK_SECRET: secret }, "--forward", to)
    const reply = await post(await listening.listening(), "e1")
    expect([reply.status, await reply.text()]).toEqual([503, "not now"])
    expect(got).toEqual([event("e1")])
    await eventually("the output has arrived", () => listening.out().includes("[status 503]") || undefined)
  })

  test("reports when forwarding gets no response", async () => {
    const listening = await listen({ EDP_WEBHOOK_SECRET: secret }, "--forward", "http://127.0.0.1:1/")
    expect((await post(await listening.listening(), "e1")).status).toBe(502)
    await eventually("the output has arrived", () => listening.out().includes("[no response]") || undefined)
  })

  test.each([
    [["--secret", "whsec_short"], "The secret must be whsec_ followed by 24 to 64 bytes in base64"],
    [["--secret", secret, "--type", "SITE_CREATED"], "--at and --type are for a temporary destination"]
  ])("rejects %j", async (args, message) => {
    const listening = await listen({}, ...args)
    await eventually("it ends", () => listening.errors().includes("exit 2") || undefined)
    expect(listening.errors()).toContain(message)
  })
})
