import { Effect } from "effect"
import { AdapterError } from "@edp/adapter-kit/AdapterError"
import type { AdapterHost } from "@edp/adapter-kit/AdapterHost"
import type { FormField, Instruction, LinkedAccount, LocalizedText } from "@edp/adapter-kit/ManufacturerAdapter"
import { newAddress, type ShellyCredentials } from "./deviceAddress.ts"

export const invitationFields: ReadonlyArray<FormField> = [
  {
    name: "chargers",
    kind: "text",
    label: {
      en: "Switches that supply a charging cable",
      es: "Interruptores que alimentan un cable de carga",
      de: "Schalter, an denen ein Ladekabel hängt"
    },
    help: {
      en: "Their numbers, such as 0 for the first one, or 0, 2. Leave it empty if there is none: a switch is a meter then.",
      es: "Sus números, como 0 para el primero, o 0, 2. Déjelo vacío si no hay ninguno: el interruptor será un contador.",
      de: "Ihre Nummern, etwa 0 für den ersten, oder 0, 2. Lassen Sie das Feld leer, wenn es keinen gibt: Der Schalter ist dann ein Zähler."
    },
    required: false
  }
]

const MAX_CHARGERS = 16

/** The numbers in a text such as `0, 2`; null if it is something else. */
export const readNumbers = (text: string): ReadonlyArray<number> | null => {
  const parts = text.split(/[\s,;]+/).filter((part) => part !== "")
  if (parts.length > MAX_CHARGERS || parts.some((part) => !/^\d{1,3}$/.test(part))) return null
  return [...new Set(parts.map(Number))].toSorted((a, b) => a - b)
}

const step = (label: LocalizedText): Instruction => ({ label, value: null, secret: false })
const note = (label: LocalizedText): Instruction => ({ ...step(label), isNote: true })

/** The steps at the device's own page, and the two addresses that do the same. */
export const instructions = (url: string): ReadonlyArray<Instruction> => {
  const isSecure = url.startsWith("wss:")
  const config = { enable: true, server: url, ...(isSecure && { ssl_ca: "ca.pem" }) }
  const call = `http://DEVICE/rpc/Ws.SetConfig?config=${encodeURIComponent(JSON.stringify(config))}`
  const connection = isSecure ? "Default TLS" : "No SSL"
  return [
    step({
      en: "Open the web page of the Shelly: type its address in your network into a browser.",
      es: "Abra la página web del Shelly: escriba su dirección de su red en un navegador.",
      de: "Öffnen Sie die Webseite des Shelly: Geben Sie seine Adresse in Ihrem Netz in einen Browser ein."
    }),
    step({
      en: "Go to Settings › Connectivity › Outbound WebSocket.",
      es: "Vaya a Settings › Connectivity › Outbound WebSocket.",
      de: "Gehen Sie zu Settings › Connectivity › Outbound WebSocket."
    }),
    step({
      en: `Turn on “Enable” and set “Connection type” to “${connection}”.`,
      es: `Active «Enable» y elija «${connection}» en «Connection type».`,
      de: `Schalten Sie „Enable“ ein und stellen Sie „Connection type“ auf „${connection}“.`
    }),
    {
      label: {
        en: "Enter in “Server”. The address is secret: it is the password of this Shelly.",
        es: "Escriba en «Server». La dirección es secreta: es la contraseña de este Shelly.",
        de: "Geben Sie unter „Server“ ein. Die Adresse ist geheim: Sie ist das Passwort dieses Shelly."
      },
      value: url,
      secret: true
    },
    step({
      en: "Save the settings and restart the Shelly.",
      es: "Guarde los ajustes y reinicie el Shelly.",
      de: "Speichern Sie die Einstellungen und starten Sie den Shelly neu."
    }),
    {
      label: {
        en: "Or open this address in a browser, with the address of the Shelly in place of DEVICE; then http://DEVICE/rpc/Shelly.Reboot",
        es: "O abra esta dirección en un navegador, con la dirección del Shelly en lugar de DEVICE; después http://DEVICE/rpc/Shelly.Reboot",
        de: "Oder öffnen Sie diese Adresse in einem Browser, mit der Adresse des Shelly anstelle von DEVICE; danach http://DEVICE/rpc/Shelly.Reboot"
      },
      value: call,
      secret: true
    },
    note({
      en: "A Shelly has one outbound WebSocket. If another system uses it, that system loses the Shelly.",
      es: "Un Shelly tiene un solo WebSocket saliente. Si lo usa otro sistema, ese sistema pierde el Shelly.",
      de: "Ein Shelly hat nur einen ausgehenden WebSocket. Wenn ihn ein anderes System nutzt, verliert dieses den Shelly."
    })
  ]
}

/** Creates an account that waits for a device, and returns what to enter at the device. */
export const invite = Effect.fn("shelly.invite")(function* (
  host: AdapterHost,
  values: Readonly<Record<string, string>>
) {
  const chargers = readNumbers(values["chargers"] ?? "")
  if (chargers === null)
    return yield* AdapterError.of(
      "misconfigured",
      `“Switches that supply a charging cable” takes at most ${MAX_CHARGERS} numbers from 0 to 999, separated by commas, such as 0, 2`
    )
  const { id, stored, url } = newAddress(host.publicUrl)
  const account: LinkedAccount<ShellyCredentials> = {
    externalId: id,
    name: `Shelly ${id}`,
    credentials: { ...stored, chargers },
    expiresAt: null
  }
  return { account, instructions: instructions(url) }
})
