import { Client } from "pg"

export const countReadings = async (databaseUrl: string): Promise<number> => {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const { rows } = await client.query<{ n: number }>("SELECT count(*)::int AS n FROM readings")
    return rows[0]!.n
  } finally {
    await client.end()
  }
}
