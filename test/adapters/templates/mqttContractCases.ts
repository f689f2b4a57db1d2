import { manufacturerSlug, type MqttTemplate } from "@edp/adapter-templates/DeviceTemplate"
import { shippedTemplates } from "@edp/adapter-templates/templateFiles"
import { Effect } from "effect"
import { mosquitto, startMosquitto } from "../../support/peers/MosquittoBroker.ts"
import type { BuiltInCase } from "../contract/BuiltInCase.ts"

const PASSWORD = "canary-password-4711"

const templates = shippedTemplates.filter((one): one is MqttTemplate => one.protocol === "mqtt")

/** The fixture's payloads with every text and number replaced. */
const unknownPayload = (payload: string) =>
  payload.startsWith("{") ? payload.replaceAll(/: ?("[^"]*"|-?[\d.]+)/g, ': "quantum"') : "quantum"

/** The manufacturers with templates over MQTT: a device publishes what the fixture of one of its templates says. */
export const mqttContractCases: ReadonlyArray<BuiltInCase> = Array.from(
  Map.groupBy(templates, manufacturerSlug),
  ([slug, own]) => {
    const template = own.find(({ devices }) => devices.some(({ commands }) => commands !== undefined)) ?? own[0]!
    const { id, messages } = template.fixture
    return {
      slug,
      settings: {},
      wrongSettings: {},
      needs: mosquitto,
      start: async () => {
        const broker = await startMosquitto({ users: { ada: PASSWORD } })
        const say = async (change: (payload: string) => string) => {
          for (const [topic, payload] of Object.entries(messages)) await broker.publish(topic, change(payload))
        }
        return {
          link: ({ authorization }) =>
            authorization.kind === "form"
              ? authorization.connect({
                  host: "127.0.0.1",
                  port: String(broker.port),
                  tls: "no",
                  username: "ada",
                  password: PASSWORD,
                  model: template.slug,
                  device: id
                })
              : Effect.die("The adapter has no form"),
          secrets: () => [PASSWORD],
          report: () => say((payload) => payload),
          sendUnknownValues: () => say(unknownPayload),
          refuse: () => broker.setPassword("ada", "another-one"),
          close: broker.close
        }
      }
    }
  }
)
