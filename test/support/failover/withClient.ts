import { Client, type QueryConfig } from "pg"

/** Runs a statement on a connection of its own. */
export const withClient = async (url: string, statement: string | QueryConfig) => {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 3000 })
  client.on("error", () => undefined)
  await client.connect()
  try {
    return await client.query(statement)
  } finally {
    await client.end()
  }
}
