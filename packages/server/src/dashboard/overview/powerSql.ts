import type { SqlClient } from "effect/sql"
import { reachabilitySql } from "../../devices/criteria/reachabilitySql.ts"

const isOneOf = (...types: ReadonlyArray<string>) => `type IN (${types.map((type) => `'${type}'`).join(", ")})`
const read = (from: "state" | "static_state", field: string) => `(${from}->>'${field}')::float8`

/** The columns of each device, from its newest reading and its ratings. A field is read for the types that have it: reading is what costs. */
const ofDevices = `type, place, site_id, fresh, steerable,
  CASE type WHEN 'battery' THEN ${read("state", "chargeRate")} WHEN 'inverter' THEN ${read("state", "power")}
    WHEN 'meter' THEN ${read("state", "power")} WHEN 'charger' THEN ${read("state", "chargerWattage")}
    WHEN 'vehicle' THEN ${read("state", "chargerWattage")} END AS p,
  CASE WHEN ${isOneOf("inverter", "battery")} THEN ${read("state", "loadPower")} END AS load,
  CASE WHEN ${isOneOf("inverter", "battery")} THEN ${read("state", "gridPower")} END AS grid,
  CASE WHEN type = 'battery' THEN ${read("state", "charge")} END AS charge,
  CASE WHEN ${isOneOf("battery", "vehicle")} THEN ${read("state", "chargePercentage")} / 100 END AS soc,
  CASE WHEN type = 'battery' THEN CASE WHEN (state->>'isStormModeActive')::boolean THEN 1
    ELSE coalesce(${read("state", "backupReserve")} / 100, 0) END END AS reserve,
  CASE type WHEN 'battery' THEN 1 WHEN 'vehicle' THEN CASE (state->>'isPluggedIn')::boolean
    WHEN true THEN coalesce(${read("state", "chargeLimit")} / 100, 1) WHEN false THEN 0 END END AS full_at,
  CASE WHEN ${isOneOf("battery", "vehicle")} THEN ${read("static_state", "capacity")} END AS capacity,
  CASE WHEN type = 'battery' THEN ${read("static_state", "maxDischargeRate")} END AS max_discharge,
  CASE WHEN ${isOneOf("battery", "vehicle")} THEN ${read("static_state", "maxChargeRate")} END AS max_charge`

/** The columns of what devices could do: those with more charge than their reserve deliver at most their rating, those with room take at most theirs. */
const ableDevices = `type, place, site_id, fresh, steerable, p, load, grid, charge, soc, reserve, full_at, capacity,
  fresh AND steerable AND type = 'battery' AS b, fresh AND steerable AND type = 'vehicle' AS v,
  CASE WHEN soc > reserve THEN max_discharge WHEN soc <= reserve THEN 0 END AS can_discharge,
  CASE WHEN soc < full_at THEN max_charge WHEN soc >= full_at THEN 0 END AS can_charge`

const count = (condition: string) => `count(*) FILTER (WHERE ${condition})`
const sum = (value: string, condition: string) => `sum(${value}) FILTER (WHERE ${condition})`

const up = "b AND p IS NOT NULL AND can_discharge IS NOT NULL"
const down = "b AND p IS NOT NULL AND can_charge IS NOT NULL"
const more = "v AND p IS NOT NULL AND can_charge IS NOT NULL"

type Columns = Readonly<Record<string, string>>
const list = (columns: Columns) =>
  Object.entries(columns)
    .map(([name, value]) => `${value} AS "${name}"`)
    .join(", ")

/** Sums of a site, or of a device without one, of what its formulas and its limits are about. */
const ofSites: Columns = {
  solar: sum("p", "type = 'inverter'"),
  battery: sum("p", "type = 'battery'"),
  meter: sum("p", "type = 'meter'"),
  chargers: sum("p", "type = 'charger'"),
  vehicles: sum("p", "type = 'vehicle'"),
  inverter_grid: sum("grid", "type = 'inverter'"),
  battery_grid: sum("grid", "type = 'battery'"),
  inverter_load: sum("load", "type = 'inverter'"),
  battery_load: sum("load", "type = 'battery'"),
  // The balance of a site is known if all that produces or stores there is.
  unknown: count("type IN ('inverter', 'battery') AND p IS NULL"),
  measuring: count("type IN ('inverter', 'battery', 'meter')"),
  measuring_fresh: count("type IN ('inverter', 'battery', 'meter') AND fresh"),
  vehicle_all: count("type = 'vehicle'"),
  vehicle_fresh: count("type = 'vehicle' AND fresh"),
  vehicle_p: count("type = 'vehicle' AND p IS NOT NULL"),
  v_all: count("type = 'vehicle' AND steerable"),
  v_fresh: count("v"),
  v_p: sum("p", "v"),
  v_n: count("v AND p IS NOT NULL"),
  c_p: sum("p", "type = 'charger' AND steerable"),
  up_p: sum("p", up),
  up_can: sum("can_discharge", up),
  down_p: sum("p", down),
  down_can: sum("can_charge", down),
  more_p: sum("p", more),
  more_can: sum("can_charge", more)
}

const balance = "meter + coalesce(solar, 0) + coalesce(battery, 0)"
const importLimit = "sites.max_import_w"

/** The formulas of a site's metrics, on power: the first one that applies, so that nothing counts twice. Vehicles count without chargers. */
const judgedSites: Columns = {
  measuring: "measuring",
  measuring_fresh: "measuring_fresh",
  grid: "coalesce(meter, inverter_grid, battery_grid)",
  home: `coalesce(inverter_load, battery_load, CASE WHEN unknown = 0 AND ${balance} >= 0 THEN ${balance} END)`,
  charging: "coalesce(chargers, vehicles)",
  extra_all: "CASE WHEN chargers IS NULL THEN vehicle_all ELSE 0 END",
  extra_fresh: "CASE WHEN chargers IS NULL THEN vehicle_fresh ELSE 0 END",
  extra_p: "CASE WHEN chargers IS NULL THEN vehicle_p ELSE 0 END",
  w_all: "CASE WHEN chargers IS NULL THEN v_all ELSE 0 END",
  w_fresh: "CASE WHEN chargers IS NULL THEN v_fresh ELSE 0 END",
  w_n: "CASE WHEN chargers IS NULL THEN v_n ELSE 0 END",
  paused: "coalesce(c_p, CASE WHEN chargers IS NULL THEN v_p END)",
  up_w: "greatest(0, least(up_can, sites.max_export_w) - up_p)",
  down_w: `greatest(0, least(down_can, ${importLimit}) + down_p)`,
  more_w: `greatest(0, CASE WHEN ${importLimit} IS NULL THEN more_can
    ELSE least(more_can, greatest(0, ${importLimit} - coalesce(down_can, 0))) END - more_p)`
}

const sumOfSites: Columns = {
  grid: "sum(grid)",
  grid_n: "count(grid)",
  home: "sum(home)",
  home_n: "count(home)",
  measuring: "count(*) FILTER (WHERE measuring > 0)",
  measuring_fresh: "count(*) FILTER (WHERE measuring_fresh > 0)",
  ...Object.fromEntries(
    [
      "charging",
      "extra_all",
      "extra_fresh",
      "extra_p",
      "w_all",
      "w_fresh",
      "w_n",
      "paused",
      "up_w",
      "down_w",
      "more_w"
    ].map((name) => [name, `sum(${name})`])
  )
}

const ofType = (name: string, type: string): Columns => ({
  [`${name}_all`]: count(`type = '${type}'`),
  [`${name}_fresh`]: count(`type = '${type}' AND fresh`),
  [`${name}_n`]: count(`type = '${type}' AND p IS NOT NULL`)
})
const steerableOfType = (name: string, type: string): Columns => ({
  [`${name}_all`]: count(`type = '${type}' AND steerable`),
  [`${name}_fresh`]: count(`type = '${type}' AND steerable AND fresh`),
  [`${name}_n`]: count(`type = '${type}' AND steerable AND p IS NOT NULL`)
})

/** Sums over all devices, which sites do not matter for. */
const sumOfDevices: Columns = {
  ...ofType("inverter", "inverter"),
  ...ofType("battery", "battery"),
  ...ofType("charger", "charger"),
  ...steerableOfType("b", "battery"),
  ...steerableOfType("c", "charger"),
  ...steerableOfType("v", "vehicle"),
  vehicles: count("type = 'vehicle'"),
  thermostats: count("type = 'thermostat'"),
  solar: sum("p", "type = 'inverter'"),
  power: sum("p", "type = 'battery'"),
  stored: "sum(charge)",
  stored_n: "count(charge)",
  soc_wh: sum("soc * capacity", "type = 'battery'"),
  capacity_wh: sum("capacity", "type = 'battery' AND soc IS NOT NULL"),
  up_n: count(up),
  down_n: count(down),
  more_n: count(more),
  up_wh: sum("greatest(0, soc - reserve) * capacity", "b"),
  down_wh: sum("greatest(0, 1 - soc) * capacity", "b"),
  wh_n: count("b AND soc IS NOT NULL AND capacity IS NOT NULL"),
  v_wh: sum("greatest(0, full_at - soc) * capacity", "v"),
  v_wh_n: count("v AND (full_at - soc) * capacity IS NOT NULL")
}

/** Each figure with how much is in it, how much there is, and how much of that has reported. `s` sums sites and `d` devices. */
const figures: Columns = {
  solar: "d.solar, d.inverter_n, d.inverter_all, d.inverter_fresh",
  homes: "s.home, s.home_n, s.measuring, s.measuring_fresh",
  batteries: "d.power, d.battery_n, d.battery_all, d.battery_fresh",
  charging: "s.charging, d.charger_n + s.extra_p, d.charger_all + s.extra_all, d.charger_fresh + s.extra_fresh",
  grid: "s.grid, s.grid_n, s.measuring, s.measuring_fresh",
  stored: "d.stored, d.stored_n, d.battery_all, d.battery_fresh",
  batteryUpW: "s.up_w, d.up_n, d.b_all, d.b_fresh",
  batteryDownW: "s.down_w, d.down_n, d.b_all, d.b_fresh",
  batteryUpWh: "d.up_wh, d.wh_n, d.b_all, d.b_fresh",
  batteryDownWh: "d.down_wh, d.wh_n, d.b_all, d.b_fresh",
  chargingUpW: "s.paused, d.c_n + s.w_n, d.c_all + s.w_all, d.c_fresh + s.w_fresh",
  chargingDownW: "s.more_w, d.more_n, d.v_all, d.v_fresh",
  chargingDownWh: "d.v_wh, d.v_wh_n, d.v_all, d.v_fresh"
}

const columns = list({
  ...Object.fromEntries(
    Object.entries(figures).map(([name, parts]) => {
      const [value, ...counts] = parts.split(", ")
      return [name, `jsonb_build_array(${value}, ${counts.map((n) => `coalesce(${n}, 0)`).join(", ")})`]
    })
  ),
  storedShare: "d.soc_wh / nullif(d.capacity_wh, 0)",
  thermostats: "d.thermostats::int",
  batteryDevices: "d.battery_all::int",
  chargingDevices: "(d.charger_all + d.vehicles)::int"
})

/**
 * The sums of the overview over the newest readings of a workspace. What a site uses or draws is measured by one of its devices or
 * another, and its limits hold for all of them together: this is summed by site first. The readings are taken apart once, which is why
 * they are materialized.
 */
export const powerSql = (sql: SqlClient.SqlClient, workspaceId: string, now: Date) => {
  const { isNotAsleep, isRecent } = reachabilitySql(sql)
  return sql`WITH able AS MATERIALIZED (
      SELECT ${sql.literal(ableDevices)}
      FROM (SELECT ${sql.literal(ofDevices)}
        FROM (SELECT d.type, coalesce(d.site_id, d.id) AS place, d.site_id, d.static_state,
            d.commands && ARRAY['battery:set-operating-mode', 'charger:set-operating-mode',
              'vehicle:set-operating-mode'] AS steerable,
            n.fresh, CASE WHEN n.fresh THEN s.state END AS state
          FROM devices d LEFT JOIN device_states s ON s.device_id = d.id
            JOIN manufacturers m ON m.slug = d.manufacturer
            CROSS JOIN LATERAL (SELECT coalesce(${isRecent(now)} AND ${isNotAsleep}, false) AS fresh) AS n
          WHERE d.workspace_id = ${workspaceId} AND d.disconnected_at IS NULL
            AND d.type IN ('battery', 'charger', 'inverter', 'meter', 'thermostat', 'vehicle')) AS given) AS read
    )
    SELECT ${sql.literal(columns)}
    FROM (SELECT ${sql.literal(list(sumOfSites))}
        FROM (SELECT ${sql.literal(list(judgedSites))}
          FROM (SELECT site_id, ${sql.literal(list(ofSites))} FROM able WHERE type <> 'thermostat' GROUP BY place, site_id) AS site
            LEFT JOIN sites ON sites.id = site.site_id) AS judged) AS s
      CROSS JOIN (SELECT ${sql.literal(list(sumOfDevices))} FROM able) AS d`
}
