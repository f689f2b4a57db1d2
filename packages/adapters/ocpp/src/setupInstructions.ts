import type { Instruction, LocalizedText } from "@edp/adapter-kit/ManufacturerAdapter"
import type { StationSetup } from "./stationSetups.ts"

/** With what a station connects. */
export interface StationAddress {
  /** Ends with a slash, which the id follows. */
  readonly address: string
  readonly stationId: string
  readonly password: string
}

const typed = (label: LocalizedText, value: string, secret = false): Instruction => ({ label, value, secret })
const step = (label: LocalizedText): Instruction => ({ label, value: null, secret: false })
const note = (label: LocalizedText): Instruction => ({ ...step(label), isNote: true })

const field = (label: string): LocalizedText => ({
  en: `Enter in “${label}”`,
  es: `Escriba en «${label}»`,
  de: `Geben Sie unter „${label}“ ein`
})

export const general = {
  address: {
    en: "Address of the central system",
    es: "Dirección del sistema central",
    de: "Adresse des Zentralsystems"
  },
  stationId: { en: "Station id", es: "Identificador de la estación", de: "Kennung der Ladestation" },
  fullAddress: {
    en: "Address with the station id, where the station asks for one address only",
    es: "Dirección con el identificador, si la estación solo pide una dirección",
    de: "Adresse mit der Kennung, falls die Ladestation nur eine Adresse verlangt"
  },
  password: {
    en: "Password (AuthorizationKey)",
    es: "Contraseña (AuthorizationKey)",
    de: "Passwort (AuthorizationKey)"
  }
} satisfies Record<string, LocalizedText>

const fullAddress = ({ address, stationId }: StationAddress) => `${address}${encodeURIComponent(stationId)}`

/** The instructions for any station. */
export const generalInstructions = (station: StationAddress): ReadonlyArray<Instruction> => [
  typed(general.address, station.address.slice(0, -1)),
  typed(general.stationId, station.stationId),
  typed(general.fullAddress, fullAddress(station)),
  typed(general.password, station.password, true)
]

const openTool = ({ maker, tool }: StationSetup): LocalizedText => {
  switch (tool?.kind) {
    case "app":
      return {
        en: `Open the app ${tool.name}.`,
        es: `Abra la aplicación ${tool.name}.`,
        de: `Öffnen Sie die App ${tool.name}.`
      }
    case "portal":
      return {
        en: `Sign in to ${tool.name}.`,
        es: `Inicie sesión en ${tool.name}.`,
        de: `Melden Sie sich bei ${tool.name} an.`
      }
    case "page":
      return {
        en: `Open the web page of the station (${tool.name}).`,
        es: `Abra la página web de la estación (${tool.name}).`,
        de: `Öffnen Sie die Webseite der Ladestation (${tool.name}).`
      }
    case "program":
      return {
        en: `Start ${tool.name} on a computer.`,
        es: `Inicie ${tool.name} en un ordenador.`,
        de: `Starten Sie ${tool.name} auf einem Computer.`
      }
    default:
      return {
        en: `Open the settings for OCPP or the back end. The manual of ${maker} says where they are.`,
        es: `Abra los ajustes de OCPP o del servidor. El manual de ${maker} indica dónde están.`,
        de: `Öffnen Sie die Einstellungen für OCPP oder das Backend. Das Handbuch von ${maker} sagt, wo sie sind.`
      }
  }
}

const addresses = ({ address: form, labels = {} }: StationSetup, station: StationAddress) => {
  const base = station.address.slice(0, -1)
  const label = labels.address === undefined ? general.address : field(labels.address)
  switch (form) {
    case "base":
      return [typed(label, base)]
    case "full":
      return [typed(label, fullAddress(station))]
    case "no-scheme":
      return [typed(label, base.replace(/^wss?:\/\//, ""))]
    default:
      return [typed(label, base), typed(general.fullAddress, fullAddress(station))]
  }
}

/** The steps for a product, with what is typed at each, and what to know about it. The notes of a product are in English alone. */
export const setupInstructions = (setup: StationSetup, station: StationAddress): ReadonlyArray<Instruction> => {
  const { choose = {}, firmware, fixedId, labels = {}, menu, notes = [], turnOn = [] } = setup
  const path = menu?.join(" › ")
  return [
    step(openTool(setup)),
    ...(path === undefined ? [] : [step({ en: `Go to ${path}.`, es: `Vaya a ${path}.`, de: `Gehen Sie zu ${path}.` })]),
    ...turnOn.map((name) =>
      step({ en: `Turn on “${name}”.`, es: `Active «${name}».`, de: `Schalten Sie „${name}“ ein.` })
    ),
    ...Object.entries(choose).map(([name, value]) =>
      step({
        en: `Set “${name}” to “${value}”.`,
        es: `Elija «${value}» en «${name}».`,
        de: `Stellen Sie „${name}“ auf „${value}“.`
      })
    ),
    ...addresses(setup, station),
    ...(fixedId === undefined
      ? [typed(labels.stationId === undefined ? general.stationId : field(labels.stationId), station.stationId)]
      : []),
    typed(typeof labels.password === "string" ? field(labels.password) : general.password, station.password, true),
    step({
      en: "Save the settings and restart the station.",
      es: "Guarde los ajustes y reinicie la estación.",
      de: "Speichern Sie die Einstellungen und starten Sie die Ladestation neu."
    }),
    ...(labels.password === null
      ? [
          note({
            en: "The sources for this page name no field for the password. A station that has none can't connect.",
            es: "Las fuentes de esta página no mencionan ningún campo para la contraseña. Una estación sin él no puede conectarse.",
            de: "Die Quellen dieser Seite nennen kein Feld für das Passwort. Eine Ladestation ohne ein solches kann sich nicht verbinden."
          })
        ]
      : []),
    ...(firmware === undefined
      ? []
      : [
          note({
            en: `Oldest firmware: ${firmware}.`,
            es: `Firmware mínimo: ${firmware}.`,
            de: `Älteste Firmware: ${firmware}.`
          })
        ]),
    ...notes.map((en) => note({ en }))
  ]
}
