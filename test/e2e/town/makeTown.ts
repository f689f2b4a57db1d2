import type { Client } from "pg"
import { expect } from "vitest"
import { callAt } from "../../support/callAt.ts"
import { eventually } from "../../support/eventually.ts"
import type { SpawnedServer } from "../../support/spawnServer.ts"
import { edp } from "../edp.ts"

/** A home of a town: its account at the manufacturer, its site and its owner. */
export interface TownHome {
  readonly account: string
  readonly siteId: string
  readonly customerId: string
}

/** Calls that may run at the same time. */
export const each = async <A>(items: ReadonlyArray<A>, use: (item: A) => Promise<unknown>, atOnce = 8) => {
  const left = [...items]
  const work = async () => {
    for (let item = left.pop(); item !== undefined; item = left.pop()) await use(item)
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}

/** A town of simulated homes with batteries in the workspace of a service, and its program. */
export const makeTown = (
  { baseUrl, credentials, dataDir }: Pick<SpawnedServer, "baseUrl" | "dataDir" | "credentials">,
  database: Client
) => {
  const call = async (method: string, path: string, body?: object, key = credentials.serverKey): Promise<any> => {
    const response = await callAt(baseUrl, method, path, { key, ...(body && { body }) })
    expect(response.status, `${path} ${response.text}`).toBeLessThan(300)
    return response.body
  }

  const run = async (...args: ReadonlyArray<string>) => {
    const ran = await edp(args, { EDP_DATA_DIR: dataDir, EDP_URL: baseUrl })
    expect([ran.code, ran.stderr.slice(-2000)], args.join(" ")).toEqual([0, expect.any(String)])
    return ran
  }

  const count = async (sql: string, ...values: ReadonlyArray<unknown>) =>
    Number((await database.query(`SELECT count(*) AS n FROM ${sql}`, [...values])).rows[0].n)

  /** Homes with batteries, and so many days of their past. */
  const settle = async (homes: number, pastDays: number): Promise<ReadonlyArray<TownHome>> => {
    await run("simulator", "town", "--homes", `${homes}`, "--with", "battery", "--past", `${pastDays}d`)
    const { rows } = await database.query<TownHome>(
      `SELECT DISTINCT a.external_id AS account, d.site_id AS "siteId", l.customer_id AS "customerId"
       FROM devices d JOIN accounts a ON a.id = d.account_id JOIN customer_sites l ON l.site_id = d.site_id`
    )
    expect(rows).toHaveLength(homes)
    await eventually(
      "the past of all homes is stored",
      async () => ((await count("account_work WHERE memory IS NULL")) === 0 ? true : undefined),
      180_000
    )
    return rows
  }

  /** A program instance in which all homes are enrolled. */
  const enroll = async (homes: ReadonlyArray<TownHome>): Promise<string> => {
    const program = {
      slug: "evening-peak",
      name: "Evening Peak",
      description: "Batteries discharge on hot evenings.",
      states: ["CA"],
      eligibility: { attribute: "type", operator: "eq", value: "battery" }
    }
    await call("POST", "/v1/programs", program, credentials.managementKey)
    const instance = await call("POST", "/v1/programInstances", {
      slug: "evening-peak-2026",
      programSlug: program.slug,
      title: "Evening Peak 2026",
      description: "Your battery helps on hot evenings.",
      eligibilityCriteria: "Homes in California with a battery.",
      programTerms: "Up to 20 evenings a year."
    })
    const enrollments = homes.map(({ customerId, siteId }) => ({
      identificationType: "customerId",
      customerId,
      siteId,
      acceptedTerms: { version: instance.termsVersion }
    }))
    const { created, failed, results } = await call("POST", `/v1/programInstances/${instance.id}/enrollments/bulk`, {
      enrollments
    })
    expect([created, failed], JSON.stringify(results[0])).toEqual([homes.length, 0])
    await each(results, ({ enrollment }: any) => call("POST", `/v1/enrollments/${enrollment.id}/approve`, {}))
    return instance.id
  }

  return { call, run, count, settle, enroll }
}
