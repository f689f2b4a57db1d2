import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { SitesOfCustomer } from "../customers/Customers.ts"
import { siteTable } from "./siteTable.ts"

/** Implements the port of customers. */
export const CustomerSitesLive = Layer.effect(
  SitesOfCustomer,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const { owners, requireSite } = siteTable(sql)
    return { owners, require: requireSite }
  })
)
