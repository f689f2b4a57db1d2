import froniusGen24 from "./devices/fronius-gen24.json" with { type: "json" }
import shellyPro3em from "./devices/shelly-pro-3em.json" with { type: "json" }
import smaInverter from "./devices/sma-inverter.json" with { type: "json" }
import tasmotaEnergy from "./devices/tasmota-energy.json" with { type: "json" }
import victronGx from "./devices/victron-gx.json" with { type: "json" }
import zigbee2mqttChargingOutlet from "./devices/zigbee2mqtt-charging-outlet.json" with { type: "json" }
import zigbee2mqttPlug from "./devices/zigbee2mqtt-plug.json" with { type: "json" }
import zigbee2mqttThermostat from "./devices/zigbee2mqtt-thermostat.json" with { type: "json" }

/** The documents of the templates that come with the service, to be read with `readTemplate`. */
export const builtInTemplates: Readonly<Record<string, unknown>> = {
  "fronius-gen24": froniusGen24,
  "shelly-pro-3em": shellyPro3em,
  "sma-inverter": smaInverter,
  "tasmota-energy": tasmotaEnergy,
  "victron-gx": victronGx,
  "zigbee2mqtt-charging-outlet": zigbee2mqttChargingOutlet,
  "zigbee2mqtt-plug": zigbee2mqttPlug,
  "zigbee2mqtt-thermostat": zigbee2mqttThermostat
}
