import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { SecretBox } from "../platform/secrets/SecretBox.ts"
import { transactionsOn, untilDone } from "../platform/sql/transaction.ts"
import { gridConnections } from "./GridConnectionsRepository.ts"
import { gridSecretPurpose } from "./gridRow.ts"

/** Rows per transaction. */
const BATCH = 100

/** Moves the secrets of VTNs from the previous encryption key to the current one. Returns the number of connections. */
export const GridReEncryption = Effect.gen(function* () {
  const repository = yield* gridConnections
  const box = yield* SecretBox
  const sql = yield* SqlClient.SqlClient
  const batch = Effect.gen(function* () {
    const rows = yield* repository.sealedOtherwise(box.fingerprint, BATCH)
    yield* Effect.forEach(rows, ({ id, sealedSecret }) =>
      Effect.flatMap(box.reseal(gridSecretPurpose(id), sealedSecret!), (sealed) => repository.reseal(id, sealed))
    )
    return rows.length
  }).pipe(transactionsOn(sql))
  return yield* untilDone(batch, BATCH)
}).pipe(Effect.withSpan("GridReEncryption"))
