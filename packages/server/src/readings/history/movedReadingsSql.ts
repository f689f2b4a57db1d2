/** Keeps the partitions of readings from being dropped until the transaction ends. */
export const holdPartitions = "LOCK TABLE readings IN ACCESS SHARE MODE"

/**
 * Selects readings of a workspace's devices as texts, for an archive. The columns are device_id, micros (the time in
 * microseconds since 1970), id and state. The workspace is the first parameter, the first time the second one.
 */
export const movedReadings = `SELECT r.device_id, (extract(epoch FROM r.at) * 1000000)::bigint::text AS micros, r.id, r.state::text AS state
  FROM devices d JOIN readings r ON r.device_id = d.id WHERE d.origin_workspace_id = $1 AND r.at >= $2::timestamptz`
