import { connect } from "mqtt"

export const PORTAL = "c0619ab12345"

const GRID = "system/0/Ac/Grid/L1/Power"
const BATTERY = "system/0/Dc/Battery/Power"
const SET_POINT = "hub4/0/Overrides/Setpoint"

/** Milliseconds for which dbus-flashmq publishes after a keep-alive. */
const ALIVE_FOR = 60_000

export interface VictronGx {
  /** Changes a value as the device does: it is published while somebody keeps it alive. */
  readonly set: (path: string, value: unknown) => Promise<void>
  /** A service disappears from the D-Bus: each of its values is published empty. */
  readonly remove: (service: string) => Promise<void>
  /** ESS drops the set-point, as some minutes after the last message. */
  readonly dropSetPoint: () => Promise<void>
  /** The home uses another power: ESS keeps the power at the grid where there is a set-point, else that of the battery. */
  readonly use: (watts: number) => Promise<void>
  /** Requests that it was sent: topic and payload. */
  readonly requests: () => ReadonlyArray<readonly [topic: string, payload: string]>
  /** Ends the plugin without a word, and starts it again: it publishes to nobody before the next keep-alive. */
  readonly restart: () => void
  readonly close: () => Promise<void>
}

/**
 * A GX device on a broker, as dbus-flashmq's README describes it: nothing is retained, `R/<portal>/keepalive` makes it publish all
 * values and then `full_publish_completed`, `W/…` sets a value, and a value that does not exist now is null.
 */
export const startVictronGx = async (
  broker: { readonly port: number; readonly username?: string; readonly password?: string },
  initial: Readonly<Record<string, unknown>>
): Promise<VictronGx> => {
  const { password, port, username } = broker
  const client = connect({
    host: "127.0.0.1",
    port,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password })
  })
  const values = new Map(Object.entries(initial))
  const requests: Array<readonly [string, string]> = []
  let aliveUntil = 0
  const publish = (path: string, payload: string) => client.publishAsync(`N/${PORTAL}/${path}`, payload, { qos: 0 })
  const say = (path: string) => publish(path, JSON.stringify({ value: values.get(path) }))
  const set = async (path: string, value: unknown) => {
    values.set(path, value)
    if (Date.now() < aliveUntil) await say(path)
  }
  const number = (path: string) => Number(values.get(path))
  /** The use of the home beyond its generation. */
  let used = number(GRID) - number(BATTERY)
  /** ESS keeps the set-point at the grid by its battery, without limits of its own. */
  const regulate = async () => {
    const setPoint = values.get(SET_POINT)
    const grid = typeof setPoint === "number" ? setPoint : used + number(BATTERY)
    await set(GRID, grid)
    await set(BATTERY, grid - used)
    await set("system/0/Dc/Battery/State", grid > used ? 1 : grid < used ? 2 : 0)
  }
  client.on("message", (topic, bytes) => {
    const payload = bytes.toString()
    requests.push([topic, payload])
    const path = topic.slice(`R/${PORTAL}/`.length)
    if (topic.startsWith("W/")) {
      if (values.has(path))
        void set(path, JSON.parse(payload).value).then(() => (path === SET_POINT ? regulate() : undefined))
      return
    }
    if (path !== "keepalive") return
    aliveUntil = Date.now() + ALIVE_FOR
    if (payload.includes("suppress-republish")) return
    for (const one of values.keys()) void say(one)
    void publish("full_publish_completed", JSON.stringify({ value: Math.floor(Date.now() / 1000) }))
  })
  await client.subscribeAsync([`R/${PORTAL}/#`, `W/${PORTAL}/#`])
  return {
    set,
    remove: async (service) => {
      for (const path of [...values.keys()].filter((one) => one.startsWith(`${service}/`))) {
        values.delete(path)
        await publish(path, "")
      }
    },
    dropSetPoint: () => set(SET_POINT, null),
    use: async (watts) => {
      used = watts
      await regulate()
    },
    requests: () => requests,
    restart: () => {
      aliveUntil = 0
    },
    close: () => client.endAsync(true)
  }
}

/** The values of an ESS with a grid meter, solar chargers and inverters, and a charging station, of one phase. */
export const essValues: Readonly<Record<string, unknown>> = {
  "system/0/Serial": PORTAL,
  "system/0/Dc/Battery/Soc": 62,
  "system/0/Dc/Battery/Power": -1450,
  "system/0/Dc/Battery/State": 2,
  "system/0/Ac/Grid/L1/Power": 310,
  "system/0/Ac/Grid/L2/Power": null,
  "system/0/Ac/Grid/L3/Power": null,
  "system/0/Ac/Consumption/L1/Power": 2120.5,
  "system/0/Ac/Consumption/L2/Power": null,
  "system/0/Ac/Consumption/L3/Power": null,
  "settings/0/Settings/CGwacs/BatteryLife/MinimumSocLimit": 20,
  "settings/0/Settings/CGwacs/BatteryLife/State": 10,
  "settings/0/Settings/CGwacs/Hub4Mode": 1,
  "settings/0/Settings/DynamicEss/Mode": 0,
  "hub4/0/Overrides/ForceCharge": 0,
  "hub4/0/Overrides/Setpoint": null,
  "grid/30/ProductName": "Grid meter",
  "grid/30/CustomName": "Meter in the hall",
  "grid/30/Serial": "BP98305081235",
  "grid/30/Connected": 1,
  "grid/30/Ac/Power": 310,
  "grid/30/Ac/Energy/Forward": 4210.55,
  "grid/30/Ac/Energy/Reverse": 1880.2,
  "pvinverter/20/ProductName": "Fronius Primo 5.0",
  "pvinverter/20/CustomName": "",
  "pvinverter/20/Serial": "31250001",
  "pvinverter/20/Connected": 1,
  "pvinverter/20/Ac/Power": 936,
  "pvinverter/20/Ac/Energy/Forward": 12034.5,
  "solarcharger/279/ProductName": "SmartSolar Charger MPPT 150/35",
  "solarcharger/279/CustomName": "Roof of the barn",
  "solarcharger/279/Serial": "HQ2030ABCDE",
  "solarcharger/279/Connected": 1,
  "solarcharger/279/Yield/Power": 415.25,
  "solarcharger/279/Yield/System": 3021.77,
  "evcharger/40/ProductName": "EV Charging Station",
  "evcharger/40/CustomName": "Carport",
  "evcharger/40/Serial": "HQ2149FGHIJ",
  "evcharger/40/Connected": 1,
  "evcharger/40/Mode": 0,
  "evcharger/40/Status": 1,
  "evcharger/40/StartStop": 0,
  "evcharger/40/Ac/Power": 0,
  "evcharger/40/Current": 0,
  "evcharger/40/Ac/Energy/Forward": 881.3
}
