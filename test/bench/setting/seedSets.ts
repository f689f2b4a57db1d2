import { Client } from "pg"
import { callAt } from "../../support/callAt.ts"
import type { PostgresSetting } from "./postgresSetting.ts"

/** Creates a collection of devices and returns its id. */
export const createCollection = async ({ platform }: PostgresSetting, fields: object): Promise<string> => {
  const { status, body, text } = await callAt(`http://127.0.0.1:${platform.port}`, "POST", "/v1/collections", {
    key: platform.credentials.serverKey,
    body: { collectionType: "DEVICE", ...fields }
  })
  if (status !== 201) throw new Error(`no collection: ${text}`)
  return body.id
}

/** Manual collections, each with this number of devices that no other one has. */
export const seedSets = async (on: PostgresSetting, sets: number, members: number): Promise<ReadonlyArray<string>> => {
  const ids: Array<string> = []
  for (let n = 0; n < sets; n++) {
    ids.push(await createCollection(on, { name: `by hand, ${n}`, criteria: {}, dynamic: false }))
  }
  const client = new Client({ connectionString: on.postgres.url })
  await client.connect()
  try {
    await client.query(
      `INSERT INTO collection_members (workspace_id, collection_id, member_id)
        SELECT workspace_id, ($1::text[])[1 + n % $2::int], id FROM (
          SELECT id, workspace_id, (row_number() OVER (ORDER BY id))::int AS n FROM devices ORDER BY id LIMIT $2::int * $3::int
        ) AS numbered`,
      [ids, sets, members]
    )
    await client.query("VACUUM ANALYZE collection_members")
  } finally {
    await client.end()
  }
  return ids
}
