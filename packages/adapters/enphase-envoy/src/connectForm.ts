import { Effect, Redacted } from "effect"
import { type FormValues, valueFrom, wrongValue } from "@edp/adapter-kit/broker/brokerForm"
import { fingerprintField, readFingerprint } from "@edp/adapter-kit/http/certificateFingerprint"
import type { FormField } from "@edp/adapter-kit/ManufacturerAdapter"
import { addressAt, enteredAddress, nameField, text } from "@edp/adapter-kit/modbus/formFields"
import { readClaims, TOKEN_PAGE } from "./accessToken.ts"
import type { EnlightenLogin } from "./GatewayCredentials.ts"

const LIMIT = 200
const TLS_PORT = 443
const PLAIN_PORT = 80

const firmwareField = {
  name: "firmware",
  kind: "choice",
  label: text("Firmware of the gateway", "Firmware de la pasarela", "Firmware des Gateways"),
  choices: [
    { value: "7", label: text("7 and later, with a token", "7 y posteriores, con token", "7 und neuer, mit Token") },
    { value: "older", label: text("Before 7", "Anterior a 7", "Vor 7") }
  ],
  initial: "7",
  required: true
} satisfies FormField

/** The fields with which a person names a gateway. */
export const fields: ReadonlyArray<FormField> = [
  ...addressAt([TLS_PORT, PLAIN_PORT]).map((field) =>
    field.name === "port"
      ? {
          ...field,
          help: text(
            `${TLS_PORT} with firmware 7 and later, ${PLAIN_PORT} before`,
            `${TLS_PORT} con firmware 7 y posteriores, ${PLAIN_PORT} antes`,
            `${TLS_PORT} ab Firmware 7, davor ${PLAIN_PORT}`
          )
        }
      : field
  ),
  firmwareField,
  {
    ...fingerprintField,
    help: text(
      "The gateway signs its own certificate. Leave the field empty to see the fingerprint, and compare it with that of the gateway",
      "La pasarela firma su propio certificado. Deje el campo vacío para ver la huella y compárela con la de la pasarela",
      "Das Gateway signiert sein Zertifikat selbst. Lassen Sie das Feld leer, um den Fingerabdruck zu sehen, und vergleichen Sie ihn mit dem des Gateways"
    )
  },
  {
    name: "token",
    kind: "password",
    label: text("Access token", "Token de acceso", "Zugriffstoken"),
    help: text(
      `From ${TOKEN_PAGE}, valid for a year. Not needed with your Enlighten sign-in`,
      `De ${TOKEN_PAGE}, válido durante un año. No hace falta con su acceso a Enlighten`,
      `Von ${TOKEN_PAGE}, ein Jahr gültig. Nicht nötig mit Ihrer Anmeldung bei Enlighten`
    ),
    required: false
  },
  {
    name: "username",
    kind: "text",
    label: text("User name", "Nombre de usuario", "Benutzername"),
    help: text(
      "Your e-mail address at Enlighten, with which tokens are renewed. Before firmware 7: that of the gateway, “envoy” if empty",
      "Su correo en Enlighten, con el que se renuevan los tokens. Antes del firmware 7: el de la pasarela, «envoy» si está vacío",
      "Ihre E-Mail-Adresse bei Enlighten, mit der Token erneuert werden. Vor Firmware 7: der des Gateways, „envoy“, wenn leer"
    ),
    required: false
  },
  {
    name: "password",
    kind: "password",
    label: text("Password", "Contraseña", "Passwort"),
    help: text(
      "Before firmware 7: if empty, the last six digits of the serial number",
      "Antes del firmware 7: si está vacía, las seis últimas cifras del número de serie",
      "Vor Firmware 7: wenn leer, die letzten sechs Ziffern der Seriennummer"
    ),
    required: false
  },
  nameField
]

/** A gateway as a person named it. */
export interface ConnectForm {
  readonly host: string
  readonly port: number
  readonly fingerprint: string | null
  readonly givenName: string | null
  readonly access:
    | { readonly kind: "token"; readonly token: Redacted.Redacted | null; readonly login: EnlightenLogin | null }
    | { readonly kind: "digest"; readonly username: string; readonly password: Redacted.Redacted | null }
}

/** The user of old firmware whose password follows from the serial number. */
const OWN_USER = "envoy"

/** The password that old firmware has unless somebody has changed it. */
export const firstPassword = (serial: string): Redacted.Redacted => Redacted.make(serial.slice(-6))

const printable = /^[^\p{C}]*$/u

const short = Effect.fnUntraced(function* (values: FormValues, name: string) {
  const value = name === "password" ? values[name] || undefined : valueFrom(values, name)
  if (value !== undefined && (value.length > LIMIT || !printable.test(value))) {
    return yield* wrongValue(`${name} must be a text of at most ${LIMIT} characters, without line breaks`)
  }
  return value
})

const readAccess = Effect.fnUntraced(function* (values: FormValues, isOlder: boolean) {
  const token = valueFrom(values, "token")
  const username = yield* short(values, "username")
  const password = yield* short(values, "password")
  if (isOlder) {
    if (token !== undefined) return yield* wrongValue("token is for firmware 7 and later")
    if (username?.includes(":") === true) return yield* wrongValue("username must not have a colon")
    if (password === undefined && (username ?? OWN_USER) !== OWN_USER) {
      return yield* wrongValue(`password is required for a user other than ${OWN_USER}`)
    }
    return {
      kind: "digest" as const,
      username: username ?? OWN_USER,
      password: password === undefined ? null : Redacted.make(password)
    }
  }
  if (token !== undefined && readClaims(token) === undefined) {
    return yield* wrongValue(`token must be an access token from ${TOKEN_PAGE}: three parts with points between them`)
  }
  if ((username === undefined) !== (password === undefined)) {
    return yield* wrongValue("username and password are required together")
  }
  if (token === undefined && username === undefined) {
    return yield* wrongValue("token is required, or the username and the password of Enlighten")
  }
  return {
    kind: "token" as const,
    token: token === undefined ? null : Redacted.make(token),
    login: username === undefined ? null : { username, password: Redacted.make(password!) }
  }
})

/** The gateway that a person named. */
export const readForm = Effect.fnUntraced(function* (values: FormValues) {
  const firmware = valueFrom(values, "firmware") ?? firmwareField.initial
  if (firmware !== "7" && firmware !== "older") return yield* wrongValue("firmware must be 7 or older")
  const isOlder = firmware === "older"
  const port = valueFrom(values, "port") ?? String(isOlder ? PLAIN_PORT : TLS_PORT)
  const address = yield* enteredAddress({ ...values, port })
  // The host becomes a part of an address of HTTP.
  if (!/^[\p{L}\p{N}._:-]+$/u.test(address.host)) {
    return yield* wrongValue("host must be a name or an IP address, without a scheme and a port")
  }
  const fingerprint = yield* readFingerprint(valueFrom(values, "fingerprint"))
  if (fingerprint !== undefined && isOlder) {
    return yield* wrongValue("fingerprint is for firmware 7 and later: earlier ones have no certificate")
  }
  const form: ConnectForm = {
    ...address,
    fingerprint: fingerprint ?? null,
    givenName: (yield* short(values, "name")) ?? null,
    access: yield* readAccess(values, isOlder)
  }
  return form
})
