import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { CollectionsOfDevices } from "../devices/CollectionsPort.ts"
import { collectionTable } from "./collectionTable.ts"

/** Implements the port of devices, which metrics use too. */
export const CollectionsOfDevicesLive = Layer.effect(
  CollectionsOfDevices,
  Effect.map(SqlClient.SqlClient, collectionTable)
)
