import { GridBrokerRunner } from "@edp/server/grid/notifications/GridBrokerRunner"
import { BrokerPublisher } from "@edp/server/vtn/notifications/BrokerPublisher"
import { NotificationRunner } from "@edp/server/vtn/notifications/NotificationRunner"
import { Effect } from "effect"
import { request } from "node:http"
import { createServer, type Server } from "node:https"
import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { afterAll, beforeAll, expect, test } from "vitest"
import { eventually } from "../../../support/eventually.ts"
import { freePort } from "../../../support/freePort.ts"
import { movableClock } from "../../../support/movableClock.ts"
import { localhostCertificate } from "../../../support/peers/localhostCertificate.ts"
import { describeMosquitto, type MosquittoBroker, startMosquitto } from "../../../support/peers/MosquittoBroker.ts"
import { useTestApp } from "../../../support/TestApp.ts"
import { arrangeDispatches } from "../../dispatches/arrangeDispatches.ts"
import { BASE, openAdrClient } from "../../vtn/VtnWorld.ts"
import { pollDue } from "../arrangeGrid.ts"

const [brokerPort, publicPort] = [await freePort(), await freePort()]
const clock = movableClock(Date.now())
const app = useTestApp({
  own: true,
  clock,
  env: {
    EDP_PUBLIC_URL: `https://localhost:${publicPort}`,
    EDP_OPENADR_MQTT_URL: `mqtt://edp:broker-secret@127.0.0.1:${brokerPort}`
  }
})

/** Passes requests on to the service, as the proxy that has its certificate does. */
const startProxy = () =>
  new Promise<Server>((resolve) => {
    const server = createServer(localhostCertificate, (incoming, response) => {
      const { headers, method, url } = incoming
      const forwarded = request(`${app.url}${url}`, { method, headers }, (reply) => {
        response.writeHead(reply.statusCode!, reply.headers)
        reply.pipe(response)
      })
      incoming.pipe(forwarded)
    })
    server.listen(publicPort, "127.0.0.1", () => resolve(server))
  })

describeMosquitto("a VEN of the platform at the platform's own VTN", () => {
  let broker: MosquittoBroker
  let proxy: Server
  beforeAll(async () => {
    setDefaultCACertificates([...getCACertificates("default"), localhostCertificate.cert])
    proxy = await startProxy()
    broker = await startMosquitto({
      port: brokerPort,
      users: { edp: "broker-secret" },
      acl: ["user edp", "topic write openadr/#", "", "pattern read openadr/+/clients/%u/#"]
    })
  })
  afterAll(async () => {
    proxy.closeAllConnections()
    proxy.close()
    await broker.close()
  })

  test.each(["webhook", "mqtt"])(
    "that is notified by %s follows an event within seconds, though it polls every hour",
    async (way) => {
      const world = await arrangeDispatches(app, clock)
      const { instance, must, now } = world
      await world.home()
      await app.sql((sql) => sql`UPDATE grid_connections SET enabled = false, poll_at = NULL RETURNING 1`)
      const utility = await app.workspace()
      const bl = await openAdrClient(app, utility, "OPENADR_BL")
      const ven = await openAdrClient(app, utility, "OPENADR_VEN")
      const { id } = await must(201, "POST", "/v1/grid-connections", {
        name: "Own",
        vtnUrl: `${app.url}${BASE}`,
        clientId: ven.clientId,
        clientSecret: ven.secret,
        venName: "own-ven",
        pollSeconds: 3600,
        notifications: way
      })
      const poll = () => pollDue(app)
      const program = await bl.ok("POST", "/programs", { programName: `Peak ${way}` })
      await poll()
      if (way === "mqtt") {
        // A token is the password. Mosquitto checks none by itself, and knows this one: all of a second are equal, and the clock stands.
        await broker.setPassword(ven.clientId, ven.token)
        await app.run(Effect.flatMap(GridBrokerRunner, ({ step }) => step))
      }
      await eventually("the way of notification", async () =>
        (await must(200, "GET", `/v1/grid-connections/${id}`)).notifiedBy === way ? true : undefined
      )
      const [known] = (await must(200, "GET", `/v1/grid-connections/${id}/programs`)).data
      expect(known.vtnProgramId).toBe(program.id)
      await must(200, "PATCH", `/v1/grid-programs/${known.id}`, {
        programInstanceId: instance.id,
        rules: [{ payloadType: "SIMPLE", minimum: 1, actions: { battery: { operatingMode: "discharge" } } }]
      })

      await bl.ok("POST", "/events", {
        programID: program.id,
        intervalPeriod: { start: new Date(now() + 600_000).toISOString(), duration: "PT1H" },
        intervals: [{ id: 0, payloads: [{ type: "SIMPLE", values: [1] }] }]
      })
      const due = Effect.gen(function* () {
        yield* (yield* NotificationRunner).step
        yield* (yield* BrokerPublisher).publishDue
      })
      // The database's clock, and not this machine's load: the poll is due within seconds of the notification.
      await eventually("the notification", async () => {
        await app.run(due as never)
        await poll()
        const [row] = await app.sql<{ readonly wait: number }>(
          (sql) =>
            sql`SELECT extract(epoch FROM poll_at - now())::float8 AS wait FROM grid_connections WHERE id = ${id}`
        )
        const dispatches = (await must(200, "GET", `/v1/programInstances/${instance.id}/dispatches`)).data
        return row!.wait < 5 || dispatches.length > 0 ? true : undefined
      })
      const dispatch = await eventually("the dispatch of the event", async () => {
        await app.run(due as never)
        await poll()
        return (await must(200, "GET", `/v1/programInstances/${instance.id}/dispatches`)).data[0]
      })
      expect(dispatch).toMatchObject({ status: "scheduled" })
      expect((await must(200, "GET", `/v1/grid-connections/${id}`)).lastNotifiedAt).not.toBeNull()
      await must(204, "DELETE", `/v1/grid-connections/${id}`)
      expect(await bl.ok("GET", "/subscriptions")).toEqual([])
    }
  )
})
