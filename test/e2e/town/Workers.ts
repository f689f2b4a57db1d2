import { setTimeout } from "node:timers/promises"
import type { Client } from "pg"
import { expect } from "vitest"
import { type SpawnedServer, spawnServer } from "../../support/spawnServer.ts"

/** The process that does all background work of an installation, and its successors. */
export class Workers {
  readonly #env: Readonly<Record<string, string>>
  readonly #database: Client
  #current: SpawnedServer | undefined

  constructor(env: Readonly<Record<string, string>>, database: Client) {
    this.#env = { ...env, EDP_ROLE: "worker" }
    this.#database = database
  }

  async start() {
    this.#current = await spawnServer({ env: this.#env })
  }

  /** Kills the process. Its leases end at once, as after two minutes. */
  async kill() {
    await this.#current!.kill9()
    this.#current = undefined
    await this.#database.query("UPDATE device_work SET lease_until = clock_timestamp() WHERE claim IS NOT NULL")
    await this.#database.query("UPDATE account_work SET due_at = now() WHERE claim IS NOT NULL")
  }

  async stop() {
    if (this.#current !== undefined) expect(await this.#current.stop()).toBe(0)
  }
}

/** Waits for a moment, which must not have passed. */
export const until = async (time: number) => {
  expect(Date.now()).toBeLessThan(time)
  await setTimeout(time - Date.now())
}
