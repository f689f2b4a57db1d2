import type { SqlClient } from "effect/sql"

/** How many may use the database at once, how many do, and how many wait for it. */
export interface ConnectionUse {
  readonly most: number
  readonly inUse: number
  readonly waiting: number
}

const key = Symbol.for("@edp/server/platform/sql/connectionUse")

/** The client, telling how its connections are used. */
export const withConnectionUse = <Client extends object>(client: Client, use: () => ConnectionUse): Client =>
  Object.assign(client, { [key]: use })

export const connectionUse = (client: SqlClient.SqlClient): ConnectionUse | undefined =>
  (client as { readonly [key]?: () => ConnectionUse })[key]?.()
