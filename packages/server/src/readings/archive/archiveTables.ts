/** How the tables are laid out: on a single node, replicated, or divided among the shards of a cluster that are replicated. */
export interface ArchiveTables {
  readonly layout: "single" | "replicated" | "sharded"
  readonly cluster?: string
}

/*
 * A month is a partition, because readings are dropped by months. The id of a reading is kept as the time between the reading and its issue, the 13 digits
 * after that, which are the same in most readings of a device, and the count of the last three.
 */
const columns = `(
  device_id String CODEC(ZSTD(1)),
  at DateTime64(3, 'UTC') CODEC(DoubleDelta, ZSTD(1)),
  delay Int64 CODEC(Delta, ZSTD(1)),
  suffix String CODEC(ZSTD(3)),
  count UInt16 CODEC(Delta, ZSTD(1)),
  state String CODEC(ZSTD(6))
)`
const order = "PARTITION BY toYYYYMM(at) ORDER BY (device_id, at)"
const replicated = (table: string) =>
  `ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/${table}', '{replica}') ${order}`

/** The table that readings are written to and read from. */
export const READINGS = "edp_readings"

/** The table that is altered, with the clause for a statement on it: the local one where readings are divided among shards. */
export const alteredTable = ({ layout, cluster }: ArchiveTables) =>
  layout === "sharded" ? `${READINGS}_local ON CLUSTER \`${cluster}\`` : READINGS

/** The statements that make the tables. */
export const tableStatements = ({ layout, cluster }: ArchiveTables): ReadonlyArray<string> => {
  switch (layout) {
    case "single":
      return [`CREATE TABLE IF NOT EXISTS ${READINGS} ${columns} ENGINE = ReplacingMergeTree ${order}`]
    case "replicated":
      return [`CREATE TABLE IF NOT EXISTS ${READINGS} ON CLUSTER \`${cluster}\` ${columns} ${replicated(READINGS)}`]
    case "sharded":
      return [
        `CREATE TABLE IF NOT EXISTS ${READINGS}_local ON CLUSTER \`${cluster}\` ${columns} ${replicated(`${READINGS}_local`)}`,
        `CREATE TABLE IF NOT EXISTS ${READINGS} ON CLUSTER \`${cluster}\` AS ${READINGS}_local ENGINE = Distributed('${cluster}', currentDatabase(), ${READINGS}_local, cityHash64(device_id))`
      ]
  }
}

/**
 * Settings with which blocks are stored: a block counts as stored when most replicas have it, one after the other, so that reads can be
 * consistent. The mover alone stores, one block at a time.
 */
export const storeSettings = ({ layout }: ArchiveTables): Record<string, string> =>
  layout === "single" ? {} : { insert_quorum: "auto", insert_quorum_parallel: "0", distributed_foreground_insert: "1" }

/** Settings of reads: a replica that lacks blocks which count as stored refuses to respond, instead of leaving readings out. */
export const readSettings = ({ layout }: ArchiveTables): Record<string, string> =>
  layout === "single" ? {} : { select_sequential_consistency: "1" }
