/** A filter of the device list, and the same by hand. */
export interface ListedBy {
  /** As the query string has it; empty for the whole list. */
  readonly query: string
  /** The newest ids that match, or all of them where `count` counts them. */
  readonly matching: string
}

const columns = `d.id, d.workspace_id, d.site_id, d.name, d.manufacturer_device_id, d.serial_number, d.reference_id,
  d.manufacturer, d.type, d.model, d.raw_type, d.raw_model, d.model_year, d.static_state, d.commands, d.tags,
  d.created_at, d.updated_at, d.connected_at, d.disconnected_at, s.reading_id, s.at, s.state, s.reported_status,
  s.latitude, s.longitude, sites.street_one, sites.street_two, sites.city, sites.state AS site_state,
  sites.postal_code, sites.country, sites.county, sites.address_hash, sites.latitude AS site_latitude,
  sites.longitude AS site_longitude, now() - m.online_window AS online_since`

/** One page of full rows, its ids chosen before anything is joined to them. */
export const pageStatement = ({ matching }: ListedBy, perPage: number): string => `SELECT ${columns}
  FROM (SELECT id FROM (${matching}) AS matching ORDER BY id DESC LIMIT ${perPage}) AS page
  JOIN devices d ON d.id = page.id JOIN manufacturers m ON m.slug = d.manufacturer
  LEFT JOIN device_states s ON s.device_id = d.id LEFT JOIN sites ON sites.id = d.site_id ORDER BY d.id DESC`

export const countStatement = ({ matching }: ListedBy): string => `SELECT count(*) FROM (${matching}) AS matching`

const devices = (workspaceId: string, condition: string, joins = "") =>
  `SELECT d.id FROM devices d ${joins} WHERE d.workspace_id = '${workspaceId}' ${condition}`

const reachable = (condition: string) =>
  ["JOIN manufacturers m ON m.slug = d.manufacturer JOIN device_states s ON s.device_id = d.id", condition] as const

/** The whole list first, then every filter by a value that a fleet as `seedFleet` makes it has. */
export const listings = (workspaceId: string): ReadonlyArray<ListedBy> => {
  const by = (query: string, condition: string, joins = "") => ({
    query,
    matching: devices(workspaceId, condition, joins)
  })
  const site = "c0s0000000000000000000077"
  const [states, young] = reachable(
    "AND s.at >= now() - m.online_window AND s.reported_status IS DISTINCT FROM 'asleep'"
  )
  const old = "AND s.at < now() - m.online_window AND s.reported_status IS DISTINCT FROM 'asleep'"
  return [
    by("", ""),
    by("type=inverter", "AND d.type = 'inverter'"),
    by("manufacturer=generic", "AND d.manufacturer = 'generic'"),
    by("model=Generic%20inverter", "AND d.model = 'Generic inverter'"),
    by(`siteId=${site}`, `AND d.site_id = '${site}'`),
    by("referenceId=user-4711", "AND d.reference_key = 'user-4711'"),
    by("manufacturerDeviceId=INV-500000", "AND d.manufacturer_device_id = 'INV-500000'"),
    by("serialNumber=SN-500000", "AND d.serial_number = 'SN-500000'"),
    {
      query: "tag=fleet-77",
      matching: `SELECT device_id AS id FROM device_tags WHERE workspace_id = '${workspaceId}' AND tag = 'fleet-77'`
    },
    by("onlineStatus=online", young, states),
    by("onlineStatus=offline", old, states),
    by("connected=true", "AND d.disconnected_at IS NULL"),
    by("connected=false", "AND d.disconnected_at IS NOT NULL"),
    by("q=inverter%2077", "AND d.name_key LIKE 'inverter 77%'"),
    by(
      "type=inverter&tag=fleet-77&connected=false",
      `AND d.type = 'inverter' AND d.disconnected_at IS NOT NULL
      AND EXISTS (SELECT FROM device_tags t WHERE t.workspace_id = d.workspace_id AND t.tag = 'fleet-77' AND t.device_id = d.id)`
    )
  ]
}
