/**
 * Responses of the Tesla Fleet API in the shape of developer.tesla.com (Fleet API, endpoints) and of the recorded responses in
 * the tests of Home Assistant's integrations tesla_fleet and teslemetry. The values are ours.
 */
export const products = {
  response: [
    { id: 1492931520123, vin: "5YJ3E1EA7KF000001", display_name: "Blue", state: "asleep", access_type: "OWNER" },
    {
      energy_site_id: 2251799813,
      resource_type: "battery",
      site_name: "Cabin",
      gateway_id: "1118431-00-L--CN0001",
      percentage_charged: 61.5,
      components: { battery: true, solar: true, grid: true, wall_connectors: [{ din: "TWC-1" }] }
    },
    {
      energy_site_id: "2251799814",
      resource_type: "solar",
      site_name: "Barn",
      components: { battery: false, solar: true }
    },
    { resource_type: "unknown_thing", id: "x" }
  ],
  count: 4
}

/** W; positive battery power discharges, positive grid power imports. */
export const liveStatus = {
  response: {
    solar_power: 1400,
    percentage_charged: 62.5,
    battery_power: 2100,
    load_power: 3220,
    grid_power: -280.4,
    grid_status: "Active",
    island_status: "on_grid",
    storm_mode_active: false,
    timestamp: "2026-03-01T12:00:00+00:00",
    wall_connectors: [
      { din: "TWC-1", wall_connector_state: 1, wall_connector_fault_state: 2, wall_connector_power: 0 },
      { din: "TWC-2", wall_connector_state: 1, wall_connector_fault_state: 2, wall_connector_power: 7100 }
    ]
  }
}

const powerwall = { nameplate_energy: 13_500, nameplate_max_charge_power: 5000, nameplate_max_discharge_power: 5400 }

/** Wh and W. `nameplate_energy` of the site disagrees with the batteries, as in recorded responses. */
export const siteInfo = {
  response: {
    id: "1118431-00-L",
    site_name: "Cabin",
    backup_reserve_percent: 20,
    default_real_mode: "autonomous",
    user_settings: { storm_mode_enabled: true },
    components: {
      solar: true,
      battery: true,
      batteries: [
        { ...powerwall, serial_number: "TG1", part_name: "Powerwall 2" },
        { ...powerwall, serial_number: "TG2", part_name: "Powerwall 2" }
      ],
      wall_connectors: [{ din: "TWC-1", serial_number: "W1", part_name: "Gen 3 Wall Connector", is_active: true }],
      disallow_charge_from_grid_with_solar_installed: true,
      customer_preferred_export_rule: "pv_only"
    },
    battery_count: 2,
    nameplate_power: 15_000,
    nameplate_energy: 40_500
  }
}

/** Wh of single intervals. */
export const calendarHistory = {
  response: {
    period: "day",
    time_series: [
      interval("2026-03-01T11:50:00Z", 0, 100, 0),
      interval("2026-03-01T11:55:00Z", 40, 120, 30),
      interval("2026-03-01T12:00:00Z", 1, 2, 3)
    ]
  }
}

function interval(timestamp: string, charged: number, solar: number, exported: number) {
  return {
    timestamp,
    total_battery_charge: charged,
    total_battery_discharge: null,
    total_solar_generation: solar,
    grid_energy_imported: 10,
    total_grid_energy_exported: exported,
    total_home_usage: 90
  }
}

/** kW, kWh, miles, percent. The time is in milliseconds. */
export const vehicleData = {
  response: {
    id: 1492931520123,
    vin: "5YJ3E1EA7KF000001",
    state: "online",
    charge_state: {
      battery_level: 61,
      battery_range: 180.5,
      charge_limit_soc: 80,
      charge_limit_soc_min: 50,
      charge_limit_soc_max: 100,
      charger_actual_current: 32,
      charger_power: 7,
      charger_voltage: 236,
      charging_state: "Charging",
      energy_remaining: 45.5,
      minutes_to_full_charge: 90,
      timestamp: Date.parse("2026-03-01T12:00:00Z")
    },
    drive_state: { latitude: 37.4949, longitude: -121.944, shift_state: null, speed: null },
    vehicle_config: { car_type: "model3" }
  }
}

export const fleetStatus = {
  response: {
    key_paired_vins: ["7SAYGDEE0PA000002"],
    unpaired_vins: ["5YJ3E1EA7KF000001", "5YJSA1E20FF000003"],
    vehicle_info: {
      "7SAYGDEE0PA000002": { firmware_version: "2026.2.1", vehicle_command_protocol_required: true },
      "5YJ3E1EA7KF000001": { firmware_version: "2026.2.1", vehicle_command_protocol_required: false },
      "5YJSA1E20FF000003": { firmware_version: "2025.8", vehicle_command_protocol_required: false }
    }
  }
}
