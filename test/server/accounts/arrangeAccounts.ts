import { AccountRunner } from "@edp/server/accounts/AccountRunner"
import { Accounts } from "@edp/server/accounts/Accounts"
import { Effect, Logger } from "effect"
import { eventually } from "../../support/eventually.ts"
import type { scriptedAdapter } from "../../support/scriptedAdapter.ts"
import type { TestApp } from "../../support/TestApp.ts"

type Scripted = ReturnType<typeof scriptedAdapter>
type Person = ReturnType<Scripted["account"]>

interface WorkRow {
  readonly dueInSeconds: number | null
  readonly claim: string | null
  readonly failures: number
  readonly refreshing: boolean
  readonly memory: unknown
  readonly problem: string | null
}

/** A workspace with accounts of a scripted manufacturer, and the steps of a worker. */
export const arrangeAccounts = async (app: TestApp, scripted: Scripted) => {
  const { keys, workspaceId } = await app.workspace()
  const call = (method: string, path: string, body?: unknown) =>
    app.call(method, path, { key: keys.SERVER, ...(body !== undefined && { body }) })
  const accounts = <A, E>(use: (service: Accounts["Service"]) => Effect.Effect<A, E>) =>
    app.run(Effect.flatMap(Accounts, use))

  const begin = async (
    person: Person,
    more: { readonly expiresAt?: number | null; readonly referenceId?: string } = {}
  ) => {
    const { expiresAt = null, referenceId = "user-1" } = more
    const id = await accounts((service) =>
      service.begin({
        workspaceId,
        manufacturer: scripted.adapter.manifest.slug,
        referenceId,
        tags: ["solar"],
        linked: {
          externalId: person.externalId,
          name: "A person's account",
          credentials: { token: "secret-token", refreshToken: "secret-refresh" },
          expiresAt
        }
      })
    )
    await accounts((service) => service.discover(id))
    return id
  }

  const finish = (
    id: string,
    person: Person,
    more: {
      readonly reconnect?: string | null
      readonly chosen?: ReadonlyArray<string>
      readonly referenceId?: string
    } = {}
  ) =>
    accounts((service) =>
      service.finish(id, {
        customerId: null,
        siteId: null,
        referenceId: more.referenceId ?? "user-1",
        tags: ["solar"],
        manufacturerDeviceIds:
          more.chosen ?? person.account.devices.map(({ manufacturerDeviceId }) => manufacturerDeviceId),
        reconnect: more.reconnect ?? null
      })
    )

  /** A connected account that is due at once. */
  const link = async (
    person: Person = scripted.account(),
    more: { readonly expiresAt?: number | null; readonly referenceId?: string } = {}
  ) => {
    const pending = await begin(person, more)
    const { accountId, deviceIds } = await finish(pending, person, more)
    return { ...person, id: accountId, deviceIds, deviceId: deviceIds[0]! }
  }

  const work = async (accountId: string) => {
    const [row] = await app.sql<WorkRow>(
      (
        sql
      ) => sql`SELECT CASE WHEN due_at < 'infinity' THEN extract(epoch FROM due_at - now())::float8 END AS "dueInSeconds",
          claim, failures, refreshing_since IS NOT NULL AS refreshing, memory, problem
        FROM account_work WHERE account_id = ${accountId}`
    )
    return row!
  }

  /** Makes the reading due, or with `discovery` also the listing, and works until nothing of the account is under way. */
  const perform = async (accountId: string, what: { readonly discovery?: boolean; readonly due?: boolean } = {}) => {
    if (what.due !== false) {
      await app.sql(
        (sql) => sql`UPDATE account_work SET due_at = now(), read_at = now(),
          discover_at = CASE WHEN ${what.discovery === true} THEN now() ELSE discover_at END
          WHERE account_id = ${accountId} AND due_at < 'infinity' RETURNING 1`
      )
    }
    await app.run(Effect.flatMap(AccountRunner, ({ step }) => step).pipe(Effect.provide(Logger.layer([]))))
    await eventually("the work ends", async () => ((await work(accountId))?.claim === null ? true : undefined))
  }

  const account = async (id: string) => {
    const [row] = await app.sql<any>((sql) => sql`SELECT * FROM accounts WHERE id = ${id}`)
    return row
  }

  const device = async (id: string) => (await call("GET", `/v1/devices/${id}`)).body

  const events = async (type?: string) => {
    const { body } = await call("GET", `/v1/events?perPage=100${type === undefined ? "" : `&type=${type}`}`)
    return body.data as ReadonlyArray<any>
  }

  const alerts = async () => (await call("GET", "/v1/alerts?perPage=100")).body.data as ReadonlyArray<any>

  return { account, accounts, alerts, begin, call, device, events, finish, keys, link, perform, work, workspaceId }
}
