import { Effect } from "effect"
import { connect } from "mqtt"
import { mosquitto, startMosquitto } from "../../support/peers/MosquittoBroker.ts"
import { essValues, PORTAL, startVictronGx } from "../../support/peers/VictronGx.ts"
import type { BuiltInCase } from "../contract/BuiltInCase.ts"

const thermostat = {
  dev: { ids: ["hall-1"], name: "Hall", mf: "Acme", mdl: "T1" },
  avty: [{ t: "hall/online" }],
  cmps: {
    climate: {
      p: "climate",
      curr_temp_t: "hall/now",
      mode_stat_t: "hall/mode",
      mode_cmd_t: "hall/mode/set",
      modes: ["off", "heat", "cool", "heat_cool"],
      temp_lo_stat_t: "hall/low",
      temp_lo_cmd_t: "hall/low/set",
      temp_hi_stat_t: "hall/high",
      temp_hi_cmd_t: "hall/high/set",
      fan_mode_stat_t: "hall/fan",
      fan_mode_cmd_t: "hall/fan/set",
      fan_modes: ["auto", "on"],
      temp_unit: "F"
    }
  }
}
const outlet = {
  ieee_address: "0x02",
  friendly_name: "garage",
  definition: {
    model: "PLUG-1",
    vendor: "Acme",
    exposes: [
      { type: "switch", features: [{ name: "state", property: "state", access: 7 }] },
      { type: "numeric", name: "power", property: "power", unit: "W", access: 1 }
    ]
  }
}

const PASSWORD = "canary-password-4711"

export const contractCases: ReadonlyArray<BuiltInCase> = [
  {
    slug: "mqtt",
    settings: { reportSeconds: "1" },
    wrongSettings: { reportSeconds: "0.5" },
    needs: mosquitto,
    start: async () => {
      const broker = await startMosquitto({ users: { ada: PASSWORD } })
      await broker.publish("homeassistant/device/hall/config", JSON.stringify(thermostat), { retain: true })
      await broker.publish("hall/online", "online", { retain: true })
      await broker.publish("zigbee2mqtt/bridge/devices", JSON.stringify([outlet]), { retain: true })
      // The devices: each shows what it was set to.
      const devices = connect({ host: "127.0.0.1", port: broker.port, username: "ada", password: PASSWORD })
      const say = (topic: string, payload: string) => devices.publishAsync(topic, payload, { qos: 1, retain: true })
      devices.on("message", (topic, payload) => {
        if (topic.startsWith("hall/")) void say(topic.replace(/\/set$/, ""), payload.toString())
        else void say("zigbee2mqtt/garage", payload.toString())
      })
      await devices.subscribeAsync(["hall/+/set", "zigbee2mqtt/garage/set"])
      let watts = 100
      return {
        link: ({ authorization }) =>
          authorization.kind === "form"
            ? authorization.connect({
                host: "127.0.0.1",
                port: String(broker.port),
                tls: "no",
                username: "ada",
                password: PASSWORD,
                discoveryPrefix: "homeassistant",
                zigbeeTopic: "zigbee2mqtt",
                chargers: "garage"
              })
            : Effect.die("The adapter has no form"),
        secrets: () => [PASSWORD],
        report: async () => {
          watts += 1
          await say("hall/now", "68.5")
          await say("hall/mode", "heat")
          await say("hall/low", "66")
          await say("zigbee2mqtt/garage", JSON.stringify({ state: "ON", power: watts }))
        },
        sendUnknownValues: async () => {
          await say("hall/mode", "defrost")
          await say("hall/fan", "turbo")
          await say("hall/low", "warm")
          await say("zigbee2mqtt/garage", JSON.stringify({ state: "BLINKING", power: "lots" }))
        },
        refuse: () => broker.setPassword("ada", "another-one"),
        close: async () => {
          await devices.endAsync(true)
          await broker.close()
        }
      }
    }
  },
  {
    slug: "victron-mqtt",
    settings: {},
    wrongSettings: {},
    needs: mosquitto,
    start: async () => {
      const broker = await startMosquitto({ users: { ada: PASSWORD } })
      const gx = await startVictronGx({ port: broker.port, username: "ada", password: PASSWORD }, essValues)
      let watts = 100
      return {
        link: ({ authorization }) =>
          authorization.kind === "form"
            ? authorization.connect({
                host: "127.0.0.1",
                port: String(broker.port),
                tls: "no",
                username: "ada",
                password: PASSWORD,
                portalId: PORTAL,
                batteryCapacity: "9600",
                batteryPower: "5000"
              })
            : Effect.die("The adapter has no form"),
        secrets: () => [PASSWORD],
        report: async () => {
          watts += 1
          await gx.set("grid/30/Ac/Power", watts)
          await gx.set("system/0/Dc/Battery/Power", watts)
          await gx.set("evcharger/40/Ac/Power", watts)
        },
        sendUnknownValues: async () => {
          await gx.set("grid/30/Ac/Power", "lots")
          await gx.set("system/0/Dc/Battery/State", 9)
          await gx.set("evcharger/40/Status", 99)
        },
        refuse: () => broker.setPassword("ada", "another-one"),
        close: async () => {
          await gx.close()
          await broker.close()
        }
      }
    }
  }
]
