import { setTimeout } from "node:timers/promises"
import type { Client } from "pg"
import { quietly } from "./quietly.ts"

/** Milliseconds in a second that the database works while nothing is asked of the platform. */
export const idleDatabaseTime = async (database: Client, seconds: number): Promise<number> => {
  // Sessions report their time when they become idle, at most once in a second.
  const time = async () =>
    Number(
      (await database.query("SELECT active_time FROM pg_stat_database WHERE datname = current_database()")).rows[0]
        .active_time
    )
  await setTimeout(5000)
  const { result } = await quietly(async () => {
    const before = await time()
    await setTimeout(seconds * 1000)
    return (await time()) - before
  })
  return result / seconds
}
