import { setTimeout } from "node:timers/promises"
import { Client } from "pg"

const POLL_MS = 50
const PATIENCE_MS = 300_000

/** Waits until nothing is left to be rolled up. */
export const awaitRolled = async (databaseUrl: string): Promise<void> => {
  const client = new Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline; await setTimeout(POLL_MS)) {
      const { rows } = await client.query<{ unrolled: boolean }>(
        "SELECT EXISTS (SELECT FROM device_states WHERE unrolled) AS unrolled"
      )
      if (!rows[0]!.unrolled) return
    }
  } finally {
    await client.end()
  }
  throw new Error("The rollups were not brought up to the readings")
}
