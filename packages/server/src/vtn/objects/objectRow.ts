import { Schema } from "effect"
import { iso } from "../../platform/sql/records.ts"
import { JsonColumn } from "../../platform/sql/rows.ts"
import type { ObjectBody } from "../objectBody.ts"
import { kinds, type KindName } from "./kinds.ts"

/** An object as it is stored, of any kind. */
export const ObjectRow = Schema.Struct({
  id: Schema.String,
  clientId: Schema.NullOr(Schema.String),
  /** Null for an object without targets, and for kinds that have none. */
  targets: Schema.NullOr(Schema.Array(Schema.String)),
  /** The site of a resource that the platform publishes. */
  siteId: Schema.NullOr(Schema.String),
  body: JsonColumn<ObjectBody>(),
  createdAt: Schema.Date,
  modifiedAt: Schema.Date
})
export type ObjectRow = typeof ObjectRow.Type

/** An object as OpenADR shows it, with its metadata. */
export const toObject = (kind: KindName, row: ObjectRow): ObjectBody => ({
  id: row.id,
  createdDateTime: iso(row.createdAt),
  modificationDateTime: iso(row.modifiedAt),
  objectType: kinds[kind].objectType,
  ...row.body,
  ...(row.targets !== null && { targets: row.targets }),
  ...(kinds[kind].privacy === "owner" && { clientID: row.clientId })
})
