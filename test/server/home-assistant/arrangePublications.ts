import type { DeviceType } from "@edp/domain/devices/DeviceType"
import { PublicationRunner } from "@edp/server/home-assistant/PublicationRunner"
import { Effect, Logger } from "effect"
import { connect } from "mqtt"
import { eventually } from "../../support/eventually.ts"
import type { MosquittoBroker } from "../../support/peers/MosquittoBroker.ts"
import type { TestApp, TestWorkspace } from "../../support/TestApp.ts"
import { arrangeDevices, type GivenDevice } from "../devices/arrangeDevices.ts"

export const USER = "ada"
export const PASSWORD = "right-4711"
const path = "/v1/home-assistant-publications"

/** A device of each type with all of its commands, and a state. */
export const samples: Readonly<
  Record<string, { readonly type: DeviceType; readonly given: GivenDevice; readonly state: object }>
> = {
  battery: {
    type: "battery",
    given: {
      commands: ["battery:set-reserve", "battery:set-operating-mode"],
      staticState: { capacity: 13_500, maxChargeRate: 5000, maxDischargeRate: 5000 }
    },
    state: {
      chargingState: "discharging",
      charge: 6750,
      chargePercentage: 50,
      whConsumed: null,
      chargeRate: 1200,
      backupReserve: 20,
      isStormModeActive: false,
      strategy: "self_consumption",
      gridPower: -300,
      loadPower: 900
    }
  },
  charger: {
    type: "charger",
    given: { commands: ["charger:set-operating-mode"] },
    state: {
      chargingState: "charging",
      isPluggedIn: true,
      chargerWattage: 7200,
      chargerVoltage: 230.5,
      chargerCurrent: 31.2,
      lifetimeEnergyCharged: 8_000_000
    }
  },
  inverter: {
    type: "inverter",
    given: { staticState: { power: 5000 } },
    state: { power: 3210.5, lifetimeEnergyGenerated: 12_345_678, gridPower: -800, loadPower: 2410 }
  },
  meter: {
    type: "meter",
    given: {},
    state: { power: -815, importedEnergy: 4_000_123, exportedEnergy: 1_000_456, voltage: 231.2, current: 3.5 }
  },
  thermostat: {
    type: "thermostat",
    given: {
      commands: ["thermostat:set-operating-mode", "thermostat:set-fan-mode", "thermostat:pause-schedule"],
      staticState: {
        allowedModes: ["heat", "cool", "auto", "eco", "off"],
        allowedFanModes: ["auto", "on"],
        minHeatSetpoint: 45,
        maxHeatSetpoint: 80,
        minCoolSetpoint: 60,
        maxCoolSetpoint: 90
      }
    },
    state: { ambientTemperature: 70.5, operatingMode: "auto", fanMode: "auto", heatTarget: 66, coolTarget: 76.5 }
  },
  vehicle: {
    type: "vehicle",
    given: { commands: ["vehicle:set-operating-mode", "vehicle:set-charge-limit"] },
    state: { chargingState: "idle", chargePercentage: 61, range: 182.5, chargeLimit: 80, isPluggedIn: false }
  },
  water_heater: {
    type: "water_heater",
    given: {},
    state: { waterTemperature: 121.5, operatingMode: "heat_pump", targetTemperature: 125, power: 450 }
  }
}

/** A workspace whose devices are published to a broker, and a reader of that broker. */
export const arrangePublications = async (app: TestApp, broker: MosquittoBroker, workspace?: TestWorkspace) => {
  const place = await arrangeDevices(app, undefined, workspace)
  const retained = new Map<string, string>()
  const counts = new Map<string, number>()
  const reader = connect({ host: "127.0.0.1", port: broker.port, username: USER, password: PASSWORD })
  reader.on("message", (topic, payload) => {
    const text = payload.toString()
    counts.set(topic, (counts.get(topic) ?? 0) + 1)
    if (text === "") retained.delete(topic)
    else retained.set(topic, text)
  })
  await reader.subscribeAsync("#", { qos: 1 })

  const publish = async (body: object = {}): Promise<any> => {
    const response = await place.call("POST", path, {
      host: "127.0.0.1",
      port: broker.port,
      username: USER,
      password: PASSWORD,
      ...body
    })
    if (response.status !== 201) throw new Error(response.text)
    return response.body
  }
  const read = async (id: string): Promise<any> => (await place.call("GET", `${path}/${id}`)).body
  const step = () =>
    app.run(Effect.flatMap(PublicationRunner, (runner) => runner.step).pipe(Effect.provide(Logger.layer([]))))
  /** Sends a state as a manufacturer does. */
  const report = async (deviceId: string, state: object) => {
    const response = await app.call("POST", `/devices/${deviceId}/telemetry`, {
      key: place.keys.MANUFACTURER,
      body: { readings: [{ timestamp: new Date().toISOString(), state }] }
    })
    if (response.status !== 200) throw new Error(response.text)
  }
  const sample = async (name: keyof typeof samples & string, given: GivenDevice = {}) => {
    const { given: own, state, type } = samples[name]!
    const id = await place.device({ type, name: `The ${name}`, model: `Model ${name}`, ...own, ...given })
    await report(id, state)
    return id
  }
  const json = (topic: string): any => {
    const text = retained.get(topic)
    return text === undefined ? undefined : JSON.parse(text)
  }
  return {
    ...place,
    publish,
    read,
    step,
    report,
    sample,
    retained,
    reader,
    json,
    /** Number of messages of a topic so far. */
    received: (topic: string) => counts.get(topic) ?? 0,
    /** The published configurations, by the ids of their devices. */
    configs: (publicationId: string, prefix = "homeassistant") =>
      Object.fromEntries(
        [...retained.keys()].flatMap((topic) => {
          const start = `${prefix}/device/edp_${publicationId}/`
          return topic.startsWith(start) && topic.endsWith("/config")
            ? [[topic.slice(start.length, -"/config".length), json(topic)]]
            : []
        })
      ) as Record<string, any>,
    state: (publicationId: string, deviceId: string) => json(`edp/${publicationId}/${deviceId}/state`),
    availability: (publicationId: string, deviceId: string) =>
      retained.get(`edp/${publicationId}/${deviceId}/availability`),
    status: (publicationId: string) => retained.get(`edp/${publicationId}/status`),
    /** Publishes, and waits until the devices are there. */
    connected: async (body: object = {}) => {
      const publication = await publish(body)
      await step()
      await eventually("the connection", async () =>
        (await read(publication.id)).status === "connected" ? true : undefined
      )
      return publication
    },
    commands: async (): Promise<ReadonlyArray<any>> => (await place.call("GET", "/v1/commands")).body.data,
    patch: (id: string, body: object) => place.call("PATCH", `${path}/${id}`, body),
    remove: (id: string) => place.call("DELETE", `${path}/${id}`),
    /** Lets a failed publication be tried again at once. */
    hurry: (id: string) =>
      app.sql(
        (sql) =>
          sql`UPDATE home_assistant_publications SET due_at = now() WHERE id = ${id} AND claim IS NULL RETURNING 1`
      ),
    end: () => reader.endAsync(true)
  }
}
