import type { SqlClient, Statement } from "effect/sql"

/** The hashes of the sites in the blocks from `first` to `last`, as text. */
const hashesFromTo = (blocks: number, first: number, last: number) => {
  const width = 2n ** 64n / BigInt(blocks)
  const start = (block: number) => BigInt(block) * width - 2n ** 63n
  return [`${start(first)}`, `${start(last + 1) - 1n}`] as const
}

/** SQL that divides the sites of a fleet into blocks. Devices are `d`. */
export const fleetBlocks = (sql: SqlClient.SqlClient) => {
  const milliseconds = (at: Statement.Fragment) => sql`round(date_part('epoch', ${at}) * 1000)`
  const hashSql = (site: Statement.Fragment) => sql`hashtextextended(${site}, 0)`
  /** The highest bits of the hash: a block is a range of hashes. */
  const blockSql = (site: Statement.Fragment, blocks: number) =>
    blocks === 1
      ? sql.literal("0")
      : sql`((${hashSql(site)} >> ${sql.literal(`${64 - Math.log2(blocks)}`)}) + ${sql.literal(`${blocks / 2}`)})::int`
  const site = sql`coalesce(d.site_id, d.id)`
  /** Devices of the blocks from the first to the last of a list. */
  const isAmong = (blocks: number, list: ReadonlyArray<number>) => {
    const [first, last] = hashesFromTo(blocks, Math.min(...list), Math.max(...list))
    return sql`${hashSql(site)} BETWEEN ${first}::bigint AND ${last}::bigint`
  }
  return { blockSql, isAmong, milliseconds, site }
}
