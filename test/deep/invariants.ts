import { Client } from "pg"
import { callAt } from "../support/callAt.ts"
import { eventually } from "../support/eventually.ts"
import { type FeedEvent, loadSpan } from "../support/RecordingLoad.ts"
import type { Installation } from "./installation.ts"

/** When a disturbance may cut off the call of a command, in milliseconds since 1970. */
export interface Cut {
  readonly from: number
  readonly to: number
}

const some = (items: ReadonlyArray<unknown>) =>
  `${items.length}${items.length > 0 ? `, such as ${JSON.stringify(items[0])}` : ""}`

const readSubject = ({ data }: any): string => data.device?.id ?? data.deviceId ?? data.customer.id

/** The deliveries that have arrived at the webhook receiver. `take` empties its record. */
export class Arrivals {
  /** Ids by sequence, in the order of their first arrival. */
  readonly first = new Map<number, string>()
  readonly #newest = new Map<string, number>()
  readonly wrong: Array<string> = []
  count = 0
  #newestAt = 0

  take({ receiver }: Pick<Installation, "receiver">) {
    for (const { event, headers } of receiver.received.splice(0)) {
      const { id, sequence } = event as FeedEvent
      this.count += 1
      this.#newestAt = performance.now()
      if (headers["webhook-id"] !== id) this.wrong.push(`webhook-id ${headers["webhook-id"]} of event ${id}`)
      const known = this.first.get(sequence)
      if (known !== undefined && known !== id) this.wrong.push(`sequence ${sequence} with the ids ${known} and ${id}`)
      if (known !== undefined) continue
      this.first.set(sequence, id)
      const subject = readSubject(event)
      if (sequence < (this.#newest.get(subject) ?? 0)) this.wrong.push(`event ${id} of ${subject} after a later one`)
      this.#newest.set(subject, sequence)
    }
    return this.#newestAt
  }
}

/** The installation that is checked. Histories are read at the first instance, and the feed at the second. */
type Checked = Pick<
  Installation,
  "cloud" | "credentials" | "deviceIds" | "eventTypes" | "load" | "postgres" | "receiver" | "undocumented"
> & { readonly instances: readonly [{ readonly server: Reachable }, { readonly server: Reachable }] }
type Reachable = { readonly baseUrl: string }

/** Checks what holds whatever has happened. The load has ended. Returns what is violated. */
export const checkInvariants = async (
  on: Checked,
  arrivals: Arrivals,
  cuts: ReadonlyArray<Cut>
): Promise<{ readonly violated: ReadonlyArray<string>; readonly evidence: ReadonlyArray<string> }> => {
  const { cloud, credentials, deviceIds, eventTypes, instances, load, postgres, undocumented } = on
  const { serverKey: key, workspaceId } = credentials
  const database = new Client({ connectionString: postgres.url })
  await database.connect()
  const violated: Array<string> = []
  const evidence: Array<string> = []
  const requireNone = (what: string, items: ReadonlyArray<unknown>) => {
    if (items.length > 0) violated.push(`${what}: ${some(items)}`)
  }
  const select = async <Row>(text: string, ...values: ReadonlyArray<unknown>) =>
    (await database.query(text, [...values])).rows as ReadonlyArray<Row>
  const settled = (what: string, ask: () => Promise<boolean>) =>
    eventually(what, async () => ((await ask()) ? true : undefined), 150_000).catch((error: Error) => {
      violated.push(error.message)
    })
  try {
    await settled("no command waits", async () => {
      const open = await select(
        "SELECT FROM commands WHERE workspace_id = $1 AND status IN ('pending', 'scheduled') LIMIT 1",
        workspaceId
      )
      return open.length === 0
    })
    await settled("no delivery waits", async () => {
      await database.query(`WITH queues AS (UPDATE delivery_queues SET not_before = '-infinity' WHERE not_before <> 'infinity')
        UPDATE delivery_lanes SET due_at = now() WHERE claim IS NULL AND due_at > now()`)
      arrivals.take(on)
      const waiting = await select(
        "SELECT FROM delivery_lanes JOIN destinations d ON d.id = destination_id WHERE d.workspace_id = $1 LIMIT 1",
        workspaceId
      )
      return waiting.length === 0
    })

    const readings = await select<{ reading: string }>(
      `SELECT device_id || ' ' || to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS reading FROM readings WHERE device_id = ANY($1)`,
      deviceIds
    )
    const stored = new Set(readings.map(({ reading }) => reading))
    requireNone(
      "acknowledged readings that are lost",
      [...load.readings].filter((one) => !stored.has(one))
    )
    let shown = 0
    for (const deviceId of deviceIds) {
      const path = `/v1/devices/${deviceId}/history?${loadSpan}&perPage=1`
      shown += (await callAt(instances[0].server.baseUrl, "GET", path, { key })).body.totalItems
    }
    if (shown !== stored.size || readings.length !== stored.size)
      violated.push(`of ${stored.size} readings the history shows ${shown}, and the table has ${readings.length}`)
    evidence.push(`${load.readings.size} acknowledged readings, ${stored.size} stored`)

    const events = await select<{ id: string; sequence: string; type: string; customer: string | null }>(
      "SELECT id, sequence, type, payload->'customer'->>'id' AS customer FROM events WHERE workspace_id = $1 ORDER BY sequence",
      workspaceId
    )
    for (;;) {
      const path = `/v1/events?after=${load.feed.at(-1)?.sequence ?? 0}&perPage=100`
      const { data } = (await callAt(instances[1].server.baseUrl, "GET", path, { key })).body
      if (data.length === 0) break
      load.feed.push(...data)
    }
    const followed = new Set(load.feed.map(({ id }) => id))
    const isBackward = ({ sequence }: FeedEvent, n: number) => n > 0 && sequence <= load.feed[n - 1]!.sequence
    requireNone(
      "events that the feed's reader missed",
      events.filter(({ id }) => !followed.has(id))
    )
    requireNone("events out of order in the feed", load.feed.filter(isBackward))
    const created = Map.groupBy(
      events.filter(({ type }) => type === "CUSTOMER_CREATED"),
      ({ customer }) => customer
    )
    // The load has the customers that it has made; the account of the simulator has one more.
    const lostCustomers = [...load.customers].filter((id) => created.get(id)?.length !== 1)
    requireNone("acknowledged customers without exactly one event", lostCustomers)
    if (created.size !== load.customers.size + 1)
      violated.push(`${load.customers.size} customers were acknowledged, and ${created.size - 1} exist`)
    evidence.push(`${load.customers.size} customers, ${events.length} events`)

    const superseded = await select<{ id: string }>("SELECT event_id AS id FROM deliveries WHERE status = 'superseded'")
    const excused = new Set(superseded.map(({ id }) => id))
    const delivered = new Set(arrivals.first.values())
    const subscribed = events.filter(({ id, type }) => eventTypes.includes(type) && !excused.has(id))
    const missed = subscribed.filter(({ id }) => !delivered.has(id))
    const states = await select<{ state: string; n: string }>(
      `SELECT coalesce(d.status, 'not queued') || coalesce(' after ' || d.failures || ' failures', '') AS state, count(*) AS n
        FROM unnest($1::text[]) AS missed (id) LEFT JOIN deliveries d ON d.event_id = missed.id GROUP BY 1`,
      missed.map(({ id }) => id)
    )
    requireNone("events that the receiver did not get", missed)
    if (missed.length > 0)
      violated.push(`their deliveries: ${states.map(({ n, state }) => `${n} ${state}`).join(", ")}`)
    requireNone("deliveries", arrivals.wrong)
    evidence.push(`${arrivals.count} deliveries of ${delivered.size} events, ${excused.size} superseded`)

    const sends = Map.groupBy(
      cloud.calls.filter(({ what }) => what === "send"),
      ({ token }) => token
    )
    const repeated = [...sends.values()].filter((calls) => calls.length > 1)
    // As documented, a command is sent once more if the outcome of the call could not be stored.
    const isAllowed = (calls: typeof cloud.calls) =>
      calls.length === 2 && cuts.some(({ from, to }) => calls[0]!.at > from && calls[0]!.at < to)
    requireNone(
      "commands that were sent again without a cut call",
      repeated.filter((calls) => !isAllowed(calls))
    )
    requireNone("overlapping calls for one device", cloud.overlaps)
    const unsent = await select<{ id: string }>(
      "SELECT id FROM commands WHERE id = ANY($1) AND status IN ('delivered', 'completed') AND id <> ALL($2)",
      [...load.commands],
      [...sends.keys()]
    )
    requireNone("delivered commands that the manufacturer did not get", unsent)
    evidence.push(`${load.commands.size} commands, ${sends.size} sent, ${repeated.length} once more after a cut call`)
    requireNone("undocumented responses", undocumented)
    evidence.push(`${load.outcomes.length} responses checked against the OpenAPI document`)
  } finally {
    await database.end()
  }
  return { violated, evidence }
}
