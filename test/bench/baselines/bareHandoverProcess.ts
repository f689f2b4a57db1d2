import { setTimeout } from "node:timers/promises"
import { Agent, request } from "node:http"
import { Pool } from "pg"
import { serveRequests } from "../setting/childProcess.ts"
import type { BareHandover } from "./bareHandover.ts"

const agent = new Agent({ keepAlive: true, maxSockets: 64 })

const post = (port: number, body: string) =>
  new Promise<void>((resolve, reject) => {
    const call = request(
      {
        agent,
        port,
        host: "127.0.0.1",
        method: "POST",
        path: "/commands",
        headers: { "Content-Type": "application/json" }
      },
      (response) => {
        response.resume()
        response.on("end", resolve)
      }
    )
    call.on("error", reject)
    call.end(body)
  })

/** Waits for a place in a window of the quota; windows are aligned to 1970. */
const limiter = ({ calls, windowMs }: { readonly calls: number; readonly windowMs: number }) => {
  let window = 0
  let used = 0
  return async () => {
    for (;;) {
      const now = Date.now()
      const present = Math.floor(now / windowMs)
      if (present > window) [window, used] = [present, 0]
      if (used++ < calls) return
      await setTimeout((window + 1) * windowMs - now)
    }
  }
}

serveRequests(async ({ databaseUrl, quota, port, table, concurrency }: BareHandover): Promise<number> => {
  const pool = new Pool({ connectionString: databaseUrl, max: 10 })
  try {
    const { rows } = await pool.query<{ id: string }>(`SELECT id FROM ${table} WHERE status = 'pending' ORDER BY id`)
    const admit = quota === undefined ? () => Promise.resolve() : limiter(quota)
    const began = performance.now()
    let next = 0
    const loop = async () => {
      while (next < rows.length) {
        const { id } = rows[next++]!
        await admit()
        await post(port, JSON.stringify({ id }))
        await pool.query({
          name: "settle",
          text: `UPDATE ${table} SET status = 'completed', executed_at = now() WHERE id = $1`,
          values: [id]
        })
      }
    }
    await Promise.all(Array.from({ length: concurrency }, loop))
    return (performance.now() - began) / 1000
  } finally {
    await pool.end()
  }
})
