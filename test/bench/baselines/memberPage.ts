/**
 * Criteria by type, tag and a field of the state, and the same by hand. The CASE keeps the planner from taking the test of
 * the state for one that next to nothing passes, and from reading the states of all devices for it.
 */
export interface CriteriaByHand {
  readonly tag: string
  readonly criteria: object
  /** The ids of those that meet them; the index of tags leads to them. */
  readonly matching: string
}

/** How much a device of the fleet makes, at least. */
const POWER = 4000

export const byTag = (workspaceId: string, tag: string): CriteriaByHand => ({
  tag,
  criteria: {
    all: [
      { attribute: "type", operator: "eq", value: "inverter" },
      { attribute: "tags", operator: "contains", value: tag },
      { attribute: "state.power", operator: "gte", value: POWER }
    ]
  },
  matching: `SELECT d.id FROM device_tags t JOIN devices d ON d.id = t.device_id
    JOIN device_states s ON s.device_id = d.id WHERE t.workspace_id = '${workspaceId}' AND t.tag = '${tag}'
      AND d.type = 'inverter'
      AND CASE WHEN jsonb_typeof(s.state -> 'power') = 'number' THEN s.state -> 'power' >= '${POWER}' ELSE false END`
})

/** The members of a materialized collection. */
export const keptIds = (collectionId: string): string =>
  `SELECT member_id AS id FROM collection_members WHERE collection_id = '${collectionId}'`
