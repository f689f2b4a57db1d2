import type { BrokerDialect } from "@edp/adapter-kit/broker/BrokerDialect"
import { deviceServices, type ServiceDescription, type VictronBattery, victronDevice } from "./victronDevices.ts"
import { valueIn } from "./victronServices.ts"

export interface VictronOptions {
  /** The VRM portal ID of the GX device, which is a part of each of its topics. */
  readonly portal: string
  readonly battery: VictronBattery
}

/** A GX device publishes for 60 seconds after a keep-alive. */
const KEEP_ALIVE_SECONDS = 30

/** A value of the service of the ESS, which shows that there is one. */
const ESS_PATH = "Overrides/ForceCharge"

/** Values that describe a service. `Mode` 0 of a charging station is manual. */
const describing = ["ProductName", "CustomName", "Serial", "Mode"]

const text = (payload: string | undefined) => {
  const value = valueIn(payload)
  return typeof value === "string" && value.trim() !== "" ? value : undefined
}

/** The devices behind a Victron GX device, by its own topics: https://github.com/victronenergy/dbus-flashmq. */
export const victronDialect = ({ battery, portal }: VictronOptions): BrokerDialect => {
  const keepAlive = `R/${portal}/keepalive`
  const essInstance = (topic: string) => {
    const [kind, id, name, instance, ...path] = topic.split("/")
    return kind === "N" && id === portal && name === "hub4" && path.join("/") === ESS_PATH ? instance : undefined
  }
  const ownTopic = (topic: string) => {
    const [kind, id, name, instance, path, ...rest] = topic.split("/")
    const service = deviceServices.find((one) => one === name)
    if (kind !== "N" || id !== portal || service === undefined || rest.length > 0) return undefined
    if (instance === undefined || path === undefined || !describing.includes(path)) return undefined
    return { service, instance, path }
  }
  return {
    filters: [
      ...deviceServices.flatMap((name) => describing.map((path) => `N/${portal}/${name}/+/${path}`)),
      `N/${portal}/hub4/+/${ESS_PATH}`
    ],
    isDescription: (topic) => ownTopic(topic) !== undefined || essInstance(topic) !== undefined,
    describe: (descriptions) => {
      const found = new Map<string, ServiceDescription>()
      const ess = [...descriptions].find(
        ([topic, payload]) => essInstance(topic) !== undefined && valueIn(payload) !== undefined
      )
      const hub4 = ess === undefined ? undefined : { portal, name: "hub4", instance: essInstance(ess[0])! }
      for (const [topic, payload] of descriptions) {
        const own = ownTopic(topic)
        // A service without any value is gone.
        if (own === undefined || valueIn(payload) === undefined) continue
        const { instance, path, service } = own
        const key = `${service}/${instance}`
        const known = found.get(key) ?? {
          service: { portal, name: service, instance },
          customName: undefined,
          productName: undefined,
          serialNumber: undefined,
          isManual: false
        }
        found.set(key, {
          ...known,
          ...(path === "CustomName" && { customName: text(payload) }),
          ...(path === "ProductName" && { productName: text(payload) }),
          ...(path === "Serial" && { serialNumber: text(payload) }),
          ...(path === "Mode" && { isManual: valueIn(payload) === 0 })
        })
      }
      return {
        devices: [...found.values()]
          .filter(({ service: { name } }) => name !== "system" || battery.capacity !== null)
          .map((one) => victronDevice(one, battery, hub4)),
        problems: []
      }
    },
    keepAlive: {
      wake: { topic: keepAlive, payload: "" },
      stay: { topic: keepAlive, payload: JSON.stringify({ "keepalive-options": ["suppress-republish"] }) },
      everySeconds: KEEP_ALIVE_SECONDS
    }
  }
}
