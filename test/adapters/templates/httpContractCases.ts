import { manufacturerSlug } from "@edp/adapter-templates/DeviceTemplate"
import type { HttpTemplate } from "@edp/adapter-templates/HttpTemplate"
import { Effect } from "effect"
import { PASSWORD, startHttpDevice } from "../../support/peers/HttpDevice.ts"
import { localhostCertificate } from "../../support/peers/localhostCertificate.ts"
import type { BuiltInCase } from "../contract/BuiltInCase.ts"
import { httpForm, httpTemplates } from "./httpForms.ts"

/** The values by which a template finds its device and the elements of lists, as texts. */
const identifiers = ({ devices, fixture }: HttpTemplate): ReadonlySet<string> =>
  new Set([
    fixture.serialNumber ?? "",
    ...Array.from(JSON.stringify(devices).matchAll(/==(?:\\"(.+?)\\"|(\d+))\]/g), ([, text, number]) => text ?? number!)
  ])

/** Every value that identifies nothing, replaced by a word that no template knows. */
const unknownValues = (value: unknown, kept: ReadonlySet<string>): unknown =>
  Array.isArray(value)
    ? value.map((one) => unknownValues(one, kept))
    : typeof value === "object" && value !== null
      ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, unknownValues(one, kept)]))
      : kept.has(String(value))
        ? value
        : "quantum"

/** The manufacturers with templates over HTTP: a device in the shape of one of its fixtures, with commands if one has any. */
export const httpContractCases: ReadonlyArray<BuiltInCase> = Array.from(
  Map.groupBy(httpTemplates, manufacturerSlug),
  ([slug, own]): BuiltInCase => {
    const template = own.find(({ devices }) => devices.some(({ commands }) => commands !== undefined)) ?? own[0]!
    const hasLogin = (template.authentication?.kind ?? "none") !== "none"
    return {
      slug,
      settings: {},
      wrongSettings: {},
      start: async () => {
        const device = await startHttpDevice(template, template.tls === "required" ? localhostCertificate : undefined)
        return {
          link: ({ authorization }) =>
            authorization.kind === "form"
              ? authorization.connect(httpForm(template, device.port))
              : Effect.die("The adapter has no form"),
          secrets: () => (hasLogin ? [PASSWORD] : []),
          sendUnknownValues: async () => {
            Object.assign(device.responses, unknownValues(device.responses, identifiers(template)) as object)
          },
          ...(hasLogin && { refuse: async () => device.refuse() }),
          close: device.close
        }
      }
    }
  }
)
