import { setTimeout } from "node:timers/promises"
import { Customer } from "@edp/domain/customers/Customer"
import { EventOutbox } from "@edp/server/platform/outbox/EventOutbox"
import { inTransaction } from "@edp/server/platform/sql/transaction"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, beforeAll, expect, test } from "vitest"
import { inTurn, rounds, testSeed } from "../support/rounds.ts"
import { eventually } from "../support/eventually.ts"
import { useDatabases } from "../support/Databases.ts"
import { describePostgres } from "../support/PostgresServer.ts"
import { killProcess } from "../support/processes.ts"
import { Random } from "../support/Random.ts"
import { type SpawnedServer, spawnServer } from "../support/spawnServer.ts"
import { useTestApp } from "../support/TestApp.ts"
import { type Arrival, kinds, type Receivers, startReceivers } from "./chaos/receivers.ts"
import { times } from "./fleet.ts"

const KILLS = rounds(10)
const EVENTS = KILLS * 500
const SUBJECTS = 500
const WORKERS = 3

const [example] = (Customer.ast.annotations as { readonly examples: ReadonlyArray<typeof Customer.Type> }).examples
const readSubject = (n: number) => `c${String(n % SUBJECTS).padStart(24, "0")}`
/** One in twenty is of the type that every receiver subscribes to. */
const readType = (n: number) => (n % 20 === 7 ? "CUSTOMER_CREATED" : "CUSTOMER_UPDATED")

/** The events that reached a receiver, without repetitions. */
const firstOnes = (arrivals: ReadonlyArray<Arrival>) =>
  [...new Map(arrivals.toReversed().map((one) => [one.id, one])).values()].toReversed()

/** With workers that are instances of their own, or processes of one. */
const suite = (isOneInstance: boolean) =>
  describePostgres(isOneInstance ? "deliveries of several processes" : "deliveries", () => {
    const random = new Random(testSeed)
    const databases = useDatabases()
    let receivers: Receivers
    beforeAll(async () => {
      receivers = await startReceivers(random)
    })
    afterAll(async () => {
      await receivers.stop()
    })
    const app = useTestApp({ databaseUrl: () => databases.url, env: { EDP_ALLOW_PRIVATE_DESTINATIONS: "true" } })

    const startWorker = (more: Readonly<Record<string, string>> = {}) =>
      spawnServer({
        env: {
          ...more,
          DATABASE_URL: databases.url,
          EDP_ROLE: "worker",
          EDP_ALLOW_PRIVATE_DESTINATIONS: "true",
          EDP_DATABASE_POOL: "4"
        }
      })

    /** Publishes events in one transaction, as the service does. */
    const publish = (workspaceId: string, numbers: ReadonlyArray<number>) =>
      app.run(
        Effect.gen(function* () {
          const outbox = yield* EventOutbox
          yield* inTransaction(
            outbox.publish(
              numbers.map((n) => ({
                type: readType(n),
                workspaceId,
                data: { customer: { ...example!, id: readSubject(n), workspaceId } }
              }))
            )
          )
        }) as Effect.Effect<void, never, SqlClient.SqlClient>
      )

    /** Makes all waiting retries due. */
    const timePasses = () =>
      app.sql(
        (sql) => sql`WITH queues AS (UPDATE delivery_queues SET not_before = '-infinity' WHERE not_before <> 'infinity')
        UPDATE delivery_lanes SET due_at = now() WHERE claim IS NULL AND due_at > now()`
      )

    test(`reach every receiver, in order, each with a stable id, through ${KILLS} kills -9 of workers (seed ${testSeed})`, async () => {
      const { keys, workspaceId } = await app.workspace()
      const destinations = new Map<string, string>()
      for (const kind of kinds) {
        const eventTypes =
          kind === "well" || kind === "flaky" ? ["CUSTOMER_CREATED", "CUSTOMER_UPDATED"] : ["CUSTOMER_CREATED"]
        const body = { destinationType: "WEBHOOK", url: receivers.urlOf(kind), eventTypes }
        const response = await app.call("POST", "/v1/destinations", { key: keys.SERVER, body })
        destinations.set(kind, response.body.id)
      }
      // Writes need a migrated database, so wait for the workers.
      const workers: Array<Promise<SpawnedServer>> = []
      if (isOneInstance) workers.push(startWorker({ EDP_PROCESSES: `${WORKERS}` }))
      else for (const _ of times(WORKERS)) workers.push(startWorker())
      await Promise.all(workers)
      const killOne = async (victim: number) => {
        if (isOneInstance) return killProcess(await workers[0]!, `worker-${victim + 1}`)
        await (await workers[victim]!).kill9()
        workers[victim] = startWorker()
      }

      const part = EVENTS / KILLS
      const received = () => receivers.arrivals.get("well")!.length
      for (const kill of times(KILLS)) {
        const before = received()
        await publish(
          workspaceId,
          times(part).map((n) => kill * part + n)
        )
        // Every other kill comes soon after a delivery, so that a slow machine cuts some of them off, too.
        const isAmongDeliveries = kill % 2 === 1
        if (isAmongDeliveries) await eventually("deliveries begin", () => (received() > before ? true : undefined))
        await setTimeout(random.next() * (isAmongDeliveries ? 100 : 500))
        await killOne(random.below(WORKERS))
        if (kill === Math.floor(KILLS / 2)) receivers.recover()
      }
      await Promise.all(workers)

      const ids = await app.sql<{ readonly id: string; readonly type: string }>(
        (sql) => sql`SELECT id, type FROM events WHERE workspace_id = ${workspaceId}`
      )
      expect(ids).toHaveLength(EVENTS)
      await eventually("everything is delivered", async () => {
        await timePasses()
        const [row] = await app.sql<{ readonly n: number }>(
          (sql) => sql`SELECT count(*)::int AS n FROM deliveries WHERE status = 'succeeded'`
        )
        return row!.n === 2 * EVENTS + ((kinds.length - 2) * EVENTS) / 20 ? true : undefined
      })
      for (const worker of workers) expect(await (await worker).stop()).toBe(0)

      expect(receivers.strays).toEqual([])
      for (const kind of kinds) {
        const isEvery = kind === "well" || kind === "flaky"
        const expected = ids.filter(({ type }) => isEvery || type === "CUSTOMER_CREATED").map(({ id }) => id)
        const first = firstOnes(receivers.arrivals.get(kind)!)
        expect([kind, first.map(({ id }) => id).toSorted()]).toEqual([kind, expected.toSorted()])
        for (const [subject, ones] of Map.groupBy(first, (one) => one.subject)) {
          const sequences = ones.map(({ sequence }) => sequence)
          expect([kind, subject, sequences]).toEqual([kind, subject, sequences.toSorted((a, b) => a - b)])
        }
      }
      const repeated = receivers.arrivals.get("well")!.length - EVENTS
      expect(repeated, "workers were killed in the midst of deliveries").toBeGreaterThan(0)
    }, 300_000)
  })

inTurn(
  1,
  () => suite(false),
  () => suite(true)
)
