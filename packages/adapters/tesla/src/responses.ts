import { Result, Schema } from "effect"

/**
 * Responses of the Tesla Fleet API, with the fields that are used (developer.tesla.com, Fleet API, endpoints of vehicles and
 * energy). Every field may be absent or null: products differ, and a missing value is never a zero.
 */
const maybe = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))
const text = maybe(Schema.String)
const number = maybe(Schema.Finite)
const flag = maybe(Schema.Boolean)
const identifier = Schema.Union([Schema.String, Schema.Finite])

/** A vehicle or an energy site in the list of products. */
export const Product = Schema.Struct({
  vin: text,
  id: maybe(identifier),
  display_name: text,
  /** online, asleep or offline; of vehicles. */
  state: text,
  energy_site_id: maybe(identifier),
  site_name: text,
  resource_type: text,
  gateway_id: text,
  components: maybe(
    Schema.Struct({ battery: flag, solar: flag, wall_connectors: maybe(Schema.Array(Schema.Struct({ din: text }))) })
  )
})
export type Product = typeof Product.Type

/** Powers in W: `battery_power` is positive while discharging, `grid_power` while importing. Energies in Wh. */
export const LiveStatus = Schema.Struct({
  solar_power: number,
  battery_power: number,
  load_power: number,
  grid_power: number,
  percentage_charged: number,
  energy_left: number,
  total_pack_energy: number,
  storm_mode_active: flag,
  island_status: text,
  timestamp: text,
  wall_connectors: maybe(
    Schema.Array(
      Schema.Struct({
        din: text,
        wall_connector_state: number,
        wall_connector_fault_state: number,
        wall_connector_power: number,
        vin: text
      })
    )
  )
})
export type LiveStatus = typeof LiveStatus.Type

/** Energies in Wh, powers in W, the reserve in percent. */
export const SiteInfo = Schema.Struct({
  site_name: text,
  backup_reserve_percent: number,
  default_real_mode: text,
  battery_count: number,
  nameplate_energy: number,
  nameplate_power: number,
  installation_time_zone: text,
  user_settings: maybe(Schema.Struct({ storm_mode_enabled: flag })),
  components: maybe(
    Schema.Struct({
      solar: flag,
      battery: flag,
      storm_mode_capable: flag,
      disallow_charge_from_grid_with_solar_installed: flag,
      customer_preferred_export_rule: text,
      batteries: maybe(
        Schema.Array(
          Schema.Struct({
            serial_number: text,
            part_name: text,
            nameplate_energy: number,
            nameplate_max_charge_power: number,
            nameplate_max_discharge_power: number
          })
        )
      ),
      wall_connectors: maybe(
        Schema.Array(Schema.Struct({ din: text, serial_number: text, part_name: text, is_active: flag }))
      )
    })
  )
})
export type SiteInfo = typeof SiteInfo.Type

/** Energies in Wh of intervals, not cumulative. */
export const CalendarHistory = Schema.Struct({
  period: text,
  time_series: maybe(
    Schema.Array(
      Schema.Struct({
        timestamp: Schema.String,
        total_battery_charge: number,
        total_battery_discharge: number,
        total_solar_generation: number,
        grid_energy_imported: number,
        total_grid_energy_exported: number,
        total_home_usage: number
      })
    )
  )
})
export type CalendarHistory = typeof CalendarHistory.Type

/** Power in kW, energy in kWh, range in miles whatever the display of the vehicle shows. */
export const VehicleData = Schema.Struct({
  vin: text,
  state: text,
  charge_state: maybe(
    Schema.Struct({
      battery_level: number,
      battery_range: number,
      charge_limit_soc: number,
      charge_limit_soc_min: number,
      charge_limit_soc_max: number,
      charger_actual_current: number,
      charger_power: number,
      charger_voltage: number,
      charging_state: text,
      energy_remaining: number,
      minutes_to_full_charge: number,
      timestamp: number
    })
  ),
  drive_state: maybe(Schema.Struct({ latitude: number, longitude: number })),
  vehicle_config: maybe(Schema.Struct({ car_type: text })),
  vehicle_state: maybe(Schema.Struct({ vehicle_name: text, car_version: text }))
})
export type VehicleData = typeof VehicleData.Type

export const FleetStatus = Schema.Struct({
  key_paired_vins: maybe(Schema.Array(Schema.String)),
  unpaired_vins: maybe(Schema.Array(Schema.String)),
  vehicle_info: maybe(
    Schema.Record(Schema.String, Schema.Struct({ vehicle_command_protocol_required: flag, firmware_version: text }))
  )
})
export type FleetStatus = typeof FleetStatus.Type

const envelope = Schema.decodeUnknownResult(Schema.Struct({ response: Schema.Unknown }))

const inResponse = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const decode = Schema.decodeUnknownResult(schema)
  return (body: unknown): Result.Result<S["Type"], string> =>
    Result.mapError(
      Result.flatMap(envelope(body), ({ response }) => decode(response)),
      ({ message }) => message
    )
}

/** Readers of responses by endpoint: the content of `response`, or what is wrong with the response. */
export const readProducts = inResponse(Schema.Array(Product))
export const readLiveStatus = inResponse(LiveStatus)
export const readSiteInfo = inResponse(SiteInfo)
export const readCalendarHistory = inResponse(CalendarHistory)
export const readVehicleData = inResponse(VehicleData)
export const readFleetStatus = inResponse(FleetStatus)

/** A value, or null where it is absent. */
export const orNull = <A>(value: A | null | undefined): A | null => value ?? null

/** Leaves out fields that are null, since the domain's optional fields are absent rather than null. */
export const withoutNulls = <A extends Readonly<Record<string, unknown>>>(
  fields: A
): { [K in keyof A]?: NonNullable<A[K]> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined)) as {
    [K in keyof A]?: NonNullable<A[K]>
  }
