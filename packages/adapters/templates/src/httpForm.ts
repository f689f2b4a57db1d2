import { Effect } from "effect"
import { brokerFields, type FormValues, valueFrom, wrongValue } from "@edp/adapter-kit/broker/brokerForm"
import { fingerprintField, readFingerprint } from "@edp/adapter-kit/http/certificateFingerprint"
import type { FormField } from "@edp/adapter-kit/ManufacturerAdapter"
import { addressAt, enteredAddress, enteredInteger, nameField, text } from "@edp/adapter-kit/modbus/formFields"
import { capacityField, needsCapacity } from "./capacity.ts"
import type { HttpCredentials } from "./HttpSession.ts"
import type { HttpTemplate } from "./HttpTemplate.ts"

const LIMIT = 4096

const usesLogin = ({ authentication }: HttpTemplate) => authentication !== undefined && authentication.kind !== "none"

/** Whether a login consists of a token alone. */
const isToken = ({ authentication }: HttpTemplate) =>
  authentication?.kind === "bearer" || authentication?.kind === "header"

const asksForName = (template: HttpTemplate) =>
  usesLogin(template) && !isToken(template) && template.authentication?.username === undefined

const isRequired = (template: HttpTemplate) => usesLogin(template) && template.authentication?.optional !== true

const defaultPort = ({ port, tls }: HttpTemplate) => port ?? (tls === "required" ? 443 : 80)

/** The fields of the form for one template. */
const ownFields = (template: HttpTemplate): ReadonlyArray<FormField> => {
  const named = (name: string) => brokerFields.find((field) => field.name === name)!
  const required = isRequired(template)
  return [
    ...addressAt([defaultPort(template)]),
    ...(template.tls === "optional" ? [named("tls")] : []),
    ...(template.tls === undefined
      ? []
      : [
          {
            ...fingerprintField,
            help: text(
              "Only for a device whose certificate comes from no known authority. Leave it empty to see the fingerprint, and compare it with that of the device",
              "Solo para un dispositivo cuyo certificado no es de una autoridad conocida. Déjela vacía para ver la huella y compárela con la del dispositivo",
              "Nur für ein Gerät, dessen Zertifikat von keiner bekannten Stelle kommt. Lassen Sie das Feld leer, um den Fingerabdruck zu sehen, und vergleichen Sie ihn mit dem des Geräts"
            )
          }
        ]),
    ...(asksForName(template) ? [{ ...named("username"), required }] : []),
    ...(usesLogin(template)
      ? [
          {
            ...named("password"),
            ...(isToken(template) && { label: text("Access token", "Token de acceso", "Zugriffstoken") }),
            required
          }
        ]
      : []),
    ...Object.entries(template.inputs ?? {}).map(([name, { help, initial, label, secret }]): FormField => ({
      name,
      kind: secret === true ? "password" : "text",
      label,
      ...(help !== undefined && { help }),
      ...(initial !== undefined && { initial }),
      required: true
    })),
    ...template.devices.filter(needsCapacity).map((one) => capacityField(template, one))
  ]
}

const modelField = (templates: ReadonlyArray<HttpTemplate>): FormField => ({
  name: "model",
  kind: "choice",
  label: text("Model", "Modelo", "Modell"),
  choices: templates.map(({ name, slug }) => ({ value: slug, label: text(name, name) })),
  initial: templates[0]!.slug,
  required: true
})

/** The form: fields of several templates with one name are one field, which then is required and has an initial value only if all agree. */
export const httpFormFields = (templates: ReadonlyArray<HttpTemplate>): ReadonlyArray<FormField> => {
  if (templates.length === 1) return [...ownFields(templates[0]!), nameField]
  const forms = templates.map(ownFields)
  const merged = new Map<string, FormField>()
  for (const field of forms.flat()) {
    const same = forms.map((form) => form.find(({ name }) => name === field.name))
    const { initial, ...open } = field
    merged.set(field.name, {
      ...open,
      ...(initial !== undefined && same.every((one) => one === undefined || one.initial === initial) && { initial }),
      required: same.every((one) => one?.required === true) && (field.name !== "port" || initial !== undefined)
    })
  }
  const port = merged.get("port")!
  if (port.initial === undefined) merged.set("port", { ...port, required: false })
  return [modelField(templates), ...merged.values(), nameField]
}

const printable = /^[^\p{C}]*$/u

const limited = Effect.fnUntraced(function* (values: FormValues, name: string, isRequiredValue: boolean) {
  const value = valueFrom(values, name)
  if (value === undefined) return isRequiredValue ? yield* wrongValue(`${name} is required`) : undefined
  if (value.length > LIMIT || !printable.test(value)) {
    return yield* wrongValue(`${name} must be a text of at most ${LIMIT} characters, without line breaks`)
  }
  return value
})

/** The template and the device that a person named. */
export const readHttpForm = Effect.fnUntraced(function* (templates: ReadonlyArray<HttpTemplate>, values: FormValues) {
  const slug = valueFrom(values, "model") ?? templates[0]!.slug
  const template = templates.find((one) => one.slug === slug)
  if (template === undefined) {
    return yield* wrongValue(`model must be one of ${templates.map((one) => one.slug).join(", ")}`)
  }
  const address = yield* enteredAddress({ ...values, port: valueFrom(values, "port") ?? String(defaultPort(template)) })
  // The host becomes a part of an address of HTTP.
  if (!/^[\p{L}\p{N}._:-]+$/u.test(address.host)) {
    return yield* wrongValue("host must be a name or an IP address, without a scheme and a port")
  }
  const chosen = valueFrom(values, "tls") ?? "no"
  if (chosen !== "yes" && chosen !== "no") return yield* wrongValue("tls must be yes or no")
  const tls = template.tls === "required" || (template.tls === "optional" && chosen === "yes")
  const pinned = yield* readFingerprint(valueFrom(values, "fingerprint"))
  if (pinned !== undefined && !tls) return yield* wrongValue("fingerprint needs encryption (tls)")
  const password = usesLogin(template) ? yield* limited(values, "password", isRequired(template)) : undefined
  const username = asksForName(template) ? yield* limited(values, "username", password !== undefined) : undefined
  const inputs: Record<string, string> = {}
  for (const [name, { initial }] of Object.entries(template.inputs ?? {})) {
    inputs[name] = (yield* limited(values, name, initial === undefined)) ?? initial!
  }
  const capacities: Record<string, number> = {}
  for (const device of template.devices.filter(needsCapacity)) {
    const capacity = yield* enteredInteger(values, capacityField(template, device))
    if (capacity !== undefined) capacities[device.key] = capacity
  }
  const credentials: HttpCredentials = {
    ...address,
    tls,
    fingerprint: pinned ?? null,
    givenName: valueFrom(values, "name") ?? null,
    template: slug,
    username: username ?? null,
    password: password ?? null,
    inputs,
    serial: null,
    capacities
  }
  return { template, credentials }
})
