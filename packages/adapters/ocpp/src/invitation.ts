import { randomBytes, randomInt } from "node:crypto"
import { Effect, Schema } from "effect"
import { AdapterError, ID_TAKEN } from "@edp/adapter-kit/AdapterError"
import type { AdapterHost } from "@edp/adapter-kit/AdapterHost"
import type { FormField, LinkedAccount } from "@edp/adapter-kit/ManufacturerAdapter"
import { general, generalInstructions, setupInstructions } from "./setupInstructions.ts"
import { hashedPassword, isStationId } from "./stationLogin.ts"
import { setupByProduct, stationProducts } from "./stationSetups.ts"

/** A station's password, hashed with a salt of its own. */
export const StationCredentials = Schema.Struct({ salt: Schema.String, hash: Schema.String })
export type StationCredentials = typeof StationCredentials.Type

/** The path to which stations connect, followed by their id. */
export const STATION_PATH = "/ocpp/"

export const invitationFields: ReadonlyArray<FormField> = [
  {
    name: "product",
    kind: "choice",
    label: { en: "Your station", es: "Su estación", de: "Ihre Ladestation" },
    help: {
      en: "The next page shows its settings. Leave it empty if your station is not in the list.",
      es: "La página siguiente muestra sus ajustes. Déjelo vacío si su estación no está en la lista.",
      de: "Die nächste Seite zeigt ihre Einstellungen. Lassen Sie das Feld leer, wenn Ihre Ladestation nicht in der Liste steht."
    },
    choices: stationProducts.map((name) => ({ value: name, label: { en: name } })),
    required: false
  },
  {
    name: "stationId",
    kind: "text",
    label: general.stationId,
    help: {
      en: "The id under which the station connects, if it has a fixed one, such as its serial number. Leave it empty to get one.",
      es: "El identificador con el que se conecta la estación, si tiene uno fijo, como su número de serie. Déjelo vacío para obtener uno.",
      de: "Die Kennung, mit der sich die Ladestation verbindet, falls sie eine feste hat, etwa ihre Seriennummer. Lassen Sie das Feld leer, um eine zu erhalten."
    },
    required: false
  }
]

/** Leaves out letters and digits that look alike, because a person copies the id. */
const alphabet = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
const newStationId = () => `EDP-${Array.from({ length: 8 }, () => alphabet[randomInt(alphabet.length)]).join("")}`

const PASSWORD_BYTES = 16
const SALT_BYTES = 16

/** Hexadecimal digits are a valid AuthorizationKey in every reading of the standard: as text, and as the bytes that 1.6 takes from it. */
const newPassword = () => randomBytes(PASSWORD_BYTES).toString("hex")

const webSocketUrl = (publicUrl: string) => `${publicUrl.replace(/^http/, "ws")}${STATION_PATH}`

/** Creates an account that waits for a station, and returns what to enter at the station. */
export const invite = Effect.fn("ocpp.invite")(function* (host: AdapterHost, values: Readonly<Record<string, string>>) {
  const entered = (values["stationId"] ?? "").trim()
  const setup = setupByProduct(values["product"] ?? "")
  if (entered === "" && setup?.fixedId !== undefined)
    return yield* AdapterError.of(
      "misconfigured",
      `This station always connects with its ${setup.fixedId}: enter it as the station id`
    )
  const stationId = entered === "" ? newStationId() : entered
  if (!isStationId(stationId))
    return yield* AdapterError.of(
      "misconfigured",
      "The station id must have 1 to 48 characters: letters without accents, digits, and * - _ = : + | @ ."
    )
  const known = yield* host.findAccount(stationId)
  if (known !== undefined && !known.pending)
    return yield* AdapterError.of("misconfigured", ID_TAKEN, { connectedAs: stationId })
  const password = newPassword()
  const account: LinkedAccount<StationCredentials> = {
    externalId: stationId,
    name: `Charging station ${stationId}`,
    credentials: hashedPassword(randomBytes(SALT_BYTES).toString("hex"), password),
    expiresAt: null
  }
  const station = { address: webSocketUrl(host.publicUrl), stationId, password }
  return {
    account,
    instructions: setup === undefined ? generalInstructions(station) : setupInstructions(setup, station)
  }
})
