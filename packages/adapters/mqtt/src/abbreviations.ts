/**
 * Short keys of discovery payloads, for the components that are read here. Source: the list of supported abbreviations in the
 * documentation of Home Assistant's MQTT integration.
 */
export const abbreviations: Readonly<Record<string, string>> = {
  avty: "availability",
  avty_mode: "availability_mode",
  avty_t: "availability_topic",
  avty_tpl: "availability_template",
  cmd_t: "command_topic",
  cmd_tpl: "command_template",
  cmps: "components",
  curr_temp_t: "current_temperature_topic",
  curr_temp_tpl: "current_temperature_template",
  dev: "device",
  dev_cla: "device_class",
  fan_mode_cmd_t: "fan_mode_command_topic",
  fan_mode_cmd_tpl: "fan_mode_command_template",
  fan_mode_stat_t: "fan_mode_state_topic",
  fan_mode_stat_tpl: "fan_mode_state_template",
  mode_cmd_t: "mode_command_topic",
  mode_cmd_tpl: "mode_command_template",
  mode_stat_t: "mode_state_topic",
  mode_stat_tpl: "mode_state_template",
  o: "origin",
  p: "platform",
  pl_avail: "payload_available",
  pl_not_avail: "payload_not_available",
  pl_off: "payload_off",
  pl_on: "payload_on",
  stat_cla: "state_class",
  stat_off: "state_off",
  stat_on: "state_on",
  stat_t: "state_topic",
  t: "topic",
  temp_cmd_t: "temperature_command_topic",
  temp_cmd_tpl: "temperature_command_template",
  temp_hi_cmd_t: "temperature_high_command_topic",
  temp_hi_cmd_tpl: "temperature_high_command_template",
  temp_hi_stat_t: "temperature_high_state_topic",
  temp_hi_stat_tpl: "temperature_high_state_template",
  temp_lo_cmd_t: "temperature_low_command_topic",
  temp_lo_cmd_tpl: "temperature_low_command_template",
  temp_lo_stat_t: "temperature_low_state_topic",
  temp_lo_stat_tpl: "temperature_low_state_template",
  temp_stat_t: "temperature_state_topic",
  temp_stat_tpl: "temperature_state_template",
  temp_unit: "temperature_unit",
  uniq_id: "unique_id",
  unit_of_meas: "unit_of_measurement",
  val_tpl: "value_template"
}

/** Short keys within `device`. */
export const deviceAbbreviations: Readonly<Record<string, string>> = {
  cns: "connections",
  ids: "identifiers",
  mdl: "model",
  mdl_id: "model_id",
  mf: "manufacturer",
  sn: "serial_number",
  sw: "sw_version",
  hw: "hw_version"
}

/** An object with its short keys written out. A key that is there in both forms keeps the long one's value. */
export const expandKeys = (
  object: Readonly<Record<string, unknown>>,
  keys: Readonly<Record<string, string>>
): Readonly<Record<string, unknown>> => ({
  ...Object.fromEntries(
    Object.entries(object).map(([key, value]) => [Object.hasOwn(keys, key) ? keys[key]! : key, value])
  ),
  ...Object.fromEntries(Object.entries(object).filter(([key]) => !Object.hasOwn(keys, key)))
})
